"""``score``: a data set in, a report out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from citemeter.errors import InputError
from citemeter.evaluation.engine import METRICS, STREAM_LIMIT, Evaluation
from citemeter.evaluation.scored import Scored
from citemeter.judges.base import Entails, Judge
from citemeter.models import Response
from citemeter.results import Report, ResponseResult
from citemeter.text.phrases.refusals import RefusalRule

if TYPE_CHECKING:
    from citemeter.contract import Contract

__all__ = ["METRICS", "STREAM_LIMIT", "Evaluation", "Scored", "score"]


def score(
    responses: Iterable[Any],
    judge: str | Judge | Entails | None = "embedded",
    protocol: str = "alce",
    *,
    style: Any = "auto",
    segmenter: Any = "citemeter",
    attach: Literal["previous", "next"] = "previous",
    numbering: Literal[0, 1] | None = None,
    worthiness: Any = "default",
    recall_over: Literal["all", "worthy"] = "all",
    duplicates: Literal["set", "occurrences"] = "set",
    at_most_citations: int | None = None,
    zero_division: float | None = None,
    refusals: Literal["count", "leave_out"] = "count",
    refusal_rule: RefusalRule | None = None,
    claim_support: Literal["tokens", "judge"] = "tokens",
    contract: Contract | Sequence[Any] | str | Path | None = None,
    repair: bool = False,
    describe: bool = False,
    strict: bool = False,
    keep_results: bool = True,
    on_result: Callable[[ResponseResult], None] | None = None,
) -> Report:
    """Measure whether the citations in answers hold.

    Args:
        responses: ``Response`` objects or plain dicts with their fields. Answers not yet cut into
            statements are parsed.
        judge: What decides entailment: a name that ``load_judge`` reads, a judge, or any
            ``(premise, hypothesis) -> bool`` callable; ``None`` leaves out the metrics that need
            verdicts.
        protocol: The rule set of citation recall and precision: ``"alce"`` or ``"alce-script"``.
        style: Which markers are citations; ``"auto"`` decides for each answer.
        segmenter: What cuts sentences: ``"citemeter"``, ``"punkt"``, ``"line"``, or a callable.
        attach: Whether a marker after a full stop belongs to the previous or the next sentence.
        numbering: ``None`` if numbers in markers are source ids; 0 or 1 if they count the sources.
        worthiness: The rule that says which statements need a citation.
        recall_over: Count all statements in citation recall, or only those worthy of a citation.
        duplicates: Count an id repeated in one statement once, or by its occurrences.
        at_most_citations: Judge only the first so many citations of a statement.
        zero_division: The value of a metric at 0/0; undefined by default.
        refusals: Count answers that decline and cite nothing in recall and coverage, or leave them
            out.
        refusal_rule: What decides whether an answer declines: a callable from the answer to true
            or false; by default ``citemeter.text.phrases.refusals.abstains``.
        claim_support: Who says whether cited texts hold a claim, where ``expected_…`` fields ask
            for it: their ``"tokens"``, or the ``"judge"``.
        contract: The prompt's instructions: a contract, a file that holds one, or what is in it;
            see ``citemeter.contract.read_contract``.
        repair: Look for what would fix each answer's citations: see
            ``citemeter.repair.suggest_citations``.
        describe: Compute the amounts and positions of citations too.
        strict: Raise at the first record that cannot be scored.
        keep_results: Keep each response's result in the report. Without them, memory stays flat
            however many responses there are.
        on_result: Called with each result as it comes.

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
    evaluation = Evaluation(
        judge,
        protocol,
        style=style,
        segmenter=segmenter,
        attach=attach,
        numbering=numbering,
        worthiness=worthiness,
        recall_over=recall_over,
        duplicates=duplicates,
        at_most_citations=at_most_citations,
        zero_division=zero_division,
        refusals=refusals,
        refusal_rule=refusal_rule,
        claim_support=claim_support,
        contract=contract,
        repair=repair,
        describe=describe,
        remember=None if keep_results else STREAM_LIMIT,
    )
    if isinstance(responses, (Mapping, Response, str, bytes)) or not isinstance(
        responses, Iterable
    ):
        raise InputError(
            f"expected a list of responses, got {type(responses).__name__}.",
            fix="put the response in a list.",
        )
    kept: list[ResponseResult] = []
    for scored in evaluation.run(responses, strict=strict):
        if keep_results or on_result is not None:
            result = scored.result()
            if keep_results:
                kept.append(result)
            if on_result is not None:
                on_result(result)
    return evaluation.report(kept)
