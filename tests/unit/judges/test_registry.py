"""What a specification of a judge is built into, whatever the extras that are installed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import citemeter
from citemeter.judges import CachedJudge, ThresholdedJudge, load_judge
from citemeter.judges.toy import ContainsJudge


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Put recorders in place of the judges that need an extra; list what they were built with."""
    calls: list[dict[str, Any]] = []
    for module_name, class_name in (("nli", "NLIJudge"), ("llm", "LLMJudge")):

        class Recorder(ContainsJudge):
            def __init__(self, model: str, **options: Any) -> None:
                calls.append({"model": model, **options})
                self.threshold = options.get("threshold", 0.5)

            @property
            def identity(self) -> Any:
                return super().identity.model_copy(update={"threshold": self.threshold})

        module = ModuleType(f"citemeter.judges.{module_name}.judge")
        setattr(module, class_name, Recorder)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return calls


@pytest.mark.parametrize(
    ("spec", "options", "expected"),
    [
        ("nli:cross-encoder/nli", {}, {"model": "cross-encoder/nli"}),
        ("nli:a/b@refs/pr/1", {}, {"model": "a/b", "revision": "refs/pr/1"}),
        (
            "nli:a/b",
            {"device": "cuda:1", "batch_size": 4, "threshold": 0.7},
            {"model": "a/b", "device": "cuda:1", "batch_size": 4, "threshold": 0.7},
        ),
        (
            "nli:a/b",
            {"long_premise": "truncate", "window": 96},
            {"model": "a/b", "long_premise": "truncate", "window": 96},
        ),
        ("llm:gpt", {}, {"model": "gpt"}),
        (
            "llm:org/m:free@https://user@host:8000/v1",
            {"concurrency": 3},
            {"model": "org/m:free", "base_url": "https://user@host:8000/v1", "concurrency": 3},
        ),
        (
            "llm:@cf/meta/llama@http://h/v1",
            {},
            {"model": "@cf/meta/llama", "base_url": "http://h/v1"},
        ),
        ("llm:@cf/meta/llama", {}, {"model": "@cf/meta/llama"}),
    ],
)
def test_models_and_endpoints(
    built: list[dict[str, Any]], spec: str, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    load_judge(spec, **options)
    assert built == [expected]


def test_a_folder_may_have_an_at_sign(built: list[dict[str, Any]], tmp_path: Path) -> None:
    folder = tmp_path / "model@2"
    folder.mkdir()
    load_judge(f"nli:{folder}")
    assert built == [{"model": str(folder)}]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("llm:gpt", {"device": "cpu"}),
        ("nli:a/b", {"concurrency": 2}),
        ("toy:contains", {"batch_size": 2}),
        ("llm:gpt", {"long_premise": "chunk"}),
        (ContainsJudge(), {"device": "cpu"}),
    ],
)
def test_an_option_that_does_not_fit_is_refused(
    built: list[dict[str, Any]], spec: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(citemeter.JudgeError, match=f"no option {next(iter(options))}"):
        load_judge(spec, **options)


@pytest.mark.parametrize("spec", ["nli:", "llm:", "recorded:", "nli", "llm", "recorded", ""])
def test_half_a_specification_says_what_there_is(built: list[dict[str, Any]], spec: str) -> None:
    with pytest.raises(citemeter.JudgeError, match="nli:MODEL"):
        load_judge(spec)
    assert built == []


def test_any_judge_with_scores_takes_a_threshold(tmp_path: Path) -> None:
    pair = ("Cats purr all day.", "Cats purr loudly.")
    score = load_judge("lexical").judge([pair])[0].score
    assert score is not None
    assert load_judge("lexical", threshold=score).judge([pair])[0].supported
    assert not load_judge("lexical", threshold=score + 0.01).judge([pair])[0].supported
    view = load_judge("toy:contains", threshold=0.3)
    assert isinstance(view, ThresholdedJudge)
    assert view.identity.threshold == 0.3
    kept = load_judge(view, cache=tmp_path / "c.sqlite")
    assert isinstance(kept, CachedJudge)
    assert kept.identity == view.identity
    kept.close()


def test_recorded_verdicts_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"premise": "p", "hypothesis": "h", "score": 0.6}\n')
    assert load_judge(f"recorded:{path}", threshold=0.5)("p", "h")
    assert not load_judge(f"recorded:{path}", threshold=0.7)("p", "h")
