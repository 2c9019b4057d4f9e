"""The characters that end sentences, and what the words around a full stop say about it."""

from __future__ import annotations

import re
from functools import lru_cache

from citemeter.text.sentences.abbreviations import load_words

SPACED_STOPS = ".!?…‽؟۔।॥։።\u037e"
"""Characters that end sentences before white space; for the sets of regular expressions."""
WIDE_STOPS = "。！？｡"
"""Those of Chinese and Japanese, which nothing need follow."""
STOPS = SPACED_STOPS + WIDE_STOPS + "．"
"""All of them; the last also stands inside numbers."""
SENTENCE_ENDS = frozenset(STOPS)
QUESTION_MARKS = ("?", "？", "؟")
CLOSERS = "\"'”’»)]」』*_"
"""What may stand between the end of a sentence and the next one."""

PLAIN_END = re.compile(rf"[.!?](?=\s)|[{WIDE_STOPS}]")
"""A rough sentence end, for text in which no abbreviation matters."""

NEXT = re.compile(r"\s*([\"'“”‘’«„(\[*_¿¡]*)(\S*)")
_NUMBER = re.compile(r"[-–+$€£(]?\d[\d,.]*%?\)?")
_OPENERS = "\"'“‘«„([{*_`¿¡—–-"
_GERMAN = re.compile(r"[äöüßÄÖÜ]|\b(?:der|die|das|und|ist|wird|am|im|dem|den)\b")
_ELIDED = re.compile(r"(?:[lLdD]|[dDnNsS]ell|[aA]ll|[qQ]u)['’](\w{2,})")
_NUMERAL = re.compile(r"[IVXLC]{2,}")
_LETTERED = frozenset(("app", "fig", "figs", "tab", "sec", "sect", "ch", "pt", "vol", "eq", "abb"))

_MEMO_SIZE = 50_000


def ends_sentence(text: str) -> bool:
    """Whether a text ends with the end of a sentence; quotes and brackets may close behind it.

    >>> ends_sentence('He said "It is open."'), ends_sentence("in 1904,")
    (True, False)
    """
    return text.rstrip(CLOSERS)[-1:] in SENTENCE_ENDS


@lru_cache(_MEMO_SIZE)
def is_clear(token: str) -> bool:
    """Whether a stop after this token ends the sentence whatever follows."""
    core = _core(token)
    if not core:
        return True
    words = load_words()
    lower = core.lower()
    if core.isalpha():
        if len(core) > 3:
            return lower not in words.known and not _NUMERAL.fullmatch(core)
        if len(core) == 1:
            # "т. е.", "J. R.": a lone letter is an abbreviation, but for scripts without capitals.
            return core.lower() == core.upper() and lower not in words.known
        if lower in words.number or lower in words.never:
            return False
        if lower in words.known:
            return core.isupper() and len(core) > 2 and core.isascii()
        if _NUMERAL.fullmatch(core):
            return False  # "Ludwig XIV. starb"
        if not core.isascii() or (core.isupper() and len(core) > 2):
            return True
        # What is neither a common word nor a known abbreviation depends on what follows.
        return core.islower() and lower in words.ordinary
    if _NUMBER.fullmatch(core):
        return False
    if lower in words.known or lower in words.abbreviations or "." in core:
        return False
    tail = lower.rpartition("-")[2]
    return not (tail in words.known or (len(tail) <= 3 and tail in words.abbreviations))


def _core(token: str) -> str:
    """Return a token's last word without signs before it or an elided article: "l'art" is "art"."""
    core = token.split()[-1].lstrip(_OPENERS) if token.split() else ""
    match = _ELIDED.fullmatch(core)
    return match[1] if match else core


@lru_cache(_MEMO_SIZE)
def _ask(token: str, following: str) -> bool:
    """Ask nupunkt whether a sentence ends between two words."""
    # A word in front keeps the token from being read as the number of a list item.
    return load_words().tokenize(f"So {token}. {following} x")[0] == f"So {token}."


_SHORT_FORM_START = re.compile(r"\s+['’][snt]\s+[A-ZÀ-Þ]")
"""Dutch sentences that begin in lower case: "'s Avonds", "'t Is"."""

_AFTER_NUMBER = frozenset(("kg", "lb", "lbs", "oz", "ft", "hrs", "cal", "г", "гг", "в", "вв"))
"""Units, and Russian "year(s)" and "century(ies)": after a number they may end a sentence."""


def stop_ends(text: str, start: int, stop: int, end: int, token: str) -> bool:
    """Decide about the stop at ``stop`` after an abbreviation, an initial or a number.

    Args:
        text: The paragraph.
        start: Where the sentence starts.
        stop: Where the stop is.
        end: One past the quotation marks and brackets that close behind it.
        token: The word before the stop.
    """
    words = load_words()
    match = NEXT.match(text, end, min(len(text), end + 80))
    opener, following = match.groups() if match else ("", "")
    core = _core(token)
    lower = core.lower()
    first = following[:1]
    bare = following.rstrip(".,;:!?)]}\"'”’*_").lower()
    if not following:
        return True
    before = text[max(start, stop - len(core) - 16) : stop - len(core)].split()
    pair = f"{before[-1].rstrip('.').lower()}. {lower}" if before else ""
    if lower + ". " + bare in words.pairs and len(lower) <= 3:
        return False
    goes_on = (
        first.islower()
        and not any(c.isupper() for c in following)
        and not _SHORT_FORM_START.match(text, end)
    )
    if goes_on and core.isalpha() and len(core) < 5 and lower not in words.ordinary:
        return False
    if pair in words.pairs or (lower == "al" and before and before[-1].lower() == "et"):
        late = lower in ("д", "п", "chr", "al", "r", "э")
        return late and bool(first.isupper()) and bare in words.starters
    if lower in words.number and (
        first.isdigit()
        or (first in "§#IVX" and re.fullmatch(r"[IVXLC]+\W*|[§#].*", following))
        or (lower in _LETTERED and re.fullmatch(r"[A-Z]\W*", following))
    ):
        return False
    if lower in ("min", "max", "sec", "hr", "h", "st", "sek") and first.isupper():
        return bool(before) and before[-1][-1].isdigit()  # "for 10 min. Heat"
    if lower in _AFTER_NUMBER and before and before[-1][-1:].isdigit():
        return first.isupper()
    if lower in words.never or (
        lower in ("fig", "nr", "abs", "abb", "vol", "pp") and not first.isupper()
    ):
        return bool(
            lower in ("max", "min", "es", "st", "fr", "ca", "pl", "lat", "env", "sig")
            and bare in words.starters
        )
    if _NUMBER.fullmatch(core):
        return _number_ends(text, start, stop, core, following, before)
    if len(core) == 1 and core.islower() and core.isascii() and first.isupper():
        return core != "v"  # "Roe v. Wade"
    if (
        len(core) == 1
        and core.isupper()
        and first.isupper()
        and before
        and (before[-1][-1].isdigit() or before[-1].lower().lstrip("(") in words.before_letter)
    ):
        return True  # "20 C. Done", "vitamin D. Plan"
    if len(core) == 1 and core.isupper():
        if bare in words.starters and first.isupper() and len(following) > 1:
            previous = before[-1] if before else ""
            return not (len(previous) == 2 and previous.endswith("."))
        if first.islower() and not first.isascii():
            return False
        return _ask(core, opener + following)
    if lower in ("etc", "usw", "ecc", "enz", "itd", "atd", "stb"):
        return not first.islower()
    if lower in words.number and not first.islower() and lower not in words.abbreviations:
        return True
    if core.islower() and lower in words.ordinary and not first.islower():
        return True
    if bare in words.openers and first.isupper():
        return True
    if lower in words.final:
        return first.isupper() and _ask(core, opener + following)
    if not core.isascii() and not first.islower():
        return lower not in words.known
    if lower in words.number:
        return core.isalpha() and first.isalpha() and core.islower() and lower in words.ordinary
    if core.isalpha() and len(core) > 1 and core[:1].islower() and first.islower():
        return lower in words.ordinary
    return _ask(core, opener + following)


def _number_ends(
    text: str, start: int, stop: int, core: str, following: str, before: list[str]
) -> bool:
    """``am 3. Mai`` goes on, ``by a factor of 3. Then`` ends; so does ``in 1998. Der``."""
    words = load_words()
    first = following[:1]
    if first.islower() and core.rstrip("%").replace(",", "").replace(".", "").isdigit():
        return "%" in core
    if len(core) <= 3 and core.isdigit():
        bare = following.rstrip(".,;:!?)").lower()
        if bare in words.months:
            return False
        previous = before[-1].lower().lstrip('("') if before else ""
        if previous in words.before_ordinal and first.isupper():
            window = text[max(start, stop - 120) : stop + 80]
            if previous not in ("am", "die", "im", "so") or _GERMAN.search(window):
                return bare in ("der", "die", "das", "er", "sie", "es", "wir", "ein", "eine")
    return True
