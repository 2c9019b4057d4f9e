from __future__ import annotations

import random

import pytest

from citemeter.errors import JudgeError
from citemeter.judges.lexical.features import FEATURES, read_logistic
from citemeter.judges.lexical.judge import LexicalJudge
from citemeter.judges.lexical.memory import Remembered
from citemeter.verdicts import Verdict

FIT = read_logistic("lexical_parameters.txt")
PTO = "Unused PTO up to 5 days may be carried over to the next year."

HOLDS = [
    (PTO, "Up to 5 unused days carry over."),
    (PTO, "Up to five unused days carry over."),
    # inflection and derivation
    ("The firm employs 40 people in Lisbon.", "40 people are employed by the firm in Lisbon."),
    ("The museum was founded in 1905.", "The founding of the museum was in 1905."),
    # number formats
    ("The city has 1,498,302 inhabitants.", "The city has 1.5 million inhabitants."),
    ("Revenue rose by 1,500,000 dollars.", "Revenue rose by $1.5 million."),
    ("The bridge cost 1 000 000 euros.", "The bridge cost €1 million."),
    ("The bridge cost 1.000.000 €.", "The bridge cost one million euros."),
    ("The survey covered 12,400 homes.", "The survey covered over 12,000 homes."),
    ("About a third of adults smoke.", "33% of adults smoke."),
    ("Half of the voters stayed at home.", "50 percent of the voters stayed at home."),
    ("The rate was 4.5 per cent.", "The rate was 4.5%."),
    ("人口は３万人です。", "人口は30000人です。"),
    # units
    ("The trail is 8 km long.", "The trail is five miles long."),
    ("The trail is 8 km long.", "The trail is 8,000 metres long."),
    ("The contract lasts 24 months.", "The contract lasts two years."),
    ("The oven must reach 212 °F.", "The oven must reach 100 degrees Celsius."),
    ("The farm covers 100 hectares.", "The farm covers 1 km²."),
    # dates
    ("Neil Armstrong was born on August 5, 1930.", "Neil Armstrong was born on 5 August 1930."),
    ("Neil Armstrong was born on 1930-08-05.", "Neil Armstrong was born on August 5, 1930."),
    ("The festival ran 5–7 August 2020.", "The festival ran on 5 August 2020."),
    ("The song came out in 1994.", "The song came out in the 1990s."),
    ("The church dates from 1850.", "The church dates from the 19th century."),
    ("The shop opens at 17:00.", "The shop opens at 5 pm."),
    ("The treaty was signed on 3 de mayo de 2020.", "The treaty was signed on 3 May 2020."),
    # polarity
    ("Smoking is not permitted in the building.", "Smoking isn't permitted in the building."),
    ("Smoking is prohibited in the building.", "Smoking is not permitted in the building."),
    ("Not only cats but dogs sleep.", "Cats and dogs sleep."),
    ("As altitude increases, pressure decreases.", "With more altitude, pressure decreases."),
    ("The law did not take effect until 1990.", "The law took effect in 1990."),
    ("The study asks whether or not patients recover.", "The study asks whether patients recover."),
    # names and abbreviations
    ("The World Health Organization declared an outbreak.", "The WHO declared an outbreak."),
    ("The WHO declared an outbreak.", "The World Health Organization declared an outbreak."),
    ("The United States economy grew.", "The U.S. economy grew."),
    ("The US economy grew.", "The U.S. economy grew."),
    ("José García pintó la casa.", "Jose Garcia pintó la casa."),
    # the title is evidence
    ("Title: Marie Curie\nShe won two Nobel Prizes.", "Marie Curie won two Nobel Prizes."),
    # other languages
    ("Das Gesetz gilt seit 2010 in Bayern.", "Seit 2010 gilt das Gesetz in Bayern."),
    ("公司员工每年有二十五天的带薪休假。", "员工每年有带薪休假。"),
    ("회사는 2010년에 설립되었다.", "회사는 2010년에 설립되었다."),
    # what is said of the sources is no claim about the subject
    ("The bridge opened in spring.", "Based on the given context, the bridge opened in spring."),
    ("It has 12 rooms.", "According to the sources provided, it appears that it has 12 rooms."),
    # markers left in the statement are no numbers
    ("The bridge opened in spring.", "The bridge opened in spring [12]."),
]  # fmt: skip

FAILS = [
    ("Employees accrue 25 days of paid time off a year.", "Up to 5 unused days carry over."),
    (PTO, "Up to 10 unused days carry over."),
    (PTO, "Up to 5 weeks of unused PTO may be carried over."),
    (PTO, "Unused PTO may not be carried over to the next year."),
    ("The city has 1,498,302 inhabitants.", "The city has 1.6 million inhabitants."),
    ("The rate was 4.5%.", "The rate was 5.4%."),
    ("The bridge cost $5 million.", "The bridge cost €5 million."),
    ("The speed limit is 50 km/h.", "The speed limit is 50 mph."),
    ("The trail is 8 km long.", "The trail is 8 miles long."),
    ("Neil Armstrong was born on August 5, 1930.", "Neil Armstrong was born on August 6, 1930."),
    (
        "Neil Armstrong (August 5, 1930 – August 25, 2012) was an astronaut.",
        "Neil Armstrong, an astronaut, died on 5 August 2012.",
    ),
    ("The song came out in 1994.", "The song came out in the 1980s."),
    ("The shop opens at 17:00.", "The shop opens at 6 pm."),
    ("Smoking is not permitted in the building.", "Smoking is permitted in the building."),
    ("Smoking is permitted in the building.", "Smoking is not permitted in the building."),
    ("Smoking is permitted in the building.", "Smoking is prohibited in the building."),
    ("The drug doesn't reduce mortality.", "The drug reduces mortality."),
    ("Profits increased in the second quarter.", "Profits decreased in the second quarter."),
    ("Google bought YouTube in 2006.", "Microsoft bought YouTube in 2006."),
    ("The river crosses Vienna and Budapest.", "The river crosses Vienna and Belgrade."),
    ("The team won the cup three times.", "The team won the cup four times."),
    ("公司员工每年有二十五天的带薪休假。", "银行贷款利率去年上升。"),
    ("Das Gesetz gilt seit 2010 in Bayern.", "Das Gesetz gilt seit 2011 in Bayern."),
]  # fmt: skip


@pytest.fixture(scope="module")
def judge() -> LexicalJudge:
    return LexicalJudge()


def one(judge: LexicalJudge, premise: str, hypothesis: str) -> Verdict:
    return judge.judge([(premise, hypothesis)])[0]


@pytest.mark.parametrize(("premise", "hypothesis"), HOLDS)
def test_supported(judge: LexicalJudge, premise: str, hypothesis: str) -> None:
    verdict = one(judge, premise, hypothesis)
    assert verdict.supported, verdict.reason


@pytest.mark.parametrize(("premise", "hypothesis"), FAILS)
def test_not_supported(judge: LexicalJudge, premise: str, hypothesis: str) -> None:
    verdict = one(judge, premise, hypothesis)
    assert not verdict.supported, verdict.reason


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("Alice sued Bob.", "Bob sued Alice."),
        ("The cat chased the dog.", "The dog chased the cat."),
        ("Rome is older than Paris, and Lyon is in France.", "Rome is older than Lyon."),
        ("It may rain on Sunday.", "It will rain on Sunday."),
    ],
)
def test_blind_to_roles_and_modality(judge: LexicalJudge, premise: str, hypothesis: str) -> None:
    # Not wanted but true, and said in the documentation: a change here must change it there.
    assert one(judge, premise, hypothesis).supported


@pytest.mark.parametrize(
    ("premise", "hypothesis", "reason"),
    [
        (
            PTO,
            "Up to 5 unused days carry over.",
            "all informative words and the amount 5 days are in the passage",
        ),
        (PTO, "Up to 10 unused days carry over.", "amount 10 days is not in the passage"),
        (PTO, "Up to 5 unused weeks carry over.", "the passage has '5 days' for '5 weeks'"),
        (PTO, "Up to 5 weeks carry over.", "the passage has '5 days' for '5 weeks'"),
        (PTO, "A stipend is paid.", "'stipend' and 'paid' are not in the passage"),
        (
            PTO,
            "Unused PTO can't be carried over.",
            "the statement negates 'carried' and the passage does not",
        ),
        (
            "No PTO is carried over.",
            "PTO is carried over.",
            "the passage negates 'PTO' and the statement does not",
        ),
        ("", "Up to 5 days.", "the passage is empty"),
        (" \n\t", "Up to 5 days.", "the passage is empty"),
        (PTO, "", "the statement has no informative word or number to check"),
        (PTO, "It is so.", "the statement has no informative word or number to check"),
        (PTO, "…!", "the statement has no informative word or number to check"),
        ("He was born on 3 May 2020.", "3 May 2020", "the date 3 May 2020 is in the passage"),
        ("It was 1984.", "1984", "the number 1984 is in the passage"),
    ],
)  # fmt: skip
def test_reason(judge: LexicalJudge, premise: str, hypothesis: str, reason: str) -> None:
    assert one(judge, premise, hypothesis).reason == reason


def test_words_far_apart_are_not_one_statement(judge: LexicalJudge) -> None:
    filler = "Lorem ipsum dolor sit amet consectetur. " * 30
    premise = f"Cormorants {filler} dive {filler} for mackerel {filler} near Trondheim."
    verdict = one(judge, premise, "Cormorants dive for mackerel near Trondheim.")
    assert verdict.supported is False
    assert verdict.reason == "the informative words are in the passage but far apart"


def test_two_passages_support_a_statement_together(judge: LexicalJudge) -> None:
    filler = "Lorem ipsum dolor sit amet consectetur. " * 30
    first = f"The Danube rises in the Black Forest. {filler}"
    second = f"{filler} It reaches the Black Sea through a large delta in Romania."
    statement = (
        "The Danube rises in the Black Forest and reaches the sea through a delta in Romania."
    )
    assert not judge(first, statement)
    assert not judge(second, statement)
    assert judge(f"{first}\n{second}", statement)


def test_identity_and_threshold() -> None:
    assert str(LexicalJudge().identity) == f"lexical-2,threshold={FIT.threshold}"
    assert LexicalJudge(threshold=0.25).identity.threshold == 0.25
    assert LexicalJudge(threshold=0.0)(PTO, "Something else entirely.")
    assert not LexicalJudge(threshold=1.0)(PTO, "Unused holidays carry over.")
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(JudgeError, match="not between 0 and 1"):
            LexicalJudge(threshold=threshold)


@pytest.mark.parametrize("clash", ["numbers", "counts", "polarity"])
def test_a_clash_decides_whatever_the_words_say(clash: str) -> None:
    everything = [f.best if f.name != clash else 1.0 for f in FEATURES]
    assert FIT.probability([f.best for f in FEATURES]) >= FIT.threshold
    assert FIT.probability(everything) < FIT.threshold


def test_no_weight_turns_its_sign() -> None:
    assert FIT.names == tuple(f.name for f in FEATURES)
    for feature, weight in zip(FEATURES, FIT.weights, strict=True):
        assert weight * feature.sign >= 0


def test_verdicts_are_valid_models(judge: LexicalJudge) -> None:
    for premise, hypothesis in [*HOLDS, *FAILS, ("", ""), ("x", "")]:
        verdict = one(judge, premise, hypothesis)
        assert verdict == Verdict.model_validate(verdict.model_dump())
        assert verdict.score is not None
        assert 0 <= verdict.score <= 1
        assert verdict.supported == (verdict.score >= FIT.threshold)


def test_order_batches_and_repetition_do_not_matter() -> None:
    pairs = [*HOLDS, *FAILS]
    expected = LexicalJudge().judge(pairs)
    mixed = list(range(len(pairs)))
    random.Random(0).shuffle(mixed)
    judge = LexicalJudge()
    assert judge.judge([pairs[i] for i in mixed]) == [expected[i] for i in mixed]
    assert [judge.judge([pair])[0] for pair in pairs] == expected


def test_memory_is_bounded() -> None:
    built: list[str] = []
    remembered = Remembered(lambda text: built.append(text), 20)
    for text in [
        *(f"Text {number}" for number in range(50)),
        *("x" * n for n in range(10_001, 10_030)),
    ]:
        remembered(text)
        remembered(text)
    assert len(built) == 50 + 29
    assert remembered._many.cache_info().currsize == 20
    assert remembered._few.cache_info().currsize == 8


@pytest.mark.parametrize(
    "text",
    ["\x00", "\ud800", "[" * 1000, "1" * 5000, "٣" * 40, "a\u0301" * 50, "مرحبا بالعالم", "🙂 🙂"],
)
def test_odd_text_gets_a_verdict(judge: LexicalJudge, text: str) -> None:
    for pair in ((text, text), (text, PTO), (PTO, text)):
        assert one(judge, *pair).supported is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "[", '"', "5 ", "1,", "1 000 ", "May 5 ", "a\n", "not ", "unused days do not carry. ",
        "World ", "A.", "a'", "one ", "thousand ", "休假", "days ", "increase ", "W ", "a\u0301",
        "9", "about 5 ", "[1, ", " ", "of the ", "2020-", "1:", "$",
    ],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    import time

    statement = "Up to 5 Unused days of PTO carry over on 3 May 2020, not 6, WHO said."

    def taken(size: int) -> float:
        text = unit * (size // len(unit))
        judge = LexicalJudge()
        begun = time.process_time()
        judge.judge([(text, statement), (PTO, text), (text, text)])
        return time.process_time() - begun

    small, large = taken(50_000), taken(400_000)
    assert large < 8 * 4 * small + 0.5
