"""Telling quotations from titles, names and words that are only mentioned."""

from __future__ import annotations

import re

from citemeter.text.normalize import SOLID_SCRIPTS

__all__ = ["count_words", "is_mention"]

_WORD = re.compile(rf"[^\W_{SOLID_SCRIPTS}]+(?:['’.,-][^\W_{SOLID_SCRIPTS}]+)*")
_SOLID = re.compile(f"[{SOLID_SCRIPTS}]")
_SPACELESS_LETTERS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")

_SMALL = frozenset(
    # words that titles leave small, of several languages
    re.findall(
        r"\w+",
        "a an the and or but nor for so yet of in on at to by with from as is it if up out off "
        "over vs via into onto than that per who its not are was be do "
        "der die das den dem des ein eine und oder von zu im am mit für auf "
        "le la les un une des du de et ou en au aux à dans sur pour "
        "el los las una y o del al con por para lo il gli di e da della dei nel "
        "het van een op te voor",
    )
)
_TITLE_WORDS = 15

_CUE = re.compile(
    r"(?:\b(?:titled|entitled|called|named|dubbed|nicknamed|termed|styled|(?:also )?known as|"
    r"referred to as|labell?ed|headed|captioned|so-called|translated as|(?:concept|notion) of|"
    r"words?|terms?|keywords?|song|single|film|movie|book|novel|novella|poem|play|album|series|episode|"
    r"article|essay|chapter|section|show|musical|opera|game|painting|documentary|track|anthem|hymn|"
    r"magazine|website|blog|podcast|"
    r"genannt|namens|betitelt|Begriff|Wort|Titel|Film|Buch|Lied|Roman|"
    r"intitulée?s?|appelée?s?|nommée?s?|mot|terme|livre|roman|chanson|"
    r"titulad[oa]|llamad[oa]|denominad[oa]|palabra|término|película|libro|novela|canción|"
    r"intitolat[oa]|chiamat[oa]|parola|termine|genaamd|getiteld|woord)"
    r"|所谓的?|名为|题为|称为|叫做|いわゆる)"
    r"(?:\s+(?:the|an?|its|their|his|her|der|die|das|le|la|les|el|los|las|il|lo))?"
    r"\s*[,:]?\s*[*_(]*\Z",
    re.IGNORECASE,
)
_NAME_WORDS = 8
_QUESTION = re.compile(
    r"(?:\b(?:questions?(?: such as| like)?|query|prompt|asks?|asked|asking|Frage|question|pregunta)|问题|質問は?)"
    r"\s*[,:]?\s*[*_(]*\Z",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?:says?|said|states?|stated|stating|reads?|reading|writes?|wrote|declares?|declared|warns?|"
    r"sagt|steht|schreibt|lautet|dit|écrit|dice|reza|diz|zegt)\s*(?:that)?\s*[,:]?\s*[*_(]*\Z",
    re.IGNORECASE,
)
_AUTHOR = re.compile(r"(?:\bet al\.?|\b[A-Z]\.|\(\d{4}[a-z]?\)\.?|\[\d{1,3}\])[,.]?\s*\Z")
_JOURNAL = re.compile(r"\s+[A-Z(*_]")


def count_words(text: str) -> int:
    """Count words; in scripts without spaces two characters are taken for a word.

    >>> count_words("up to 1,250 people's"), count_words("自転車は外に")
    (4, 3)
    """
    count = len(_WORD.findall(text))
    if text.isascii():
        return count
    solid = len(_SOLID.findall(text))
    long = len(_SPACELESS_LETTERS.findall(text))
    return count + (solid - long + 1) // 2 + (long + 3) // 4


def is_mention(words: str, before: str, after: str = "") -> bool:
    """Whether a stretch in quotation marks names something instead of quoting it.

    Args:
        words: The words between the marks.
        before: What stands before the opening mark.
        after: What follows the closing mark.

    >>> is_mention("Gone with the Wind", "He saw ")
    True
    >>> is_mention("the wind rises at noon", "The log says ")
    False
    >>> is_mention("best efforts basis", "defines the term ")
    True
    """
    plain = _WORD.findall(words)
    if len(plain) <= _NAME_WORDS and _CUE.search(before) is not None:
        return True
    if words.rstrip()[-1:] == "?" and _QUESTION.search(before) is not None:
        return True
    if words[-1:] in ".,?" and _AUTHOR.search(before) and _JOURNAL.match(after):
        return True
    if before.rstrip()[-2:] == '":':
        return True  # a value in JSON
    return _is_title(words, plain) and _REPORTS.search(before) is None


def _is_title(words: str, plain: list[str]) -> bool:
    """Whether the words are capitalised as a title's are."""
    if not plain or len(plain) > _TITLE_WORDS or "…" in words or "..." in words:
        return False
    if not plain[0][0].isupper() and not plain[0][0].isdigit():
        return False
    capitals = titles = 0
    for word in plain:
        first = word[0]
        if first.isupper():
            capitals += 1
            titles += any(map(str.islower, word))
        elif first.isdigit():
            continue
        elif word.lower() not in _SMALL:
            return False
    return titles >= 2 and 2 * titles > capitals
