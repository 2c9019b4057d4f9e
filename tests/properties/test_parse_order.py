"""An answer reads the same whatever was read before it, and in whichever thread."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citemeter.models import Response
from citemeter.text.parse import ParseOptions, parse, parse_response
from support import CASES, EXAMPLE, read_jsonl


def linked(link: str) -> list[dict[str, Any]]:
    return [{"id": "1", "text": "", "metadata": {"url": "https://a.example", "link": link}}]


HAND_WRITTEN = [
    ("The price of this `item [1] is` fixed.", ["a", "b"]),
    ("It is dry [1]. The price of this `item [1] is` fixed.", ["a", "b"]),
    ("The price [1] is fixed. So is $x = [1]$.", ["a", "b"]),
    # Two sets of sources with the same ids, of which one has the URL.
    ("See [the site](https://b.example/x).", linked(link="https://b.example/x")),
    ("See [the site](https://b.example/x).", linked(link="https://c.example/x")),
]


def forget() -> None:
    """Empty every cache of the package."""
    for name, module in list(sys.modules.items()):
        if name.startswith("citemeter."):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if clear is not None:
                    clear()


def read_in_every_order(responses: Sequence[Response]) -> None:
    options = ParseOptions()

    def read(response: Response) -> Response:
        return parse_response(response, options)

    forget()
    cold = [read(response) for response in responses]
    assert [read(response) for response in responses] == cold
    assert [read(response) for response in reversed(responses)] == cold[::-1]
    forget()
    assert [read(response) for response in reversed(responses)] == cold[::-1]
    forget()
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(read, responses)) == cold


def responses_of(records: list[dict[str, Any]]) -> list[Response]:
    found = []
    for record in records:
        sources = record.get("sources") or record.get("passages") or record.get("source_ids") or []
        ids = [source if isinstance(source, str) else str(source["id"]) for source in sources]
        found.append(Response(answer=record["answer"], sources=dict.fromkeys(ids, "")))
    return found


def test_code_and_maths_hold_no_marker_whatever_was_read_before() -> None:
    for answer in ("It is dry [1].", "The price of this `item [1] is` fixed."):
        response = parse(answer, ["a"])
    [statement] = response.statements or ()
    assert statement.text == answer
    assert statement.citations == ()


def test_answers_of_all_kinds() -> None:
    hand_written = [Response(answer=a, sources=s) for a, s in HAND_WRITTEN]  # type: ignore[arg-type]
    labelled = responses_of(read_jsonl(CASES / "parse.jsonl"))
    read_in_every_order([*hand_written, *labelled, *responses_of(read_jsonl(EXAMPLE))])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["hagrid", "expertqa", "scholarqa", "crowdrag25_llm", "deepresearchgym_urls"]
)
def test_real_answers(name: str, shared: Path) -> None:
    read_in_every_order(responses_of(read_jsonl(shared / "data" / "answers" / f"{name}.jsonl")))
