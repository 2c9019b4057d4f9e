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

from citemeter.metrics.ask import Asking
from citemeter.metrics.base import Ratio
from citemeter.metrics.support import (
    CitationFinding,
    Finding,
    Rules,
    count_support,
    joint_state,
    judge_citations,
)
from citemeter.models import Citation, Response, Source, Span, Statement
from citemeter.protocols.base import Protocol
from citemeter.results import StatementState
from citemeter.text.segment import segmenter_named

__all__ = ["ALCE_SCRIPT"]

_MARKER = re.compile(r"\[(\d+)")
_SPACED_MARKER = re.compile(r" \[\d+")
_BARE_MARKER = re.compile(r"\[\d+")
_END_TOKEN = "<|im_end|>"


def _claim(sentence: str) -> str:
    """Strip markers as the script does; what is left of ``[1, 2]`` stays in the claim."""
    bare = _BARE_MARKER.sub("", _SPACED_MARKER.sub("", sentence))
    return bare.replace(" |", "").replace("]", "").strip()


def _sentences(response: Response) -> list[Statement]:
    """Cut the answer as the script does; statements that came already cut are its sentences."""
    if response.answer is None:
        return [
            statement.model_copy(
                update={
                    "citations": tuple(
                        citation.model_copy(
                            update={"source_id": _position(response, citation.source_id)}
                        )
                        for citation in statement.citations
                    )
                }
            )
            for statement in response.statements or ()
        ]
    _, sentence_spans = segmenter_named("punkt")
    first_line, offset = _first_line(response.answer)
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
                        source_id=match[1],
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


def _position(response: Response, source_id: str) -> str:
    """Return an id's 1-based place in the list of sources, past the end if it has none."""
    places = {source.id: place for place, source in enumerate(response.sources, start=1)}
    return str(places.get(source_id, len(places) + 1))


def _premise(source: Source) -> str:
    return f"Title: {source.title or ''}\n{source.text}"


def assess(response: Response, rules: Rules) -> Asking[list[Finding]]:
    """Give every sentence and citation the state that the published script acts on.

    Args:
        response: The response; its ``answer`` is read if there is one, else its statements.
        rules: ``at_most`` is the script's ``at_most_citations``; it always counts occurrences.
    """
    sources = response.sources
    findings: list[Finding] = []
    judged: list[tuple[int, list[int]]] = []
    for statement in _sentences(response):
        positions = [int(citation.source_id) - 1 for citation in statement.citations]
        state: StatementState = "unjudged"
        citations: list[CitationFinding] = []
        if not positions:
            state = "uncited"
        elif any(position >= len(sources) for position in positions):
            state = "invalid"
            citations = [
                (c.source_id, "invalid" if position >= len(sources) else "voided", None, None)
                for c, position in zip(statement.citations, positions, strict=True)
            ]
        else:
            judged.append((len(findings), positions[: rules.at_most]))
        findings.append((statement, state, None, citations))
    if judged:
        joint, found = yield from judge_citations(
            [findings[place][0].text for place, _ in judged],
            [[sources[i].id for i in positions] for _, positions in judged],
            [[_premise(sources[i]) for i in positions] for _, positions in judged],
        )
        for (place, _), verdict, states in zip(judged, joint, found, strict=True):
            findings[place] = (findings[place][0], joint_state(verdict), verdict, states)
    return findings


def count(findings: Sequence[Finding]) -> dict[str, int]:
    """Count as the script does: a sentence with an id out of range has no citations at all."""
    counts = count_support(findings)
    counts["script_citations"] = (
        counts["citations"] - counts["invalid_citations"] - counts["voided_citations"]
    )
    return counts


ALCE_SCRIPT = Protocol(
    name="alce-script",
    assess=assess,
    count=count,
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
        needs="statements",
        missing="no sentence",
        at_zero=0.0,
    ),
    cuts_answers=True,
)
"""The script of the ALCE repository; values in [0, 1] where it prints percentages."""
