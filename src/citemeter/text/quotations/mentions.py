"""Telling quotations from titles, names and words that are only mentioned."""

from __future__ import annotations

import re

from citemeter.text.quotations.folding import SOLID, SOLID_SCRIPTS

_WORD = re.compile(rf"[^\W_{SOLID_SCRIPTS}]+(?:['’.,-][^\W_{SOLID_SCRIPTS}]+)*")
_SPACELESS_LETTERS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# Words that titles leave small, of several languages.
_SMALL = _words(
    "a an the and or but nor for so yet of in on at to by with from as is it if up out off over",
    "vs via into onto than that per who its not are was be do",
    "der die das den dem des ein eine und oder von zu im am mit für auf",
    "le la les un une des du de et ou en au aux à dans sur pour",
    "el los las una y o del al con por para lo il gli di e da della dei nel het van een op te voor",
)
_ARTICLES = _words(
    "the a an its their his her this der die das den dem ein eine le la les un une el los las una",
    "il lo gli uno o os as um uma de het een",
)
# After these a short stretch in quotation marks is a name, a title or a word as a word.
_NAMING = _words(
    "titled entitled called named dubbed nicknamed termed styled labelled labeled headed captioned",
    "so-called word words term terms keyword keywords song single film movie book novel novella",
    "poem play album series episode article essay chapter section show musical opera game painting",
    "documentary track anthem hymn magazine website blog podcast",
    "genannt genannte genannten namens betitelt sogenannte sogenannten begriff wort titel buch",
    "lied roman intitulé intitulée appelé appelée nommé nommée mot terme livre chanson",
    "titulado titulada llamado llamada denominado denominada palabra término película libro novela",
    "canción intitolato intitolata chiamato chiamata parola termine genaamd getiteld woord",
)
_NAMING_TWO = frozenset(
    ("known as", "to as", "translated as", "concept of", "notion of", "connu comme", "bekannt als")
)
_NAMING_SOLID = ("所谓", "所谓的", "名为", "题为", "称为", "叫做", "いわゆる")
# Before a question in quotation marks: it is asked, not quoted.
_ASKING = _words("question questions query prompt ask asks asked asking frage pregunta domanda")
# After these even capitalised words are what a sign or a rule says.
_REPORTING = _words(
    "say says said state states stated stating read reads reading write writes wrote declares",
    "declared warns sagt steht schreibt lautet dit écrit dice reza diz zegt",
)
_NAME_WORDS = 8
_TITLE_WORDS = 15
_AUTHOR = re.compile(r"(?:\bet al\.?|\b[A-Z]\.|\(\d{4}[a-z]?\)\.?|\[\d{1,3}\])[,.]?\s*\Z")
_JOURNAL = re.compile(r"\s+[A-Z(*_]")


def count_words(text: str) -> int:
    """Count words; in scripts without spaces two characters are taken for a word.

    >>> count_words("up to 1,250 people's"), count_words("自転車は外に")
    (4, 3)
    """
    solid = len(SOLID.findall(text))
    long = len(_SPACELESS_LETTERS.findall(text))
    return len(_WORD.findall(text)) + (solid - long + 1) // 2 + (long + 3) // 4


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
    tail = before.rstrip(" \t\n*_(:,")
    lead = tail.lower().split()[-3:]
    if lead and lead[-1] in _ARTICLES:
        lead.pop()
    last = lead[-1].lstrip("(\"'“*_") if lead else ""
    two = " ".join(lead[-2:])
    plain = _WORD.findall(words)
    if len(plain) <= _NAME_WORDS and (
        last in _NAMING or two in _NAMING_TWO or tail.endswith(_NAMING_SOLID)
    ):
        return True
    end = words[-1:]
    if end == "?" and (last in _ASKING or two == "such as"):
        return True
    if end in ("?", ".", ",") and _JOURNAL.match(after) and _AUTHOR.search(before):
        return True  # a work in a list of references
    if before.rstrip()[-2:] == '":':
        return True  # a value in JSON
    if last == "that" and len(lead) > 1:
        last = lead[-2]
    return last not in _REPORTING and _is_title(words, plain)


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
            titles += not word.isupper()
        elif first.isdigit():
            continue
        elif word.lower() not in _SMALL:
            return False
    return titles >= 2 and 2 * titles > capitals
