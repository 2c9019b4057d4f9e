"""Loading: what is refused, with what advice, and how a folder's weights are told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models as tiny  # noqa: E402

from citemeter import JudgeError  # noqa: E402
from citemeter.errors import InputError  # noqa: E402
from citemeter.judges.nli import revision  # noqa: E402
from citemeter.judges.nli.judge import NLIJudge  # noqa: E402
from citemeter.judges.nli.loading import choose_dtype  # noqa: E402
from citemeter.judges.nli.revision import folder_revision  # noqa: E402
from citemeter.judges.nli.tokenization import PairWriter, TemplateWriter  # noqa: E402


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.bert(tmp_path_factory.mktemp("load") / "bert")


@pytest.fixture
def bert(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "bert"))


def edit(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8"))
    config.update(changes)
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}), "utf-8")


@pytest.mark.parametrize("name", ["/no/such/folder", "./nowhere", "~/nowhere-at-all"])
def test_a_folder_that_is_not_there(name: str) -> None:
    with pytest.raises(JudgeError, match="there is no folder"):
        NLIJudge(name)


def test_a_hub_name_that_cannot_be_had() -> None:
    with pytest.raises(JudgeError, match="check the name, the revision and the network"):
        NLIJudge("no-such-owner/no-such-model", local_files_only=True)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="complete model"):
        NLIJudge(tmp_path)


def test_pickled_weights_are_not_read(bert: Path) -> None:
    (bert / "model.safetensors").rename(bert / "pytorch_model.bin")
    with pytest.raises(JudgeError, match="use_safetensors=False") as caught:
        NLIJudge(bert)
    assert "AutoModelForSequenceClassification" in str(caught.value)


def test_no_weights(bert: Path) -> None:
    (bert / "model.safetensors").unlink()
    with pytest.raises(JudgeError, match="holds no weights"):
        NLIJudge(bert)


def test_a_torn_file_of_weights(bert: Path) -> None:
    whole = (bert / "model.safetensors").read_bytes()
    (bert / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(JudgeError, match="cannot load the model"):
        NLIJudge(bert)


def test_a_model_without_a_trained_head_is_refused(tmp_path: Path, bert: Path) -> None:
    body = transformers.AutoModel.from_pretrained(bert)
    bare = tmp_path / "bare"
    shutil.copytree(bert, bare)
    body.save_pretrained(bare)
    edit(bare, architectures=["BertForSequenceClassification"])
    with pytest.raises(JudgeError, match="at random") as caught:
        NLIJudge(bare)
    assert "classifier" in str(caught.value)


@pytest.mark.parametrize(
    ("architectures", "said"),
    [
        (None, "names no architecture"),
        ([], "names no architecture"),
        (["BertForTokenClassification"], "gives no verdicts"),
        (["BertModel"], "gives no verdicts"),
    ],
)
def test_a_model_that_is_no_judge(bert: Path, architectures: list[str] | None, said: str) -> None:
    edit(bert, architectures=architectures)
    with pytest.raises(JudgeError, match=said):
        NLIJudge(bert)


def test_an_encoder_decoder_that_is_not_known_needs_a_template(tmp_path: Path) -> None:
    path = tiny.t5(tmp_path / "t5")
    with pytest.raises(JudgeError, match="pass template="):
        NLIJudge(path)
    edit(path, _name_or_path="google/t5_xxl_true_nli_mixture")
    judge = NLIJudge(path)
    assert judge.identity.parameters["template"] == "true"
    assert judge.identity.model == "t5"


def test_a_folder_that_kept_the_models_name_is_known(tmp_path: Path) -> None:
    judge = NLIJudge(tiny.t5(tmp_path / "t5_xxl_true_nli_mixture"))
    assert judge.identity.parameters["template"] == "true"


def test_models_with_code_of_their_own_are_refused_unless_trusted(bert: Path) -> None:
    with pytest.raises(JudgeError, match="trust_remote_code=True"):
        NLIJudge("vectara/hallucination_evaluation_model", local_files_only=True)
    (bert / "mine.py").write_text("raise SystemExit('ran')", "utf-8")
    edit(
        bert,
        model_type="mine",
        auto_map={
            "AutoConfig": "mine.Config",
            "AutoModelForSequenceClassification": "mine.Model",
        },
    )
    with pytest.raises(JudgeError, match="trust_remote_code=True"):
        NLIJudge(bert)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"device": "cuda:99"}, "device"),
        ({"device": "abacus"}, "device"),
        ({"device": 1.5}, "device"),
        ({"dtype": "int8"}, "dtype"),
        ({"dtype": 32}, "dtype"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"threshold": 0.5, "rule": "decoded"}, "no threshold"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": True}, "batch_size"),
        ({"max_batch_tokens": -1}, "max_batch_tokens"),
        ({"max_length": 0}, "max_length"),
        ({"max_length": 9}, "no room"),
        ({"window": 0}, "window"),
        ({"template": "none"}, "no preset"),
        ({"template": "true"}, "seq2seq"),
        ({"answers": ("Yes", "No")}, "classifier"),
        ({"entailment": "yes"}, "entailment"),
    ],
)
def test_options_that_cannot_be_used(bert: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(JudgeError, match=said):
        NLIJudge(bert, **options)


@pytest.mark.parametrize("name", ["rule", "long_premise", "joint"])
def test_choices(bert: Path, name: str) -> None:
    with pytest.raises(InputError, match=name):
        NLIJudge(bert, **{name: "maybe"})


def test_answers_that_one_step_cannot_tell_apart(tmp_path: Path) -> None:
    path = tiny.t5(tmp_path / "t5")
    template = "{premise} {hypothesis}"
    with pytest.raises(JudgeError, match="different tokens"):
        NLIJudge(path, template=template, answers=("0", "2"))
    with pytest.raises(JudgeError, match="vocabulary"):
        NLIJudge(path, template=template, answers=("猫", "1"))
    with pytest.raises(JudgeError, match="answers="):
        NLIJudge(path, template="true", entailment="1")


def test_a_chat_template_that_loses_the_text_is_refused(tmp_path: Path) -> None:
    path = tiny.llama(tmp_path / "llama", "{{ messages[0]['role'] }}")
    with pytest.raises(JudgeError, match="chat template"):
        NLIJudge(path)


def test_a_chat_template_without_a_systems_turn(tmp_path: Path) -> None:
    chat = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "<|user|>{{ messages[0]['content'] }}<|end|><|assistant|>"
    )
    judge = NLIJudge(tiny.llama(tmp_path / "llama", chat))
    assert isinstance(judge._writer, TemplateWriter)
    text = judge._writer.text("PREMISE", "HYPOTHESIS")
    assert text.startswith("<|user|>Does the document below support the claim?")
    assert text.index("PREMISE") < text.index("HYPOTHESIS")
    assert text.endswith("<|end|><|assistant|>")


def test_number_formats() -> None:
    cpu, gpu = torch.device("cpu"), torch.device("meta")
    assert choose_dtype("auto", cpu, "bert") == torch.float32
    assert choose_dtype("bf16", gpu, "bert") == torch.bfloat16
    assert choose_dtype(torch.float16, cpu, "bert") == torch.float16


def test_half_precision_gives_nearly_the_same_scores(bert: Path) -> None:
    whole = NLIJudge(bert).judge(tiny.PAIRS)
    half = NLIJudge(bert, dtype="bfloat16").judge(tiny.PAIRS)
    for one, other in zip(whole, half, strict=True):
        assert one.score == pytest.approx(other.score, abs=0.05)


def test_a_tokenizer_without_a_fast_backend_writes_the_same(bert: Path) -> None:
    fast = transformers.AutoTokenizer.from_pretrained(bert)

    class Slow:
        """All of a tokenizer but its offsets."""

        is_fast = False

        def __getattr__(self, name: str) -> Any:
            return getattr(fast, name)

        def __call__(self, *texts: Any, **options: Any) -> Any:
            return fast(*texts, **options)

    quick, slow = PairWriter(fast), PairWriter(Slow())
    for one, other in zip(quick.write(tiny.PAIRS), slow.write(tiny.PAIRS), strict=True):
        assert one[0].tolist() == other[0].tolist()
        assert one[1] == other[1]
    text = tiny.PAIRS[3][0]
    spans = slow.spans(text)
    assert len(spans) == len(quick.spans(text))
    assert spans == sorted(spans)


def test_pairs_are_written_as_the_tokenizer_writes_them(bert: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    writer = PairWriter(tokenizer)
    for (ids, second), pair in zip(writer.write(tiny.PAIRS), tiny.PAIRS, strict=True):
        expected = tokenizer(*pair)
        assert ids.tolist() == expected["input_ids"]
        types = [0] * second + [1] * (len(ids) - second)
        assert types == expected["token_type_ids"]


def test_a_tokenizer_saved_with_truncation_does_not_cut(bert: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    tokenizer.backend_tokenizer.enable_truncation(8)
    tokenizer.backend_tokenizer.enable_padding(length=16)
    tokenizer.backend_tokenizer.save(str(bert / "tokenizer.json"))
    judge = NLIJudge(bert)
    (ids, _) = judge._writer.write([("cats purr " * 10, "Cats purr.")])[0]
    assert len(ids) == 20 + 3 + 3


def test_the_revision_follows_what_the_folder_holds(bert: Path, tmp_path: Path) -> None:
    first = folder_revision(bert)
    copy = Path(shutil.copytree(bert, tmp_path / "elsewhere"))
    assert folder_revision(copy) == first
    (copy / "README.md").write_text("words", "utf-8")
    assert folder_revision(copy) == first
    edit(copy, id2label={"0": "entailment", "1": "neutral", "2": "contradiction"})
    assert folder_revision(copy) != first


@pytest.mark.parametrize("whole", [64 << 20, 0])
def test_the_revision_changes_with_any_tensor(
    bert: Path, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    monkeypatch.setattr(revision, "_WHOLE", whole)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(bert)
    seen = {folder_revision(bert)}
    some = list(model.named_parameters())[:: 1 if whole == 0 else 8]
    for changed, (name, parameter) in enumerate(some, start=2):
        with torch.no_grad():
            parameter.add_(1e-3)
        model.save_pretrained(bert)
        seen.add(folder_revision(bert))
        assert len(seen) == changed, name


def test_a_large_file_that_is_no_safetensors_is_sampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision, "_WHOLE", 0)
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"\xff" * 100_000)
    first = folder_revision(tmp_path)
    file.write_bytes(b"\xff" * 99_999 + b"\x00")
    assert folder_revision(tmp_path) != first
    file.write_bytes(b"")
    assert folder_revision(tmp_path) != first
