"""Judges by name, as the command line and a signature write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from citemeter.errors import JudgeError
from citemeter.judges.base import Entails, Judge, as_judge

__all__ = ["load_judge"]

SPECS = (
    "embedded",
    "lexical",
    "toy:contains",
    "toy:keyword=TEXT",
    "nli:MODEL[@REVISION] or nli:FOLDER",
    "llm:MODEL@BASE_URL",
    "recorded:FILE",
    "package.module:attribute",
)
"""What ``load_judge`` reads."""

_ENDPOINT = re.compile(r"(?P<model>.+)@(?P<base_url>https?://\S+)", re.S)


def load_judge(
    spec: str | Judge | Entails,
    *,
    threshold: float | None = None,
    device: str | None = None,
    batch_size: int | None = None,
    concurrency: int | None = None,
    long_premise: str | None = None,
    window: int | None = None,
    cache: str | Path | None = None,
) -> Judge:
    """Return the judge that a specification names.

    Args:
        spec: One of the strings below, or a judge or callable, which is passed through.

            - ``embedded``: the words compared and a small network that reads the evidence, all in
              the package.
            - ``lexical``: the words alone. Both take a threshold: ``lexical:threshold=0.6``.
            - ``toy:contains``: the premise contains the statement's words.
            - ``toy:keyword=TEXT``: the premise contains ``TEXT``.
            - ``nli:MODEL``: an entailment model, by its name on a hub or by the folder it is in;
              ``nli:MODEL@REVISION`` pins the hub's commit, tag or branch.
            - ``llm:MODEL@BASE_URL``: a model behind an OpenAI-compatible endpoint; without
              ``@BASE_URL`` the one that the ``openai`` package takes from the environment.
            - ``recorded:FILE``: verdicts that people or another run gave.
            - ``package.module:attribute``: a judge, a class of one, or a callable, imported.
        threshold: The score from which a pair is supported, for a judge that gives scores.
        device: Where an ``nli`` model runs: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"mps"``.
        batch_size: How many pairs an ``nli`` model reads at once; by default as many as fit a
            budget of tokens.
        concurrency: How many calls to an ``llm`` endpoint are under way at once, or how many pairs
            ``embedded`` reads at once.
        long_premise: What an ``nli`` model does with a premise it cannot read at once: ``"chunk"``,
            ``"truncate"`` or ``"error"``.
        window: How many tokens of a premise an ``nli`` model reads at a time, at most.
        cache: A file that keeps the verdicts, so that no pair is judged twice.

    Raises:
        JudgeError: If the specification names no judge, or an option does not fit it; the message
            says what does.

    >>> load_judge("toy:contains")("Cats purr.", "Cats purr")
    True
    >>> load_judge("lexical", threshold=0.9).identity.threshold
    0.9
    """
    options = {
        "device": device,
        "batch_size": batch_size,
        "concurrency": concurrency,
        "long_premise": long_premise,
        "window": window,
    }
    given = {name: value for name, value in options.items() if value is not None}
    judge = _named(spec, threshold, given) if isinstance(spec, str) else as_judge(spec)
    if given:
        name = next(iter(given))
        shown = spec if isinstance(spec, str) else judge.identity.name
        raise JudgeError(f"judge {shown!r} has no option {name}: leave it out")
    if threshold is not None and judge.identity.threshold != threshold:
        from citemeter.judges.thresholded import ThresholdedJudge

        judge = ThresholdedJudge(judge, threshold)
    if cache is not None:
        from citemeter.judges.cache import CachedJudge

        judge = CachedJudge(judge, cache)
    return judge


def shared_judge(judge: str | Judge | Entails) -> Judge:
    """Return a judge that is loaded once a process if it is given by name.

    A judge that reads a file of verdicts or asks an endpoint is cheap to make and depends on more
    than its name, so it is made each time.

    Args:
        judge: A name, a judge or a callable, as ``load_judge`` takes them.

    Raises:
        JudgeError: If the name names no judge.

    >>> shared_judge("lexical") is shared_judge("lexical")
    True
    """
    if isinstance(judge, str) and judge.partition(":")[0] in _LOADED_ONCE:
        with _loading:  # two threads that come first at once would load it twice
            return _loaded(judge)
    return load_judge(judge)


_LOADED_ONCE = frozenset(("embedded", "lexical", "nli", "toy"))
_loading = Lock()
_loaded = lru_cache(maxsize=8)(load_judge)


def _named(spec: str, threshold: float | None, options: dict[str, Any]) -> Judge:
    """Build the judge; the options it takes are removed from ``options``."""
    kind, _, rest = spec.partition(":")
    build = _KINDS.get(kind)
    if build is not None:
        judge = build(rest, threshold, options)
        if judge is not None:
            return judge
    elif rest and rest.isidentifier() and all(part.isidentifier() for part in kind.split(".")):
        return _imported(spec, kind, rest)
    raise JudgeError(f"there is no judge {spec!r}: use {', '.join(SPECS)}")


def _take(options: dict[str, Any], threshold: float | None, *names: str) -> dict[str, Any]:
    taken = {name: options.pop(name) for name in names if name in options}
    return taken if threshold is None else {**taken, "threshold": threshold}


def _threshold(kind: str, rest: str, threshold: float | None) -> float | None:
    """Read ``threshold=NUMBER`` after a judge's name."""
    name, equals, value = rest.partition("=")
    if rest:
        try:
            if name != "threshold" or not equals or threshold is not None:
                raise ValueError(name)
            return float(value)
        except ValueError:
            raise JudgeError(
                f"cannot read {rest!r} in judge '{kind}:{rest}': write {kind}:threshold=NUMBER, "
                f"or {kind} and the option threshold"
            ) from None
    return threshold


def _lexical(rest: str, threshold: float | None, options: dict[str, Any]) -> Judge | None:
    from citemeter.judges.lexical.judge import LexicalJudge

    return LexicalJudge(threshold=_threshold("lexical", rest, threshold))


def _embedded(rest: str, threshold: float | None, options: dict[str, Any]) -> Judge | None:
    from citemeter.judges.embedded.judge import EmbeddedJudge

    threshold = _threshold("embedded", rest, threshold)
    return EmbeddedJudge(threshold=threshold, threads=options.pop("concurrency", None))


def _toy(rest: str, threshold: float | None, options: dict[str, Any]) -> Judge | None:
    from citemeter.judges.toy import ContainsJudge, KeywordJudge

    kind, _, value = rest.partition("=")
    if kind == "contains" and not value:
        return ContainsJudge()
    return KeywordJudge(value) if kind == "keyword" and value else None


def _nli(rest: str, threshold: float | None, options: dict[str, Any]) -> Judge | None:
    from citemeter.judges.nli.judge import NLIJudge

    if not rest:
        return None
    # Names on a hub have no @, but a folder may.
    name, at, revision = rest.rpartition("@")
    taken = _take(options, threshold, "device", "batch_size", "long_premise", "window")
    if at and not Path(rest).exists():
        return NLIJudge(name, revision=revision, **taken)
    return NLIJudge(rest, **taken)


def _llm(rest: str, threshold: float | None, options: dict[str, Any]) -> Judge | None:
    from citemeter.judges.llm.judge import LLMJudge

    if not rest:
        return None
    endpoint = _ENDPOINT.fullmatch(rest)
    where = endpoint.groupdict() if endpoint else {"model": rest}
    return LLMJudge(**where, **_take(options, threshold, "concurrency"))


def _recorded(rest: str, threshold: float | None, options: dict[str, Any]) -> Judge | None:
    from citemeter.judges.recorded import RecordedJudge

    return RecordedJudge.from_file(rest, threshold=threshold) if rest else None


_KINDS: Mapping[str, Callable[[str, float | None, dict[str, Any]], Judge | None]] = {
    "embedded": _embedded,
    "lexical": _lexical,
    "toy": _toy,
    "nli": _nli,
    "llm": _llm,
    "recorded": _recorded,
}


def _imported(spec: str, module_name: str, attribute: str) -> Judge:
    from importlib import import_module

    try:
        found = getattr(import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise JudgeError(f"cannot import judge {spec!r}: {error}") from error
    if isinstance(found, type):
        found = found()
    return as_judge(found)
