"""The rule sets: what ``alce-script`` does differently from ``alce``, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter.protocols import PROTOCOLS, get_protocol
from support import CITATION_STATES, words

SOURCES = ["Hens lay eggs.", "Geese lay eggs in spring.", "Ducks swim."]
IDS = {"h": SOURCES[0], "g": SOURCES[1], "d": SOURCES[2]}


def both(record: dict[str, Any], protocol: str, **options: Any) -> tuple[Any, Any]:
    report = citemeter.score([record], judge=words, protocol=protocol, strict=True, **options)
    return report["citation_recall"], report["citation_precision"]


def test_there_are_two_and_an_unknown_one_is_an_error() -> None:
    assert list(PROTOCOLS) == ["alce", "alce-script"]
    assert all(get_protocol(name).name == name for name in PROTOCOLS)
    with pytest.raises(
        citemeter.InputError, match=r"no protocol 'ALCE'.*use one of alce, alce-scr"
    ):
        citemeter.score([], protocol="ALCE")


@pytest.mark.parametrize(
    ("statements", "script", "alce"),
    [
        # Where nothing is odd the two agree: the first of two supported, 1 of 2 precise.
        (
            [("Hens lay eggs.", ["h"]), ("Ducks swim.", ["h"])],
            (1 / 2, 1 / 2),
            (1 / 2, 1 / 2),
        ),
        # An id that names no source is past the end. Recall 1/2 both ways; the script takes the
        # statement's two citations out of the denominator: 1/1, not 1/3.
        (
            [("Hens lay eggs.", ["h"]), ("Ducks swim.", ["d", "zz"])],
            (1 / 2, 1.0),
            (1 / 2, 1 / 3),
        ),
        # With nothing else cited the script's precision is 0 (it divides by nothing), not 0/2.
        ([("Ducks swim.", ["d", "zz"])], (0.0, 0.0), (0.0, 0.0)),
        # No citation at all: 0 for the script, undefined in the paper.
        ([("Ducks swim.", [])], (0.0, 0.0), (0.0, None)),
        # h, d, h: by occurrences, without the first h the rest still hold the other, so both are
        # irrelevant, and d is needed: 1/3. As a set both are needed: 2/2.
        (
            [("Hens lay eggs, ducks swim.", ["h", "d", "h"])],
            (1.0, 1 / 3),
            (1.0, 1.0),
        ),
    ],
)
def test_statements_that_came_already_cut(
    statements: list[Any],
    script: tuple[float, float],
    alce: tuple[float, float | None],
) -> None:
    record = {"statements": statements, "sources": IDS}
    assert both(record, "alce-script") == script
    assert both(record, "alce") == alce


def test_ids_of_statements_already_cut_are_ids_and_not_places() -> None:
    # The first source is called "2" and the second "1".
    record = {
        "statements": [("Hens lay eggs.", ["2"]), ("Ducks swim.", ["1"])],
        "sources": {"2": SOURCES[0], "1": SOURCES[2]},
    }
    assert both(record, "alce-script") == (1.0, 1.0)
    # In an answer the script reads numbers as places: [2] is the source called "1".
    record = {"answer": "Ducks swim [2].", "sources": record["sources"]}
    pytest.importorskip("punkt")
    assert both(record, "alce-script") == (1.0, 1.0)
    assert both(record, "alce") == (0.0, 0.0)


@pytest.mark.parametrize(
    ("answer", "script", "alce"),
    [
        # [0] is read as the last source; it is an invalid id.
        ("Ducks swim [0].", (1.0, 1.0), (0.0, 0.0)),
        # Past the end: the second sentence's two citations leave the script's denominator.
        ("Hens lay eggs [1]. Ducks swim [3][7].", (1 / 2, 1.0), (1 / 2, 1 / 3)),
        # Only the first number of a group is read, and ", 1" stays in the claim.
        ("Geese lay eggs in spring [2, 1].", (0.0, 0.0), (1.0, 1 / 2)),
        # The marker is read at the start of the next sentence: the first sentence cites nothing,
        # the second cites 1, and [3] alone has no words: 0 of 3, 0 of 2.
        ("Hens lay eggs. [1] Ducks swim. [3]", (0.0, 0.0), (1.0, 1.0)),
        # Only the first line is read: 1/1 there; 1 of 2 sentences in all.
        ("Hens lay eggs [1].\nDucks swim [2].", (1.0, 1.0), (1 / 2, 1 / 2)),
        ("\n\nHens lay eggs [1].\nDucks swim [2].", (1.0, 1.0), (1 / 2, 1 / 2)),
        ("Hens lay eggs.", (0.0, 0.0), (0.0, None)),
        ("", (None, None), (None, None)),
        (" \n ", (None, None), (None, None)),
    ],
)
def test_answers(answer: str, script: tuple[Any, Any], alce: tuple[Any, Any]) -> None:
    pytest.importorskip("punkt")
    record = {"answer": answer, "sources": SOURCES}
    assert both(record, "alce-script") == script
    assert both(record, "alce") == alce


def test_empty_answers_stay_out_of_the_means_and_are_counted() -> None:
    pytest.importorskip("punkt")
    report = citemeter.score(
        [{"answer": a, "sources": SOURCES} for a in ("", "Hens lay eggs [1].", "Ducks swim [1].")],
        judge=words,
        protocol="alce-script",
    )
    # (1 + 0) / 2, the empty answer left out.
    assert (report["citation_recall"], report["citation_precision"]) == (0.5, 0.5)
    summary = report.metrics["citation_precision"]
    assert (summary.scored, summary.undefined, summary.failed) == (2, 1, 0)
    assert summary.reasons == {"no sentence": 1}


def test_at_most_citations() -> None:
    # The passages of 3 and 1 do not entail it, those of 3, 1 and 2 do.
    pytest.importorskip("punkt")
    record = {"answer": "Geese lay eggs in spring [3][1][2].", "sources": SOURCES}
    # 3 and 1 are irrelevant beside 2, which supports alone.
    assert both(record, "alce-script") == (1.0, 1 / 3)
    assert both(record, "alce-script", at_most_citations=2) == (0.0, 0.0)
    # An id out of range voids the sentence even past the limit.
    record = {"answer": "Ducks swim [3][1][7].", "sources": SOURCES}
    assert both(record, "alce-script", at_most_citations=2) == (0.0, 0.0)


def test_the_title_line_is_always_there() -> None:
    premises: list[str] = []

    def recording(premise: str, hypothesis: str) -> bool:
        premises.append(premise)
        return True

    record = {"statements": [("Hens lay eggs.", ["h"])], "sources": IDS}
    citemeter.score([record], judge=recording, protocol="alce-script")
    citemeter.score([record], judge=recording, protocol="alce")
    assert premises == ["Title: \nHens lay eggs.", "Hens lay eggs."]


def test_the_signature_names_the_rules_in_force() -> None:
    pytest.importorskip("punkt")
    signature = citemeter.score([], protocol="alce-script", duplicates="set").signature
    assert signature.protocol == "alce-script"
    # The script cuts sentences itself and always counts occurrences.
    assert (signature.segmenter, signature.duplicates) == ("punkt", "occurrences")


@pytest.mark.parametrize("protocol", list(PROTOCOLS))
def test_the_states_of_every_protocol_add_up(protocol: str) -> None:
    pytest.importorskip("punkt")
    answer = "Hens lay eggs [1][3]. Ducks swim [3][7]. Geese fly [2]. It rains. Ducks swim [3][3]."
    (result,) = citemeter.score(
        [{"answer": answer, "sources": SOURCES}], judge=words, protocol=protocol
    ).results
    states = [s.state for s in result.statements]
    assert states == ["supported", "invalid", "unsupported", "uncited", "supported"]
    counts = result.counts
    assert (
        counts["statements"]
        == 5
        == sum(
            counts[name]
            for name in (
                "supported",
                "unsupported",
                "uncited",
                "invalid_statements",
                "unjudged_statements",
            )
        )
    )
    # By occurrences 2 + 2 + 1 + 0 + 2; as sets the last statement cites once.
    assert counts["citations"] == (7 if protocol == "alce-script" else 6)
    assert counts["citations"] == sum(counts[name] for name in CITATION_STATES)
