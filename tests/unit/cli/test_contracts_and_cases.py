"""Contracts, cases, parser reports and pictures on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import Command

RECORD = {
    "id": "g",
    "statements": [
        {
            "text": "Agency A wants logs.",
            "citations": [
                {
                    "doc_id": "d",
                    "chunk_id": "d-1",
                    "page_span": [1, 1],
                    "regions": [{"page_number": 1, "bbox": [200, 200, 260, 260]}],
                }
            ],
        }
    ],
    "sources": [{"id": "d-1", "text": "Agency A wants logs and controls."}],
}
CASES = """
cases:
  - id: g
    expected_citation_pages:
      - doc_id: d
        pages: [1]
    expected_citation_regions:
      - doc_id: d
        page_number: 1
        bbox: [10, 40, 280, 100]
  - id: missing
    expected_citation_pages: [{doc_id: d, pages: [1]}]
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    return path


def test_cases_parser_report_and_pictures(
    citemeter: Command, answers: Path, tmp_path: Path
) -> None:
    pytest.importorskip("yaml")
    cases, parser, pictures = (tmp_path / name for name in ("c.yaml", "p.json", "pictures"))
    cases.write_text(CASES, encoding="utf-8")
    parser.write_text('{"documents": [{"doc_id": "d", "failure_counts": {"bbox_misaligned": 1}}]}')
    done = citemeter(
        "score", str(answers), "--cases", str(cases), "--parser-report", str(parser),
        "--pictures", str(pictures), "--out", str(tmp_path / "report.json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # The page is right; the boxes do not touch.
    assert "citation_page_precision" in done.stdout
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["metrics"]["citation_page_precision"]["macro"] == 1.0
    assert report["metrics"]["citation_region_precision"]["macro"] == 0.0
    assert report["details"]["parser"]["counts"] == {"parser": 1, "citation": 0, "unknown": 0}
    assert "1 × region_misaligned" in done.stdout
    assert "1 explained by the parser" in done.stdout
    assert "1 cases have no record: missing" in done.stderr
    assert [path.suffix for path in pictures.iterdir()] == [".svg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"expected_citation_pages": [{"doc_id": "d", "pages": [1]}]}]', "has no id"),
        ('[{"id": "g"}, {"id": "g"}]', "two cases have the id 'g'"),
        ('[{"id": "g", "expected_citation_pages": 3}]', "expected_citation_pages"),
        ("[", "malformed"),
    ],
)
def test_bad_cases_are_code_2(
    citemeter: Command, answers: Path, tmp_path: Path, text: str, message: str
) -> None:
    cases = tmp_path / "cases.json"
    cases.write_text(text, encoding="utf-8")
    done = citemeter("score", str(answers), "--cases", str(cases))
    assert done.returncode == 2
    assert message in done.stderr


def test_a_contract(citemeter: Command, answers: Path, tmp_path: Path) -> None:
    contract = tmp_path / "contract.json"
    contract.write_text('[{"id": "short", "rule": "max_words", "n": 3}]', encoding="utf-8")
    done = citemeter(
        "score", str(answers), "--contract", str(contract),
        "--fail-under", "prompt_level_acc=0.5",
    )  # fmt: skip
    assert done.returncode == 1
    assert "instruction short: 0 of 1 followed" in done.stdout
    assert "prompt_level_acc is 0.0000, below 0.5" in done.stderr
    missing = citemeter("score", str(answers), "--contract", str(tmp_path / "none.json"))
    assert missing.returncode == 2


def test_a_bar_on_a_part_that_no_record_has(citemeter: Command, answers: Path) -> None:
    done = citemeter("score", str(answers), "--fail-under", "refusal_recall=0.5")
    assert done.returncode == 1
    assert "refusal_recall is undefined" in done.stderr
