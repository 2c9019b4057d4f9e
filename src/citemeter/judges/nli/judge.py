"""Entailment models as judges: classifiers, encoder-decoders and decoders, on CPU or GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citemeter.errors import JudgeError, check_choice
from citemeter.judges.base import Judge, Pair, in_order
from citemeter.judges.nli.batching import Budget, run_batches
from citemeter.judges.nli.heads import ClassifierHead, DecodingHead, Head, Rule, TokenHead
from citemeter.judges.nli.loading import (
    Config,
    Loaded,
    Source,
    checked_count,
    load_config,
    load_weights,
    longest_input,
    modules,
)
from citemeter.judges.nli.long_premises import LEAST_ROOM, Limits, LongRule, Portion
from citemeter.judges.nli.presets import PRESETS, Format, custom_format, entailment_label
from citemeter.judges.nli.tokenization import InputWriter, PairWriter, TemplateWriter, chat_writer
from citemeter.judges.nli.windows import Joint
from citemeter.judges.thresholded import checked_threshold
from citemeter.verdicts import JudgeIdentity, Verdict

if TYPE_CHECKING:
    import torch

__all__ = ["NLIJudge"]

_VERSION = "1"  # of how inputs are written and windows are cut; changes when verdicts do
_PORTION = 8192  # pairs that are sorted by length together
# A CPU gains little from large batches and pays for padding; a GPU the other way round.
_CPU: dict[str, Any] = {"tokens": 2048, "waste": 0.03, "least": 256}
_GPU: dict[str, Any] = {"tokens": 32768, "waste": 0.2, "least": 8192}


class NLIJudge(Judge):
    r"""An entailment model from the Hugging Face hub or a local folder.

    Three families are read. *Sequence classification*: the score is the entailment label's
    probability, the softmax over the labels, or the sigmoid where there is one logit. *Encoder-
    decoders* such as TRUE, AttrScore-Flan-T5 and MiniCheck-Flan-T5, and *decoders*: with the
    answers' logits $z$ at the first token generated, the score is
    $e^{z_\text{yes}} / \sum_a e^{z_a}$, from one forward pass and without generating.

    How a pair is written, and which output means entailment, comes from a table of known models
    and otherwise from the model's config.

    A premise that does not fit is read in sentence-aligned windows, and the score is the highest
    of any window; of several cited passages the best parts are also read together, so that they
    can support a statement jointly. The hypothesis is never cut.

    Args:
        model: A hub name, or a local folder that holds config, tokenizer and weights.
        revision: The hub's branch, tag or commit.
        device: ``"auto"`` takes cuda, mps or cpu, the first there is; or a device's name.
        dtype: ``"auto"`` is bfloat16 or float16 on a GPU and float32 elsewhere; or a name.
        batch_size: Inputs a batch; by default as many as ``max_batch_tokens`` allows.
        max_batch_tokens: Tokens a batch, padding included: 2048 on a CPU, 32768 on a GPU.
        threshold: The score at and above which a pair is supported, in ``[0, 1]``; 0.5 by default.
            ``rule="decoded"`` has none.
        long_premise: What becomes of a premise that does not fit: ``"chunk"`` reads it in windows,
            ``"truncate"`` drops its end, ``"error"`` fails the pair.
        template: A preset's name, or a text with ``{premise}`` and ``{hypothesis}``.
        answers: The words a generating model chooses from, the one for entailment first.
        entailment: The name or index of a classifier's entailment label, where its config is
            unclear.
        rule: ``"probability"``, or ``"decoded"``: what the model says decides. For a generating
            model that is the whole text it writes, which must be the answer and nothing else, as
            in the published ALCE script; for a classifier the likeliest label.
        trust_remote_code: Whether the model's own code may run, with your rights.
        max_length: Tokens an input may take; by default what the model is known or says to read.
        window: Tokens of evidence to read at a time, at most; by default what the model is
            published with, or what fits.
        joint: Which evidence has its best parts read together: ``"passages"`` that are several,
            ``"always"`` also one long passage, at twice the cost, or ``"never"``.
        tokenizer: A hub name or folder, if the tokenizer is not with the model.
        local_files_only: Leave the network alone.

    Raises:
        JudgeError: If torch or transformers is missing, or the model cannot be loaded or read.

    Reference: Honovich et al. (2022), TRUE; Gao et al. (2023), ALCE; Yue et al. (2023), AttrScore;
    Tang et al. (2024), MiniCheck.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        revision: str | None = None,
        device: str | torch.device = "auto",
        dtype: str | torch.dtype = "auto",
        batch_size: int | None = None,
        max_batch_tokens: int | None = None,
        threshold: float | None = None,
        long_premise: LongRule = "chunk",
        template: str | None = None,
        answers: Sequence[str] | None = None,
        entailment: str | int | None = None,
        rule: Rule = "probability",
        trust_remote_code: bool = False,
        max_length: int | None = None,
        window: int | None = None,
        joint: Joint = "passages",
        tokenizer: str | Path | None = None,
        local_files_only: bool = False,
    ) -> None:
        check_choice("long_premise", long_premise, ("chunk", "truncate", "error"))
        check_choice("rule", rule, ("probability", "decoded"))
        check_choice("joint", joint, ("passages", "always", "never"))
        counts = {"batch_size": batch_size, "max_batch_tokens": max_batch_tokens, "window": window}
        for name, value in counts.items():
            if value is not None:
                checked_count(name, value)
        threshold = _threshold(threshold, rule)
        source = Source(
            str(model),
            revision,
            trust_remote_code,
            local_files_only,
            None if tokenizer is None else str(tokenizer),
        )
        read = load_config(source)
        # What is asked of the model is settled before gigabytes are loaded.
        asked = self._asked(read, template, answers)
        labels, yes = self._labels(read, asked, entailment, source.name)
        loaded = load_weights(source, read, device, dtype)
        self._writer: InputWriter = _writer(loaded, asked)
        self._head: Head = _head(loaded, asked, labels, yes, rule)
        self.max_length = longest_input(loaded, read, max_length)
        if self.max_length < self._writer.tokens_taken([""])[0] + LEAST_ROOM:
            raise JudgeError(
                f"max_length={self.max_length} leaves no room for a premise: give more tokens"
            )
        if window is None and read.known is not None:
            window = read.known.window
        self._limits = Limits(self.max_length, window, long_premise, joint, threshold)
        usual = _CPU if loaded.device.type == "cpu" else _GPU
        if max_batch_tokens is not None:
            usual = {**usual, "tokens": max_batch_tokens}
        self._budget = Budget(pairs=batch_size, **usual)
        self.device = loaded.device
        self._loaded: Loaded | None = loaded
        self._used = dict.fromkeys(("pairs", "model_inputs", "model_tokens", "windows"), 0)
        self._identity = JudgeIdentity(
            name="nli",
            version=_VERSION,
            model=source.name,
            revision=read.revision,
            threshold=threshold,
            parameters=_parameters(
                asked, loaded, self._limits, rule, yes if asked.answers == () else None, source
            ),
        )

    @staticmethod
    def _asked(read: Config, template: str | None, answers: Sequence[str] | None) -> Format:
        if template is None:
            if read.known is not None and PRESETS[read.known.format].kind == read.kind:
                template = read.known.format
            elif read.kind == "seq2seq":
                fitting = ", ".join(n for n, f in PRESETS.items() if f.kind == "seq2seq")
                raise JudgeError(
                    "this encoder-decoder is not in the table of known judges, and its config does "
                    f"not say how a pair is put to it: pass template=… (one of {fitting}, or a "
                    "text with {premise} and {hypothesis} and answers=…)"
                )
            else:
                template = "pair" if read.kind == "classification" else "yes-no"
        return custom_format(template, answers, read.kind)

    @staticmethod
    def _labels(
        read: Config, asked: Format, entailment: str | int | None, name: str
    ) -> tuple[tuple[str, ...], int]:
        if read.kind != "classification":
            if entailment is not None:
                raise JudgeError(
                    "entailment=… is for classifiers; a generating model's words are answers=…, "
                    "the one for entailment first"
                )
            return asked.answers, 0
        named = getattr(read.config, "id2label", None) or {}
        labels = {int(index): str(label) for index, label in named.items()}
        return (
            tuple(labels.get(index, str(index)) for index in range(max(labels, default=-1) + 1)),
            entailment_label(labels, entailment, read.known, name),
        )

    @property
    def identity(self) -> JudgeIdentity:
        """The model, its revision, and everything that changes a score but batch and device."""
        return self._identity

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each ``(premise, hypothesis)``, in order."""
        return in_order(self.stream(pairs), len(pairs))

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield each pair's position and verdict as batches are done, the longest first."""
        if self._loaded is None:
            raise JudgeError("this judge is closed: make a new one")
        for start in range(0, len(pairs), _PORTION):
            for position, verdict in self._portion(pairs[start : start + _PORTION]):
                yield start + position, verdict

    def _portion(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        portion = Portion(pairs, self._writer, self._limits)
        head, used = self._head, self._used
        used["pairs"] += len(pairs)
        yield from portion.ready
        while fresh := portion.pending():
            rows = [given.row for given in fresh]
            batches = run_batches(
                [len(ids) for ids, _ in rows],
                lambda chosen, rows=rows: head.judge([rows[k] for k in chosen]),  # type: ignore[misc]
                self._budget,
                self._free,
            )
            for chosen, outcomes in batches:
                used["model_inputs"] += len(chosen)
                used["model_tokens"] += sum(len(rows[k][0]) for k in chosen)
                for k, outcome in zip(chosen, outcomes, strict=True):
                    yield from portion.take(fresh[k], outcome)
        used["windows"] += portion.windows

    def _free(self) -> None:
        import gc

        torch, _ = modules()
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def usage(self) -> dict[str, float]:
        """Return the pairs judged, and what they took of the model.

        ``model_inputs`` and ``model_tokens`` were read by it, without padding; ``windows`` of the
        inputs were windows of long evidence.
        """
        return {name: float(count) for name, count in self._used.items()}

    def close(self) -> None:
        """Let go of the model and its memory."""
        if self._loaded is not None:
            self._loaded = None
            del self._head, self._writer
            self._free()


def _threshold(threshold: float | None, rule: Rule) -> float | None:
    if rule == "decoded":
        if threshold is not None:
            raise JudgeError(
                "rule='decoded' has no threshold: the model says yes or no; leave threshold out, "
                "or use rule='probability'"
            )
        return None
    return 0.5 if threshold is None else checked_threshold(threshold)


def _writer(loaded: Loaded, asked: Format) -> InputWriter:
    if asked.template is None:
        return PairWriter(loaded.tokenizer)
    if asked.kind == "decoder":
        return chat_writer(loaded.tokenizer, asked)
    return TemplateWriter(loaded.tokenizer, asked.template)


def _head(loaded: Loaded, asked: Format, labels: Sequence[str], yes: int, rule: Rule) -> Head:
    if asked.kind == "classification":
        return ClassifierHead(loaded, labels, yes, rule)
    decoder = asked.kind == "decoder"
    if rule == "decoded":
        return DecodingHead(loaded, asked.answers, decoder=decoder)
    return TokenHead(loaded, asked.answers, decoder=decoder)


def _parameters(
    asked: Format, loaded: Loaded, limits: Limits, rule: Rule, yes: int | None, source: Source
) -> dict[str, Any]:
    torch, transformers = modules()
    import tokenizers

    found: dict[str, Any] = {
        "dtype": str(loaded.dtype).removeprefix("torch."),
        "template": asked.name,
        "rule": rule,
        "long_premise": limits.rule,
        "max_length": limits.length,
        # "+cpu" and "+cu126" name a build for a device, which is not part of what is judged.
        "torch": str(torch.__version__).partition("+")[0],
        "transformers": transformers.__version__,
        "tokenizers": tokenizers.__version__,
    }
    if limits.rule == "chunk":
        found["joint"] = limits.joint
        if limits.window is not None:
            found["window"] = limits.window
    if yes is not None:
        found["entailment"] = yes
    if source.tokenizer is not None:
        found["tokenizer"] = Path(source.tokenizer).name
    return found
