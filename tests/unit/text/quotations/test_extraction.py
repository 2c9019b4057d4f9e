"""Finding quotations in answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.errors import InputError
from citemeter.models import Response, Span
from citemeter.text.parse import parse
from citemeter.text.quotations import extraction
from citemeter.text.quotations.extraction import Quotation, find_quotations

SOURCES = {"1": "One.", "2": "Two."}


def quotes(answer: str, **options: int) -> list[Quotation]:
    return find_quotations(parse(answer, SOURCES), **options)


def texts(answer: str) -> list[str]:
    return [quotation.text for quotation in quotes(answer)]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ('It says "the gate is shut" [1].', "straight"),
        ("It says “the gate is shut” [1].", "curly"),
        ('It says “the gate is shut" [1].', "curly"),
        ("It says 'the gate is shut' [1].", "single"),
        ("It says ‘the gate is shut’ [1].", "single"),
        ("It says ´the gate is shut´ [1].", "single"),
        ("It says „the gate is shut“ [1].", "german"),
        ("It says „the gate is shut” [1].", "german"),
        ("It says ‚the gate is shut‘ [1].", "single"),
        ("It says ”the gate is shut” [1].", "curly"),
        ("It says «the gate is shut» [1].", "guillemet"),
        ("It says « the gate is shut » [1].", "guillemet"),
        ("It says »the gate is shut« [1].", "guillemet"),
        ("It says ‹the gate is shut› [1].", "guillemet"),
        ("It says 「the gate is shut」 [1].", "cjk"),
        ("It says 『the gate is shut』 [1].", "cjk"),
        ("It says ``the gate is shut'' [1].", "latex"),
        ('It says **"the gate is shut"** [1].', "straight"),
        ('It says ("the gate is shut") [1].', "straight"),
        ('It says—"the gate is shut"—[1].', "straight"),
        ('It says "the gate is shut"[1].', "straight"),
        ('It says "the gate is shut [1]".', "straight"),
        ('It says "the gate is shut [1]."', "straight"),
        ("> the gate is shut [1]", "block_quote"),
        ("> the gate\n> is shut [1]", "block_quote"),
        ("The sign:\n\n> “the gate is shut” [1]", "block_quote"),
        ("> the gate is shut\n>\n> — The sign [1]", "block_quote"),
    ],
)
def test_every_kind_of_mark(answer: str, kind: str) -> None:
    (quotation,) = quotes(answer)
    assert quotation.kind == kind
    assert quotation.text.replace("\n", " ") == "the gate is shut"
    assert quotation.cited == ("1",)


@pytest.mark.parametrize(
    "answer",
    [
        "No marks at all here [1].",
        'A "smart" meter and a “green roof” stand here [1].',
        "The boats' masts and the crews' cabins don't need paint [1].",
        "Rock 'n' roll of the '50s and the '60s' bands isn't the crews' choice [1].",
        "'Tis the boats' season and 'twas the crews' choice [1].",
        "The door is 6' 2\" high and 2' 11\" wide [1].",
        'Fit a 12" pipe to the tank and a 6" valve to the hose [1].',
        "It lies at 40° 26' 46\" N and 79° 58' 56\" W of here [1].",
        'Run `print("hello from the quay")` to test it [1].',
        '```\nprint("hello from the quay")\n```\nIt prints [1].',
        'The film "Summer on the Quay" won, and so did "Gone with the Wind." [1]',
        "The song 'let it all be now' is old [1].",
        'The so-called "green roof garden" is moss [1].',
        'The answer to the question "who keeps the gate shut?" is unknown [1].',
        'The file is {"name": "the gate is shut"} [1].',
        'It says "the gate is shut [1].',
        "It says &quot;the gate is shut&quot; [1].",
        '# "The gate is shut at dusk"\n\nThat is so [1].',
        "L'eau d'hiver n'est pas l'eau d'été [1].",
        "Press ` to open and ' to close the gate [1].",
        "> [!NOTE]\n> The gate is shut [1].",
    ],
)
def test_what_is_no_quotation(answer: str) -> None:
    assert texts(answer) == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("“he said ‘stop’ and left” [1].", ["he said ‘stop’ and left"]),
        ('"he said "stop" and left" [1].', ['he said "stop" and left']),
        ("'the boats' masts are bare' [1].", ["the boats' masts are bare"]),
        ("‘the boats’ masts are bare’ [1].", ["the boats’ masts are bare"]),
        ("The gate's sign says 'it isn't shut now' [1].", ["it isn't shut now"]),
        (
            'It is "kept at all of 27" and "shut at half past 8" [1].',
            ["kept at all of 27", "shut at half past 8"],
        ),
        ('He said "a 6" pipe is needed here" [1].', ['a 6" pipe is needed here']),
        ('An open " mark, then "the gate is shut" [1].', ["the gate is shut"]),
        ('The sign says "No Dogs Allowed" [1].', ["No Dogs Allowed"]),
        ('"The gate is shut. It opens at dawn." [1]', ["The gate is shut. It opens at dawn."]),
        (
            '- "the gate is shut" [1]\n- "it opens at dawn" [2]',
            ["the gate is shut", "it opens at dawn"],
        ),
        ('| A | B |\n|---|---|\n| x | "the gate is shut" [1] |', ["the gate is shut"]),
        ("`the gate was shut at dusk` says the sign [1].", ["the gate was shut at dusk"]),
        ("規則には「門は閉める」とある[1]。", ["門は閉める"]),
    ],
)
def test_where_quotations_begin_and_end(answer: str, expected: list[str]) -> None:
    assert texts(answer) == expected


def test_several_paragraphs_each_open_again() -> None:
    (quotation,) = quotes('It says: "The gate is shut.\n\n"It opens at dawn" [1].')
    assert quotation.text == "The gate is shut.\n\nIt opens at dawn"


def test_an_open_mark_does_not_reach_over_a_paragraph() -> None:
    assert texts('It "has no end.\n\nThe sign says "the gate is shut" [1].') == ["the gate is shut"]


def test_a_quotation_cites_what_its_sentence_cites() -> None:
    answer = 'One says "opens at seven daily" [1] and another "closes at nine sharp" [2][9].'
    assert [quotation.cited for quotation in quotes(answer)] == [("1", "2", "9")] * 2


def test_a_quotation_of_two_sentences_cites_what_both_cite() -> None:
    (quotation,) = quotes('It says "the gate is shut [1]. It opens at dawn" [2].')
    assert quotation.cited == ("1", "2")
    assert quotation.statement == 0
    assert quotation.text == "the gate is shut. It opens at dawn"


def test_a_block_quote_cites_what_introduces_it() -> None:
    (quotation,) = quotes("The sign says [2]:\n\n> the gate is shut")
    assert quotation.cited == ("2",)
    (quotation,) = quotes("The sign is old [2].\n\n> the gate is shut")
    assert quotation.cited == ()


def test_block_quotes_with_ids_of_their_own() -> None:
    found = quotes("> the gate is shut [1]\n\n> it opens at dawn [2]")
    assert [(q.text, q.cited) for q in found] == [
        ("the gate is shut", ("1",)),
        ("it opens at dawn", ("2",)),
    ]


def test_an_uncited_repetition_of_the_question_is_none() -> None:
    response = Response(
        question="Is the gate shut at dusk?",
        statements=[('You ask whether "the gate shut at dusk".', [])],
    )
    assert find_quotations(response) == []


def test_statements_already_split() -> None:
    response = Response(
        statements=[('It says "the gate is shut".', ["a"]), ("It is “old and worn”.", [])]
    )
    assert [(q.text, q.span, q.statement, q.cited) for q in find_quotations(response)] == [
        ("the gate is shut", None, 0, ("a",)),
        ("old and worn", None, 1, ()),
    ]


def test_an_answer_not_yet_cut_is_an_error() -> None:
    with pytest.raises(InputError, match="parse the answer first"):
        find_quotations(Response(answer='"a b c"'))


def test_min_words() -> None:
    assert [q.text for q in quotes('The "old gate" is shut [1].', min_words=2)] == ["old gate"]
    assert [q.text for q in quotes('The "gate" is shut [1].', min_words=1)] == ["gate"]


def test_spans_cover_the_words() -> None:
    answer = "It says « the gate is shut » [1]."
    (quotation,) = quotes(answer)
    assert quotation.span == Span(10, 26)
    assert quotation.span.of(answer) == "the gate is shut"


@given(st.text(st.sampled_from("ab \n\"'“”«»>-1[]s."), max_size=80))
@settings(max_examples=150, deadline=None)
def test_every_quotation_stands_in_its_answer(text: str) -> None:
    for quotation in quotes(text, min_words=1):
        assert quotation.span is not None
        if quotation.kind != "block_quote" and "[" not in text and "\n" not in text:
            assert quotation.span.of(text) == quotation.text


def test_an_answer_without_marks_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    response = parse("The boats don't need paint, and the crews' cabins are dry [1]. " * 8, SOURCES)
    monkeypatch.setattr(extraction, "pair_marks", None)
    assert find_quotations(response) == []
