"""The check of one answer: which ids, quotations and claims the policy does not allow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from citemeter.guardrail.listed import ListedEntry, listed_entries
from citemeter.guardrail.offsets import Edit, applied, composed
from citemeter.guardrail.policy import Action, Choice, FindingKind, Policy, graver
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
    uncited: list[tuple[int, int]]
    claims: int
    response: Response
    skipped: tuple[Skipped, ...]


class Examined(NamedTuple):
    """What there is about a text, or a stretch of one."""

    action: Action
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
        findings, action = seen.findings, seen.action
        refused = seen.response.abstained
        last = self.last_finding(refused, seen.claims, seen.uncited)
        if last is not None:
            findings.append(last)
            action = graver(action, last.action)
        blocked = action == "block"
        return GuardrailVerdict.trusted(
            {
                "action": action,
                "findings": tuple(findings),
                "edits": () if blocked else seen.edits,
                "abstained": refused,
                "clean": None if blocked else seen.clean,
            }
        )

    def examine(self, text: str, *, whole: bool = False) -> Examined:
        """Return what there is about a text, apart from what is about all of an answer.

        Args:
            text: An answer or a stretch of one.
            whole: Whether it is all of the answer: then the sentences of one that declines to
                answer are no claims.
        """
        found = self._look(text)
        spared = whole and found.response.abstained
        findings = self._findings(found, spared=bool(spared))
        action = gravest(findings)
        edits: tuple[Edit, ...] = ()
        clean = text
        if action == "strip":
            stripped = self._strip(text, found)
            if stripped is None:
                message = "The invalid citations cannot be taken out of the answer."
                findings.append(_finding("unclean", "block", None, message))
                action = "block"
            else:
                clean, edits = stripped
        return Examined(
            action, findings, clean, edits, found.claims, len(found.uncited), found.response
        )

    def last_finding(self, refused: bool | None, claims: int, uncited: int) -> Finding | None:
        """Return what there is to say about an answer as a whole."""
        policy = self.policy
        if refused:
            if policy.refusal == "allow":
                return None
            return _finding("refusal", policy.refusal, None, "The answer declines to answer.")
        if policy.uncited_answer == "allow" or not claims or claims > uncited:
            return None
        message = "No claim of the answer has a valid citation."
        return _finding("uncited_answer", policy.uncited_answer, None, message)

    def _look(self, answer: str) -> _Found:
        """Read an answer and pick out what is not as it should be."""
        response = self.read(answer)
        known = self.sources.by_id
        bad: dict[tuple[int, int], dict[str, None]] = {}
        uncited: list[tuple[int, int]] = []
        claims = 0
        for statement in response.statements or ():
            covered = False
            for citation in statement.citations:
                if citation.source_id in known:
                    covered = True
                else:
                    bad.setdefault(citation.span or (0, 0), {})[citation.source_id] = None
            if statement.needs_citation:
                claims += 1
                if not covered and statement.span is not None:
                    uncited.append(statement.span)
        for citation in response.unattached:
            if citation.source_id not in known:
                bad.setdefault(citation.span or (0, 0), {})[citation.source_id] = None
        listed: list[ListedEntry] = []
        skipped = response.parsing.skipped if response.parsing is not None else ()
        if skipped and self.policy.listed_id != "allow":
            plan = self.parsing.plan
            for part in skipped:
                if part.kind == "reference_list":
                    listed += listed_entries(answer, part.span, self.sources.index, plan)
        return _Found(_places(bad), listed, uncited, claims, response, skipped)

    def read(self, answer: str) -> Response:
        """Cut an answer into statements by the prepared index."""
        return parse_response(self.sources.response(answer), self.parsing, self.sources.index)

    def _findings(self, found: _Found, spared: bool) -> list[Finding]:
        policy = self.policy
        findings: list[Finding] = []
        said: dict[str, tuple[str, str | None]] = {}
        if found.invalid and policy.invalid_id != "allow":
            for start, end, ids in found.invalid:
                self._bad_ids(findings, said, "invalid_id", policy.invalid_id, start, end, ids)
        for entry in found.listed:
            self._bad_ids(
                findings, said, "listed_id", policy.listed_id, entry.start, entry.end, entry.ids
            )
        if self._quotes:
            findings += self._bad_quotes(found.response)
        if found.uncited and not spared and policy.uncited_claim != "allow":
            message = "A claim has no valid citation."
            findings += [
                _finding("uncited_claim", policy.uncited_claim, Span(start, end), message)
                for start, end in found.uncited
            ]
        if len(findings) > 1:
            findings.sort(key=_place)
        return findings

    def _bad_ids(
        self,
        findings: list[Finding],
        said: dict[str, tuple[str, str | None]],
        kind: FindingKind,
        action: Choice,
        start: int,
        end: int,
        ids: tuple[str, ...],
    ) -> None:
        """Add a finding for each id of a marker; ``said`` remembers what is said of an id."""
        span = Span(start, end)
        for source_id in ids[:_MOST_IDS]:
            known = said.get(source_id)
            if known is None:
                near = self.sources.index.near(source_id)
                message = f"{shown(source_id)!r} is none of the sources."
                if near is not None:
                    message += f" Nearly the same: {shown(near)!r}."
                known = said[source_id] = message, near
            findings.append(_finding(kind, action, span, known[0], source_id, known[1]))
        if len(ids) > _MOST_IDS:
            message = f"{len(ids) - _MOST_IDS} more ids of this marker are none of the sources."
            findings.append(_finding(kind, action, span, message))

    def _bad_quotes(self, response: Response) -> list[Finding]:
        findings: list[Finding] = []
        policy, blank = self.policy, self.sources.without_text
        for check in check_quotes(response, min_words=policy.min_quote_words):
            if check.status == "verified":
                continue
            if blank and (not check.cited or not blank.isdisjoint(check.cited)):
                continue  # it may stand in a source whose text is not at hand
            findings.append(
                _finding(
                    "unverified_quote",
                    policy.unverified_quote,
                    check.span,
                    f"A quotation {_STATUS[check.status]}: {shown(check.quote)!r}.",
                    status=check.status,
                )
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


def _finding(
    kind: Any,
    action: Any,
    span: Span | None,
    message: str,
    source_id: str | None = None,
    near: str | None = None,
    status: Any = None,
) -> Finding:
    return Finding.trusted(
        {
            "kind": kind,
            "action": action,
            "span": span,
            "message": message,
            "source_id": source_id,
            "near_miss": near,
            "quote_status": status,
        }
    )


def _places(
    bad: dict[tuple[int, int], dict[str, None]],
) -> list[tuple[int, int, tuple[str, ...]]]:
    return sorted([(start, end, tuple(ids)) for (start, end), ids in bad.items()])


def gravest(findings: list[Finding]) -> Action:
    """Return the gravest action of some findings; ``"pass"`` if there are none."""
    action: Action = "pass"
    for finding in findings:
        action = graver(action, finding.action)
    return action


def _place(finding: Finding) -> tuple[int, int]:
    return finding.span if finding.span is not None else (1 << 62, 0)


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
