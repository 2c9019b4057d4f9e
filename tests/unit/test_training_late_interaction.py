from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.judges.base import Premise
from citemeter.judges.embedded.evidence import Evidence
from citemeter.judges.lexical.hypothesis import Statement

NAMES = (
    "hard_negatives",
    "measures",
    "resampling",
    "cross_encoder_data",
    "late_interaction_encoder",
    "late_interaction",
    "late_interaction_gain",
)


@pytest.fixture(scope="module")
def late(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["late_interaction"]


@pytest.fixture(scope="module")
def gain(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["late_interaction_gain"]


class WordEncoder:
    """Stands in for the encoder: a token a word, whatever surrounds it; unlike words are apart."""

    def __init__(self, encoded: type[Any]) -> None:
        self._encoded = encoded
        self._ids: dict[str, int] = {}
        self.tokens = 0
        self.calls: list[list[int]] = []

    def tokenize(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        ids, offsets, at = [], [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            ids.append(self._ids.setdefault(word.strip(".,").lower(), len(self._ids)))
            offsets.append((start, at))
        return ids, offsets

    def encode(self, stretches: Sequence[Sequence[int]]) -> list[Any]:
        found = []
        for stretch in stretches:
            self.calls.append(list(stretch))
            self.tokens += len(stretch)
            vectors = np.zeros((len(stretch), 4096), dtype=np.float32)
            vectors[np.arange(len(stretch)), list(stretch)] = 1
            mean = vectors.mean(0)
            pooled = mean / max(1e-9, float(np.linalg.norm(mean)))
            found.append(self._encoded(np.array(stretch), (vectors, vectors), pooled))
        return found


@pytest.fixture
def encoder(scripts: dict[str, ModuleType]) -> WordEncoder:
    return WordEncoder(scripts["late_interaction_encoder"].Encoded)


def named(late: ModuleType, encoder: WordEncoder, premise: str, claim: str) -> dict[str, float]:
    row = late.measured([(premise, claim)], encoder)[0]
    return dict(zip(late.FEATURES, row.tolist(), strict=True))


class TestFeatures:
    def test_a_statement_that_is_its_passage_matches_wholly(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        text = "Marie Curie discovered polonium in 1898."
        found = named(late, encoder, text, text)
        assert found.pop("missing_6") == 0
        assert all(value == pytest.approx(1) for value in found.values()), found

    def test_a_missing_word_lowers_the_worst_match_and_is_told_apart(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        found = named(late, encoder, "Curie discovered polonium.", "Curie discovered radium.")
        assert found["least_6"] == 0
        assert found["low_6"] == pytest.approx(2 / 3)
        assert 0 < found["mean_6"] < 1
        assert found["missing_6"] == pytest.approx(1 - found["mean_6"])
        assert found["same_6"] == pytest.approx(1)

    def test_numbers_and_names_count_by_themselves(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        premise = "The bridge in Rome has 12 arches."
        assert named(late, encoder, premise, "The bridge in Rome has 13 arches.")["numbers_6"] == 0
        assert named(late, encoder, premise, "The bridge in Rome has 13 arches.")["least_6"] == 1
        wrong = named(late, encoder, premise, "The bridge in Paris has 12 arches.")
        assert wrong["names_6"] == 0
        assert wrong["numbers_6"] == 1

    def test_stop_words_do_not_count(self, late: ModuleType, encoder: WordEncoder) -> None:
        found = named(late, encoder, "cats purr", "The cats, they would purr at it.")
        assert found["mean_6"] == pytest.approx(1)

    def test_words_far_apart_are_in_no_window_and_no_sentence_together(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        rest = " ".join(f"word{at} sits here." for at in range(100))
        premise = f"Cats abound. {rest} Purring abounds."
        found = named(late, encoder, premise, "Cats like purring.")
        assert found["mean_6"] > found["window_6"]
        assert found["mean_6"] > found["sentence_6"]
        assert found["together_6"] < 1
        # The sentences taken from both ends cover it all the same.
        assert found["evidence_6"] == pytest.approx(found["mean_6"])

    @pytest.mark.parametrize(
        ("premise", "claim"),
        [
            ("", "Cats purr."),
            ("Cats purr.", ""),
            ("Cats purr.", "It is."),
            ("  \n ", ""),
            ("…", "…"),
        ],
    )
    def test_nothing_to_compare_is_no_error(
        self, late: ModuleType, encoder: WordEncoder, premise: str, claim: str
    ) -> None:
        row = late.measured([(premise, claim)], encoder)
        assert row.shape == (1, len(late.FEATURES))
        assert np.isfinite(row).all()

    @settings(max_examples=60, deadline=None)
    @given(
        premise=st.text(st.sampled_from("ab1 .\n\u00a0é中…\"'"), max_size=80),
        claim=st.text(st.sampled_from("ab1 .\n\u00a0é中…\"'"), max_size=40),
    )
    def test_features_are_shares_and_cosines(
        self,
        late: ModuleType,
        scripts: dict[str, ModuleType],
        premise: str,
        claim: str,
    ) -> None:
        encoder = WordEncoder(scripts["late_interaction_encoder"].Encoded)
        row = late.measured([(premise, claim)], encoder)[0]
        assert np.isfinite(row).all()
        assert (row >= -1e-6).all()
        assert (row <= 1 + 1e-6).all()


class TestCost:
    def test_passages_and_statements_are_encoded_once(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        first, second = "Cats purr loudly.", "Dogs bark at night."
        claims = ["Cats purr.", "Dogs bark."]
        premises = [Premise([first, second]), Premise([first]), Premise([second])]
        pairs = [(premise, claim) for claim in claims for premise in premises]
        late.measured(pairs, encoder)
        assert sorted(map(len, encoder.calls)) == [2, 2, 3, 4]

    def test_joined_passages_are_seen_together(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        claim = "Cats purr and dogs bark."
        both = named(late, encoder, Premise(["Cats purr.", "Dogs bark."]), claim)
        one = named(late, encoder, Premise(["Cats purr."]), claim)
        assert both["mean_6"] == pytest.approx(1)
        assert both["window_6"] < 1
        assert one["mean_6"] < 1

    def test_order_of_rows_is_kept_when_premises_recur(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        pairs = [("Cats purr.", "Cats purr."), ("Dogs bark.", "Cats purr.")] * 2
        pairs.append(("Cats purr.", "Dogs bark."))
        rows = late.measured(pairs, encoder)[:, list(late.FEATURES).index("mean_6")]
        assert rows.tolist() == pytest.approx([1, 0, 1, 0, 0])

    def test_of_a_long_premise_the_covering_windows_are_encoded(
        self, late: ModuleType, encoder: WordEncoder
    ) -> None:
        filler = [f"w{at}" for at in range(3000)]
        filler[2500:2502] = ["cats", "purr"]
        found = named(late, encoder, " ".join(filler), "Cats purr.")
        assert found["window_6"] == pytest.approx(1)
        assert encoder.tokens <= late.MOST * late.WIDTH + 2


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 192, 222, 223, 1000])
def test_windows_cover_every_token_and_overlap(late: ModuleType, size: int) -> None:
    found = late.windows(size)
    assert sorted({at for low, high in found for at in range(low, high)}) == list(range(size))
    assert all(0 < high - low <= late.WIDTH for low, high in found)
    assert all(after[0] == before[0] + late.STEP for before, after in pairwise(found))


def test_selected_sentences_are_found_in_the_premise(late: ModuleType) -> None:
    filler = " ".join(f"Sentence {at} is about nothing of note." for at in range(40))
    premise = f"Rain fell.\n\n{filler}\nIn  1990 her brother\tbought a boat. {filler}"
    statement = Statement("Her brother bought a boat.")
    even = " ".join(premise.split())
    spans = late.sentence_spans(premise, statement, Evidence(premise))
    texts = [even[low:high] for low, high in spans]
    assert "In 1990 her brother bought a boat." in texts
    assert len(" ".join(texts).split()) < len(even.split()) / 2


class TestFit:
    def test_the_logistic_is_at_its_minimum(self, gain: ModuleType) -> None:
        random = np.random.default_rng(0)
        x = random.normal(size=(300, 3)) * [1, 10, 0.1] + [0, 5, 0]
        y = random.random(300) < 1 / (1 + np.exp(-x[:, 0]))
        weights = random.random(300)
        model = gain.Logistic(x, y, weights, 2.0)
        z = (x - model.mean) / model.scale
        w = weights * 300 / weights.sum()

        def loss(beta: Any) -> float:
            p = 1 / (1 + np.exp(-(z @ beta[:-1] + beta[-1])))
            fit = -(w * np.where(y, np.log(p), np.log(1 - p))).sum()
            return float(fit + (beta[:-1] ** 2).sum())

        least = loss(model.beta)
        for at in range(4):
            for step in (-0.01, 0.01):
                assert loss(model.beta + step * np.eye(4)[at]) > least
        assert model.beta[0] > 5 * abs(model.beta[2])

    def test_a_constant_feature_changes_nothing(self, gain: ModuleType) -> None:
        x = np.array([[0.0], [1.0], [2.0], [3.0]])
        y = np.array([False, True, False, True])
        alone = gain.Logistic(x, y, np.ones(4), 1.0)(x)
        beside = np.column_stack([x, np.full(4, 7.0)])
        assert gain.Logistic(beside, y, np.ones(4), 1.0)(beside) == pytest.approx(alone)

    def test_sources_and_classes_weigh_the_same(self, gain: ModuleType) -> None:
        y = np.array([True, True, True, False, True, False])
        weights = gain.even_weights(y, ["a", "a", "a", "a", "b", "b"])
        of_a = np.array([True, True, True, True, False, False])
        for part in (of_a, ~of_a):
            for value in (True, False):
                assert weights[part & (y == value)].sum() == pytest.approx(1)

    def test_a_source_of_one_class_is_no_error(self, gain: ModuleType) -> None:
        weights = gain.even_weights(np.array([True, True]), ["a", "a"])
        assert weights.tolist() == [0.5, 0.5]


@pytest.mark.slow
def test_the_exported_encoder_is_the_encoder(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    for module in ("onnxruntime", "onnxscript", "torch", "transformers", "tokenizers"):
        pytest.importorskip(module)
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(chr(97 + at) for at in range(26))]
    tokenizer = Tokenizer(
        models.WordPiece({word: at for at, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=6,
        num_attention_heads=2,
        intermediate_size=64,
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    model.save_pretrained(tmp_path)
    tool = scripts["late_interaction_encoder"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's exporter warns of itself
        tool.export(tmp_path, tmp_path / "onnx", eight_bit=False)
    encoder = tool.Encoder(tmp_path / "onnx")
    stretches = [encoder.tokenize(text)[0] for text in ("a b c", "d", "e f g h i j k")]
    assert stretches[0] == [4, 5, 6]
    for stretch, found in zip(stretches, encoder.encode(stretches), strict=True):
        with torch.no_grad():
            states = model(
                torch.tensor([[2, *stretch, 3]]), output_hidden_states=True
            ).hidden_states
        for layer, vectors in zip(tool.LAYERS, found.layers, strict=True):
            wanted = torch.nn.functional.normalize(states[layer][0, 1:-1], dim=-1).numpy()
            assert np.abs(vectors - wanted).max() < 1e-4
        assert math.isclose(float(np.linalg.norm(found.pooled)), 1, rel_tol=1e-5)
    assert encoder.tokens == 3 + 1 + 7 + 6
