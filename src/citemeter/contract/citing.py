"""Rules on what an answer cites: claims, amounts, ids, refusals and quotations."""

from __future__ import annotations

from functools import partial
from typing import Literal

from citemeter.contract.answer import CheckedAnswer, citations_of
from citemeter.contract.rule import Finding, Outcome, Rule, counted, whole_number
from citemeter.errors import InputError, callable_name, check_choice
from citemeter.models import Span
from citemeter.results import MIN_QUOTE_WORDS
from citemeter.text.markers import near_miss
from citemeter.text.phrases.refusals import RefusalRule, outcome_of
from citemeter.text.quotations.mentions import count_words

__all__ = [
    "every_claim_cited",
    "ids_exist",
    "max_citations_per_statement",
    "max_quote_words",
    "no_citation_in_refusals",
]

NOTHING_CITED = "nothing is cited"


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


def _every_claim_cited(answer: CheckedAnswer) -> Outcome:
    claims = 0
    findings: list[Finding] = []
    for number, statement in enumerate(answer.response.statements or ()):
        if not statement.needs_citation:
            continue
        claims += 1
        ids = statement.source_ids
        if not any(map(answer.counts_as_source, ids)):
            problem = f"cites no source that exists: {', '.join(ids)}" if ids else "cites nothing"
            findings.append(Finding.in_statement(problem, number, statement, ids))
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
    once = duplicates == "set"
    parameters = {"n": n} if once else {"n": n, "duplicates": duplicates}
    return Rule(name, parameters, partial(_max_citations, n=n, once=once), conditional=True)


def _max_citations(answer: CheckedAnswer, n: int, once: bool) -> Outcome:
    findings: list[Finding] = []
    cites = False
    for number, statement in enumerate(answer.response.statements or ()):
        ids = statement.source_ids if once else tuple([c.source_id for c in statement.citations])
        cites = cites or bool(ids)
        if len(ids) > n:
            problem = f"has {len(ids)} citations"
            findings.append(Finding.in_statement(problem, number, statement, ids))
    if not cites:
        return Outcome.not_applicable(NOTHING_CITED)
    return Outcome.of(
        findings, f"{counted(findings, 'statement cites', 'statements cite')} more than {n}"
    )


def ids_exist() -> Rule:
    """Return the rule that every id cited names one of the sources.

    Does not apply if nothing is cited, or only a text is checked, so that its sources are unknown.

    >>> found = ids_exist()({"answer": "So it is [hr_12].", "sources": {"hr-12": "…"}})
    >>> found.findings[0].problem
    "names no source; near: 'hr-12'"
    """
    return Rule("ids_exist", {}, _ids_exist, conditional=True)


def _ids_exist(answer: CheckedAnswer) -> Outcome:
    citations = list(citations_of(answer.response))
    if not citations:
        return Outcome.not_applicable(NOTHING_CITED)
    if not answer.sources_known:
        return Outcome.not_applicable("what could be cited is not given")
    findings: list[Finding] = []
    sources = answer.given.by_id
    for number, citation in citations:
        if citation.source_id not in sources:
            near = near_miss(citation.source_id, sources)
            problem = "names no source" + (f"; near: {near!r}" if near else "")
            findings.append(Finding.in_citation(problem, number, citation))
    return Outcome.of(findings, f"no source goes by {_ids(findings)}")


def _ids(findings: list[Finding]) -> str:
    return ", ".join(dict.fromkeys(source_id for finding in findings for source_id in finding.ids))


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
    parameters = {} if detector is None else {"detector": f"callable:{callable_name(detector)}"}
    test = partial(_no_citation_in_refusals, detector=detector)
    return Rule(name, parameters, test, conditional=True)


def _no_citation_in_refusals(answer: CheckedAnswer, detector: RefusalRule | None) -> Outcome:
    outcome = outcome_of(answer.words, answer.response.abstained, detector)
    if outcome != "abstained":
        return Outcome.not_applicable("the answer does not decline to answer")
    findings = [
        Finding.in_citation("cited in a refusal", number, citation)
        for number, citation in citations_of(answer.response)
    ]
    for start, end in answer.skipped("reference_list"):
        block = answer.text[start:end]
        findings += [
            Finding(
                problem="listed in a refusal",
                text=block[marker.start : marker.end],
                span=Span(start + marker.start, start + marker.end),
                ids=marker.ids,
            )
            for marker in answer.markers_in(block)
        ]
    return Outcome.of(findings, f"the answer declines, yet cites {_ids(findings)}")


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
    return Rule("max_quote_words", {"n": n}, partial(_max_quote_words, n=n), conditional=True)


def _max_quote_words(answer: CheckedAnswer, n: int) -> Outcome:
    from citemeter.text.quotations.extraction import find_quotations

    # A limit below what is taken for a quotation elsewhere has to look at shorter ones.
    quotations = find_quotations(answer.response, min_words=min(MIN_QUOTE_WORDS, n + 1))
    if not quotations:
        return Outcome.not_applicable("nothing is quoted")
    findings = [
        Finding(
            problem=f"has {words} words",
            text=quotation.text,
            span=quotation.span,
            statement=quotation.statement,
            ids=quotation.cited,
        )
        for quotation in quotations
        if (words := count_words(quotation.text)) > n
    ]
    many = counted(findings, "quotation has", "quotations have")
    return Outcome.of(findings, f"{many} more than {n} words")
