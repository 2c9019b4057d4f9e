"""Bare pairs in, verdicts out: a judge without answers around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from citemeter.errors import InputError
from citemeter.files import read_objects
from citemeter.intake import read_each
from citemeter.judges.asking import JudgeSession
from citemeter.judges.base import Pair, Premise
from citemeter.judges.verdict_words import read_label
from citemeter.results import RecordError
from citemeter.statistics.agreement import JudgingSummary, agreement, best_threshold
from citemeter.verdicts import Verdict

__all__ = ["PAIR_FIELDS", "Judging", "LabelledPair", "judge_pairs", "read_pairs"]

PAIR_FIELDS = ("premise", "hypothesis")
"""The columns of a pair, under citemeter's names."""

_PORTION = 4096  # pairs held at once


class LabelledPair(NamedTuple):
    """One pair, and what people said of it.

    Args:
        pair: Premise and hypothesis.
        gold: Whether people call it supported; ``None`` if they left it open or gave no label.
        id: The record's id, or its file and line.
    """

    pair: Pair
    gold: bool | None
    id: str


def read_pairs(
    paths: Iterable[str | Path],
    fields: Mapping[str, str] | None = None,
    gold: str | None = None,
    *,
    stdin: TextIO | None = None,
) -> Iterator[LabelledPair | RecordError]:
    """Read ``(premise, hypothesis)`` pairs from files, with people's labels if there are any.

    Args:
        paths: Files, as ``read_records`` takes them; each record has a premise (a text, or a list
            of passages) and a hypothesis.
        fields: Other names for the two, such as ``{"premise": "evidence"}``.
        gold: The field that holds the label, if any; a null is a pair that people left open.
        stdin: What ``-`` stands for.

    Returns:
        The pairs, and a ``RecordError`` for each record that is none.

    Raises:
        InputError: If a file cannot be opened, or ``fields`` names no column of a pair.
    """
    names = dict(zip(PAIR_FIELDS, PAIR_FIELDS, strict=True))
    for ours, theirs in (fields or {}).items():
        if ours not in names:
            raise InputError(
                f"a pair has no field {ours!r}.", fix=f"map {' or '.join(PAIR_FIELDS)}."
            )
        names[ours] = theirs
    read = partial(_pair, names=names, gold=gold)
    return read_each(read_objects(paths, stdin=stdin), read)


def _pair(
    record: Mapping[str, Any], place: str, names: Mapping[str, str], gold: str | None
) -> LabelledPair:
    premise = record.get(names["premise"])
    if isinstance(premise, list) and premise and all(isinstance(p, str) for p in premise):
        premise = Premise(premise) if len(premise) > 1 else premise[0]
    pair = (
        _text(premise, "premise", names),
        _text(record.get(names["hypothesis"]), "hypothesis", names),
    )
    label = None
    if gold is not None:
        if gold not in record:
            raise InputError("there is no label.", field=gold, fix="name the column of the labels.")
        label = _gold(record[gold], gold)
    name = record.get("id")
    return LabelledPair(pair, label, place if name is None else str(name))


def _text(value: Any, name: str, names: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return value
    raise InputError(
        f"the {name} is {'missing' if value is None else type(value).__name__}.",
        field=names[name],
        fix=f"give a text{', or a list of texts' if name == 'premise' else ''}; another column is "
        f"named by --field {name}=COLUMN.",
    )


def _gold(value: Any, field: str) -> bool | None:
    """Read a label; a score is none."""
    try:
        label = read_label(value)
        if not isinstance(label, float):
            return label
    except ValueError:
        pass
    raise InputError(
        f"the label is {value!r}.",
        field=field,
        fix="write supported or not_supported, true or false, 1 or 0, or null.",
    )


def judge_pairs(
    pairs: Iterable[LabelledPair], session: JudgeSession
) -> Iterator[tuple[LabelledPair, Verdict]]:
    """Judge any number of pairs, each distinct pair once, a few thousand at a time.

    Args:
        pairs: The pairs, read as they are needed.
        session: Who asks the judge.

    >>> from citemeter.judges import load_judge
    >>> pairs = [LabelledPair(("Cats purr.", text), None, "1") for text in ("cats", "dogs")]
    >>> [v.supported for _, v in judge_pairs(pairs, JudgeSession(load_judge("toy:contains")))]
    [True, False]
    """
    source = iter(pairs)
    while portion := list(islice(source, _PORTION)):
        yield from zip(portion, session.ask([item.pair for item in portion]), strict=True)


class Judging:
    """Adds up verdicts as they come.

    Args:
        session: Who asks the judge.
        gold: Whether the pairs have labels.
    """

    def __init__(self, session: JudgeSession, *, gold: bool) -> None:
        self._session, self._gold = session, gold
        self._counts = {"supported": 0, "unsupported": 0, "unjudged": 0}
        self._labels: list[bool] = []
        self._verdicts: list[Verdict] = []
        self._open = 0

    def add(self, pair: LabelledPair, verdict: Verdict) -> None:
        """Take in one verdict."""
        state = {True: "supported", False: "unsupported", None: "unjudged"}[verdict.supported]
        self._counts[state] += 1
        if self._gold and pair.gold is None:
            self._open += 1
        elif pair.gold is not None:
            self._labels.append(pair.gold)
            self._verdicts.append(Verdict(supported=verdict.supported, score=verdict.score))

    def summary(self, *, fit_threshold: bool = False) -> JudgingSummary:
        """Return the sums.

        Raises:
            InputError: If a threshold is asked for and a verdict has no score, or the labels are
                all alike.
        """
        session = self._session
        return JudgingSummary(
            judge=session.judge.identity,
            pairs={**session.counts, **self._counts},
            usage=session.usage(),
            agreement=agreement(self._labels, self._verdicts) if self._gold else None,
            open_labels=self._open,
            best_threshold=self._best_threshold() if fit_threshold else None,
        )

    def _best_threshold(self) -> float:
        judged = [
            (g, v.score)
            for g, v in zip(self._labels, self._verdicts, strict=True)
            if v.supported is not None
        ]
        gold = np.array([label for label, _ in judged], dtype=np.bool_)
        scores = [score for _, score in judged]
        if None in scores:
            raise InputError(
                "a threshold cannot be fitted: a verdict has no score.",
                fix="use a judge that gives scores.",
            )
        if not len(gold) or gold.all() or not gold.any():
            raise InputError(
                "a threshold cannot be fitted: the labels are all alike.",
                fix="give pairs of both kinds.",
            )
        return best_threshold(gold, np.array(scores, dtype=np.float64))
