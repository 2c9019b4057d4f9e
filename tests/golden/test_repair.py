"""Repairs worked out by hand, from an answer about leave and one in several styles."""

from __future__ import annotations

from citemeter.judges import RecordedJudge
from citemeter.repair import suggest_citations
from citemeter.text.parse import ParseOptions

SOURCES = {
    "hr-12": "Employees accrue 25 days of paid time off per calendar year.",
    "hr-31": "Unused PTO up to 5 days may be carried over to the next year.",
    "hr-40": "Carried days expire on 31 March.",
}
ANSWER = (
    "You get 25 days a year [hr-31]. Up to 5 unused days carry over [hr-31][hr-12]. "
    "Carried days expire on 31 March [hr_40]. Leave is never paid out."
)
S1, S2, S3, S4 = (
    "You get 25 days a year.",
    "Up to 5 unused days carry over.",
    "Carried days expire on 31 March.",
    "Leave is never paid out.",
)
P12, P31, P40 = SOURCES.values()
JUDGE = RecordedJudge(
    {
        # s1 cites hr-31, which does not say it. The candidates are asked about alone: hr-12 does.
        (P31, S1): False,
        (P12, S1): True,
        (P40, S1): False,
        # s2 is supported by both together; hr-31 alone suffices and hr-12 alone does not.
        (f"{P31}\n{P12}", S2): True,
        (P31, S2): True,
        (P12, S2): False,
        # s3 cites hr_40; hr-40, which it nearly names, supports it, so nothing else is asked.
        (P40, S3): True,
        # s4 cites nothing and no source says it, alone or in pairs.
        (P12, S4): False,
        (P31, S4): False,
        (P40, S4): False,
        (f"{P12}\n{P31}", S4): False,
        (f"{P12}\n{P40}", S4): False,
        (f"{P31}\n{P40}", S4): False,
    }
)


def test_every_kind_of_repair_in_one_answer() -> None:
    result = suggest_citations({"answer": ANSWER, "sources": SOURCES}, JUDGE)
    assert result.answer == (
        "You get 25 days a year [hr-12]. Up to 5 unused days carry over [hr-31]. "
        "Carried days expire on 31 March [hr-40]. Leave is never paid out."
    )
    assert [(r.problem, r.outcome, r.proposed) for r in result.repairs] == [
        ("unsupported", "repaired", ("hr-12",)),
        ("irrelevant", "repaired", ("hr-31",)),
        ("invalid", "repaired", ("hr-40",)),
        ("uncited", "unrepaired", ()),
    ]
    assert result.counts["after_repair_unjudged_statements"] == 0  # nothing but the above was asked


def test_its_scores() -> None:
    # Before, s2 alone of four statements is supported: recall 1/4. Of the four citations hr-31 of
    # s2 alone is precise: 1/4. s1 and s2 of four claims have a valid citation: 1/2. Of the four
    # citations hr_40 names no source: 3/4.
    # After, s1, s2 and s3 are supported, each by the one source it cites: recall 3/4, precision
    # 3/3, coverage 3/4, validity 3/3.
    result = suggest_citations({"answer": ANSWER, "sources": SOURCES}, JUDGE)
    assert [score.value for score in result.before.values()] == [0.25, 0.25, 0.5, 0.75]
    assert [score.value for score in result.after.values()] == [0.75, 1.0, 0.75, 1.0]


def test_the_same_answer_in_groups_with_markers_behind_the_stop() -> None:
    answer = (
        "You get 25 days a year. (1) Up to 5 unused days carry over. (1, 0) "
        "Carried days expire on 31 March. (7) Leave is never paid out."
    )
    record = {"answer": answer, "sources": list(SOURCES.values())}
    reading = ParseOptions(style="paren_numeric", numbering=0)
    result = suggest_citations(record, JUDGE, parsing=reading)
    assert result.answer == (
        "You get 25 days a year. (0) Up to 5 unused days carry over. (1) "
        "Carried days expire on 31 March. (2) Leave is never paid out."
    )
