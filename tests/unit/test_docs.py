"""README.md and docs/ hold: their Python sessions, their commands, their lists of options."""

from __future__ import annotations

import doctest
import importlib.util
import re
import runpy
from pathlib import Path
from types import ModuleType

import pytest

from support import ROOT

PAGES = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if path.exists()
]
_SESSION = re.compile(r"^(?P<indent> *)```pycon\n(?P<code>.*?)^(?P=indent)```$", re.M | re.S)

needs_docs = pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="the pages are not beside these tests"
)


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs/_tools/refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _sessions(text: str) -> str:
    """Blank out everything but the Python sessions, so that line numbers stay the page's."""
    kept = [""] * len(text.splitlines())
    lines = text.splitlines()
    for found in _SESSION.finditer(text):
        first = text.count("\n", 0, found.start("code"))
        for number in range(first, first + found["code"].count("\n")):
            kept[number] = lines[number]
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_sessions(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    source = _sessions(text)
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


@needs_docs
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page.name == "README.md" else pytest.mark.slow)
        for page in PAGES
        if "```console" in page.read_text(encoding="utf-8")
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_commands_print_what_the_page_says(page: Path) -> None:
    # To bring a page up to date: python docs/_tools/refresh.py --write
    text = page.read_text(encoding="utf-8")
    assert _tool().refreshed(text) == text


@needs_docs
def test_every_option_is_on_the_command_line_page() -> None:
    import typer.main

    from citemeter.cli import app

    page = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    group = typer.main.get_command(app)
    commands = group.commands  # type: ignore[attr-defined]
    assert set(commands) == {"score", "parse", "explain", "judge", "cache"}
    for name, command in commands.items():
        section = re.search(rf"^## `citemeter {name}`$(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert section, name
        subcommands = getattr(command, "commands", {"": command}).values()
        for parameter in [p for subcommand in subcommands for p in subcommand.params]:
            for option in parameter.opts:
                if option.startswith("--") and option != "--help":
                    assert f"`{option}" in section[1], (name, option)


@needs_docs
def test_snippets_are_left_as_they_are_written() -> None:
    # A formatter that takes a snippet's line for Python would write it with blanks.
    for page in (ROOT / "docs").rglob("*.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("--8"):
                assert re.fullmatch(r'--8<-- "[\w./:-]+"', line), (page.name, line)


@needs_docs
def test_every_metric_has_a_page() -> None:
    from citemeter.evaluation.engine import METRICS

    pages = "".join(
        page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "metrics").glob("*.md")
    )
    for metric in METRICS:
        assert f"`{metric}`" in pages, metric


@needs_docs
def test_links_between_pages_and_files_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
            assert (page.parent / target).exists(), (page.name, target)


def _table(page: str, name: str) -> list[list[str]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    inside = text.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
    lines = inside.strip().splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def _code(cell: str) -> str:
    ticks = len(cell) - len(cell.lstrip("`"))
    return cell[ticks:-ticks]


IDS = {"1": "…", "2": "…", "3": "…", "hr-12": "…"}
HAS_PAGES = (ROOT / "docs").is_dir()
FORMS = _table("explanation/statements-and-markers.md", "forms") if HAS_PAGES else []
TRAPS = _table("explanation/statements-and-markers.md", "traps") if HAS_PAGES else []


@pytest.mark.parametrize("row", FORMS, ids=lambda row: row[2])
def test_each_form_of_marker_is_read(row: list[str]) -> None:
    from citemeter import parse

    _, style, example, cites = row
    asked_for = _code(style) in ("paren_numeric", "circled")
    response = parse(_code(example), IDS, style=_code(style) if asked_for else "auto")
    assert [citation.source_id for citation in response.citations] == cites.split(", ")
    assert response.parsing is not None
    assert response.parsing.style == _code(style)
    assert [statement.text for statement in response.statements or ()] == ["Hens lay eggs."]


@pytest.mark.parametrize("row", TRAPS, ids=lambda row: row[1])
def test_each_trap_is_read_as_text(row: list[str]) -> None:
    from citemeter import parse

    answer = _code(row[1])
    response = parse(answer, IDS)
    assert response.citations == ()
    [statement] = response.statements or ()
    assert statement.text == answer.removeprefix("- [x] ")


@needs_docs
def test_every_marker_style_is_on_the_page() -> None:
    from citemeter.text.markers import STYLES

    text = (ROOT / "docs/explanation/statements-and-markers.md").read_text(encoding="utf-8")
    for style in STYLES:
        assert f"`{style}`" in text, style


@needs_docs
def test_the_quirks_of_the_script_are_as_the_page_says() -> None:
    pytest.importorskip("punkt")
    script = ROOT / "benchmarks" / "alce_script_quirks.py"
    if not script.exists():
        pytest.skip("the benchmarks are not beside these tests")
    page = (ROOT / "docs/explanation/protocols.md").read_text(encoding="utf-8")
    printed = runpy.run_path(str(script))["small_table"]()
    assert page.partition("<!-- small -->")[2].partition("<!-- /small -->")[0].strip() == printed


@needs_docs
@pytest.mark.slow
def test_what_the_quirks_cost_is_as_the_page_says(shared: Path) -> None:
    pytest.importorskip("punkt")
    page = (ROOT / "docs/explanation/protocols.md").read_text(encoding="utf-8")
    script = runpy.run_path(str(ROOT / "benchmarks" / "alce_script_quirks.py"))
    records = script["read"](shared / "reference" / "alce_real.jsonl")
    assert len(records) == 750
    assert script["file_table"](records) in page
