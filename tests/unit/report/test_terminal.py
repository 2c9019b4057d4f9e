"""Reports as text: nothing lost, nothing interpreted, no colours unless asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

import citemeter
from citemeter.report.terminal import render_parse, render_report, render_response

ANSWER = (
    'Cats purr [1]. Dogs bark [2][1]. It says "cats purr when they are content" [1]. '
    "Fish swim [9]. Birds sing. Ducks quack [HR_7]."
)
SOURCES = {"1": "Cats purr.", "2": "Dogs bark.", "hr-7": "Ducks."}


def failing_on_fish(premise: str, hypothesis: str) -> bool:
    if "purr when" in hypothesis:
        raise RuntimeError("[bold]no verdict[/bold]")
    return hypothesis.rstrip(".") in premise


def scored(answer: str = ANSWER, sources: Any = SOURCES, judge: Any = failing_on_fish) -> Any:
    return citemeter.score(
        [{"id": "r1", "question": "What do they do?", "answer": answer, "sources": sources}],
        judge=judge,
    )


def squeezed(text: str) -> str:
    """Undo wrapping and indenting."""
    return "".join(text.split())


RENDERED = {
    "report": lambda **looks: render_report(scored(), **looks),
    "response": lambda **looks: render_response(scored().results[0], **looks),
    "parse": lambda **looks: render_parse(citemeter.parse(ANSWER, SOURCES), **looks),
}


@pytest.mark.parametrize("what", list(RENDERED))
def test_a_string_without_colours_unless_asked(what: str) -> None:
    plain = RENDERED[what]()
    assert isinstance(plain, str)
    assert "\x1b" not in plain
    colored = RENDERED[what](color=True)
    assert "\x1b[" in colored
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("what", ["response", "parse"])
def test_lines_wrap_within_the_width_and_lose_nothing(what: str, width: int) -> None:
    text = RENDERED[what](width=width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert squeezed(text) == squeezed(RENDERED[what](width=500))


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_the_width(width: int) -> None:
    text = RENDERED["report"](width=width)
    assert max(len(line) for line in text.splitlines()) <= width


def test_the_report_has_every_metric_its_reasons_and_the_signature() -> None:
    report = scored()
    text = render_report(report, width=160)
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    for name, summary in report.metrics.items():
        if name.startswith("source_"):  # no response has gold ids: said once, below the table
            continue
        for value in (summary.macro, summary.micro):
            assert ("–" if value is None else f"{value:.3f}") in lines[name]
    assert (
        "undefined for every response: source_recall, source_precision, source_f1 "
        "(no gold source ids are given)"
    ) in text
    assert "1 × the judge failed" in lines["citation_recall"]
    assert str(report.signature) in text.replace("\n", "")
    assert "1 responses scored, 0 not readable" in text
    assert "6 statements" in text


def test_the_response_has_each_statement_with_its_state_and_why() -> None:
    text = squeezed(render_response(scored().results[0]))
    for part in (
        "1. supported: Cats purr.",
        "2. supported: Dogs bark.",
        "3. unjudged:",
        "4. invalid: Fish swim.",
        "[9] invalid: no source has this id",
        "5. uncited: Birds sing.",
        "[HR_7] invalid: no source has this id; near miss: hr-7",
        "[2] precise: alone: yes",
        "[1] irrelevant: alone: no; the rest without it: yes",
        "failed (RuntimeError: [bold]no verdict[/bold])",
        "question: What do they do?",
    ):
        assert squeezed(part) in text, part


def test_quotations_are_shown_with_what_was_changed() -> None:
    result = scored('It says "the cats purr when cold" [1].', {"1": "The cats purr when warm."})
    text = squeezed(render_response(result.results[0]))
    assert squeezed("quote altered: the cats purr when cold") in text
    assert squeezed("changed: warm → cold") in text


MARKUP = [
    "[red]x[/red]",
    "[bold]loud[/bold]",
    "[/]",
    "[link=https://a.example]x[/link]",
    ":smile:",
    "\\[red]",
    "[",
    "[[1]]",
    "{braces} %s",
]


@pytest.mark.parametrize("markup", MARKUP)
def test_markup_in_answers_and_sources_is_printed_as_it_stands(markup: str) -> None:
    answer = f"Cats {markup} purr [1]. Dogs bark [2]."
    sources = {"1": f"Cats {markup} purr.", "2": markup}
    parsed = citemeter.parse(answer, sources)
    assert parsed.statements is not None
    for statement in parsed.statements:
        assert squeezed(statement.text) in squeezed(render_parse(parsed))
    if markup != "[[1]]":  # which is a citation
        assert squeezed(markup) in squeezed(parsed.statements[0].text)
    for color in (False, True):
        result = scored(answer, sources, "toy:contains").results[0]
        text = squeezed(re.sub(r"\x1b\[[0-9;]*m", "", render_response(result, color=color)))
        for statement in result.statements:
            assert squeezed(statement.statement.text) in text


def test_markup_in_ids_reasons_and_questions_is_printed_as_it_stands() -> None:
    def judge(premise: str, hypothesis: str) -> bool:
        raise ValueError("[red]bad[/red]")

    record = {
        "id": "[red]id[/red]",
        "question": "[blink]What[/blink]?",
        "statements": [("Cats purr.", ["[b]s[/b]"]), ("Dogs bark.", ["[i]t[/i]"])],
        "sources": {"[b]s[/b]": "Cats."},
    }
    report = citemeter.score([record], judge=judge)
    text = squeezed(render_response(report.results[0]))
    for part in (
        "response [red]id[/red]",
        "[blink]What[/blink]?",
        "[[b]s[/b]] unjudged",
        "[[i]t[/i]] invalid",
        "[red]bad[/red]",
    ):
        assert squeezed(part) in text


SCRIPTS = {
    "hebrew": "הבניין נפתח בשנת 1904 והוא פתוח לקהל הרחב",
    "arabic": "افتتح المتحف عام 1904 وهو مفتوح للجمهور",
    "chinese": "博物馆于一九零四年开放并且向公众免费开放参观",
    "japanese": "博物館は千九百四年に開館しました",
    "korean": "박물관은 천구백사년에 문을 열었습니다",
    "emoji": "The museum 🏛️ opened 👩‍👩‍👧 in 1904 🎉",
    "combining": "Le musée a ouvert à Orléans",
    "wide and long": "博物馆" * 60,
}


@pytest.mark.parametrize("width", [20, 41, 100])
@pytest.mark.parametrize("script", list(SCRIPTS))
def test_no_script_is_lost(script: str, width: int) -> None:
    words = SCRIPTS[script]
    record = {"statements": [(words, ["1"])], "sources": {"1": words}, "question": words}
    [result] = citemeter.score([record], judge="toy:contains").results
    assert squeezed(render_response(result, width=width)).count(squeezed(words)) == 2
    parsed = citemeter.parse(f"{words} [1].", {"1": words})
    assert parsed.statements is not None
    assert squeezed(parsed.statements[0].text) in squeezed(render_parse(parsed, width=width))


def test_control_characters_do_not_reach_the_terminal() -> None:
    # An answer that clears the screen, or a NUL, is shown without doing so.
    answer = "Cats \x1b[2J\x1b[31mpurr\x00 [1].\x07"
    result = scored(answer, {"1": "Cats."}, "toy:contains").results[0]
    for text in (
        render_response(result),
        render_parse(citemeter.parse(answer, {"1": "Cats."})),
    ):
        assert "\x1b" not in text
        assert "\x00" not in text
        assert "\x07" not in text
        assert "purr" in text


def test_what_is_no_statement_is_shown() -> None:
    answer = "# Cats [1]\n\nCats purr [1].\n\n```\ncode [2]\n```\n\nSources:\n[1] Cats."
    text = render_parse(citemeter.parse(answer, SOURCES))
    assert "no statement (heading): # Cats [1]" in text
    assert "no statement (code): ``` code [2] ```" in text
    assert "no statement (reference_list)" in text
    assert "citation of no statement: 1 [1]" in text


def test_nothing_at_all_can_be_rendered() -> None:
    report = citemeter.score([])
    assert "0 responses scored" in render_report(report)
    empty = citemeter.score([{"answer": ""}]).results[0]
    assert "citation_recall – (no statement)" in render_response(empty, width=500)
    assert render_parse(citemeter.parse("", {})).strip()
