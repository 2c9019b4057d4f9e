"""Whether each claim's own citations hold it up, and cite what was expected of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Literal, get_args

from citemeter.grounding.cited import Cited
from citemeter.grounding.models import GroundingCase
from citemeter.grounding.rules import GroundingRules
from citemeter.grounding.text_check import TextSupport, holds_phrase, text_support
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
    "ClaimState",
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


class _Claim:
    """One claim, what it cites and what is expected of it."""

    def __init__(
        self, place: int, statement: Statement, cited: Sequence[Cited], rules: GroundingRules
    ) -> None:
        self.place = place
        self.statement = statement
        self.rules = rules
        self.unknown = [one.name or "a citation without an id" for one in cited if not one.chunks]
        self.chunks = list({chunk.id: chunk for one in cited for chunk in one.chunks}.values())
        documents = [
            [chunk.document for chunk in one.chunks] if one.doc_id is None else [one.doc_id]
            for one in cited
        ]
        self.doc_ids = tuple(dict.fromkeys(chain.from_iterable(documents)))
        self.passages = [chunk.text for chunk in self.chunks if chunk.text.strip()]
        self.text = "\n".join(self.passages)
        self.expected: list[ExpectedClaim] = []
        self.support: TextSupport | None = None
        self.verdict: Verdict | None = None

    def lacking(self, wanted: ExpectedClaim) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the expected documents that it does not cite, and the terms not in the text."""
        documents = dict.fromkeys(wanted.expected_doc_ids)
        missing = tuple(document for document in documents if document not in self.doc_ids)
        if self.rules.doc_ids == "any" and len(missing) < len(documents):
            missing = ()
        terms = dict.fromkeys(wanted.expected_terms)
        return missing, tuple(term for term in terms if not holds_phrase(term, self.text))

    def shortfall(self, wanted: ExpectedClaim) -> tuple[int, int, int]:
        """Say how far it is from an expectation: errors, then documents and terms missing."""
        documents, terms = self.lacking(wanted)
        uncited = not self.statement.citations
        errors = 2 * uncited + bool(documents) + bool(terms) + bool(self.unknown)
        return errors, len(documents), len(terms)

    def check(self) -> ClaimCheck:
        """Return what became of it."""
        errors = tuple(self._errors())
        failed = self.verdict is not None and self.verdict.supported is None
        return ClaimCheck(
            claim=self.place,
            text=self.statement.text,
            state="misaligned" if errors else "unjudged" if failed else "aligned",
            targets=tuple(wanted.target for wanted in self.expected),
            doc_ids=self.doc_ids,
            chunk_ids=tuple(chunk.id for chunk in self.chunks),
            errors=errors,
            support=self.support,
            verdict=self.verdict,
        )

    def _errors(self) -> Iterator[ClaimError]:
        """Yield what is wrong with it."""
        error = partial(ClaimError, claim=self.place, text=self.statement.text)
        if not self.statement.citations:
            # What follows from it (no document, no term, no support) is not counted again.
            yield error(code="claim_missing_citation", message="the claim cites nothing")
            return
        for name in dict.fromkeys(self.unknown):
            message = f"{name!r} is not in the evidence"
            yield error(code="citation_not_in_evidence", message=message, missing=(name,))
        unsupported = partial(error, code="claim_text_not_supported_by_citation")
        support, verdict = self.support, self.verdict
        if self.chunks and not self.text:
            yield unsupported(message="what it cites has no text")
        elif verdict is not None and verdict.supported is False:
            because = f": {verdict.reason}" if verdict.reason else ""
            yield unsupported(message=f"the judge says no{because}")
        elif support is not None and not support.supported:
            message = f"what it cites holds {support.share:.2f} of its words"
            if support.required_missing:
                message += f" and lacks {', '.join(map(repr, support.required_missing))}"
            yield unsupported(message=message, missing=support.missing)
        for wanted in self.expected:
            documents, terms = self.lacking(wanted)
            about = f"about {wanted.target!r}"
            unmet = partial(error, target=wanted.target)
            if documents:
                message = f"{about}, {', '.join(map(repr, documents))} should be cited"
                yield unmet(code="expected_claim_doc_mismatch", message=message, missing=documents)
            if terms and self.chunks:  # without a chunk there is no text to look in
                message = f"{about}, what is cited lacks {', '.join(map(repr, terms))}"
                yield unmet(code="expected_claim_terms_missing", message=message, missing=terms)


def check_claims(
    case: GroundingCase,
    response: Response,
    cited: Sequence[Sequence[Cited]],
    rules: GroundingRules,
) -> VerdictRequests[tuple[ClaimCheck, ...]]:
    """Check every claim of an answer, and every claim expected of it.

    Args:
        case: What is expected of claims about given targets.
        response: The answer, whose claims are the statements that need a citation.
        cited: What the citations of each statement point at.
        rules: What counts.

    Yields:
        With ``claim_support="judge"``, one list of pairs: each claim with the texts it cites.
        Otherwise nothing.

    Returns:
        One check for each claim, in order, then one for each expected claim that was not made.
    """
    claims = [
        _Claim(place, statement, own, rules)
        for place, (statement, own) in enumerate(zip(response.statements or (), cited, strict=True))
        if statement.needs_citation and statement.text.strip()
    ]
    missing = _assign(case.expected_claim_citations or (), claims)
    asked = [claim for claim in claims if claim.text]
    if rules.claim_support == "tokens":
        for claim in asked:
            claim.support = text_support(claim.statement.text, claim.text, rules.min_share)
    elif asked:
        pairs: list[Pair] = []
        for claim in asked:
            several = len(claim.passages) > 1
            premise = Premise(claim.passages) if several else claim.passages[0]
            pairs.append((premise, claim.statement.text))
        verdicts = yield pairs
        for claim, verdict in zip(asked, verdicts, strict=True):
            claim.verdict = verdict
    return (*(claim.check() for claim in claims), *missing)


def _assign(expected: Sequence[ExpectedClaim], claims: Sequence[_Claim]) -> list[ClaimCheck]:
    """Give each expectation to the claim about its target that meets it best, if there is one."""
    missing: list[ClaimCheck] = []
    for wanted in dict.fromkeys(expected):
        about = [claim for claim in claims if matches_target(claim.statement, wanted.target)]
        if about:
            min(about, key=partial(_Claim.shortfall, wanted=wanted)).expected.append(wanted)
            continue
        target = wanted.target
        error = ClaimError(
            code="expected_claim_missing", target=target, message=f"no claim is about {target!r}"
        )
        missing.append(
            ClaimCheck(claim=None, text=None, state="missing", targets=(target,), errors=(error,))
        )
    return missing
