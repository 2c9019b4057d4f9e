r"""``alce-script``: the published evaluation script's values, quirks included.

The script reads answers in its own way: sentences by Punkt on the text with its markers in, ids by
the pattern ``\[\d+`` as positions in the list of sources, counted from 1. So ``[0]`` is the last
source, ``[1, 2]`` cites only the first, a marker after the full stop belongs to the next sentence,
an id past the end takes all its sentence's citations out of the denominator of precision, and an
answer ends at its first line break.

Reference: https://github.com/princeton-nlp/ALCE, ``eval.py``, ``compute_autoais``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from citemeter.metrics.alce import count_support, precision_bounds
from citemeter.metrics.base import Ratio
from citemeter.models import Citation, Response, Source, Span, Statement
from citemeter.protocols.base import Protocol
from citemeter.results import StatementResult
from citemeter.text.sentences.segmenters import segmenter_named

__all__ = ["ALCE_SCRIPT"]

_MARKER = re.compile(r"\[(\d+)")
_SPACED_MARKER = re.compile(r" \[\d+")
_BARE_MARKER = re.compile(r"\[\d+")
_END_TOKEN = "<|im_end|>"


def _claim(sentence: str) -> str:
    """Strip markers as the script does; what is left of ``[1, 2]`` stays in the claim."""
    bare = _BARE_MARKER.sub("", _SPACED_MARKER.sub("", sentence))
    return bare.replace(" |", "").replace("]", "").strip()


def cut(response: Response) -> tuple[list[Statement], dict[str, Source]]:
    """Cut an answer as the script does, and number its sources as the script reads numbers.

    Statements that came already cut are its sentences; an id is its source's number.
    """
    sources = {str(number): s for number, s in enumerate(response.sources, start=1)}
    if response.answer is None:
        numbers = {source.id: number for number, source in sources.items()}
        beyond = str(len(sources) + 1)
        statements = [
            statement.model_copy(
                update={
                    "citations": tuple(
                        citation.model_copy(
                            update={"source_id": numbers.get(citation.source_id, beyond)}
                        )
                        for citation in statement.citations
                    )
                }
            )
            for statement in response.statements or ()
        ]
        return statements, sources
    if response.sources:
        sources["0"] = response.sources[-1]  # the script's index -1
    return _sentences(response.answer), sources


def _sentences(answer: str) -> list[Statement]:
    _, sentence_spans = segmenter_named("punkt")
    first_line, offset = _first_line(answer)
    body = first_line.replace(_END_TOKEN, "")
    statements = []
    for start, end in sentence_spans(body, (), ()):
        sentence = body[start:end]
        # Where the end token was taken out, offsets in the answer are no longer known.
        at = start + offset if body is first_line else None
        statements.append(
            Statement(
                text=_claim(sentence),
                raw=sentence,
                span=None if at is None else Span(at, at + len(sentence)),
                citations=tuple(
                    Citation(
                        source_id=str(int(match[1])),
                        marker=match[0],
                        span=None if at is None else Span(at + match.start(), at + match.end()),
                    )
                    for match in _MARKER.finditer(sentence)
                ),
            )
        )
    return statements


def _first_line(answer: str) -> tuple[str, int]:
    """Return the answer's first line, which is all the script scores, and where it starts."""
    stripped = answer.lstrip()
    return stripped.rstrip().split("\n")[0], len(answer) - len(stripped)


def _premise(source: Source) -> str:
    return f"Title: {source.title or ''}\n{source.text}"


def count(results: Sequence[StatementResult]) -> dict[str, int]:
    """Count as the script does: a sentence with an id out of range has no citations at all."""
    counts = count_support(results)
    counts["script_citations"] = (
        counts["citations"] - counts["invalid_citations"] - counts["voided_citations"]
    )
    return counts


ALCE_SCRIPT = Protocol(
    name="alce-script",
    count=count,
    cut=cut,
    duplicates="occurrences",
    premise=_premise,
    recall=Ratio(
        "citation_recall",
        "supported",
        "statements",
        empty="no sentence",
        blocked_by="unjudged_statements",
    ),
    precision=Ratio(
        "citation_precision",
        "precise",
        "script_citations",
        empty="no citation",
        blocked_by="unjudged_citations",
        bounds=partial(precision_bounds, citations="script_citations"),
        needs="statements",
        missing="no sentence",
        at_zero=0.0,
    ),
)
"""The script of the ALCE repository; values in [0, 1] where it prints percentages."""
