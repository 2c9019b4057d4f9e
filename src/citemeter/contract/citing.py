"""Rules on what an answer cites: claims, amounts, ids, refusals and quotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from citemeter.contract.outcome import Finding, Outcome
from citemeter.contract.rule import Rule, whole_number
from citemeter.contract.subject import Subject
from citemeter.errors import InputError, callable_name, check_choice
from citemeter.metrics.abstention import RefusalRule, outcome_of
from citemeter.models import Citation, Span
from citemeter.results import MIN_QUOTE_WORDS
from citemeter.text.markers import near_miss
from citemeter.text.quotations.mentions import count_words

__all__ = [
    "citations_of",
    "every_claim_cited",
    "ids_exist",
    "max_citations_per_statement",
    "max_quote_words",
    "no_citation_in_refusals",
]

NOTHING_CITED = "nothing is cited"
UNKNOWN_SOURCES = "what could be cited is not given"


def citations_of(subject: Subject) -> Iterator[tuple[int | None, Citation]]:
    """Yield every citation with the index of its statement, those of no statement last."""
    response = subject.response
    for number, statement in enumerate(response.statements or ()):
        for citation in statement.citations:
            yield number, citation
    for citation in response.unattached:
        yield None, citation


def _cited(number: int | None, citation: Citation, problem: str) -> Finding:
    return Finding(
        problem=problem,
        text=citation.marker or citation.source_id,
        span=citation.span,
        statement=number,
        ids=(citation.source_id,),
    )


def every_claim_cited() -> Rule:
    """Return the rule that every claim carries a citation.

    A claim is a statement that needs a citation. One that cites only ids of no source is not
    cited, as in citation coverage; where only a text is checked and its sources are not known,
    any citation will do. Does not apply if the answer makes no claim.

    >>> rule = every_claim_cited()
    >>> found = rule({"answer": "It opened in 1904 [1]. It closed in 1931.", "sources": ["…"]})
    >>> found.reason, found.findings[0].text
    ('1 of 2 claims lack a valid citation', 'It closed in 1931.')
    """
    return Rule("every_claim_cited", {}, _every_claim_cited)


def _every_claim_cited(subject: Subject) -> Outcome:
    claims = 0
    findings: list[Finding] = []
    for number, statement in enumerate(subject.response.statements or ()):
        if not statement.needs_citation:
            continue
        claims += 1
        ids = statement.source_ids
        if not any(map(subject.counts_as_source, ids)):
            problem = f"cites no source that exists: {', '.join(ids)}" if ids else "cites nothing"
            findings.append(
                Finding(
                    problem=problem,
                    text=statement.raw or statement.text,
                    span=statement.span,
                    statement=number,
                    ids=ids,
                )
            )
    if not claims:
        return Outcome.not_applicable("no statement needs a citation")
    return Outcome.of(findings, f"{len(findings)} of {claims} claims lack a valid citation")


def max_citations_per_statement(
    n: int, *, duplicates: Literal["set", "occurrences"] = "set"
) -> Rule:
    """Return the rule that no statement has more than ``n`` citations.

    Does not apply if nothing is cited.

    Args:
        n: The most allowed.
        duplicates: Whether an id repeated in a statement counts once, or each time.

    Raises:
        InputError: If a parameter is unusable.

    >>> found = max_citations_per_statement(2)("It is so [1][2][3]. So is this [1][1][1].")
    >>> found.reason, found.findings[0].ids
    ('1 statement cites more than 2', ('1', '2', '3'))
    """
    name = "max_citations_per_statement"
    whole_number(name, "n", n)
    check_choice("duplicates", duplicates, ("set", "occurrences"))
    parameters = {"n": n} if duplicates == "set" else {"n": n, "duplicates": duplicates}
    arguments = {"n": n, "once": duplicates == "set"}
    return Rule(name, parameters, _max_citations, arguments, conditional=True)


def _max_citations(subject: Subject, n: int, once: bool) -> Outcome:
    findings: list[Finding] = []
    cites = False
    for number, statement in enumerate(subject.response.statements or ()):
        ids = tuple([citation.source_id for citation in statement.citations])
        ids = tuple(dict.fromkeys(ids)) if once else ids
        cites = cites or bool(ids)
        if len(ids) > n:
            findings.append(
                Finding(
                    problem=f"has {len(ids)} citations",
                    text=statement.raw or statement.text,
                    span=statement.span,
                    statement=number,
                    ids=ids,
                )
            )
    if not cites:
        return Outcome.not_applicable(NOTHING_CITED)
    many = "statements cite" if len(findings) > 1 else "statement cites"
    return Outcome.of(findings, f"{len(findings)} {many} more than {n}")


def ids_exist() -> Rule:
    """Return the rule that every id cited names one of the sources.

    Does not apply if nothing is cited, or only a text is checked, so that its sources are unknown.

    >>> found = ids_exist()({"answer": "So it is [hr_12].", "sources": {"hr-12": "…"}})
    >>> found.findings[0].problem
    "names no source; near: 'hr-12'"
    """
    return Rule("ids_exist", {}, _ids_exist, conditional=True)


def _ids_exist(subject: Subject) -> Outcome:
    findings: list[Finding] = []
    cites = False
    sources = subject.given.by_id
    for number, citation in citations_of(subject):
        cites = True
        if citation.source_id not in sources:
            near = near_miss(citation.source_id, sources)
            problem = "names no source" + (f"; near: {near!r}" if near else "")
            findings.append(_cited(number, citation, problem))
    if not cites:
        return Outcome.not_applicable(NOTHING_CITED)
    if not subject.sources_known:
        return Outcome.not_applicable(UNKNOWN_SOURCES)
    ids = dict.fromkeys([finding.ids[0] for finding in findings])
    return Outcome.of(findings, f"no source goes by {', '.join(ids)}")


def no_citation_in_refusals(*, detector: RefusalRule | None = None) -> Rule:
    """Return the rule that an answer that declines to answer cites nothing.

    A list of sources at its end is citing too. Does not apply to other answers.

    Args:
        detector: What decides whether an answer declines, called with its words; by default the
            package's own rule.

    Raises:
        InputError: If ``detector`` cannot be called.

    >>> found = no_citation_in_refusals()("The documents do not say when it opened [1].")
    >>> found.reason, found.findings[0].text
    ('the answer declines, yet cites 1', '[1]')
    """
    name = "no_citation_in_refusals"
    if detector is not None and not callable(detector):
        raise InputError(
            f"rule {name!r}: {type(detector).__name__} is no refusal rule.",
            fix="give a callable from the answer's words to True or False, or leave it out.",
        )
    label = callable_name(detector)
    parameters = {} if detector is None else {"detector": f"callable:{label}"}
    arguments = {"detector": detector}
    return Rule(name, parameters, _no_citation_in_refusals, arguments, conditional=True)


def _no_citation_in_refusals(subject: Subject, detector: RefusalRule | None) -> Outcome:
    outcome = outcome_of(subject.words, subject.response.abstained, detector)
    if outcome != "abstained":
        return Outcome.not_applicable("the answer does not decline to answer")
    findings = [_cited(n, citation, "cited in a refusal") for n, citation in citations_of(subject)]
    plan = subject.options.plan
    for start, end in subject.skipped("reference_list"):
        block = subject.text[start:end]
        for marker in plan.find_markers(block, subject.index):
            if marker.ids:
                span = Span(start + marker.start, start + marker.end)
                findings.append(
                    Finding(
                        problem="listed in a refusal",
                        text=block[marker.start : marker.end],
                        span=span,
                        ids=marker.ids,
                    )
                )
    ids = dict.fromkeys(i for finding in findings for i in finding.ids)
    return Outcome.of(findings, f"the answer declines, yet cites {', '.join(ids)}")


def max_quote_words(n: int) -> Rule:
    """Return the rule that no quotation is longer than ``n`` words.

    What is a quotation is decided as in quote verification, block quotes included. Words are
    counted without markers; two characters of Chinese or Japanese are one. Does not apply if
    nothing is quoted.

    Args:
        n: The most words allowed.

    Raises:
        InputError: If ``n`` is no whole number.

    >>> found = max_quote_words(4)('It says "no dogs on the upper lawn" [1].')
    >>> found.findings[0].problem, found.findings[0].text
    ('has 6 words', 'no dogs on the upper lawn')
    """
    whole_number("max_quote_words", "n", n)
    return Rule("max_quote_words", {"n": n}, _max_quote_words, {"n": n}, conditional=True)


def _max_quote_words(subject: Subject, n: int) -> Outcome:
    from citemeter.text.quotations.extraction import find_quotations

    # A limit below what is taken for a quotation elsewhere has to look at shorter ones.
    quotations = find_quotations(subject.response, min_words=min(MIN_QUOTE_WORDS, n + 1))
    findings: list[Finding] = []
    for quotation in quotations:
        words = count_words(quotation.text)
        if words > n:
            findings.append(
                Finding(
                    problem=f"has {words} words",
                    text=quotation.text,
                    span=quotation.span,
                    statement=quotation.statement,
                    ids=quotation.cited,
                )
            )
    if not quotations:
        return Outcome.not_applicable("nothing is quoted")
    many = "quotations have" if len(findings) > 1 else "quotation has"
    return Outcome.of(findings, f"{len(findings)} {many} more than {n} words")
