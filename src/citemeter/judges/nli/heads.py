"""From token ids to verdicts: one forward pass, and how each kind of model's output is read."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from citemeter.judges.nli.loading import Loaded, modules
from citemeter.judges.nli.tokenization import Ids, answer_tokens

Rule: TypeAlias = Literal["probability", "decoded"]
"""Whether the entailment probability decides, or what the model says."""

_NEW_TOKENS = 10  # as the published ALCE script generates


class Outcome(NamedTuple):
    """What a model said of one input.

    Args:
        score: The probability of entailment, if there is one.
        supported: What it said, where no probability decides.
        label: Its word.
        error: Why it said nothing.
    """

    score: float | None = None
    supported: bool | None = None
    label: str | None = None
    error: str | None = None


class Head(ABC):
    """A model and how it is asked.

    Args:
        loaded: The model.
        labels: The words it chooses from.
        entailment: Which of them means entailment.
        rule: What decides.
    """

    left = False

    def __init__(self, loaded: Loaded, labels: Sequence[str], entailment: int, rule: Rule) -> None:
        self.model = loaded.model
        self.device = loaded.device
        self.labels = tuple(labels)
        self.entailment = entailment
        self.rule = rule
        tokenizer = loaded.tokenizer
        padding = getattr(tokenizer, "pad_token_id", None)
        if padding is None:
            padding = getattr(tokenizer, "eos_token_id", None) or 0
        self._padding = int(padding)
        self._arguments = frozenset(inspect.signature(self.model.forward).parameters)
        names = getattr(tokenizer, "model_input_names", ())
        self._types = "token_type_ids" in names and "token_type_ids" in self._arguments

    def inputs(self, rows: Sequence[tuple[Ids, int]]) -> dict[str, Any]:
        """Pad rows to the longest and put them on the device."""
        torch, _ = modules()
        width = max(len(ids) for ids, _ in rows)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        arrays = {"input_ids": np.full_like(mask, self._padding), "attention_mask": mask}
        if self._types:
            arrays["token_type_ids"] = np.zeros_like(mask)
        for k, (row, second) in enumerate(rows):
            start = width - len(row) if self.left else 0
            end = start + len(row)
            arrays["input_ids"][k, start:end] = row
            mask[k, start:end] = 1
            if self._types:
                arrays["token_type_ids"][k, start + second : end] = 1
        if self.left and "position_ids" in self._arguments:
            arrays["position_ids"] = np.maximum(mask.cumsum(1) - 1, 0)
        return {name: torch.from_numpy(array).to(self.device) for name, array in arrays.items()}

    def judge(self, rows: Sequence[tuple[Ids, int]]) -> list[Outcome]:
        """Return what the model says of a batch."""
        torch, _ = modules()
        with torch.inference_mode():
            return self._read(self._forward(self.inputs(rows)))

    @abstractmethod
    def _forward(self, inputs: dict[str, Any]) -> Any:
        """Return the model's raw answer to a batch that is on the device."""

    def _read(self, raw: Any) -> list[Outcome]:
        """Return what a batch's probabilities say."""
        found = []
        for row in raw.cpu().numpy():
            if not np.isfinite(row).all():
                found.append(Outcome(error="the model's output is not a number"))
                continue
            best = int(row.argmax())
            if len(row) == 1:
                score, said = float(row[0]), bool(row[0] > 0.5)
                label = self.labels[0] if said else f"not {self.labels[0]}"
            else:
                score, said = float(row[self.entailment]), best == self.entailment
                label = self.labels[best]
            if self.rule == "decoded":
                found.append(Outcome(supported=said, label=label))
            else:
                found.append(Outcome(score=score, label=label))
        return found


class ClassifierHead(Head):
    """Labels' probabilities: their softmax, or the sigmoid of a single one."""

    def __init__(self, loaded: Loaded, labels: Sequence[str], entailment: int, rule: Rule) -> None:
        super().__init__(loaded, labels, entailment, rule)
        if getattr(self.model.config, "pad_token_id", None) is None:
            self.model.config.pad_token_id = self._padding  # decoders find the last token by it

    def _forward(self, inputs: dict[str, Any]) -> Any:
        logits = self.model(**inputs).logits.float()
        return logits.sigmoid() if logits.shape[-1] == 1 else logits.softmax(-1)


class TokenHead(Head):
    """The answers' probabilities against each other, at the first token that is generated.

    Args:
        loaded: The model.
        answers: The words, the one for entailment first.
        decoder: Whether the model has no encoder.
    """

    def __init__(self, loaded: Loaded, answers: Sequence[str], *, decoder: bool) -> None:
        torch, _ = modules()
        super().__init__(loaded, answers, 0, "probability")
        self.left = decoder
        tokens = answer_tokens(loaded.tokenizer, answers, variants=decoder)
        self._answers = [torch.tensor(row, device=self.device) for row in tokens]
        self._options: dict[str, Any] = {}
        if decoder:
            wanted = {"logits_to_keep": 1, "num_logits_to_keep": 1, "use_cache": False}
            self._options = {k: v for k, v in wanted.items() if k in self._arguments}
        else:
            self._start = _start_token(self.model, self._padding)

    def _forward(self, inputs: dict[str, Any]) -> Any:
        torch, _ = modules()
        if self.left:
            logits = self.model(**inputs, **self._options).logits[:, -1]
        else:
            first = torch.full(
                (len(inputs["input_ids"]), 1), self._start, dtype=torch.long, device=self.device
            )
            # Without the cache that only a second step would read.
            logits = self.model(**inputs, decoder_input_ids=first, use_cache=False).logits[:, 0]
        logits = logits.float()
        groups = [logits[:, tokens].logsumexp(-1) for tokens in self._answers]
        return torch.stack(groups, -1).softmax(-1)


class DecodingHead(Head):
    """What the model writes, compared as a whole with the answer that means entailment.

    Args:
        loaded: The model.
        answers: The words, the one for entailment first.
        decoder: Whether the model has no encoder.
    """

    def __init__(self, loaded: Loaded, answers: Sequence[str], *, decoder: bool) -> None:
        _, transformers = modules()
        super().__init__(loaded, answers, 0, "decoded")
        self.left = decoder
        self._tokenizer = loaded.tokenizer
        own = getattr(self.model, "generation_config", None) or self.model.config
        ids = {
            name: getattr(own, name, None)
            for name in ("bos_token_id", "eos_token_id", "decoder_start_token_id")
        }
        if ids["eos_token_id"] is None:
            ids["eos_token_id"] = getattr(loaded.tokenizer, "eos_token_id", None)
        if not decoder:
            ids["decoder_start_token_id"] = _start_token(self.model, self._padding)
        self._how = transformers.GenerationConfig(
            max_new_tokens=_NEW_TOKENS,
            do_sample=False,
            num_beams=1,
            pad_token_id=self._padding,
            **{name: value for name, value in ids.items() if value is not None},
        )

    def _forward(self, inputs: dict[str, Any]) -> Any:
        inputs.pop("position_ids", None)  # generate counts them itself, from the mask
        written = self.model.generate(**inputs, generation_config=self._how)
        return written[:, inputs["input_ids"].shape[1] :] if self.left else written

    def _read(self, raw: Any) -> list[Outcome]:
        """Return what the words say."""
        found = []
        for text in self._tokenizer.batch_decode(raw, skip_special_tokens=True):
            # Exactly the answer, as the published script has it; a decoder may put a space first.
            said = text.strip() if self.left else text
            found.append(Outcome(supported=said == self.labels[0], label=said[:40]))
        return found


def _start_token(model: Any, padding: int) -> int:
    for config in (model.config, getattr(model, "generation_config", None)):
        start = getattr(config, "decoder_start_token_id", None)
        if start is not None:
            return int(start)
    return padding
