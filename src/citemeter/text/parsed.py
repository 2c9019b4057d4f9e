"""An answer that has been read, before the models of its statements are built.

A run over a data set needs of most answers only what is judged and counted; building a model for
every statement and citation would cost more than everything else. A ``Reading`` holds what is
needed and builds the rest when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from citemeter.errors import InputError
from citemeter.models import Citation, ParseInfo, Response, Source, Span, Statement, marked

__all__ = ["AnswerOutcome", "Claim", "Reading", "RefusalRule", "Row", "claims_of", "outcome_of"]

Claim: TypeAlias = tuple[str, Sequence[str]]
"""``(text, ids)``: a statement's words, and the source ids it cites, one for each occurrence."""

Row: TypeAlias = tuple[
    str, tuple[str, ...], str | None, int, int, Sequence[tuple[int, int, tuple[str, ...]]]
]
"""``(text, ids, exemption, start, end, [(start, end, ids) of each marker])`` of a statement."""


RefusalRule: TypeAlias = Callable[[str], bool]
"""From an answer as written, markers and all, to whether it declines to answer."""

AnswerOutcome: TypeAlias = Literal["abstained", "answered", "empty"]
"""What an answer does.

- ``abstained``: it declines to answer.
- ``answered``: it does not.
- ``empty``: it says nothing: no answer, or one without a statement.
"""


def claims_of(statements: Sequence[Statement]) -> list[Claim]:
    """Return what is judged of statements: their words and the ids they cite.

    >>> claims_of([Statement(text="Cats purr.", citations=(Citation(source_id="a"),))])
    [('Cats purr.', ['a'])]
    """
    return [(s.text, [citation.source_id for citation in s.citations]) for s in statements]


class Reading:
    """A response whose answer has been cut into statements.

    Args:
        given: The response as it came.
        parsing: How its answer was read; ``None`` if its statements came already split.
        rows: The statements, not yet built; or
        statements: The statements, built.
        unattached: The citations that belong to none of them.
    """

    __slots__ = (
        "_built",
        "claims",
        "given",
        "parsing",
        "refusal_rule",
        "rows",
        "statements",
        "unattached",
        "worthy",
    )

    def __init__(
        self,
        given: Response,
        parsing: ParseInfo | None,
        rows: Sequence[Row] | None = None,
        statements: tuple[Statement, ...] = (),
        unattached: tuple[Citation, ...] = (),
    ) -> None:
        self.given = given
        self.parsing = parsing
        self.rows = rows
        self.statements = statements
        self.unattached = unattached
        self._built: Response | None = None
        self.refusal_rule: RefusalRule | None = None
        self.claims: list[Claim]
        self.worthy: list[bool]
        if rows is not None:
            self.claims = [(row[0], row[1]) for row in rows]
            self.worthy = [row[2] is None for row in rows]
        else:
            self.claims = claims_of(statements)
            self.worthy = [statement.needs_citation for statement in statements]

    @classmethod
    def of(cls, response: Response) -> Reading:
        """Return the reading of a response that has its statements."""
        reading = cls(
            response,
            response.parsing,
            statements=response.statements or (),
            unattached=response.unattached,
        )
        reading._built = response
        return reading

    @property
    def sources(self) -> dict[str, Source]:
        """The response's sources by id."""
        return self.given.by_id

    def outcome(self) -> AnswerOutcome:
        """What the answer does: it abstains, answers, or says nothing."""
        if self.rows is None:
            raws = [statement.raw or statement.text for statement in self.statements]
        else:
            answer = self.given.answer or ""
            raws = [answer[row[3] : row[4]] for row in self.rows]
        # As written, markers included: what cites a source is an answer.
        return outcome_of(" ".join(raws), self.given.abstained, self.refusal_rule)

    def abstained(self) -> bool | None:
        """Whether the answer declines to answer; unknown if it has no statements."""
        outcome = self.outcome()
        return None if outcome == "empty" else outcome == "abstained"

    def response(self) -> Response:
        """Return the response with its statements, built when first asked for."""
        if self._built is None:
            if self.rows is not None:
                answer = self.given.answer or ""
                self.statements = tuple([_statement(answer, row) for row in self.rows])
            values = dict(self.given.__dict__)
            values.pop("by_id", None)
            values["statements"] = self.statements
            values["unattached"] = self.unattached
            values["abstained"] = self.abstained()
            values["parsing"] = self.parsing
            self._built = Response.trusted(values)
        return self._built


def _statement(answer: str, row: Row) -> Statement:
    text, _, exemption, start, end, markers = row
    return Statement.trusted(
        {
            "text": text,
            "raw": answer[start:end],
            "span": Span(start, end),
            "citations": tuple(
                [
                    marked(i, answer[first:last], Span(first, last))
                    for first, last, ids in markers
                    for i in ids
                ]
            ),
            "kind": "sentence",
            "needs_citation": exemption is None,
            "exemption": exemption,
            "target": None,
        }
    )


def outcome_of(
    text: str, abstained: bool | None = None, rule: RefusalRule | None = None
) -> AnswerOutcome:
    """Return whether an answer abstains, answers, or says nothing.

    Args:
        text: The answer's statements as written, markers included; headings, code and lists of
            references are none of them.
        abstained: What is known already: it came with the record, or the parser found it.
        rule: What decides whether an answer declines. By default ``abstained`` if it is known, and
            else ``citemeter.text.phrases.refusals.abstains``; a rule of the caller's own overrules
            both.

    Raises:
        InputError: If the rule returns anything but true or false.

    >>> outcome_of("The documents do not say when it opened."), outcome_of("In 1904 [1].")
    ('abstained', 'answered')
    >>> outcome_of("NOT_FOUND", rule=lambda text: text == "NOT_FOUND")
    'abstained'
    """
    if rule is None:
        if abstained is None and text.strip():
            from citemeter.text.phrases.refusals import abstains

            abstained = abstains(text)
    elif text.strip():
        abstained = rule(text)
        if not isinstance(abstained, bool):
            raise InputError(
                f"the refusal rule returned {type(abstained).__name__}.",
                fix="return True if the answer declines to answer, else False.",
            )
    else:
        abstained = None
    if abstained is None:
        return "empty"
    return "abstained" if abstained else "answered"
