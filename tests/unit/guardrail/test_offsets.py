from __future__ import annotations

import random
from itertools import pairwise

from citemeter.guardrail.offsets import Edit, OffsetMap, applied, composed


def _random_edits(draw: random.Random, length: int) -> list[Edit]:
    places = sorted(draw.sample(range(length + 1), min(length + 1, 2 * draw.randint(0, 4))))
    return [
        Edit(start, end, draw.choice(["", "", " ", "xy"]))
        for start, end in zip(places[::2], places[1::2], strict=False)
    ]


def test_what_stays_maps_both_ways() -> None:
    draw = random.Random(5)
    for _ in range(300):
        text = "".join(chr(0x4E00 + n) for n in range(draw.randint(1, 30)))  # all different
        edits = _random_edits(draw, len(text))
        clean = applied(text, edits)
        offsets = OffsetMap(edits)
        for place, char in enumerate(text):
            if char in clean:
                there = offsets.to_clean(place)
                assert clean[there] == char
                assert offsets.to_original(there) == place
        assert offsets.to_clean(len(text)) == len(clean)
        # Never backwards.
        mapped = [offsets.to_clean(n) for n in range(len(text) + 1)]
        assert mapped == sorted(mapped)
        back = [offsets.to_original(n) for n in range(len(clean) + 1)]
        assert back == sorted(back)


def test_what_was_taken_out_maps_to_where_it_was() -> None:
    offsets = OffsetMap([Edit(4, 8), Edit(10, 12, "ab")])
    # "0123----89--" : 4..8 go, 10..12 become "ab"
    assert [offsets.to_clean(n) for n in (3, 4, 5, 7, 8, 10, 11, 12)] == [3, 4, 4, 4, 4, 6, 7, 8]
    assert [offsets.to_original(n) for n in (3, 4, 5, 6, 7, 8)] == [3, 8, 9, 10, 11, 12]


def test_two_rounds_are_one() -> None:
    draw = random.Random(7)
    for _ in range(300):
        text = "".join(chr(0x4E00 + n) for n in range(draw.randint(1, 30)))
        first = _random_edits(draw, len(text))
        middle = applied(text, first)
        second = _random_edits(draw, len(middle))
        result = applied(middle, second)
        both = composed(first, second, len(text), result)
        assert applied(text, both) == result
        assert all(a.end <= b.start for a, b in pairwise(both))
