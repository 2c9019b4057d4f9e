"""Whether each claim's own citations hold it up, and cite what was expected of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from citemeter.errors import check_choice
from citemeter.grounding.models import (
    Evidence,
    ExpectedClaim,
    GroundedAnswer,
    GroundedCitation,
    GroundedClaim,
    GroundingCase,
)
from citemeter.grounding.text_check import (
    MIN_SHARE,
    TextSupport,
    check_min_share,
    holds_phrase,
    text_support,
)
from citemeter.judges.asking import VerdictRequests
from citemeter.judges.base import Pair, Premise
from citemeter.models import Model
from citemeter.text.quotations.folding import fold
from citemeter.verdicts import Verdict

__all__ = [
    "CLAIM_CODES",
    "ClaimCheck",
    "ClaimCode",
    "ClaimError",
    "ClaimRules",
    "ClaimState",
    "check_claims",
    "matches_target",
]

ClaimCode = Literal[
    "claim_missing_citation",
    "citation_not_in_evidence",
    "claim_text_not_supported_by_citation",
    "expected_claim_doc_mismatch",
    "expected_claim_terms_missing",
    "expected_claim_missing",
]
"""What is wrong with a claim's citations.

- ``claim_missing_citation``: it has none.
- ``citation_not_in_evidence``: a chunk it cites was not there to be cited.
- ``claim_text_not_supported_by_citation``: what it cites does not say what it says.
- ``expected_claim_doc_mismatch``: a document expected for its target is not cited.
- ``expected_claim_terms_missing``: a term expected for its target is not in what it cites.
- ``expected_claim_missing``: no claim is about the target.
"""

CLAIM_CODES: tuple[ClaimCode, ...] = (
    "claim_missing_citation",
    "citation_not_in_evidence",
    "claim_text_not_supported_by_citation",
    "expected_claim_doc_mismatch",
    "expected_claim_terms_missing",
    "expected_claim_missing",
)

ClaimState = Literal["aligned", "misaligned", "missing", "unjudged"]
"""Every claim checked is in exactly one state.

- ``aligned``: nothing is wrong with its citations.
- ``misaligned``: something is.
- ``missing``: it was expected, and the answer does not make it.
- ``unjudged``: the judge failed on it, and nothing else is wrong.
"""


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """What may be chosen in checking claims.

    Args:
        support: Who says whether cited texts hold a claim: ``tokens``: ``text_support``.
            ``judge``: whoever answers the pairs that ``check_claims`` yields.
        min_share: The share of tokens that ``tokens`` asks for.
        doc_ids: Whether ``all`` of a target's expected documents must be cited, or ``any``.
    """

    support: Literal["tokens", "judge"] = "tokens"
    min_share: float = MIN_SHARE
    doc_ids: Literal["all", "any"] = "all"

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        check_choice("support", self.support, ("tokens", "judge"))
        check_choice("doc_ids", self.doc_ids, ("all", "any"))
        check_min_share(self.min_share)


class ClaimError(Model):
    """One thing wrong with one claim's citations.

    Args:
        code: What; see ``ClaimCode``.
        claim: The claim's position in the answer, from 0; ``None`` if it was not made.
        text: The claim.
        target: The expected target, where the expectation is what fails.
        missing: What is lacking: chunks, documents, terms or tokens.
        message: The same in a sentence.
    """

    code: ClaimCode
    claim: int | None = None
    text: str | None = None
    target: str | None = None
    missing: tuple[str, ...] = ()
    message: str = ""


class ClaimCheck(Model):
    """One claim, or one expected claim that was not made.

    Args:
        claim: Its position in the answer, from 0; ``None`` if it was not made.
        text: Its words.
        state: What it came to; see ``ClaimState``.
        targets: The expected targets that it answers for.
        doc_ids: The documents it cites.
        chunk_ids: The chunks it cites that were there to be cited.
        errors: What is wrong.
        support: What ``text_support`` found, if that was asked.
        verdict: The judge's verdict, if it was asked.
    """

    claim: int | None
    text: str | None
    state: ClaimState
    targets: tuple[str, ...] = ()
    doc_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    errors: tuple[ClaimError, ...] = ()
    support: TextSupport | None = None
    verdict: Verdict | None = None


class _Chunks:
    """The evidence by chunk and by document."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self.by_chunk: dict[str, list[Evidence]] = {}
        self.by_document: dict[str, list[Evidence]] = {}
        for chunk in evidence:
            self.by_chunk.setdefault(chunk.chunk_id, []).append(chunk)
            self.by_document.setdefault(chunk.document, []).append(chunk)

    def cited_by(self, citation: GroundedCitation) -> list[Evidence]:
        """Return the chunks a citation names; one without a chunk's name stands for a document."""
        doc_id = citation.doc_id
        if citation.chunk_id is None:
            return [] if doc_id is None else self.by_document.get(doc_id, [])
        named = self.by_chunk.get(citation.chunk_id, [])
        return [chunk for chunk in named if doc_id in (None, chunk.document)]


class _Cited:
    """What one claim cites, looked up."""

    def __init__(self, claim: GroundedClaim, evidence: _Chunks) -> None:
        self.claim = claim
        self.strangers: list[str] = []
        chunks: dict[tuple[str, str], Evidence] = {}
        documents: dict[str, None] = {}
        for citation in claim.citations:
            found = evidence.cited_by(citation)
            if not found:
                name = citation.chunk_id or citation.doc_id or "a citation without an id"
                self.strangers.append(name)
            for chunk in found:
                chunks[chunk.document, chunk.chunk_id] = chunk
            if citation.doc_id is not None:
                documents[citation.doc_id] = None
            else:
                documents.update(dict.fromkeys(chunk.document for chunk in found))
        self.chunks = list(chunks.values())
        self.doc_ids = tuple(documents)
        self.passages = [passage for passage in map(_passage, self.chunks) if passage.strip()]
        self.text = "\n".join(self.passages)


def _passage(chunk: Evidence) -> str:
    return f"Title: {chunk.title}\n{chunk.text}" if chunk.title else chunk.text


def matches_target(claim: GroundedClaim, target: str) -> bool:
    """Say whether a claim is about a target.

    If the claim says what it is about, that must equal the target, case, width and white space
    aside. Otherwise the target must stand in its text; see ``holds_phrase``.

    Args:
        claim: The claim.
        target: Whom or what it should be about.

    >>> matches_target(GroundedClaim(text="기관 A는 로그를 보관한다."), "기관 A")
    True
    >>> matches_target(GroundedClaim(text="It keeps logs.", target="Agency B"), "agency b")
    True
    """
    if claim.target is not None:
        return fold(claim.target).split() == fold(target).split()
    return holds_phrase(target, claim.text)


def check_claims(
    case: GroundingCase, answer: GroundedAnswer, rules: ClaimRules | None = None
) -> VerdictRequests[tuple[ClaimCheck, ...]]:
    """Check every claim of an answer, and every claim expected of it.

    Args:
        case: What is expected of claims about given targets.
        answer: The claims and the evidence; without evidence nothing is checked.
        rules: What counts.

    Yields:
        With ``support="judge"``, one list of pairs: each claim with the texts it cites. Otherwise
        nothing.

    Returns:
        One check for each claim, in order, then one for each expected claim that was not made.
    """
    rules = rules or ClaimRules()
    if answer.evidence is None:
        return ()
    evidence = _Chunks(answer.evidence)
    cited = {
        place: _Cited(claim, evidence)
        for place, claim in enumerate(answer.claims)
        if claim.needs_citation
    }
    answering, missing = _assign(case.expected_claim_citations or (), cited, rules)
    asked = {place: own for place, own in cited.items() if own.text}
    supports: dict[int, TextSupport] = {}
    verdicts: dict[int, Verdict] = {}
    if rules.support == "tokens":
        supports = {
            place: text_support(own.claim.text, own.text, rules.min_share)
            for place, own in asked.items()
        }
    elif asked:
        pairs: list[Pair] = [
            (own.passages[0] if len(own.passages) == 1 else Premise(own.passages), own.claim.text)
            for own in asked.values()
        ]
        verdicts = dict(zip(asked, (yield pairs), strict=True))
    checks = [
        _check(
            place, own, answering.get(place, []), supports.get(place), verdicts.get(place), rules
        )
        for place, own in cited.items()
    ]
    return (*checks, *missing)


def _assign(
    expected: Sequence[ExpectedClaim], cited: dict[int, _Cited], rules: ClaimRules
) -> tuple[dict[int, list[ExpectedClaim]], list[ClaimCheck]]:
    """Give each expectation to the claim about its target that meets it best."""
    answering: dict[int, list[ExpectedClaim]] = {}
    missing: list[ClaimCheck] = []
    for wanted in dict.fromkeys(expected):
        about = [p for p, own in cited.items() if matches_target(own.claim, wanted.target)]
        if about:
            best = min(about, key=lambda place: _shortfall(cited[place], wanted, rules))
            answering.setdefault(best, []).append(wanted)
            continue
        error = ClaimError(
            code="expected_claim_missing",
            target=wanted.target,
            message=f"no claim is about {wanted.target!r}",
        )
        missing.append(
            ClaimCheck(
                claim=None, text=None, state="missing", targets=(wanted.target,), errors=(error,)
            )
        )
    return answering, missing


def _shortfall(own: _Cited, wanted: ExpectedClaim, rules: ClaimRules) -> tuple[int, int, int]:
    """Say how far a claim is from an expectation: errors, then terms and documents missing."""
    documents, terms = _missing(own, wanted, rules)
    uncited = not own.claim.citations
    errors = 2 * uncited + bool(documents) + bool(terms) + bool(own.strangers)
    return errors, len(documents), len(terms)


def _missing(
    own: _Cited, wanted: ExpectedClaim, rules: ClaimRules
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the expected documents that are not cited, and the terms that are not in the text."""
    documents = tuple(d for d in dict.fromkeys(wanted.expected_doc_ids) if d not in own.doc_ids)
    if rules.doc_ids == "any" and len(documents) < len(set(wanted.expected_doc_ids)):
        documents = ()
    terms = tuple(t for t in dict.fromkeys(wanted.expected_terms) if not holds_phrase(t, own.text))
    return documents, terms


def _check(
    place: int,
    own: _Cited,
    expected: Sequence[ExpectedClaim],
    support: TextSupport | None,
    verdict: Verdict | None,
    rules: ClaimRules,
) -> ClaimCheck:
    errors = [
        ClaimError(
            code=code,
            claim=place,
            text=own.claim.text,
            target=target,
            missing=missing,
            message=message,
        )
        for code, message, missing, target in _faults(own, expected, support, verdict, rules)
    ]
    state: ClaimState = "misaligned" if errors else "aligned"
    if not errors and verdict is not None and verdict.supported is None:
        state = "unjudged"
    return ClaimCheck(
        claim=place,
        text=own.claim.text,
        state=state,
        targets=tuple(wanted.target for wanted in expected),
        doc_ids=own.doc_ids,
        chunk_ids=tuple(chunk.chunk_id for chunk in own.chunks),
        errors=tuple(errors),
        support=support,
        verdict=verdict,
    )


def _faults(
    own: _Cited,
    expected: Sequence[ExpectedClaim],
    support: TextSupport | None,
    verdict: Verdict | None,
    rules: ClaimRules,
) -> Iterator[tuple[ClaimCode, str, tuple[str, ...], str | None]]:
    """Yield what is wrong with a claim: code, message, what is missing, and the target."""
    if not own.claim.citations:
        # What follows from it (no document, no term, no support) is not counted again.
        yield "claim_missing_citation", "the claim cites nothing", (), None
        return
    for name in dict.fromkeys(own.strangers):
        yield "citation_not_in_evidence", f"{name!r} is not in the evidence", (name,), None
    unsupported: ClaimCode = "claim_text_not_supported_by_citation"
    if own.chunks and not own.text:
        yield unsupported, "what it cites has no text", (), None
    elif verdict is not None and verdict.supported is False:
        yield unsupported, f"the judge says no{_because(verdict)}", (), None
    elif support is not None and not support.supported:
        message = f"what it cites holds {support.share:.2f} of its words"
        if support.required_missing:
            message += f" and lacks {', '.join(map(repr, support.required_missing))}"
        yield unsupported, message, support.missing, None
    for wanted in expected:
        documents, terms = _missing(own, wanted, rules)
        about = f"about {wanted.target!r}"
        if documents:
            message = f"{about}, {', '.join(map(repr, documents))} should be cited"
            yield "expected_claim_doc_mismatch", message, documents, wanted.target
        if terms and own.chunks:  # without a chunk there is no text to look in
            message = f"{about}, what is cited lacks {', '.join(map(repr, terms))}"
            yield "expected_claim_terms_missing", message, terms, wanted.target


def _because(verdict: Verdict) -> str:
    return f": {verdict.reason}" if verdict.reason else ""
