"""Windows of any evidence: nothing is lost, nothing is too long, whatever the tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.judges.nli.windows import join_best, plan_windows

TEXT = st.text(alphabet="ab .!?\n\té。😀“”\u200d'-1", max_size=120)
PASSAGES = st.lists(TEXT, min_size=1, max_size=4)


def spans_of(width: int) -> object:
    """Tokens of so many characters, white space not among them."""

    def spans(text: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for k, character in enumerate(text):
            if character.isspace():
                continue
            if found and found[-1][1] == k and k - found[-1][0] < width:
                found[-1] = (found[-1][0], k + 1)
            else:
                found.append((k, k + 1))
        return found

    return spans


@settings(max_examples=150, deadline=None)
@given(PASSAGES, st.integers(1, 60), st.integers(1, 4), st.sampled_from(["passages", "always"]))
def test_windows_hold_all_of_the_evidence_and_none_twice(
    passages: list[str], capacity: int, width: int, joint: str
) -> None:
    spans = spans_of(width)
    plan = plan_windows(passages, spans, capacity, joint)  # type: ignore[arg-type]
    held: dict[int, list[tuple[int, int]]] = {}
    for window in plan.windows:
        for number, start, end in window.places:
            assert passages[number][start:end] in window.text
            held.setdefault(number, []).append((start, end))
    for number, text in enumerate(passages):
        at = 0
        for start, end in held.get(number, []):
            assert start >= at
            assert not text[at:start].strip()
            at = end
        assert not text[at:].strip()


@settings(max_examples=150, deadline=None)
@given(PASSAGES, st.integers(40, 80), st.data())
def test_windows_and_joint_windows_fit(
    passages: list[str], capacity: int, data: st.DataObject
) -> None:
    spans = spans_of(1)
    plan = plan_windows(passages, spans, capacity)  # type: ignore[arg-type]
    scores = [data.draw(st.floats(0, 1)) for _ in plan.parts]
    joined = join_best(plan, scores)
    for window in (*plan.windows, *plan.parts, *([joined] if joined else [])):
        assert len(spans(window.text)) <= capacity  # type: ignore[operator]
        assert window.tokens <= capacity
    if joined:
        assert list(joined.places) == sorted(joined.places)
