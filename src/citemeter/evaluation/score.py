"""``Evaluator``, configured once and used on any records, and ``score``, its one-line use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from citemeter.errors import InputError
from citemeter.evaluation.engine import Run
from citemeter.evaluation.extensions.registry import extensions_of
from citemeter.evaluation.settings import Settings
from citemeter.intake import check_several
from citemeter.judges.base import Entails, Judge
from citemeter.judges.registry import shared_judge
from citemeter.results import Report, ResponseResult

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Evaluator", "score"]


class Evaluator:
    """Measures citations under one judge and one set of choices.

    The judge is loaded once; one given by name is shared by all that name it in this process. An
    evaluator may be used from several threads.

    Args:
        judge: What decides entailment: a name that ``load_judge`` reads, a judge, or any
            ``(premise, hypothesis) -> bool`` callable; ``None`` leaves out the metrics that need
            verdicts.
        protocol: The rule set of citation recall and precision: ``"alce"`` or ``"alce-script"``.
        settings: The choices as an object, in place of ``protocol`` and ``options``.
        options: The choices by name; see ``Settings``.

    Raises:
        InputError: If a choice is unknown.
        JudgeError: If the judge cannot be built.

    >>> evaluator = Evaluator("toy:contains")
    >>> result = evaluator.score_one({"answer": "Cats purr [1].", "sources": ["Cats purr."]})
    >>> result["citation_recall"], result.statements[0].state
    (1.0, 'supported')
    """

    def __init__(
        self,
        judge: str | Judge | Entails | None = "embedded",
        protocol: str = "alce",
        *,
        settings: Settings | None = None,
        **options: Any,
    ) -> None:
        if settings is not None and (options or protocol != "alce"):
            raise InputError(
                "both settings and single options are given.",
                fix="give one of them: dataclasses.replace(settings, ...) changes a choice.",
            )
        self.settings = settings or Settings.of({"protocol": protocol, **options})
        self.judge = None if judge is None else shared_judge(judge)
        extensions_of(self.settings, self.judge is not None)  # what cannot work is refused here

    def run(self, records: Iterable[Any], *, strict: bool = False) -> Iterator[ResponseResult]:
        """Score records as they come and stream their results, in memory that stays flat.

        Args:
            records: Responses or plain records, read as they are needed.
            strict: Raise at the first record that cannot be scored; without it such records are
                passed over. ``score`` reports them.
        """
        return Run(self.settings, self.judge, streaming=True).score(records, strict=strict)

    def score(
        self,
        records: Iterable[Any],
        *,
        strict: bool = False,
        keep_results: bool = True,
        on_result: Callable[[ResponseResult], None] | None = None,
    ) -> Report:
        """Score records and report on them; see the function ``score``."""
        check_several(records, "response")
        run = Run(self.settings, self.judge, streaming=not keep_results)
        kept: list[ResponseResult] = []
        if not keep_results and on_result is None:
            run.count(records, strict=strict)
            return run.report()
        for result in run.score(records, strict=strict):
            if keep_results:
                kept.append(result)
            if on_result is not None:
                on_result(result)
        return run.report(kept)

    def score_one(self, record: Any) -> ResponseResult:
        """Score one record.

        Args:
            record: A response or a plain record.

        Raises:
            InputError: If it cannot be scored.
        """
        [result] = Run(self.settings, self.judge).score([record], strict=True)
        return result

    async def ascore_one(self, record: Any) -> ResponseResult:
        """Score one record in a thread of its own, so that the event loop goes on meanwhile."""
        from asyncio import to_thread

        return await to_thread(self.score_one, record)

    def score_frame(self, frame: DataFrame) -> DataFrame:
        """Score the rows of a pandas data frame and return it with a column a metric.

        Args:
            frame: One record a row, its columns named as the fields of ``Response``. A missing
                value is a field that is not given.

        Returns:
            A copy with the metrics' values, NaN where undefined, and a column ``error`` that says
            why a row could not be scored.

        Raises:
            InputError: If a column has the name of a metric.
        """
        names = Run(self.settings, self.judge).possible_metrics
        taken = [name for name in (*names, "error") if name in frame.columns]
        if taken:
            raise InputError(
                f"the frame has a column {taken[0]!r} already.", fix="rename it, or drop it."
            )
        records = (
            {
                name: value
                for name, value in row.items()
                if not (value is None or (isinstance(value, float) and value != value))
            }
            for row in frame.to_dict("records")
        )
        report = self.score(records)
        scored = frame.copy()
        results = {result.index: result for result in report.results}
        for name in report.metrics:
            if any(name in result.scores for result in report.results):
                scored[name] = [
                    results[place][name] if place in results else None
                    for place in range(len(frame))
                ]
                scored[name] = scored[name].astype("float64")
        errors = {error.index: error.message for error in report.errors}
        scored["error"] = [errors.get(place) for place in range(len(frame))]
        return scored


def score(
    responses: Iterable[Any],
    judge: str | Judge | Entails | None = "embedded",
    protocol: str = "alce",
    *,
    strict: bool = False,
    keep_results: bool = True,
    on_result: Callable[[ResponseResult], None] | None = None,
    **options: Any,
) -> Report:
    """Measure whether the citations in answers hold.

    Args:
        responses: ``Response`` objects or plain dicts with their fields. Answers not yet cut into
            statements are parsed.
        judge: What decides entailment: a name that ``load_judge`` reads, a judge, or any
            ``(premise, hypothesis) -> bool`` callable; ``None`` leaves out the metrics that need
            verdicts.
        protocol: The rule set of citation recall and precision: ``"alce"`` or ``"alce-script"``.
        strict: Raise at the first record that cannot be scored.
        keep_results: Keep each response's result in the report. Without them, memory stays flat
            however many responses there are.
        on_result: Called with each result as it comes.
        options: Every other choice by its name: ``style``, ``segmenter``, ``recall_over``,
            ``contract``, ``repair`` and so on; see ``Settings``.

    Returns:
        The report: macro and micro means, counts, and every response with its statements.

    Raises:
        InputError: If an option is unknown, or ``strict`` is set and a record cannot be scored.
        JudgeError: If the judge cannot be built.

    >>> report = score(
    ...     [{"answer": "Cats purr [1]. Dogs bark [2].", "sources": ["Cats purr.", "Fish swim."]}],
    ...     judge="toy:contains",
    ... )
    >>> report["citation_recall"], report["citation_precision"], report["citation_validity"]
    (0.5, 0.5, 1.0)
    """
    evaluator = Evaluator(judge, protocol, **options)
    return evaluator.score(responses, strict=strict, keep_results=keep_results, on_result=on_result)


def _named_options(function: Callable[..., Any]) -> None:
    """Let ``help`` and notebooks show the settings that a function takes by name."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    names = {parameter.name for parameter in own}
    more = [
        inspect.Parameter(
            choice.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=choice.default,
            annotation=choice.type,
        )
        for choice in Settings.choices()
        if choice.name not in names
    ]
    function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]


for _function in (score, Evaluator.__init__):
    _named_options(_function)
