"""What sources can be cited as, and which sets of sources share an index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from citemeter.models import Source
from citemeter.text.markers import index_of, near_miss


@pytest.mark.parametrize(
    ("cited", "known", "meant"),
    [
        ("doc_12", "doc-12", "doc-12"),
        ("Doc-12", "doc-12", "doc-12"),
        ("doc 12", "doc-12", "doc-12"),
        ("01", "1", "1"),
        ("１", "1", "1"),
        ("doc-13", "doc-12", None),
        ("doc-12", "doc-12", None),
        ("---", "doc-12", None),
    ],
)
def test_near_miss(cited: str, known: str, meant: str | None) -> None:
    assert near_miss(cited, ["other", known]) == meant


def sources(*ids: str, **metadata: Any) -> list[Source]:
    return [Source(id=i, text="", metadata=metadata) for i in ids]


def test_sets_that_can_be_cited_alike_share_an_index() -> None:
    assert index_of(sources("1", "2"), None) is index_of(sources("1", "2", page=3), None)
    assert index_of(sources("1", "2"), None) is not index_of(sources("1", "2"), 1)
    assert index_of(sources("1", "2"), None) is not index_of(sources("2", "1"), None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"url": "https://a.example"}, {"url": "https://b.example"}),
        ({"url": "https://a.example", "link": "https://b.example"}, {"url": "https://a.example"}),
        ({"author": "Kim", "year": 2020}, {"author": "Kim", "year": 2021}),
        ({"author": ["Kim", "Lee"], "year": 2020}, {"author": ["Lee", "Kim"], "year": 2020}),
    ],
)
def test_sets_that_cannot_do_not(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert index_of(sources("1", **one), None) is not index_of(sources("1", **other), None)


def test_both_urls_cite() -> None:
    index = index_of(sources("1", url="https://a.example", link="https://b.example/x"), None)
    assert index.by_url("http://a.example/") == index.by_url("https://b.example/x") == "1"


def test_ids_alike_are_found_from_many_threads() -> None:
    for round_ in range(20):
        index = index_of(sources("1", *(f"doc-{n}" for n in range(500 + round_))), None)
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(index.near, [f"Doc_{n}" for n in range(500)]))
            alike = list(threads.map(index.resembles_ids, ["doc-900"] * 8))
        assert found == [f"doc-{n}" for n in range(500)]
        assert all(alike)
