"""The check of one answer: which ids, quotations and claims the policy does not allow."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from typing import Any, NamedTuple

from citemeter.guardrail.listed import ListedEntry, listed_entries
from citemeter.guardrail.offsets import Edit, applied, composed
from citemeter.guardrail.policy import Action, FindingKind, Policy, graver
from citemeter.guardrail.sources import GivenSources, PreparedSources
from citemeter.guardrail.strip import strip_edits
from citemeter.guardrail.verdict import Finding, GuardrailVerdict, shown
from citemeter.metrics.quotations import check_quotes
from citemeter.models import Response, Skipped, Span
from citemeter.text.parse import ParseOptions, parse_response

__all__ = ["Examined", "Guardrail", "check_citations"]

_ROUNDS = 4
"""How often markers are taken out before an answer in which new ones come about is blocked."""
_MOST_IDS = 16
"""Ids of one marker that are named: ``[1-500]`` is one invention, not five hundred."""
_STATUS = {
    "misattributed": "stands in a source that is not cited",
    "stitched": "is put together from several places",
    "altered": "is not verbatim",
    "fabricated": "is in none of the sources cited",
    "unverified": "cites no source that could be looked into",
}


class _Found(NamedTuple):
    """What a text holds."""

    invalid: list[tuple[int, int, tuple[str, ...]]]
    listed: list[ListedEntry]
    uncited: list[Span]
    claims: int
    response: Response
    skipped: tuple[Skipped, ...]


class Examined(NamedTuple):
    """What there is about a text, or a stretch of one."""

    findings: list[Finding]
    clean: str
    edits: tuple[Edit, ...]
    claims: int
    uncited: int
    response: Response


class Guardrail:
    """Checks the citations of answers to one set of sources; no model is asked.

    Args:
        sources: ``{id: text}``, ``Source`` objects, dicts with ``id`` and ``text``, plain texts
            (ids ``"1"``, ``"2"``, …), or a set of ids alone. Quotations are checked where there
            are texts.
        policy: What is done about each kind of finding.
        allowed: The ids of the sources that this caller may see; ``None`` for all. The others
            are dropped before anything looks at them: an answer that cites one of them gets the
            verdict of an answer that cites an id made up, byte for byte.
        parsing: How answers are read. ``numbering`` counts the sources that remain, since only
            those may have been shown to the assistant.
        question: What was asked: its own words, repeated without a citation, are no quotation.

    Raises:
        InputError: If the sources that may be cited cannot be used.

    >>> guard = Guardrail({"hr-12": "Leave is 25 days."}, Policy(uncited_claim="allow"))
    >>> verdict = guard.check("Leave is 25 days [hr-12][hr-99].")
    >>> verdict.action, verdict.clean, verdict.message
    ('strip', 'Leave is 25 days [hr-12].', "'hr-99' is none of the sources.")
    """

    def __init__(
        self,
        sources: GivenSources,
        policy: Policy | None = None,
        *,
        allowed: Collection[Any] | None = None,
        parsing: ParseOptions | None = None,
        question: str | None = None,
    ) -> None:
        self.policy = policy if policy is not None else Policy()
        self.parsing = parsing if parsing is not None else ParseOptions()
        self.sources = PreparedSources(sources, allowed, self.parsing.numbering, question)
        self._quotes = self.sources.has_texts and self.policy.unverified_quote != "allow"

    def check(self, answer: str) -> GuardrailVerdict:
        """Return what the policy says about an answer.

        Args:
            answer: The answer as the assistant wrote it.

        Raises:
            InputError: If the answer is no text that could be written down.
        """
        seen = self.examine(answer, whole=True)
        refused = seen.response.abstained
        findings = seen.findings + self.about_all(refused, seen.claims, seen.uncited)
        action = gravest(findings)
        blocked = action == "block"
        return GuardrailVerdict(
            action=action,
            findings=tuple(findings),
            edits=() if blocked else seen.edits,
            abstained=refused,
            clean=None if blocked else seen.clean,
        )

    def examine(self, text: str, *, whole: bool = False) -> Examined:
        """Return what there is about a text, apart from what is about all of an answer.

        Args:
            text: An answer or a stretch of one.
            whole: Whether it is all of the answer: then the sentences of one that declines to
                answer are no claims.
        """
        found = self._look(text)
        findings = self._findings(found, spared=whole and bool(found.response.abstained))
        edits: tuple[Edit, ...] = ()
        clean = text
        if gravest(findings) == "strip":
            stripped = self._strip(text, found)
            if stripped is None:
                message = "The invalid citations cannot be taken out of the answer."
                findings += self._found("unclean", None, message)
            else:
                clean, edits = stripped
        return Examined(findings, clean, edits, found.claims, len(found.uncited), found.response)

    def about_all(self, refused: bool | None, claims: int, uncited: int) -> list[Finding]:
        """Return what there is to say about an answer as a whole."""
        if refused:
            return self._found("refusal", None, "The answer declines to answer.")
        if not claims or claims > uncited:
            return []
        message = "No claim of the answer has a valid citation."
        return self._found("uncited_answer", None, message)

    def _look(self, answer: str) -> _Found:
        """Read an answer and pick out what is not as it should be."""
        response = self.read(answer)
        known = self.sources.by_id
        bad: dict[tuple[int, int], dict[str, None]] = {}
        for citation in response.citations:
            if citation.source_id not in known:
                bad.setdefault(citation.span or (0, 0), {})[citation.source_id] = None
        invalid = sorted([(start, end, tuple(ids)) for (start, end), ids in bad.items()])
        claims = [s for s in response.statements or () if s.needs_citation]
        uncited = [s.span for s in claims if s.span and known.keys().isdisjoint(s.source_ids)]
        listed: list[ListedEntry] = []
        skipped = response.parsing.skipped if response.parsing is not None else ()
        if self.policy.listed_id != "allow":
            plan = self.parsing.plan
            for part in skipped:
                if part.kind == "reference_list":
                    listed += listed_entries(answer, part.span, self.sources.index, plan)
        return _Found(invalid, listed, uncited, len(claims), response, skipped)

    def read(self, answer: str) -> Response:
        """Cut an answer into statements by the prepared index."""
        return parse_response(self.sources.response(answer), self.parsing, self.sources.index)

    def _findings(self, found: _Found, spared: bool) -> list[Finding]:
        findings: list[Finding] = []
        for start, end, ids in found.invalid:
            findings += self._bad_ids("invalid_id", Span(start, end), ids)
        for entry in found.listed:
            findings += self._bad_ids("listed_id", Span(entry.start, entry.end), entry.ids)
        if self._quotes:
            findings += self._bad_quotes(found.response)
        for span in () if spared else found.uncited:
            findings += self._found("uncited_claim", span, "A claim has no valid citation.")
        return sorted(findings, key=lambda finding: finding.span or Span(1 << 62, 0))

    def _found(
        self, kind: FindingKind, span: Span | None, message: str, **more: str | None
    ) -> list[Finding]:
        """Return a finding, or none if the policy allows what was found."""
        action = "block" if kind == "unclean" else getattr(self.policy, kind)
        if action == "allow":
            return []
        values = {"source_id": None, "near_miss": None, "quote_status": None, **more}
        return [
            Finding.trusted(
                {"kind": kind, "action": action, "span": span, "message": message, **values}
            )
        ]

    def _bad_ids(self, kind: FindingKind, span: Span, ids: tuple[str, ...]) -> list[Finding]:
        """Return a finding for each id of a marker."""
        findings: list[Finding] = []
        for source_id in ids[:_MOST_IDS]:
            near = self.sources.index.near(source_id)
            message = f"{shown(source_id)!r} is none of the sources."
            if near is not None:
                message += f" Nearly the same: {shown(near)!r}."
            findings += self._found(kind, span, message, source_id=source_id, near_miss=near)
        if len(ids) > _MOST_IDS:
            message = f"{len(ids) - _MOST_IDS} more ids of this marker are none of the sources."
            findings += self._found(kind, span, message)
        return findings

    def _bad_quotes(self, response: Response) -> list[Finding]:
        findings: list[Finding] = []
        blank = self.sources.without_text
        for check in check_quotes(response, min_words=self.policy.min_quote_words):
            if check.status == "verified":
                continue
            if blank and (not check.cited or not blank.isdisjoint(check.cited)):
                continue  # it may stand in a source whose text is not at hand
            message = f"A quotation {_STATUS[check.status]}: {shown(check.quote)!r}."
            findings += self._found(
                "unverified_quote", check.span, message, quote_status=check.status
            )
        return findings

    def _strip(self, answer: str, found: _Found) -> tuple[str, tuple[Edit, ...]] | None:
        """Take invalid markers out until none is left; ``None`` if new ones keep coming about."""
        plan, index = self.parsing.plan, self.sources.index
        ids = self.policy.invalid_id == "strip"
        lists = self.policy.listed_id == "strip"
        text = answer
        edits: list[Edit] = []
        for attempt in range(_ROUNDS):
            invalid = found.invalid if ids else []
            listed = found.listed if lists else []
            if attempt:
                # Lines that look like a list only without what went are prose: their words stay.
                listed = [entry._replace(whole=False) for entry in listed]
            if not invalid and not listed:
                return text, tuple(edits)
            made = strip_edits(text, invalid, listed, found.skipped, index, plan)
            if not made:
                return None
            text = applied(text, made)
            edits = composed(edits, made, len(answer), text)
            found = self._look(text)
        left = (ids and found.invalid) or (lists and found.listed)
        return None if left else (text, tuple(edits))


def gravest(findings: list[Finding]) -> Action:
    """Return the gravest action of some findings; ``"pass"`` if there are none."""
    return reduce(graver, [finding.action for finding in findings], "pass")


def check_citations(
    answer: str,
    sources: GivenSources,
    policy: Policy | None = None,
    *,
    allowed: Collection[Any] | None = None,
    parsing: ParseOptions | None = None,
    question: str | None = None,
) -> GuardrailVerdict:
    """Check the citations of one answer before it is shown; no model is asked.

    For many answers to the same sources, make one ``Guardrail``.

    Args:
        answer: The answer as the assistant wrote it.
        sources: What it may cite: ``{id: text}``, ``Source`` objects, dicts, plain texts (ids
            ``"1"``, ``"2"``, …), or a set of ids alone.
        policy: What is done about each kind of finding.
        allowed: The ids that this caller may see; ``None`` for all of the sources.
        parsing: How the answer is read.
        question: What was asked.

    Returns:
        The verdict: ``action``, ``findings`` and the ``clean`` answer to show.

    Raises:
        InputError: If the sources cannot be used or the answer is no text.

    >>> verdict = check_citations("Cats purr [1, 9]. Dogs bark [9].", ["Cats purr."])
    >>> verdict.action, verdict.clean
    ('strip', 'Cats purr [1]. Dogs bark.')
    >>> [(finding.kind, finding.source_id) for finding in verdict.findings]
    [('invalid_id', '9'), ('uncited_claim', None), ('invalid_id', '9')]
    """
    return Guardrail(sources, policy, allowed=allowed, parsing=parsing, question=question).check(
        answer
    )
