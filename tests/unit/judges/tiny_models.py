"""Tiny models with random weights, one of each architecture, saved to a folder by the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tokenizers import (  # noqa: E402 - it comes with transformers
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

_WORDS = """
the a cat cats dog dogs purr purrs bark barks sat on mat it is was in and to of hens lay eggs geese
swim spring ducks fly south harbour museum opened nineteen four title premise hypothesis document
claim yes no
"""
WORDS = _WORDS.split()
CORPUS = [
    "Cats purr. Dogs bark. The harbour museum opened in 1904.",
    "premise: hypothesis: predict: Document: Claim: Title: Yes No yes no Is the claim supported?",
    "Hens lay eggs and geese swim in spring; ducks fly south.",
    "Attributable Extrapolatory Contradictory reference verify whether given can support",
    "Zürich, naïve café — “quoted” text … 1 0 2 3",
] * 4
PAIRS = [
    ("Cats purr. Dogs bark.", "Cats purr."),
    ("The harbour museum opened in 1904.", "It opened in 1904, in spring."),
    ("Hens lay eggs.", "Geese swim."),
    ("Hens lay eggs and geese swim in spring; ducks fly south. " * 3, "Ducks fly south."),
    ("Title: Cats\nCats purr on the mat.\nDogs bark.", "Cats bark"),
    ("It is.", "It was in the harbour museum on the mat and the dogs and the cats sat."),
]


def _wrap(tokenizer: Tokenizer, **options: Any) -> Any:
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


def word_piece(max_length: int = 64) -> Any:
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in range(33, 127)]
    vocab = [*specials, *letters, *(f"##{letter}" for letter in letters), *WORDS]
    tokenizer = Tokenizer(
        models.WordPiece(
            {token: k for k, token in enumerate(dict.fromkeys(vocab))}, unk_token="[UNK]"
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    return _wrap(
        tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=max_length,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def byte_pairs(
    specials: list[str], pair: str | None = None, single: str | None = None
) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    if single:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=single,
            pair=pair,
            special_tokens=[(token, tokenizer.token_to_id(token)) for token in specials],
        )
    return tokenizer


def roberta_tokenizer(max_length: int = 60) -> Any:
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = byte_pairs(specials, "<s> $A </s> </s> $B </s>", "<s> $A </s>")
    return _wrap(
        tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=max_length,
        model_input_names=["input_ids", "attention_mask"],
    )


def pieces(specials: list[str], unk: str, single: str, pair: str) -> Tokenizer:
    """A Unigram tokenizer as T5 and DeBERTa have it: pieces that start with a mark for a space."""
    scores = dict.fromkeys(specials, 0.0)
    scores["▁"] = -3.0
    for word in (*WORDS, "1", "Attributable", "Extrapolatory", "Contradictory", "Yes", "No"):
        scores["▁" + word] = -4.0
    for code in range(33, 127):
        scores.setdefault(chr(code), -6.0)
    tokenizer = Tokenizer(models.Unigram(list(scores.items()), unk_id=specials.index(unk)))
    tokenizer.normalizer = normalizers.Replace(" {2,}", " ")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(specials)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in specials],
    )
    return tokenizer


def t5_tokenizer() -> Any:
    tokenizer = pieces(["<pad>", "</s>", "<unk>"], "<unk>", "$A </s>", "$A </s> $B </s>")
    return _wrap(
        tokenizer,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    )


def deberta_tokenizer() -> Any:
    specials = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    tokenizer = pieces(specials, "[UNK]", "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    return _wrap(
        tokenizer,
        pad_token="[PAD]",
        cls_token="[CLS]",
        bos_token="[CLS]",
        sep_token="[SEP]",
        eos_token="[SEP]",
        unk_token="[UNK]",
        mask_token="[MASK]",
        model_max_length=64,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


CHAT = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] | trim }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def decoder_tokenizer(chat: str | None = CHAT) -> Any:
    specials = ["<s>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    tokenizer = byte_pairs(specials, "<s> $A $B", "<s> $A")
    found = _wrap(
        tokenizer,
        bos_token="<s>",
        eos_token="<|end|>",
        additional_special_tokens=specials[2:],
        model_max_length=4096,
        model_input_names=["input_ids", "attention_mask"],
    )
    found.chat_template = chat
    return found


def save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.eval()
    # Larger weights than an untrained model's, so that different inputs get different scores.
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "embed" not in name:
                parameter.mul_(8)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}


def bert(
    folder: Path, labels: dict[int, str] | None = None, max_length: int = 64, **options: Any
) -> Path:
    torch.manual_seed(0)
    tokenizer = word_piece(max_length)
    labels = labels or {0: "contradiction", 1: "entailment", 2: "neutral"}
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=max_length,
        id2label=labels,
        label2id={name: k for k, name in labels.items()},
        **(SMALL | options),
    )
    return save(transformers.BertForSequenceClassification(config), tokenizer, folder)


def roberta(folder: Path, labels: dict[int, str] | None = None, **options: Any) -> Path:
    torch.manual_seed(1)
    tokenizer = roberta_tokenizer()
    labels = labels or {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=62,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        type_vocab_size=1,
        id2label=labels,
        label2id={name: k for k, name in labels.items()},
        **(SMALL | options),
    )
    return save(transformers.RobertaForSequenceClassification(config), tokenizer, folder)


def deberta(folder: Path, labels: dict[int, str] | None = None) -> Path:
    torch.manual_seed(2)
    tokenizer = deberta_tokenizer()
    labels = labels or {0: "entailment", 1: "not_entailment"}
    config = transformers.DebertaV2Config(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        relative_attention=True,
        position_biased_input=False,
        pos_att_type=["p2c", "c2p"],
        type_vocab_size=0,
        id2label=labels,
        label2id={name: k for k, name in labels.items()},
        **SMALL,
    )
    return save(transformers.DebertaV2ForSequenceClassification(config), tokenizer, folder)


def t5(folder: Path) -> Path:
    torch.manual_seed(3)
    tokenizer = t5_tokenizer()
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    return save(transformers.T5ForConditionalGeneration(config), tokenizer, folder)


def bart(folder: Path) -> Path:
    torch.manual_seed(4)
    tokenizer = roberta_tokenizer(64)
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    config = transformers.BartConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=2,
        id2label=labels,
        label2id={name: k for k, name in labels.items()},
    )
    return save(transformers.BartForSequenceClassification(config), tokenizer, folder)


def llama(folder: Path, chat: str | None = CHAT) -> Path:
    torch.manual_seed(5)
    tokenizer = decoder_tokenizer(chat)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=2048,
        num_key_value_heads=2,
        bos_token_id=0,
        eos_token_id=1,
        **SMALL,
    )
    return save(transformers.LlamaForCausalLM(config), tokenizer, folder)


def gpt2(folder: Path) -> Path:
    """A decoder with absolute positions: padding on the left must not move its text."""
    torch.manual_seed(6)
    tokenizer = decoder_tokenizer(None)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=512,
        n_embd=32,
        n_layer=2,
        n_head=4,
        bos_token_id=0,
        eos_token_id=1,
    )
    return save(transformers.GPT2LMHeadModel(config), tokenizer, folder)


def llama_classifier(folder: Path) -> Path:
    """A decoder with a classifier's head, which reads the last token, and no padding token."""
    torch.manual_seed(7)
    tokenizer = decoder_tokenizer(None)
    labels = {0: "not_entailment", 1: "entailment"}
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=256,
        num_key_value_heads=2,
        bos_token_id=0,
        eos_token_id=1,
        id2label=labels,
        label2id={name: k for k, name in labels.items()},
        **SMALL,
    )
    return save(transformers.LlamaForSequenceClassification(config), tokenizer, folder)
