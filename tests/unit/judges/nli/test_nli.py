"""Tiny models of every architecture, judged and compared with plain transformers."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models as tiny  # noqa: E402

import citemeter  # noqa: E402
from citemeter import JudgeError, Verdict  # noqa: E402
from citemeter.judges.base import Premise  # noqa: E402
from citemeter.judges.nli.judge import NLIJudge  # noqa: E402
from citemeter.judges.nli.presets import PRESETS  # noqa: E402

PAIRS = tiny.PAIRS


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in made:
            made[name] = getattr(tiny, name)(tmp_path_factory.mktemp(name) / name)
        return made[name]

    return get


def plain(folder: Path, kind: str) -> tuple[Any, Any]:
    loader = getattr(transformers, f"AutoModelFor{kind}")
    model = loader.from_pretrained(folder)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


def scores(verdicts: list[Verdict]) -> list[float]:
    found = [verdict.score for verdict in verdicts]
    assert all(score is not None for score in found), [v.error for v in verdicts]
    return found  # type: ignore[return-value]


FAMILIES: list[tuple[str, dict[str, Any]]] = [
    ("bert", {}),
    ("roberta", {}),
    ("roberta", {"template": "minicheck"}),
    ("deberta", {}),
    ("bart", {}),
    ("llama_classifier", {}),
    ("t5", {"template": "true"}),
    ("t5", {"template": "attrscore"}),
    ("t5", {"template": "minicheck-flan-t5"}),
    ("llama", {}),
    ("gpt2", {}),
]


@pytest.mark.parametrize(("name", "options"), FAMILIES)
def test_batched_and_single_verdicts_agree(
    folder: Callable[[str], Path], name: str, options: dict[str, Any]
) -> None:
    judge = NLIJudge(folder(name), **options)
    together = scores(judge.judge(PAIRS))
    assert scores([judge.judge([pair])[0] for pair in PAIRS]) == pytest.approx(together, abs=1e-5)
    order = list(range(len(PAIRS)))
    random.Random(1).shuffle(order)
    shuffled = scores(judge.judge([PAIRS[k] for k in order]))
    assert [shuffled[order.index(k)] for k in range(len(PAIRS))] == pytest.approx(
        together, abs=1e-5
    )
    for size in (2, 100):
        other = NLIJudge(folder(name), batch_size=size, **options)
        assert scores(other.judge(PAIRS)) == pytest.approx(together, abs=1e-5)
    assert len({round(score, 4) for score in together}) > 2, "the model tells no pairs apart"


@pytest.mark.parametrize(
    ("name", "label"),
    [("bert", 1), ("roberta", 2), ("deberta", 0), ("bart", 2), ("llama_classifier", 1)],
)
def test_a_classifiers_score_is_its_entailment_probability(
    folder: Callable[[str], Path], name: str, label: int
) -> None:
    model, tokenizer = plain(folder(name), "SequenceClassification")
    with torch.no_grad():
        expected = [
            model(**tokenizer(*pair, return_tensors="pt")).logits.softmax(-1)[0, label].item()
            for pair in PAIRS
        ]
    verdicts = NLIJudge(folder(name)).judge(PAIRS)
    assert scores(verdicts) == pytest.approx(expected, abs=1e-5)
    assert all(v.supported is (s >= 0.5) for v, s in zip(verdicts, expected, strict=True))
    assert {v.label for v in verdicts} <= set(model.config.id2label.values())


def test_minicheck_reads_both_texts_as_one_around_the_end_token(
    folder: Callable[[str], Path],
) -> None:
    model, tokenizer = plain(folder("roberta"), "SequenceClassification")
    premise, hypothesis = PAIRS[0]
    with torch.no_grad():
        inputs = tokenizer(f"{premise}</s>{hypothesis}", return_tensors="pt")
        expected = model(**inputs).logits.softmax(-1)[0, 2].item()
    judge = NLIJudge(folder("roberta"), template="minicheck")
    assert scores(judge.judge([(premise, hypothesis)]))[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("preset", ["true", "attrscore", "minicheck-flan-t5"])
def test_an_encoder_decoders_score_is_the_answers_probability_at_the_first_step(
    folder: Callable[[str], Path], preset: str
) -> None:
    model, tokenizer = plain(folder("t5"), "Seq2SeqLM")
    found = PRESETS[preset]
    first = [tokenizer(word, add_special_tokens=False).input_ids[0] for word in found.answers]
    if preset != "attrscore":
        assert first == [tokenizer.convert_tokens_to_ids(token) for token in ("▁1", "▁")]
    assert found.template is not None
    expected = []
    for premise, hypothesis in PAIRS:
        text = found.template.format(premise=premise, hypothesis=hypothesis, eos="</s>")
        inputs = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            logits = model(**inputs, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
        expected.append(logits[first].softmax(-1)[0].item())
    verdicts = NLIJudge(folder("t5"), template=preset).judge(PAIRS)
    assert scores(verdicts) == pytest.approx(expected, abs=1e-5)
    assert {v.label for v in verdicts} <= set(found.answers)


def test_the_decoded_rule_is_what_generate_writes(folder: Callable[[str], Path]) -> None:
    model, tokenizer = plain(folder("t5"), "Seq2SeqLM")
    written = []
    for premise, hypothesis in PAIRS:
        ids = tokenizer(f"premise: {premise} hypothesis: {hypothesis}", return_tensors="pt")
        with torch.no_grad():
            out = model.generate(ids.input_ids, max_new_tokens=10)
        written.append(tokenizer.decode(out[0], skip_special_tokens=True))
    assert len(set(written)) > 1
    template = "premise: {premise} hypothesis: {hypothesis}"
    place, answer = max(enumerate(written), key=lambda item: len(item[1]))
    judge = NLIJudge(folder("t5"), template=template, answers=(answer, "0"), rule="decoded")
    verdicts = judge.judge(PAIRS)
    assert [v.supported for v in verdicts] == [text == answer for text in written]
    assert [v.label for v in verdicts] == [text[:40] for text in written]
    assert all(v.score is None for v in verdicts)
    assert judge.identity.threshold is None
    # Nothing but the exact text is a yes.
    starts = NLIJudge(folder("t5"), template=template, answers=(answer[:1], "0"), rule="decoded")
    assert starts.judge(PAIRS)[place].supported is False


def test_the_decoded_rule_of_a_classifier_is_its_likeliest_label(tmp_path: Path) -> None:
    path = biased(tmp_path, [0.3, 0.4, 0.3])
    verdict = NLIJudge(path, rule="decoded").judge(PAIRS[:1])[0]
    assert (verdict.supported, verdict.score, verdict.label) == (True, None, "entailment")
    assert NLIJudge(path).judge(PAIRS[:1])[0].supported is False  # 0.4 is under the threshold


@pytest.mark.parametrize("chat", [True, False])
def test_a_decoders_score_is_yes_against_no(tmp_path: Path, chat: bool) -> None:
    path = tiny.llama(tmp_path / "llama", tiny.CHAT if chat else None)
    model, tokenizer = plain(path, "CausalLM")
    judge = NLIJudge(path)
    expected = []
    for premise, hypothesis in PAIRS:
        asked = PRESETS["yes-no"]
        assert asked.template is not None
        user = asked.template.format(premise=premise, hypothesis=hypothesis)
        if chat:
            turns = [
                {"role": "system", "content": asked.system},
                {"role": "user", "content": user},
            ]
            text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")
        else:
            ids = tokenizer(f"{asked.system}\n\n{user}\n", return_tensors="pt")
        with torch.no_grad():
            probabilities = model(**ids).logits[0, -1].softmax(-1)

        def mass(word: str, probabilities: Any = probabilities) -> float:
            found = {
                row[0]
                for lead in ("", " ")
                for shape in (word, word.lower(), word.upper())
                if len(row := tokenizer(lead + shape, add_special_tokens=False).input_ids) == 1
            }
            return sum(probabilities[k].item() for k in found)

        expected.append(mass("Yes") / (mass("Yes") + mass("No")))
    assert scores(judge.judge(PAIRS)) == pytest.approx(expected, abs=1e-4)


def biased(tmp_path: Path, probabilities: list[float], labels: list[str] | None = None) -> Path:
    """A classifier that gives every pair the same probabilities."""
    names = labels or ["contradiction", "entailment", "neutral"]
    path = tiny.bert(tmp_path / "biased", dict(enumerate(names)))
    model, _ = plain(path, "SequenceClassification")
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor(probabilities).log())
    model.save_pretrained(path)
    return path


@pytest.mark.parametrize(
    ("labels", "entailment", "expected"),
    [
        (["contradiction", "entailment", "neutral"], None, 0.3),
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], None, 0.1),
        (["neutral", "contradiction", "Entails"], None, 0.6),
        (["LABEL_0", "LABEL_1", "LABEL_2"], 2, 0.6),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "LABEL_0", 0.1),
        (["contradiction", "entailment", "neutral"], "neutral", 0.6),
    ],
)
def test_labels_in_any_order_and_spelling(
    tmp_path: Path, labels: list[str], entailment: str | int | None, expected: float
) -> None:
    judge = NLIJudge(biased(tmp_path, [0.1, 0.3, 0.6], labels), entailment=entailment)
    verdict = judge.judge(PAIRS[:1])[0]
    assert verdict.score == pytest.approx(expected, abs=1e-6)
    assert verdict.label == labels[2]
    assert verdict.supported is (expected >= 0.5)


def test_unnamed_labels_are_refused_before_the_weights_are_read(tmp_path: Path) -> None:
    path = biased(tmp_path, [0.1, 0.3, 0.6], ["LABEL_0", "LABEL_1", "LABEL_2"])
    (path / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(JudgeError, match="pass entailment="):
        NLIJudge(path)


def test_one_logit_is_read_by_its_sigmoid_if_the_caller_says_so(tmp_path: Path) -> None:
    path = tiny.bert(tmp_path / "one", {0: "LABEL_0"})
    with pytest.raises(JudgeError, match="entailment=0"):
        NLIJudge(path)
    model, tokenizer = plain(path, "SequenceClassification")
    with torch.no_grad():
        logit = model(**tokenizer(*PAIRS[0], return_tensors="pt")).logits[0, 0]
    verdict = NLIJudge(path, entailment=0).judge(PAIRS[:1])[0]
    assert verdict.score == pytest.approx(logit.sigmoid().item(), abs=1e-5)


def test_an_output_that_is_no_number_is_a_failure(tmp_path: Path) -> None:
    path = biased(tmp_path, [float("nan"), 0.5, 0.5])
    verdict = NLIJudge(path).judge(PAIRS[:1])[0]
    assert verdict.supported is None
    assert verdict.score is None
    assert "not a number" in (verdict.error or "")


def test_out_of_memory_changes_no_verdict(
    folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = NLIJudge(folder("bert"), batch_size=6)
    expected = scores(judge.judge(PAIRS))
    forward = judge._head.model.forward
    sizes = []

    def small(*args: Any, **inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
        return forward(*args, **inputs)

    monkeypatch.setattr(judge._head.model, "forward", small)
    assert scores(judge.judge(PAIRS)) == pytest.approx(expected, abs=1e-5)
    assert sizes == [6, 3, 1, 1, 1, 1, 1, 1]
    sizes.clear()
    judge.judge(PAIRS)
    assert max(sizes) == 1


def test_verdicts_come_as_batches_are_done(
    folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = NLIJudge(folder("bert"), batch_size=2)
    forward = judge._head.model.forward
    calls = []

    def counted(*args: Any, **inputs: Any) -> Any:
        calls.append(1)
        return forward(*args, **inputs)

    monkeypatch.setattr(judge._head.model, "forward", counted)
    coming = judge.stream(PAIRS)
    first = [next(coming), next(coming)]
    assert len(calls) == 1
    assert len(dict([*first, *coming])) == len(PAIRS)


def test_equal_pairs_are_read_once(folder: Callable[[str], Path]) -> None:
    judge = NLIJudge(folder("bert"))
    verdicts = judge.judge([PAIRS[0], PAIRS[1], PAIRS[0], PAIRS[0]])
    assert verdicts[0] == verdicts[2] == verdicts[3]
    assert judge.usage()["model_inputs"] == 2
    assert judge.usage()["pairs"] == 4
    assert judge.judge([]) == []


@pytest.mark.parametrize("name", ["bert", "roberta", "t5", "llama"])
def test_special_tokens_in_a_text_are_text(folder: Callable[[str], Path], name: str) -> None:
    options = {"template": "true"} if name == "t5" else {}
    judge = NLIJudge(folder(name), **options)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder(name))
    for token in tokenizer.all_special_tokens:
        row, _ = judge._writer.write([(judge._writer.clean(f"Cats {token} purr"), "Cats purr")])[0]
        bare, _ = judge._writer.write([("Cats purr", "Cats purr")])[0]
        number = tokenizer.convert_tokens_to_ids(token)
        if number != tokenizer.unk_token_id:
            assert list(row).count(number) == list(bare).count(number), token


@pytest.mark.parametrize("name", ["bert", "roberta", "deberta", "t5", "llama"])
def test_hostile_texts_get_verdicts(folder: Callable[[str], Path], name: str) -> None:
    options = {"template": "true"} if name == "t5" else {}
    judge = NLIJudge(folder(name), **options)
    texts = ["", " ", "\udce9", "\x00", "{premise}", "{hypothesis}", "</s></s>", "日本語", "🙂" * 5]
    pairs = [(p, h) for p in texts for h in texts]
    verdicts = judge.judge(pairs)
    assert all(v.supported is not None and v.score is not None for v in verdicts)
    single = [judge.judge([pair])[0] for pair in pairs[::7]]
    assert scores(single) == pytest.approx(scores(verdicts[::7]), abs=1e-5)


def test_long_evidence_takes_the_highest_score_of_its_windows(
    folder: Callable[[str], Path],
) -> None:
    sentences = [f"Hens lay {word} on the mat in spring." for word in tiny.WORDS[:24]]
    premise, hypothesis = " ".join(sentences), "Geese swim."
    judge = NLIJudge(folder("bert"))
    verdict = judge.judge([(premise, hypothesis)])[0]
    assert verdict.long_premise == "chunked"
    assert judge.usage()["windows"] > 3
    model, tokenizer = plain(folder("bert"), "SequenceClassification")
    whole = []
    for k in range(len(sentences)):
        for end in range(k + 1, len(sentences) + 1):
            text = " ".join(sentences[k:end])
            inputs = tokenizer(text, hypothesis, return_tensors="pt")
            if inputs.input_ids.shape[1] > 64:
                break
            with torch.no_grad():
                whole.append(model(**inputs).logits.softmax(-1)[0, 1].item())
    assert any(verdict.score == pytest.approx(score, abs=1e-5) for score in whole)
    assert "windows entails it; window" in (verdict.reason or "")
    joined = judge.judge([(Premise([premise, premise]), hypothesis)])[0]
    assert joined.score is not None
    assert verdict.score is not None
    assert joined.score >= verdict.score - 1e-5


def test_a_premise_cut_short_and_one_refused(folder: Callable[[str], Path]) -> None:
    premise, hypothesis = "Hens lay eggs on the mat. " * 30, "Geese swim in spring."
    cut = NLIJudge(folder("bert"), long_premise="truncate").judge([(premise, hypothesis)])[0]
    model, tokenizer = plain(folder("bert"), "SequenceClassification")
    with torch.no_grad():
        inputs = tokenizer(
            premise, hypothesis, truncation="only_first", max_length=64, return_tensors="pt"
        )
        expected = model(**inputs).logits.softmax(-1)[0, 1].item()
    assert cut.long_premise == "truncated"
    assert cut.score == pytest.approx(expected, abs=1e-5)
    refused = NLIJudge(folder("bert"), long_premise="error").judge([(premise, hypothesis)])[0]
    assert refused.supported is None
    assert "218" in (refused.error or "")
    assert "64" in (refused.error or "")


@pytest.mark.parametrize("rule", ["chunk", "truncate", "error"])
def test_a_statement_longer_than_the_model_is_a_failure(
    folder: Callable[[str], Path], rule: Any
) -> None:
    judge = NLIJudge(folder("bert"), long_premise=rule)
    verdicts = judge.judge([("Cats purr.", "cats " * 70), ("Cats purr.", "Cats purr.")])
    assert verdicts[0].supported is None
    assert "the statement takes" in (verdicts[0].error or "") or rule == "error"
    assert verdicts[1].supported is not None


def test_what_a_model_reads_at_most(folder: Callable[[str], Path]) -> None:
    assert NLIJudge(folder("roberta")).max_length == 60  # 62 positions, two of them not used
    assert NLIJudge(folder("t5"), template="true").max_length == 2048
    assert NLIJudge(folder("bert"), max_length=40).max_length == 40
    with pytest.raises(JudgeError, match="64 positions"):
        NLIJudge(folder("bert"), max_length=65)
    with pytest.raises(JudgeError, match="60 positions"):
        NLIJudge(folder("roberta"), max_length=61)
    longer = NLIJudge(folder("deberta"), max_length=300)  # relative positions have no end
    assert longer.judge([("cats purr " * 100, "Cats purr.")])[0].long_premise is None


def test_the_identity_holds_what_changes_a_score_and_no_more(folder: Callable[[str], Path]) -> None:
    identity = NLIJudge(folder("bert"), threshold=0.7).identity
    assert identity.name == "nli"
    assert identity.model == "bert"
    assert identity.threshold == 0.7
    assert identity.parameters["dtype"] == "float32"
    assert identity.parameters["transformers"] == transformers.__version__
    same = NLIJudge(folder("bert"), batch_size=3, device="cpu", max_batch_tokens=99)
    assert same.identity.key == identity.key
    for options in (
        {"dtype": "bfloat16"},
        {"long_premise": "truncate"},
        {"max_length": 60},
        {"rule": "decoded"},
        {"entailment": 0},
        {"window": 30},
        {"joint": "never"},
    ):
        other = NLIJudge(folder("bert"), **options)  # type: ignore[arg-type]
        assert other.identity.key != identity.key, options


def test_nothing_global_is_touched(folder: Callable[[str], Path]) -> None:
    bert, t5 = folder("bert"), folder("t5")  # made at first use, from a seed of its own
    torch.manual_seed(7)
    state = torch.get_rng_state()
    before = (
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        logging.getLogger().level,
        logging.getLogger("transformers").level,
        torch.get_default_dtype(),
    )
    NLIJudge(bert).judge(PAIRS)
    NLIJudge(t5, template="true", rule="decoded").judge(PAIRS)
    after = (
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        logging.getLogger().level,
        logging.getLogger("transformers").level,
        torch.get_default_dtype(),
    )
    assert before == after
    assert torch.equal(state, torch.get_rng_state())


def test_threads_share_a_judge(folder: Callable[[str], Path]) -> None:
    judge = NLIJudge(folder("bert"), batch_size=2)
    expected = scores(judge.judge(PAIRS))
    found: list[list[float]] = []

    def work() -> None:
        found.append(scores(judge.judge(PAIRS)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for some in found:
        assert some == pytest.approx(expected, abs=1e-5)


def test_a_closed_judge_says_so(folder: Callable[[str], Path]) -> None:
    judge = NLIJudge(folder("bert"))
    judge.close()
    judge.close()
    assert judge.identity.model == "bert"
    with pytest.raises(JudgeError, match="closed"):
        judge.judge(PAIRS)


def test_a_whole_run(folder: Callable[[str], Path]) -> None:
    records = [
        {"answer": "Cats purr [1][2]. Hens lay eggs [2].", "sources": ["Cats purr.", "Hens lay."]},
        {"answer": "Ducks fly south [1].", "sources": ["Ducks fly south. " * 40]},
    ]
    report = citemeter.score(records, judge=NLIJudge(folder("bert"), threshold=0.0))
    assert report["citation_recall"] == 1.0
    assert report.pair_counts["chunked"] == 1
    assert "nli-1,model=bert,revision=sha256:" in str(report.signature)
