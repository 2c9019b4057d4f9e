"""The search: what the judge is asked, in which order, and what is made of its verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from citemeter.judges.asking import gather, run
from citemeter.judges.base import Judge, Pair
from citemeter.metrics.alce import premise_text
from citemeter.models import Response
from citemeter.repair.search import Library, SearchTask, search, trimmed
from citemeter.verdicts import JudgeIdentity, Verdict

Sets = frozenset[str]


class SetJudge(Judge):
    """Knows for each set of sources whether it supports; the passages are the ids."""

    def __init__(self, yes: Sequence[str], scores: Mapping[str, float] | None = None) -> None:
        self.yes = {frozenset(ids.split("+")) for ids in yes}
        self.scores = {frozenset(ids.split("+")): s for ids, s in (scores or {}).items()}
        self.failing: set[Sets] = set()
        self.rounds: list[list[str]] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="sets")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.rounds.append(["+".join(premise.split("\n")) for premise, _ in pairs])
        return [self.one(frozenset(premise.split("\n"))) for premise, _ in pairs]

    def one(self, ids: Sets) -> Verdict:
        if ids in self.failing:
            return Verdict.failed("out of order")
        return Verdict(supported=ids in self.yes, score=self.scores.get(ids))


def library_of(texts: Mapping[str, str]) -> Library:
    response = Response.from_record({"statements": [], "sources": dict(texts)})
    return Library(response.by_id, premise_text)


ABCD = library_of({i: i for i in ("aa", "bb", "cc", "dd")})


def found(
    judge: SetJudge,
    cited: Sequence[str] = (),
    library: Library = ABCD,
    statement: str = "words that no source has",
    **options: Any,
) -> SearchTask:
    known = all(i in library.sources for i in cited)
    settings: dict[str, Any] = {"candidates": 5, "top": 3, **options}
    judged = Verdict(supported=False) if cited and known else None
    return run(search(statement, cited, library, judged=judged, **settings), judge)


def sets(result: SearchTask) -> list[str]:
    return ["+".join(s.source_ids) for s in result.suggestions]


def test_one_source_alone() -> None:
    judge = SetJudge(["cc"])
    result = found(judge)
    assert sets(result) == ["cc"]
    assert [s.way for s in result.suggestions] == ["alone"]
    assert judge.rounds == [["aa", "bb", "cc", "dd"]]
    assert result.asked == 4


def test_the_judge_is_asked_about_the_best_candidates_only() -> None:
    library = library_of({"aa": "x", "bb": "x zorvak", "cc": "x quelnim zorvak", "dd": "x"})
    judge = SetJudge([])
    found(judge, library=library, statement="Zorvak quelnim.", candidates=2)
    assert judge.rounds[0] == ["x quelnim zorvak", "x zorvak"]


def test_suggestions_are_ranked_by_score_then_as_asked() -> None:
    judge = SetJudge(["aa", "bb", "cc", "dd"], {"aa": 0.7, "bb": 0.9, "cc": 0.7, "dd": 0.7})
    assert sets(found(judge, top=4)) == ["bb", "aa", "cc", "dd"]
    assert sets(found(judge, top=2)) == ["bb", "aa"]
    assert sets(found(SetJudge(["dd", "bb"]))) == ["bb", "dd"]  # no scores: as asked


def test_ranks_are_the_prefilters() -> None:
    library = library_of({"aa": "x", "bb": "x zorvak", "cc": "x quelnim zorvak"})
    judge = SetJudge(["x zorvak"])
    [suggestion] = found(judge, library=library, statement="Zorvak quelnim.").suggestions
    assert (suggestion.source_ids, suggestion.rank) == (("bb",), 2)


def test_what_is_cited_and_one_more() -> None:
    judge = SetJudge(["aa+cc"])
    result = found(judge, ["aa"])
    assert sets(result) == ["aa+cc"]
    assert result.suggestions[0].way == "extended"
    # aa alone was judged before; then bb, cc, dd alone; then with aa, and pairs of the others;
    # last aa + cc is trimmed, for which everything is known.
    assert judge.rounds[0] == ["bb", "cc", "dd"]
    assert judge.rounds[1] == ["aa+bb", "aa+cc", "aa+dd"]


def test_two_together() -> None:
    judge = SetJudge(["aa+bb"])
    result = found(judge)
    assert sets(result) == ["aa+bb"]
    assert result.suggestions[0].way == "pair"


def test_the_pair_that_the_judge_scores_highest_is_asked_about() -> None:
    judge = SetJudge(["bb+dd"], {"bb": 0.4, "dd": 0.3, "aa": 0.1})
    assert sets(found(judge)) == ["bb+dd"]


def test_of_several_cited_one_alone() -> None:
    # Together they do not support, yet one of them does: a judge that is put off by the other.
    judge = SetJudge(["bb"])
    result = found(judge, ["aa", "bb"])
    assert sets(result) == ["bb"]
    assert judge.rounds[0] == ["aa", "bb", "cc", "dd"]


def test_an_extended_set_is_trimmed() -> None:
    judge = SetJudge(["aa+bb+cc", "bb+cc"])
    result = found(judge, ["aa", "bb"])
    assert sets(result) == ["bb+cc"]
    assert [r.source_id for r in result.removals] == ["aa"]


def test_the_near_miss_is_tried_first() -> None:
    library = library_of({"hr-12": "hr-12", "hr-31": "hr-31"})
    judge = SetJudge(["hr-31"])
    result = found(judge, ["hr_31"], library)
    assert sets(result) == ["hr-31"]
    assert result.suggestions[0].way == "respelled"
    assert judge.rounds == [["hr-31"]]


def test_the_near_miss_together_with_what_is_valid() -> None:
    library = library_of({"hr-12": "hr-12", "hr-31": "hr-31"})
    result = found(SetJudge(["hr-31+hr-12"]), ["hr_31", "hr-12"], library)
    assert sets(result) == ["hr-31+hr-12"]  # in the order of the answer


def test_a_near_miss_that_does_not_support_is_not_suggested() -> None:
    library = library_of({"hr-12": "hr-12", "hr-31": "hr-31"})
    result = found(SetJudge(["hr-12"]), ["hr_31"], library)
    assert sets(result) == ["hr-12"]
    assert not found(SetJudge([]), ["hr_31"], library).suggestions


def test_the_valid_rest_may_be_enough() -> None:
    judge = SetJudge(["aa"])
    result = found(judge, ["aa", "nowhere"])
    assert sets(result) == ["aa"]
    assert result.suggestions[0].way == "rest"
    assert judge.rounds == [["aa"]]


def test_nothing_is_suggested_that_the_judge_does_not_support() -> None:
    result = found(SetJudge([]), ["aa"])
    assert (result.suggestions, result.failed) == ([], None)


def test_a_failure_is_no_yes_and_is_told() -> None:
    judge = SetJudge([])
    judge.failing = {frozenset(["cc"])}
    result = found(judge)
    assert not result.suggestions
    assert result.failed == "out of order"


def test_a_failure_elsewhere_does_not_spoil_a_find() -> None:
    judge = SetJudge(["dd"])
    judge.failing = {frozenset(["cc"])}
    assert sets(found(judge)) == ["dd"]


def test_sources_without_text_are_not_asked_about() -> None:
    judge = SetJudge(["bb"])
    result = found(judge, library=library_of({"aa": "  ", "bb": "bb"}))
    assert sets(result) == ["bb"]
    assert judge.rounds == [["bb"]]


def test_no_source_at_all() -> None:
    judge = SetJudge([])
    result = found(judge, library=library_of({}))
    assert (result.suggestions, result.asked, judge.rounds) == ([], 0, [])
    assert not found(judge, ["gone"], library_of({})).suggestions


def test_no_set_is_asked_about_twice() -> None:
    judge = SetJudge([])
    found(judge, ["aa", "bb"])
    asked = [frozenset(words.split("+")) for some in judge.rounds for words in some]
    assert len(asked) == len(set(asked))


def kept(
    judge: SetJudge, *ids: str, precise: int = 0, irrelevant: int = 9
) -> tuple[str, list[tuple[str, bool | None, bool | None]]]:
    asking = trimmed(SearchTask("s", ABCD), ids, precise=precise, irrelevant=irrelevant)
    left, removals = run(asking, judge)
    return "+".join(left), [
        (r.source_id, r.alone and r.alone.supported, r.rest and r.rest.supported) for r in removals
    ]


def test_an_irrelevant_citation_goes() -> None:
    assert kept(SetJudge(["aa", "aa+bb"]), "aa", "bb") == ("aa", [("bb", False, True)])


def test_of_two_copies_only_one_may_go() -> None:
    # aa and bb are copies: either is enough with cc, and neither alone nor cc alone is. Both are
    # irrelevant in aa+bb+cc; once one has gone, the other is needed.
    judge = SetJudge(["aa+bb+cc", "aa+cc", "bb+cc"])
    assert kept(judge, "aa", "bb", "cc") == ("aa+cc", [("bb", False, True)])


def test_the_weakest_goes_first() -> None:
    judge = SetJudge(["aa+bb+cc", "aa+cc", "bb+cc"], {"aa": 0.2, "bb": 0.4})
    assert kept(judge, "aa", "bb", "cc")[0] == "bb+cc"


def test_copies_that_support_alone_stay() -> None:
    assert kept(SetJudge(["aa", "bb", "aa+bb"]), "aa", "bb") == ("aa+bb", [])


def test_those_that_support_alone_stay_and_the_others_go_at_once() -> None:
    judge = SetJudge(["aa", "cc", "aa+cc", "aa+bb+cc+dd"])
    left, removals = kept(judge, "aa", "bb", "cc", "dd")
    assert left == "aa+cc"
    assert [r[0] for r in removals] == ["bb", "dd"]
    assert judge.rounds == [["aa", "bb", "cc", "dd"], ["aa+cc"]]


def test_several_go_one_by_one() -> None:
    judge = SetJudge(["aa+bb", "aa+bb+cc", "aa+bb+dd", "aa+bb+cc+dd"])
    left, removals = kept(judge, "aa", "bb", "cc", "dd")
    assert left == "aa+bb"
    assert [r[0] for r in removals] == ["dd", "cc"]


def test_nothing_goes_where_precise_citations_would_be_lost() -> None:
    # A judge that contradicts itself. In aa+bb+cc+dd only the set without dd supports: dd is
    # irrelevant and three are precise. In aa+bb+cc every pair supports, so none is precise, and of
    # any two both are: two, where there were three.
    judge = SetJudge(["aa+bb+cc+dd", "aa+bb+cc", "aa+bb", "aa+cc", "bb+cc"])
    everything = ("aa", "bb", "cc", "dd")
    assert kept(judge, *everything, precise=3, irrelevant=1) == ("aa+bb+cc+dd", [])
    assert kept(judge, *everything, precise=2, irrelevant=1)[0] == "aa+bb"


def test_one_that_supports_alone_does_not_cost_another_its_precision() -> None:
    # Contradictory again: aa supports alone, yet aa+cc does not, so bb is precise beside it.
    judge = SetJudge(["aa", "aa+bb", "aa+bb+cc"])
    ids = ("aa", "bb", "cc")
    assert kept(judge, *ids, precise=2, irrelevant=1) == ("aa+bb+cc", [])
    assert kept(judge, *ids, precise=1, irrelevant=2)[0] == "aa"


def test_those_that_support_alone_may_not_do_so_together() -> None:
    judge = SetJudge(["aa", "bb", "aa+bb+cc"])
    assert kept(judge, "aa", "bb", "cc") == ("aa+bb+cc", [])


def test_many_citations_are_taken_out_in_halves() -> None:
    # Of 300 sources two are needed together; one by one it would take 300 rounds of 300 sets.
    ids = [f"s{n}" for n in range(300)]
    library = library_of({i: i for i in ids})

    class Needs(SetJudge):
        def one(self, ids: Sets) -> Verdict:
            return Verdict(supported={"s17", "s230"} <= ids)

    judge = Needs([])
    asking = trimmed(SearchTask("s", library), tuple(ids), precise=0, irrelevant=300)
    left, removals = run(asking, judge)
    assert left == ("s17", "s230")
    assert len(removals) == 298
    assert all(r.rest is not None and r.rest.supported for r in removals)
    assert sum(map(len, judge.rounds)) < 300 + 100


def test_large_premises_are_asked_about_in_portions() -> None:
    library = library_of({i: i * 1_000_000 for i in ("aa", "bb", "cc", "dd")})
    judge = SetJudge([])
    found(judge, library=library)
    assert [len(some) for some in judge.rounds[:2]] == [2, 2]


def test_a_failure_keeps_a_citation() -> None:
    judge = SetJudge(["aa", "aa+bb"])
    judge.failing = {frozenset(["bb"])}
    assert kept(judge, "aa", "bb") == ("aa+bb", [])


def test_a_single_citation_is_not_asked_about() -> None:
    judge = SetJudge([])
    assert kept(judge, "aa") == ("aa", [])
    assert judge.rounds == []


def test_gather_asks_in_rounds() -> None:
    judge = SetJudge(["aa+bb"])
    one = search("x y", ["aa"], ABCD, judged=Verdict(supported=False), candidates=1, top=1)
    two = search("x y", [], ABCD, judged=None, candidates=1, top=1)
    three = search("x y", [], library_of({}), judged=None, candidates=1, top=1)
    results = run(gather([one, two, three]), judge)
    assert [sets(r) for r in results] == [["aa+bb"], [], []]
    assert judge.rounds[0] == ["bb", "aa"]  # what is cited is no candidate


@pytest.mark.parametrize("number", [0, 1])
def test_gather_with_few(number: int) -> None:
    judge = SetJudge(["aa"])
    askings = [search("x", [], ABCD, judged=None, candidates=2, top=1) for _ in range(number)]
    assert len(run(gather(askings), judge)) == number
