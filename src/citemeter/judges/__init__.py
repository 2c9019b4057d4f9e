"""Judges: what decides whether a premise entails a hypothesis."""

from __future__ import annotations

from citemeter.errors import JudgeError
from citemeter.judges.base import CallableJudge, Entails, Judge, Pair, as_judge
from citemeter.judges.toy import ContainsJudge, KeywordJudge, TableJudge

__all__ = [
    "CallableJudge",
    "ContainsJudge",
    "Entails",
    "Judge",
    "KeywordJudge",
    "Pair",
    "TableJudge",
    "as_judge",
    "load_judge",
]


def load_judge(spec: str | Judge | Entails) -> Judge:
    """Return the judge that a specification names.

    Args:
        spec: One of the strings below, or a judge or callable, which is passed through.

            - ``lexical`` or ``lexical:threshold=0.6``: the embedded judge of word overlap.
            - ``toy:contains``: the premise contains the statement's words.
            - ``toy:keyword=TEXT``: the premise contains ``TEXT``.
            - ``package.module:attribute``: a judge, a class of one, or a callable, imported.

    Raises:
        JudgeError: If the specification names no judge; the message lists those there are.

    >>> load_judge("toy:contains")("Cats purr.", "Cats purr")
    True
    """
    if not isinstance(spec, str):
        return as_judge(spec)
    name, _, rest = spec.partition(":")
    if name == "lexical":
        from citemeter.judges.lexical import LexicalJudge

        return LexicalJudge(**_numbers(spec, rest, ("threshold",)))
    if name == "toy":
        kind, _, value = rest.partition("=")
        if kind == "contains" and not value:
            return ContainsJudge()
        if kind == "keyword" and value:
            return KeywordJudge(value)
    elif rest and "." not in rest.split(":")[0] and all(p.isidentifier() for p in name.split(".")):
        return _imported(spec, name, rest)
    raise JudgeError(
        f"there is no judge {spec!r}: use lexical, toy:contains, toy:keyword=TEXT, or "
        "package.module:attribute for a judge or callable of your own"
    )


def _numbers(spec: str, options: str, known: tuple[str, ...]) -> dict[str, float]:
    """Read ``name=number`` options."""
    values: dict[str, float] = {}
    for option in filter(None, options.split(",")):
        name, _, value = option.partition("=")
        try:
            if name not in known:
                raise ValueError(name)
            values[name] = float(value)
        except ValueError:
            raise JudgeError(
                f"cannot read {option!r} in judge {spec!r}: its options are "
                f"{', '.join(f'{k}=NUMBER' for k in known)}"
            ) from None
    return values


def _imported(spec: str, module_name: str, attribute: str) -> Judge:
    from importlib import import_module

    try:
        found = getattr(import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise JudgeError(f"cannot import judge {spec!r}: {error}") from error
    if isinstance(found, type):
        found = found()
    return as_judge(found)
