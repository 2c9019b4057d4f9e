"""The segmenter ``citemeter``, the default: rules for the text of assistants in many languages.

Whether a stop ends a sentence depends, for most words, on the word alone: it is no abbreviation,
no initial, no number. About a word that the rules leave open, Punkt is asked, with the parameters
of the package nupunkt. Where this departs from what nupunkt itself does, it does so on purpose:

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

from citemeter.text.sentences.abbreviations import load_words
from citemeter.text.sentences.boundaries import (
    NEXT,
    SPACED_STOPS,
    WIDE_STOPS,
    is_clear,
    stop_ends,
)

# A stop, if what follows it lets it end a sentence; of "?!" and "..." only the last character.
_STOP = re.compile(
    rf"[{SPACED_STOPS}](?=[\s\"')\]}}*_`”’»›“«\[A-ZÀ-ÞА-Я])|[{WIDE_STOPS}．](?=[^{WIDE_STOPS}．…])"
    r"|(?<=[α-ωά-ώ]);(?=\s+[Α-ΩΆ-Ώ])"
)
_CLOSERS = re.compile(
    r"(?:[\"')\]}*_`”’»›“«]|\[[a-z ?]{1,30}\]|[ \u00a0\u202f](?=»))+(?=\s)|[ \u00a0\u202f]»"
)
_WIDE_CLOSERS = re.compile(r"[\"'”’）】」』》〉〕)\]*_]*")
_WIDE = frozenset(WIDE_STOPS + "．")
_GLUED_WORD = re.compile(r"(?:[A-Z][a-z]+|A|I)(?=[ ,\'’-])")
_ALNUM = re.compile(r"[^\W_]")
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxlIVXL]{1,5})[)\]]?\.?$")
_BOLD_LEAD = re.compile(r"(\*\*|__)[^*_]{1,80}[.:!?]?\1[.:]?$")
# What a bold lead-in holds if it is a sentence of its own and not the title of the next one.
_SENTENCE = re.compile(
    r"\?\W*$|\s(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|will|would|may|might|must"
    r"|shall|should|isn['’]t|aren['’]t|wasn['’]t|don['’]t|doesn['’]t|ist|sind|war|waren|wird|werden|hat"
    r"|haben|kann|können|muss|soll|est|sont|était|ont|peut|doit|está|están|fue|son|es|tiene|puede|è|sono"
    r"|può|tem|são|foi|heeft|zijn|wordt|kunnen)\s|^\W*(?:It|He|She|They|We|You|I|This|There)\s\w+\s"
)
_LONGEST = 90  # characters; what is longer is more than the number or title of a sentence
_QUOTATIVE = "とってがはのをにもでや的"


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
    for match in _STOP.finditer(text):
        stop = match.start()
        end = stop + 1
        char = text[stop]
        if char in _WIDE:
            wide_end = _wide_end(text, stop)
            if wide_end:
                ends.append(wide_end)
                start = wide_end
            continue
        closing = _CLOSERS.match(text, end)
        if closing:
            end = closing.end()
        elif not text[end].isspace():
            if _glued(text, start, stop, marks):
                ends.append(end)
                start = end
            continue
        if char == "." and text[stop - 1 : stop] not in (".", "!", "?"):
            low = max(start, stop - 60)
            token = text[max(low, text.rfind(" ", low, stop) + 1) : stop]
            if end - stop > 1 and _goes_on(text, end):
                continue
            # "… 3. Mai [1]. The": no abbreviation keeps its stop behind a marker; nor does
            # "Lee et al. [1] The" go on, if what follows starts sentences.
            if (
                is_clear(token)
                or stop in marks
                or (end in marks and _starts(text, end, end > stop + 1))
            ):
                pass
            elif len(token) < 3 and token.isdecimal() and _numbers_item(text, stop, marks):
                # "1. Encoder [1] 2. Filter [2]": a list in one line.
                end = len(text[start : stop - len(token)].rstrip()) + start
            elif not stop_ends(text, start, stop, end, token):
                continue
        elif not _other_end(text, stop, end, marks):
            continue
        ends.append(end)
        start = end
    return _cut(text, ends, breaks)


def _wide_end(text: str, stop: int) -> int:
    """Return where the sentence of a wide stop ends; 0 if it goes on. No space need follow."""
    match = _WIDE_CLOSERS.match(text, stop + 1)
    end = match.end() if match else stop + 1
    following = text[end : end + 1]
    if text[stop] == "．" and (following.isdigit() or text[stop - 1 : stop].isdigit()):
        return 0
    # 「…。」と言った: the sentence goes on behind the quotation.
    return 0 if end > stop + 1 and following and following in _QUOTATIVE else end


def _glued(text: str, start: int, stop: int, marks: Collection[int]) -> bool:
    """Whether a stop without white space behind it ends a sentence: "here.However, it"."""
    word = _GLUED_WORD.match(text, stop + 1)
    if stop in marks:
        return word is not None
    if word is None or not (text[stop - 3 : stop].isalpha() or text[stop - 1] == ")"):
        return False
    token = text[max(text.rfind(" ", max(start, stop - 60), stop) + 1, start) : stop]
    if any(c in token for c in "./@_"):
        return False
    if not is_clear(token):
        words = load_words()
        lower = token.lower()
        if not token.isalpha() or lower in words.known or lower in words.abbreviations:
            return False
    # "Node.Js" and "Booking.Com" are names; "universe.Later" is no name.
    return token.islower() or word.group().lower() in load_words().starters


def _goes_on(text: str, end: int) -> bool:
    """Whether a quotation or bracket that closes after a stop is followed by a lower-case word."""
    match = NEXT.match(text, end, min(len(text), end + 40))
    return bool(match and match[2][:1].islower())


def _numbers_item(text: str, stop: int, marks: Collection[int]) -> bool:
    """Whether a number right behind a marker, with a stop, opens the next item of a list."""
    low = text.rfind(" ", 0, stop) + 1
    return (low in marks or low - 1 in marks) and text[stop + 1 : stop + 3].strip()[:1].isupper()


def _starts(text: str, end: int, closed: bool) -> bool:
    """Whether the next word often starts a sentence, and is written as it does then.

    Behind a closing quotation mark (``closed``) any capital will do.
    """
    match = NEXT.match(text, end, min(len(text), end + 40))
    word = match[2].rstrip(",.;:") if match else ""
    return word[:1].isupper() and (closed or word.lower() in load_words().openers)


def _other_end(text: str, stop: int, end: int, marks: Collection[int]) -> bool:
    """Decide about ``?``, ``!``, an ellipsis or a stop of another script."""
    following = NEXT.match(text, end, min(len(text), end + 40))
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
        return stop + 1 in marks and end == stop + 1
    return True


def _cut(text: str, cuts: list[int], breaks: Sequence[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in sorted({*cuts, *breaks, len(text)}):
        span = trimmed(text, start, cut)
        if span[0] == span[1]:
            continue
        if cut == len(text) and spans and not _ALNUM.search(text, start):
            spans[-1] = (spans[-1][0], span[1])
        elif cut == len(text) or cut - start > _LONGEST or not is_fragment(text[slice(*span)]):
            spans.append(span)
            start = cut
    return spans


def is_fragment(sentence: str) -> bool:
    """Whether what would be a sentence is only the number or the title of the next one."""
    if len(sentence) <= 7 and _ENUMERATOR.fullmatch(sentence):
        return True
    if sentence[0] in "*_" and _BOLD_LEAD.fullmatch(sentence):
        return not _SENTENCE.search(sentence)
    return not any(c.isalnum() for c in sentence)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
