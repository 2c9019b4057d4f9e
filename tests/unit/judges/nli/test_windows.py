"""Windows of long evidence: what they hold, what they cost, and how the best parts are joined."""

from __future__ import annotations

import re

import pytest

from citemeter.judges.nli.windows import LEAST_PART, Plan, Window, join_best, plan_windows


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def sentence(name: str, length: int) -> str:
    """A sentence of so many tokens, its stop included."""
    return " ".join([name.capitalize(), *["word"] * (length - 2)]) + "."


def texts(plan: Plan) -> list[str]:
    return [window.text for window in plan.windows]


def cost(window: Window) -> int:
    return len(words(window.text))


def test_windows_are_runs_of_whole_sentences() -> None:
    text = " ".join(sentence(name, 10) for name in ("one", "two", "three", "four", "five"))
    plan = plan_windows([text], words, 25)
    # Three windows are needed, and they are as even as whole sentences allow.
    assert [cost(window) for window in plan.windows] == [20, 20, 10]
    assert " ".join(texts(plan)) == text
    assert plan.parts == ()


def test_windows_are_even_rather_than_full() -> None:
    text = " ".join(sentence(f"n{k}", 10) for k in range(8))
    assert [cost(w) for w in plan_windows([text], words, 70).windows] == [40, 40]


def test_what_fits_is_one_window_to_the_letter() -> None:
    text = "  Cats purr.\n\n Dogs bark. "
    [window] = plan_windows([text], words, 6).windows
    assert window.text == "Cats purr.\n\n Dogs bark."
    assert window.places == ((0, 2, 25),)


def test_a_sentence_longer_than_the_window_is_cut_at_spaces() -> None:
    text = sentence("long", 40)
    plan = plan_windows([text], words, 12)
    assert " ".join(texts(plan)) == text
    assert all(cost(window) <= 12 for window in plan.windows)


def test_a_word_longer_than_the_window_is_cut_between_tokens() -> None:
    characters = lambda text: [(k, k + 1) for k in range(len(text))]  # noqa: E731
    plan = plan_windows(["x" * 25], characters, 10)
    assert "".join(texts(plan)) == "x" * 25
    assert max(len(text) for text in texts(plan)) <= 10


def test_many_tokens_of_one_character_do_not_hang() -> None:
    bytes_of = lambda text: [(k, k + 1) for k in range(len(text)) for _ in range(4)]  # noqa: E731
    plan = plan_windows(["😀😀😀"], bytes_of, 2)
    assert "".join(texts(plan)) == "😀😀😀"


def test_a_passage_that_fits_is_not_cut() -> None:
    first, second = sentence("one", 8), " ".join([sentence("two", 8), sentence("three", 8)])
    plan = plan_windows([first, second], words, 20)
    assert texts(plan) == [first, second]


def test_short_passages_share_a_window() -> None:
    passages = [sentence("one", 8), sentence("two", 8), sentence("three", 8)]
    plan = plan_windows(passages, words, 18)
    assert texts(plan) == [f"{passages[0]}\n{passages[1]}", passages[2]]


def test_the_title_is_repeated_in_later_windows() -> None:
    body = [sentence("he", 20), sentence("then", 20), sentence("later", 20)]
    plan = plan_windows(["Title: Ada\n" + " ".join(body)], words, 40)
    assert texts(plan) == [f"Title: Ada\n{text}" for text in body]
    assert all(cost(window) <= 40 for window in plan.windows)


def test_a_title_that_takes_much_of_the_window_is_not_repeated() -> None:
    title = "Title: " + " ".join(["long"] * 20)
    plan = plan_windows([f"{title}\n{sentence('one', 30)} {sentence('two', 30)}"], words, 40)
    assert sum("Title" in text for text in texts(plan)) == 1


def test_a_passage_of_only_a_title_is_kept() -> None:
    assert texts(plan_windows(["Title: Harbour museum"], words, 2))[0].startswith("Title")


@pytest.mark.parametrize("passages", [[], [""], ["   \n "]])
def test_nothing_to_read_gives_no_window(passages: list[str]) -> None:
    assert plan_windows(passages, words, 10).windows == ()


def test_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="capacity"):
        plan_windows(["Cats purr."], words, 0)


def long_passage(name: str, sentences: int = 12) -> str:
    return " ".join(sentence(f"{name}{k}", 20) for k in range(sentences))


def test_parts_are_of_single_passages_and_together_fit() -> None:
    passages = [long_passage("a"), long_passage("b"), sentence("short", 10)]
    plan = plan_windows(passages, words, 150)
    by_passage: dict[int, list[Window]] = {}
    for part in plan.parts:
        assert len({place[0] for place in part.places}) == 1
        by_passage.setdefault(part.places[0][0], []).append(part)
    assert by_passage[2][0].text == passages[2]
    largest = sum(max(cost(part) for part in parts) for parts in by_passage.values())
    assert largest + 2 <= 150
    # The long ones share what the short one leaves.
    assert max(cost(part) for part in by_passage[0]) == 60


def test_the_joint_window_holds_the_best_part_of_each_passage_in_order() -> None:
    passages = [long_passage("a"), long_passage("b")]
    plan = plan_windows(passages, words, 60)
    wanted = {"b7": 0.4, "a3": 0.9}
    scores = [
        max([s for name, s in wanted.items() if name.capitalize() in part.text], default=0.1)
        for part in plan.parts
    ]
    joined = join_best(plan, scores)
    assert joined is not None
    assert joined.text.index("A3") < joined.text.index("B7")
    assert cost(joined) <= 60
    assert {place[0] for place in joined.places} == {0, 1}


def test_the_weakest_passages_are_left_out_if_not_all_fit() -> None:
    passages = [long_passage(name, 4) for name in "abcdef"]
    plan = plan_windows(passages, words, 2 * LEAST_PART + 2)
    strong = {1, 4}
    joined = join_best(plan, [0.9 if p.places[0][0] in strong else 0.2 for p in plan.parts])
    assert joined is not None
    assert {place[0] for place in joined.places} >= strong
    assert cost(joined) <= 2 * LEAST_PART + 2


@pytest.mark.parametrize("capacity", [5, 20, 41, 60, 63, 64, 65, 66, 67])
def test_two_parts_fit_however_small_the_window(capacity: int) -> None:
    plan = plan_windows([long_passage("a"), long_passage("b"), long_passage("c")], words, capacity)
    joined = join_best(plan, [0.5] * len(plan.parts))
    assert joined is not None
    assert len({place[0] for place in joined.places}) >= 2
    assert cost(joined) <= capacity


def test_free_room_goes_to_the_next_best_parts() -> None:
    # One passage is short, so that the long one's share holds most of the window.
    plan = plan_windows([sentence("short", 5), long_passage("b", 20)], words, 100)
    scores = [0.5] * len(plan.parts)
    joined = join_best(plan, scores)
    assert joined is not None
    assert cost(joined) > 80


def test_neighbouring_parts_are_joined_as_they_stand() -> None:
    plan = plan_windows([long_passage("a", 6)], words, 80, "always")
    assert len(plan.parts) >= 3
    scores = [1.0, 1.0] + [0.0] * (len(plan.parts) - 2)
    joined = join_best(plan, scores)
    assert joined is not None
    assert "\n" not in joined.text
    assert len(joined.places) == 1


def test_distant_parts_of_one_passage_are_joined_on_request_alone() -> None:
    text = long_passage("a", 20)
    assert plan_windows([text], words, 80, "passages").parts == ()
    plan = plan_windows([text], words, 80, "always")
    scores = [0.0] * len(plan.parts)
    scores[0] = scores[-1] = 1.0
    joined = join_best(plan, scores)
    assert joined is not None
    assert "A0" in joined.text
    assert "A19" in joined.text
    assert join_best(plan_windows([text, text], words, 80, "never"), []) is None


def test_titles_are_counted_in_joint_windows() -> None:
    passages = ["Title: Ada\n" + long_passage("a"), "Title: Bob\n" + long_passage("b")]
    plan = plan_windows(passages, words, 90)
    for k in range(len(plan.parts)):
        scores = [float(i == k) for i in range(len(plan.parts))]
        joined = join_best(plan, scores)
        assert joined is not None
        assert cost(joined) <= 90
        assert joined.text.count("Title: Ada") <= 1


def test_evidence_in_other_scripts_is_cut_at_its_stops() -> None:
    text = "猫は喉を鳴らす。犬は吠える。" * 10
    characters = lambda text: [(k, k + 1) for k in range(len(text))]  # noqa: E731
    plan = plan_windows([text], characters, 40)
    assert all(window.text.endswith("。") for window in plan.windows)
    assert "".join(texts(plan)) == text
