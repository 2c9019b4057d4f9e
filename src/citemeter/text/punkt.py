"""The default segmenter: Punkt's decisions with nupunkt's parameters, made once per word.

Whether a stop ends a sentence depends, for most words, on the word alone: it is no abbreviation,
no initial, no number. Those are decided here, with a memo. nupunkt itself is asked about the rest.
Where this departs from nupunkt, it does so on purpose:

* nupunkt's parameters were learned from scanned reports, and hold ordinary words ("cancer",
  "holidays", "luck") and the commonest verb endings of Korean as abbreviations; here an
  abbreviation of more than three letters must be a known one, and a capitalised acronym is none;
* abbreviations, ordinals and sentence ends of other languages are known
  (``data/abbreviations.txt``);
* "?" and "!" before a lower-case word end nothing, nor does a stop inside code or maths;
* a list number alone ("1.") is no sentence;
* a stop glued to the next sentence ("here.However, it") ends one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from citemeter.text.abbreviations import load_words

__all__ = ["clear_token", "is_fragment", "sentence_spans", "stop_ends"]

# A stop, if what follows it lets it end a sentence; of "?!" and "..." only the last character.
_ASCII_STOP = re.compile(r"[.!?](?=[\s\"')\]}*_`A-Z\[])")
_ANY_STOP = re.compile(
    r"[.!?…‽؟۔।॥։።\u037e](?=[\s\"')\]}*_`”’»›“«\[A-ZÀ-ÞА-Я])|[。！？｡．](?=[^。！？｡．…])"
    r"|(?<=[α-ωά-ώ]);(?=\s+[Α-ΩΆ-Ώ])"
)
_ASCII_CLOSERS = re.compile(r"(?:[\"')\]}*_`]|\[[a-z ?]{1,30}\])+(?=\s)")
_ANY_CLOSERS = re.compile(
    r"(?:[\"')\]}*_`”’»›“«]|\[[a-z ?]{1,30}\]|[ \u00a0\u202f](?=»))+(?=\s)|[ \u00a0\u202f]»(?=\s)"
)
_WIDE_CLOSERS = re.compile(r"[\"'”’）】」』》〉〕)\]*_]*")
_WIDE = frozenset("。！？｡．")
_GLUED_WORD = re.compile(r"(?:[A-Z][a-z]+|A|I)(?=[ ,\'’-])")
_ALNUM = re.compile(r"[^\W_]")
_NUMBER = re.compile(r"[-–+$€£(]?\d[\d,.]*%?\)?")
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxlIVXL]{1,5})[)\]]?\.?$")
_BOLD_LEAD = re.compile(r"(\*\*|__)[^*_]{1,80}[.:!?]?\1[.:]?$")
# What a bold lead-in holds if it is a sentence of its own and not the title of the next one.
_SENTENCE = re.compile(
    r"\?\W*$|\s(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|will|would|may|might|must"
    r"|shall|should|isn['’]t|aren['’]t|wasn['’]t|don['’]t|doesn['’]t|ist|sind|war|waren|wird|werden|hat"
    r"|haben|kann|können|muss|soll|est|sont|était|ont|peut|doit|está|están|fue|son|es|tiene|puede|è|sono"
    r"|può|tem|são|foi|heeft|zijn|wordt|kunnen)\s|^\W*(?:It|He|She|They|We|You|I|This|There)\s\w+\s"
)
_NEXT = re.compile(r"\s*([\"'“”‘’«„(\[*_¿¡]*)(\S*)")
_OPENERS = "\"'“‘«„([{*_`¿¡—–-"
_GERMAN = re.compile(r"[äöüßÄÖÜ]|\b(?:der|die|das|und|ist|wird|am|im|dem|den)\b")
_GERMAN_BEFORE = frozenset(
    [
        "am",
        "vom",
        "im",
        "der",
        "den",
        "dem",
        "das",
        "die",
        "zum",
        "zur",
        "beim",
        "ab",
        "bis",
        "seit",
        "des",
        "jeden",
        "dieser",
        "und",
        "den.",
        "der.",
        "ein",
        "eine",
        "einem",
        "einer",
        "einen",
        "ihr",
        "ihrem",
        "sein",
        "seinem",
        "zu",
        "nach",
        "vor",
    ]
)
_QUOTATIVE = "とってがはのをにもでや的"


_MEMO_SIZE = 50_000
_clear: dict[str, bool] = {}
_asked: dict[tuple[str, str], bool] = {}


def clear_token(token: str) -> bool:
    """Whether a stop after this token ends the sentence whatever follows; remembered."""
    known = _clear.get(token)
    if known is None:
        if len(_clear) >= _MEMO_SIZE:
            _clear.clear()
        known = _clear[token] = _is_clear(token)
    return known


def _is_clear(token: str) -> bool:
    """Whether a stop after this token ends the sentence whatever follows."""
    core = token.split()[-1] if token.split() else ""
    core = core.lstrip(_OPENERS)
    if not core:
        return True
    words = load_words()
    lower = core.lower()
    if core.isalpha():
        if len(core) > 3:
            return lower not in words.known
        if len(core) == 1:
            # "т. е.", "J. R.": a lone letter is an abbreviation, but for scripts without capitals.
            return core.lower() == core.upper() and lower not in words.known
        if lower in words.number or lower in words.never:
            return False
        if lower in words.known:
            return core.isupper() and len(core) > 2 and core.isascii()
        if not core.isascii() or (core.isupper() and len(core) > 2):
            return True
        if core.islower() and lower in words.ordinary:
            return True
        return lower not in words.abbreviations
    if _NUMBER.fullmatch(core):
        return False
    if lower in words.known or lower in words.abbreviations or "." in core:
        return False
    tail = lower.rpartition("-")[2]
    return not (tail in words.known or (len(tail) <= 3 and tail in words.abbreviations))


def _ask(token: str, following: str) -> bool:
    """Ask nupunkt whether a sentence ends between two words."""
    key = (token, following)
    answer = _asked.get(key)
    if answer is None:
        if len(_asked) >= _MEMO_SIZE:
            _asked.clear()
        # A word in front keeps the token from being read as the number of a list item.
        sentences = load_words().tokenize(f"So {token}. {following} x")
        answer = _asked[key] = sentences[0] == f"So {token}."
    return answer


_decided: dict[tuple[str, int], bool] = {}


def stop_ends(text: str, start: int, stop: int, end: int, token: str) -> bool:
    """Decide about the stop at ``stop`` after an abbreviation, an initial or a number."""
    # The words around it decide: the one before the token, the token and the one after the stop.
    low = text.rfind(" ", start, max(stop - len(token) - 1, start)) + 1
    high = text.find(" ", end + 1, end + 80)
    if low < start or stop - low > 80:
        low = max(start, stop - 80)
    key = (text[low : high if high > 0 else end + 80], stop - low)
    answer = _decided.get(key)
    if answer is None or token.isdecimal():
        answer = _decide(text, start, stop, end, token)
        if len(_decided) >= _MEMO_SIZE:
            _decided.clear()
        _decided[key] = answer
    return answer


def _decide(text: str, start: int, stop: int, end: int, token: str) -> bool:
    words = load_words()
    match = _NEXT.match(text, end, min(len(text), end + 80))
    opener, following = match.groups() if match else ("", "")
    core = token.split()[-1].lstrip(_OPENERS) if token.split() else ""
    lower = core.lower()
    first = following[:1]
    bare = following.rstrip(".,;:!?)]}\"'”’*_").lower()
    if not following:
        return True
    before = text[max(start, stop - len(core) - 16) : stop - len(core)].split()
    pair = f"{before[-1].rstrip('.').lower()}. {lower}" if before else ""
    if lower + ". " + bare in words.pairs and len(lower) <= 3:
        return False
    if pair in words.pairs or (lower == "al" and before and before[-1].lower() == "et"):
        late = lower in ("д", "п", "chr", "al", "r", "э")
        return late and bool(first.isupper()) and bare in words.starters and lower != "al"
    if lower in words.number and (
        first.isdigit() or (first in "§#IVX" and re.fullmatch(r"[IVXLC]+\W*|[§#].*", following))
    ):
        return False
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
    if bare in words.starters and first.isupper():
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
        if previous in _GERMAN_BEFORE and first.isupper():
            window = text[max(start, stop - 120) : stop + 80]
            if previous not in ("am", "die", "im", "so") or _GERMAN.search(window):
                return bare in ("der", "die", "das", "er", "sie", "es", "wir", "ein", "eine")
    return True


def sentence_spans(
    text: str,
    marks: Collection[int] = (),
    breaks: Sequence[int] = (),
) -> list[tuple[int, int]]:
    """Cut one paragraph into sentences.

    Args:
        text: The paragraph, without its markers.
        marks: Where markers were taken out: a stop there is a stop for sure.
        breaks: Where a sentence must end, in order.

    Returns:
        Ascending spans without white space at their ends.

    >>> text = "Dr. Reyes left at 3 p.m. on Monday. She returned."
    >>> [text[a:b] for a, b in sentence_spans(text)]
    ['Dr. Reyes left at 3 p.m. on Monday.', 'She returned.']
    """
    ends: list[int] = []
    start = 0
    clear = _clear
    plain = text.isascii()
    closers = _ASCII_CLOSERS if plain else _ANY_CLOSERS
    for match in (_ASCII_STOP if plain else _ANY_STOP).finditer(text):
        stop = match.start()
        end = stop + 1
        char = text[stop]
        following = text[end]
        if following != " ":
            if char in _WIDE:
                if not _wide_end(text, stop):
                    continue
                ends.append(_WIDE_CLOSERS.match(text, end).end())  # type: ignore[union-attr]
                start = ends[-1]
                continue
            if not following.isspace():
                closing = closers.match(text, end)
                if closing:
                    end = closing.end()
                elif _glued(text, start, stop, marks):
                    ends.append(end)
                    start = end
                    continue
                else:
                    continue
            elif not plain and following in "\u00a0\u202f" and text[end + 1 : end + 2] == "»":
                end += 2
        elif not plain and text[end + 1 : end + 2] == "»":
            end += 2
        if char == "." and text[stop - 1 : stop] not in (".", "!", "?"):
            low = stop - 60 if stop - 60 > start else start
            space = text.rfind(" ", low, stop)
            token = text[space + 1 if space >= 0 else low : stop]
            known = clear.get(token)
            if known is None:
                known = clear_token(token)
            if end - stop > 1 and _goes_on(text, end):
                continue
            # "… 3. Mai [1]. The": no abbreviation keeps its stop behind a marker; nor does
            # "Lee et al. [1] The" go on, if what follows starts sentences.
            if (
                known
                or (marks and stop in marks)
                or (marks and end in marks and end == stop + 1 and _starts(text, end))
            ):
                pass
            elif marks and len(token) < 3 and token.isdecimal() and _numbers_item(text, stop, marks):
                # "1. Encoder [1] 2. Filter [2]": a list in one line.
                end = len(text[start : stop - len(token)].rstrip()) + start
            elif not stop_ends(text, start, stop, end, token):
                continue
        elif not _other_end(text, stop, end, marks):
            continue
        ends.append(end)
        start = end
    return _cut(text, ends, breaks)


def _wide_end(text: str, stop: int) -> bool:
    """Decide about a stop of Chinese or Japanese, which no space need follow."""
    match = _WIDE_CLOSERS.match(text, stop + 1)
    end = match.end() if match else stop + 1
    following = text[end : end + 1]
    if text[stop] == "．" and (following.isdigit() or text[stop - 1 : stop].isdigit()):
        return False
    # 「…。」と言った: the sentence goes on behind the quotation.
    return not (end > stop + 1 and following and following in _QUOTATIVE)


def _glued(text: str, start: int, stop: int, marks: Collection[int]) -> bool:
    """Whether a stop without white space behind it ends a sentence: "here.However, it"."""
    word = _GLUED_WORD.match(text, stop + 1)
    if stop in marks:
        return word is not None
    if word is None or not (text[stop - 3 : stop].isalpha() or text[stop - 1] == ")"):
        return False
    token = text[max(text.rfind(" ", max(start, stop - 60), stop) + 1, start) : stop]
    if any(c in token for c in "./@_") or not _is_clear(token):
        return False
    # "Node.Js" and "Booking.Com" are names; "universe.Later" is no name.
    return token.islower() or word.group().lower() in load_words().starters


def _goes_on(text: str, end: int) -> bool:
    """Whether a quotation or bracket that closes after a stop is followed by a lower-case word."""
    match = _NEXT.match(text, end, min(len(text), end + 40))
    return bool(match and match[2][:1].islower())


def _numbers_item(text: str, stop: int, marks: Collection[int]) -> bool:
    """Whether a number right behind a marker, with a stop, opens the next item of a list."""
    low = text.rfind(" ", 0, stop) + 1
    return (low in marks or low - 1 in marks) and text[stop + 1 : stop + 3].strip()[:1].isupper()


def _starts(text: str, end: int) -> bool:
    """Whether the next word often starts a sentence, and is written as it does then."""
    match = _NEXT.match(text, end, min(len(text), end + 40))
    word = match[2].rstrip(",.;:") if match else ""
    return word[:1].isupper() and word.lower() in load_words().starters


def _other_end(text: str, stop: int, end: int, marks: Collection[int]) -> bool:
    """Decide about ``?``, ``!``, an ellipsis or a stop of another script."""
    following = _NEXT.match(text, end, min(len(text), end + 40))
    word = following[2] if following else ""
    char = text[stop]
    if char == "…" or (char == "." and text[stop - 1 : stop] == "."):
        return (
            bool(word)
            and not word[:1].islower()
            and not word[:1].isdigit()
            and word.rstrip(",.") not in ("I", "I'm", "I'll", "I'd", "I've")
        )
    if word[:1].islower():
        # A marker in between says that this was the end: "… drip? [1] the washer".
        return bool(marks) and stop + 1 in marks and end == stop + 1
    return True


def _cut(text: str, cuts: list[int], breaks: Sequence[int]) -> list[tuple[int, int]]:
    if breaks:
        cuts = sorted({*cuts, *[place for place in breaks if place > 0]})
    spans: list[tuple[int, int]] = []
    start = 0
    length = len(text)
    for cut in cuts:
        if text[start] == " ":
            start += 1
        if text[start].isspace():
            while start < cut and text[start].isspace():
                start += 1
        if start >= cut:
            continue
        size = cut - start
        if (
            (size <= 7 or (size <= 90 and not text[start].isalnum()))
            and cut < length
            and is_fragment(text[start:cut])
        ):
            continue
        spans.append((start, cut))
        start = cut
    if start < length:
        rest = _trimmed(text, start, length)
        if rest and spans and not _ALNUM.search(text, start):
            spans[-1] = (spans[-1][0], rest[0][1])
        else:
            spans.extend(rest)
    return spans


def is_fragment(sentence: str) -> bool:
    """Whether what would be a sentence is only the number or the title of the next one."""
    if len(sentence) <= 7 and _ENUMERATOR.fullmatch(sentence):
        return True
    if sentence[0] in "*_" and _BOLD_LEAD.fullmatch(sentence):
        return not _SENTENCE.search(sentence)
    return not any(c.isalnum() for c in sentence)


def _trimmed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [(start, end)] if end > start else []
