"""Whether each claim's own citations hold it up, and cite what was expected of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

from citemeter.errors import check_choice
from citemeter.grounding.cited import Cited
from citemeter.grounding.models import GroundingCase
from citemeter.grounding.text_support import (
    MIN_SHARE,
    TextSupport,
    check_min_share,
    holds_phrase,
    text_support,
)
from citemeter.judges.asking import VerdictRequests
from citemeter.judges.base import Pair, Premise
from citemeter.models import ExpectedClaim, Model, Response, Statement
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

CLAIM_CODES: tuple[ClaimCode, ...] = get_args(ClaimCode)

ClaimState = Literal["aligned", "misaligned", "missing", "unjudged"]
"""Every claim checked is in exactly one state.

- ``aligned``: nothing is wrong with its citations.
- ``misaligned``: something is.
- ``missing``: it was expected, and the answer does not make it.
- ``unjudged``: the judge failed on it, and nothing else is wrong.
"""

CLAIM_STATES: tuple[ClaimState, ...] = get_args(ClaimState)


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


class _Claim:
    """One claim and what it cites."""

    def __init__(self, place: int, statement: Statement, cited: Sequence[Cited]) -> None:
        self.place = place
        self.statement = statement
        self.unknown = [one.name or "a citation without an id" for one in cited if not one.chunks]
        self.chunks = list({chunk.id: chunk for one in cited for chunk in one.chunks}.values())
        documents = [
            [chunk.document for chunk in one.chunks] if one.doc_id is None else [one.doc_id]
            for one in cited
        ]
        self.doc_ids = tuple(dict.fromkeys(chain.from_iterable(documents)))
        self.passages = [chunk.text for chunk in self.chunks if chunk.text.strip()]
        self.text = "\n".join(self.passages)


def matches_target(claim: Statement, target: str) -> bool:
    """Say whether a claim is about a target.

    If the claim says what it is about, that must equal the target, case, width and white space
    aside. Otherwise the target must stand in its text; see ``holds_phrase``.

    Args:
        claim: The claim.
        target: Whom or what it should be about.

    >>> matches_target(Statement(text="기관 A는 로그를 보관한다."), "기관 A")
    True
    >>> matches_target(Statement(text="It keeps logs.", target="Agency B"), "agency b")
    True
    """
    if claim.target is not None:
        return fold(claim.target).split() == fold(target).split()
    return holds_phrase(target, claim.text)


def check_claims(
    case: GroundingCase,
    response: Response,
    cited: Sequence[Sequence[Cited]],
    rules: ClaimRules | None = None,
) -> VerdictRequests[tuple[ClaimCheck, ...]]:
    """Check every claim of an answer, and every claim expected of it.

    Args:
        case: What is expected of claims about given targets.
        response: The answer, whose claims are the statements that need a citation.
        cited: What the citations of each statement point at.
        rules: What counts.

    Yields:
        With ``support="judge"``, one list of pairs: each claim with the texts it cites. Otherwise
        nothing.

    Returns:
        One check for each claim, in order, then one for each expected claim that was not made.
    """
    rules = rules or ClaimRules()
    claims = [
        _Claim(place, statement, own)
        for place, (statement, own) in enumerate(zip(response.statements or (), cited, strict=True))
        if statement.needs_citation and statement.text.strip()
    ]
    expected, missing = _assign(case.expected_claim_citations or (), claims, rules)
    asked = [claim for claim in claims if claim.text]
    supports: dict[int, TextSupport] = {}
    verdicts: dict[int, Verdict] = {}
    if rules.support == "tokens":
        for claim in asked:
            supports[claim.place] = text_support(claim.statement.text, claim.text, rules.min_share)
    elif asked:
        pairs: list[Pair] = []
        for claim in asked:
            several = len(claim.passages) > 1
            premise = Premise(claim.passages) if several else claim.passages[0]
            pairs.append((premise, claim.statement.text))
        places = [claim.place for claim in asked]
        verdicts = dict(zip(places, (yield pairs), strict=True))
    checks = [
        _check(
            claim,
            expected.get(claim.place, []),
            supports.get(claim.place),
            verdicts.get(claim.place),
            rules,
        )
        for claim in claims
    ]
    return (*checks, *missing)


def _assign(
    expected: Sequence[ExpectedClaim], claims: Sequence[_Claim], rules: ClaimRules
) -> tuple[dict[int, list[ExpectedClaim]], list[ClaimCheck]]:
    """Give each expectation to the claim about its target that meets it best."""
    answering: dict[int, list[ExpectedClaim]] = {}
    missing: list[ClaimCheck] = []
    for wanted in dict.fromkeys(expected):
        about = [claim for claim in claims if matches_target(claim.statement, wanted.target)]
        if about:
            best = min(about, key=lambda claim: _shortfall(claim, wanted, rules))
            answering.setdefault(best.place, []).append(wanted)
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


def _shortfall(claim: _Claim, wanted: ExpectedClaim, rules: ClaimRules) -> tuple[int, int, int]:
    """Say how far a claim is from an expectation: errors, then terms and documents missing."""
    documents, terms = _missing(claim, wanted, rules)
    uncited = not claim.statement.citations
    errors = 2 * uncited + bool(documents) + bool(terms) + bool(claim.unknown)
    return errors, len(documents), len(terms)


def _missing(
    claim: _Claim, wanted: ExpectedClaim, rules: ClaimRules
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the expected documents that are not cited, and the terms that are not in the text."""
    documents = tuple(d for d in dict.fromkeys(wanted.expected_doc_ids) if d not in claim.doc_ids)
    if rules.doc_ids == "any" and len(documents) < len(set(wanted.expected_doc_ids)):
        documents = ()
    terms = dict.fromkeys(wanted.expected_terms)
    return documents, tuple(term for term in terms if not holds_phrase(term, claim.text))


def _check(
    claim: _Claim,
    expected: Sequence[ExpectedClaim],
    support: TextSupport | None,
    verdict: Verdict | None,
    rules: ClaimRules,
) -> ClaimCheck:
    errors = [
        ClaimError(
            code=code,
            claim=claim.place,
            text=claim.statement.text,
            target=target,
            missing=missing,
            message=message,
        )
        for code, message, missing, target in _faults(claim, expected, support, verdict, rules)
    ]
    state: ClaimState = "misaligned" if errors else "aligned"
    if not errors and verdict is not None and verdict.supported is None:
        state = "unjudged"
    return ClaimCheck(
        claim=claim.place,
        text=claim.statement.text,
        state=state,
        targets=tuple(wanted.target for wanted in expected),
        doc_ids=claim.doc_ids,
        chunk_ids=tuple(chunk.id for chunk in claim.chunks),
        errors=tuple(errors),
        support=support,
        verdict=verdict,
    )


def _faults(
    claim: _Claim,
    expected: Sequence[ExpectedClaim],
    support: TextSupport | None,
    verdict: Verdict | None,
    rules: ClaimRules,
) -> Iterator[tuple[ClaimCode, str, tuple[str, ...], str | None]]:
    """Yield what is wrong with a claim: code, message, what is missing, and the target."""
    if not claim.statement.citations:
        # What follows from it (no document, no term, no support) is not counted again.
        yield "claim_missing_citation", "the claim cites nothing", (), None
        return
    for name in dict.fromkeys(claim.unknown):
        yield "citation_not_in_evidence", f"{name!r} is not in the evidence", (name,), None
    unsupported: ClaimCode = "claim_text_not_supported_by_citation"
    if claim.chunks and not claim.text:
        yield unsupported, "what it cites has no text", (), None
    elif verdict is not None and verdict.supported is False:
        yield unsupported, f"the judge says no{_because(verdict)}", (), None
    elif support is not None and not support.supported:
        message = f"what it cites holds {support.share:.2f} of its words"
        if support.required_missing:
            message += f" and lacks {', '.join(map(repr, support.required_missing))}"
        yield unsupported, message, support.missing, None
    for wanted in expected:
        documents, terms = _missing(claim, wanted, rules)
        about = f"about {wanted.target!r}"
        if documents:
            message = f"{about}, {', '.join(map(repr, documents))} should be cited"
            yield "expected_claim_doc_mismatch", message, documents, wanted.target
        if terms and claim.chunks:  # without a chunk there is no text to look in
            message = f"{about}, what is cited lacks {', '.join(map(repr, terms))}"
            yield "expected_claim_terms_missing", message, terms, wanted.target


def _because(verdict: Verdict) -> str:
    return f": {verdict.reason}" if verdict.reason else ""
