"""A judge that replays verdicts: people's labels, another tool's run, a cache's export."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from citemeter.errors import InputError, JudgeError, check_choice
from citemeter.files import TABLES, kind_of, read_objects
from citemeter.judges.base import Judge, Pair
from citemeter.judges.cache.store import pair_digest
from citemeter.judges.thresholded import checked_threshold
from citemeter.judges.verdict_words import UNJUDGED, WORDS, read_label, word_key
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["RecordedJudge"]

Match: TypeAlias = Literal["exact", "whitespace"]
Conflicts: TypeAlias = Literal["error", "unjudged"]

_MISSING = Verdict.failed("no verdict is recorded for this pair")
_BLANK = Verdict.failed("this pair is recorded without a verdict")
_DISPUTED = Verdict.failed("the verdicts recorded for this pair contradict each other")
_PLAIN = {True: Verdict(supported=True), False: Verdict(supported=False), None: _BLANK}


_BAD_BYTES = re.compile("[\udc80-\udcff]")
_ABSENT = object()
"""The verdict of a row in a file without a column of verdicts."""


class _Row(NamedTuple):
    place: str
    premise: str
    hypothesis: str
    verdict: Any
    score: Any = None
    label: Any = None
    reason: Any = None
    long_premise: Any = None


class RecordedJudge(Judge):
    """Verdicts that were given before; a pair that has none is a failed verdict, not a no.

    A verdict is ``True`` or ``False``, a ``Verdict``, a word such as ``supported`` or
    ``contradiction`` (``YES`` and ``NO`` in ``citemeter.judges.verdict_words`` list them; another
    word is an error), the numbers 1 and 0, or, with a threshold, a score in ``[0, 1]``. ``None``
    and an empty word are no verdict.

    Args:
        verdicts: Verdicts by ``(premise, hypothesis)``.
        name: What the judge is called in a report.
        threshold: The score from which a pair is supported. Verdicts without a score stay what
            they are.
        match: ``"exact"``, or ``"whitespace"`` to find a pair whose texts differ only in white
            space.
        conflicts: What becomes of a pair with verdicts that contradict each other: an
            ``"error"``, or ``"unjudged"``, a pair without a verdict.

    Raises:
        InputError: If a verdict cannot be read, or two that are to be one contradict each other.
        JudgeError: If a threshold has no score to apply to.

    >>> judge = RecordedJudge({("Cats purr.", "Cats purr."): True})
    >>> judge("Cats purr.", "Cats purr.")
    True
    >>> judge.judge([("Cats purr.", "Dogs bark.")])[0].error
    'no verdict is recorded for this pair'
    """

    def __init__(
        self,
        verdicts: Mapping[Pair, bool | float | str | Verdict | None],
        *,
        name: str = "recorded",
        threshold: float | None = None,
        match: Match = "exact",
        conflicts: Conflicts = "error",
    ) -> None:
        self._fill(
            (
                _Row(f"verdict {number}", *_pair(pair), verdict)
                for number, (pair, verdict) in enumerate(verdicts.items(), start=1)
            ),
            name,
            threshold,
            match,
            conflicts,
            WORDS,
        )

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        premise: str = "premise",
        hypothesis: str = "hypothesis",
        verdict: str | Sequence[str] = ("verdict", "supported", "label", "y"),
        score: str = "score",
        label: str = "label",
        reason: str = "reason",
        words: Mapping[str, bool | None] | None = None,
        name: str = "recorded",
        threshold: float | None = None,
        match: Match = "exact",
        conflicts: Conflicts = "error",
    ) -> RecordedJudge:
        """Read verdicts from a file, one row a pair.

        Args:
            path: A file ending in ``.jsonl``, ``.json``, ``.csv`` or ``.tsv``, also gzipped.
            premise: The column of the premise. It is a text, or a list of passages, which are
                joined by line breaks as for every judge.
            hypothesis: The column of the hypothesis.
            verdict: The column of the verdict, or several, of which a row's first is read.
            score: The column of the score, if there is one.
            label: The column of the judge's own word, if there is one.
            reason: The column of the reason, if there is one.
            words: Further words for yes (``True``), no (``False``) and no verdict (``None``).
            name: What the judge is called in a report.
            threshold: The score from which a pair is supported.
            match: ``"exact"`` or ``"whitespace"``.
            conflicts: ``"error"`` or ``"unjudged"``.

        Raises:
            InputError: If the file or a row cannot be read, or two rows contradict each other;
                the message has their lines.
            JudgeError: If there is no verdict in it, or no score for the threshold.
        """
        table = kind_of(path) in TABLES
        columns = (verdict,) if isinstance(verdict, str) else tuple(verdict)
        own = {word_key(word): meaning for word, meaning in (words or {}).items()}

        def rows() -> Iterator[_Row]:
            for place, row in read_objects([path], nested=None):
                if isinstance(row, InputError):
                    raise row
                found = [column for column in columns if column in row]
                if not found and score not in row:
                    raise _unread(
                        place,
                        f"there is no column {' or '.join(columns)}, only {', '.join(row)}.",
                        "name the verdict's column with verdict=...",
                    )
                yield _Row(
                    place,
                    _text(row, premise, "premise", place, table),
                    _text(row, hypothesis, "hypothesis", place, table),
                    row[found[0]] if found else _ABSENT,
                    *(row.get(column) for column in (score, label, reason, "long_premise")),
                )

        judge = cls.__new__(cls)
        judge._fill(rows(), name, threshold, match, conflicts, {**WORDS, **own})
        if not judge._verdicts:
            raise JudgeError(f"there is no verdict in {path}: check that it is the right file")
        return judge

    @property
    def identity(self) -> JudgeIdentity:
        """The name, the digest of all that is recorded, and the threshold."""
        return JudgeIdentity(
            name=self.name,
            version=self._digest,
            threshold=self.threshold,
            parameters={} if self.match == "exact" else {"match": self.match},
        )

    def __len__(self) -> int:
        """Return how many pairs are recorded, those without a verdict included."""
        return len(self._verdicts)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        return [
            self._verdicts.get(self._key(premise, hypothesis), _MISSING)
            for premise, hypothesis in pairs
        ]

    def _key(self, premise: str, hypothesis: str) -> bytes:
        if self.match == "whitespace":
            return pair_digest(" ".join(premise.split()), " ".join(hypothesis.split()))
        # What is recorded is found by its text alone, wherever its passages begin.
        return pair_digest(str(premise), str(hypothesis))

    def _fill(
        self,
        rows: Iterator[_Row],
        name: str,
        threshold: float | None,
        match: Match,
        conflicts: Conflicts,
        words: Mapping[str, bool | None],
    ) -> None:
        check_choice("match", match, ("exact", "whitespace"))
        check_choice("conflicts", conflicts, ("error", "unjudged"))
        self.name = name
        self.threshold = None if threshold is None else checked_threshold(threshold)
        self.match = match
        self._verdicts: dict[bytes, Verdict] = {}
        places: dict[bytes, str] = {}
        for row in rows:
            key = self._key(row.premise, row.hypothesis)
            verdict = _read(row, words, self.threshold)
            earlier = self._verdicts.get(key)
            if earlier is _DISPUTED:
                continue
            if earlier is not None and earlier.supported is not None:
                if verdict.supported is None:
                    continue
                if _contradict(earlier, verdict):
                    if conflicts == "unjudged":
                        self._verdicts[key] = _DISPUTED
                        continue
                    raise _unread(
                        row.place,
                        f"the verdict on this pair contradicts the one at {places[key]}.",
                        'leave one of them, or leave the pair out with conflicts="unjudged".',
                    )
                if earlier.score is not None or verdict.score is None:
                    continue
            self._verdicts[key] = verdict
            places[key] = row.place
        if (
            self.threshold is not None
            and self._verdicts
            and all(verdict.score is None for verdict in self._verdicts.values())
        ):
            raise JudgeError(
                f"threshold {self.threshold:g} has no score to apply to: leave it out, or name "
                "the scores' column with score=..."
            )
        content = sha256()
        for key, verdict in sorted(self._verdicts.items()):
            # The threshold is no part of what is recorded: scores count, not what they come to.
            said = verdict.supported if self.threshold is None or verdict.score is None else None
            content.update(key)
            parts = (said, verdict.score, verdict.label, verdict.reason, verdict.long_premise)
            content.update(repr(parts).encode())
        self._digest = content.hexdigest()[:16]
        if self.threshold is not None:
            for key, verdict in self._verdicts.items():
                self._verdicts[key] = verdict.at(self.threshold)


def _read(row: _Row, words: Mapping[str, bool | None], threshold: float | None) -> Verdict:
    """Return what a row says: by its score if there is a threshold, else by its verdict."""
    if isinstance(row.verdict, Verdict):
        return row.verdict
    supported, score = _meaning(row, words, threshold)
    by_score = score is not None or row.verdict is _ABSENT
    stated = _stated_score(row)
    score = score if stated is None else stated
    if score is not None and threshold is not None:
        supported = score >= threshold
    elif score is not None and supported is None and by_score:
        raise _unread(
            row.place,
            f"{score:g} is a score, not a yes or no.",
            "say from which score a pair is supported: threshold=...",
        )
    if supported is None or (score is None and not any((row.label, row.reason, row.long_premise))):
        return _PLAIN[supported]
    return Verdict(
        supported=supported,
        score=score,
        label=None if row.label is None else str(row.label),
        reason=None if row.reason is None else str(row.reason),
        long_premise=row.long_premise if row.long_premise in ("chunked", "truncated") else None,
    )


def _meaning(
    row: _Row, words: Mapping[str, bool | None], threshold: float | None
) -> tuple[bool | None, float | None]:
    """Return the yes or no in a row's verdict, or the score."""
    if row.verdict is _ABSENT:
        return None, None
    try:
        label = read_label(row.verdict, words, scores=threshold is not None)
    except ValueError:
        given = repr(row.verdict)
        raise _unread(
            row.place,
            f"{given} is no verdict that is known here.",
            f"write supported or not_supported, say what it means with words={{{given}: True}} "
            "(False, or None for no verdict), or name another column with verdict=...",
        ) from None
    return (None, label) if isinstance(label, float) else (label, None)


def _stated_score(row: _Row) -> float | None:
    given = row.score
    if given is None or (isinstance(given, str) and word_key(given) in UNJUDGED):
        return None
    try:
        number = -1.0 if isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if math.isnan(number):
        return None
    if not 0 <= number <= 1:
        raise _unread(
            row.place,
            f"the score {given!r} is no number between 0 and 1.",
            "scale the scores, or name another column with score=...",
        )
    return number


def _text(row: Mapping[str, Any], column: str, what: str, place: str, table: bool) -> str:
    value = row.get(column)
    if what == "premise":
        if table and isinstance(value, str) and value.startswith("["):
            value = _list_in(value)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return "\n".join(filter(None, value))
    if isinstance(value, str) and not value.isascii() and _BAD_BYTES.search(value):
        raise _unread(place, f"the {what} has bytes that are no UTF-8.", "save the file as UTF-8.")
    if not isinstance(value, str):
        there = f"has {type(value).__name__} in" if column in row else "has no"
        raise _unread(
            place,
            f"the row {there} column {column!r}; its columns are {', '.join(map(str, row))}.",
            f"name the column of the {what} with {what}=...",
        )
    return value


def _list_in(cell: str) -> Any:
    """Read a table's cell that holds passages as a JSON list; another is text."""
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return found if isinstance(found, list) and set(map(type, found)) == {str} else cell


def _pair(pair: Any) -> tuple[str, str]:
    if isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair):
        return str(pair[0]), str(pair[1])
    raise JudgeError(f"{pair!r} is no pair: give verdicts by (premise, hypothesis)")


def _contradict(one: Verdict, other: Verdict) -> bool:
    if one.supported is not other.supported:
        return True
    return None not in (one.score, other.score) and one.score != other.score


def _unread(place: str, problem: str, fix: str) -> InputError:
    return InputError(problem, record=place, fix=fix)
