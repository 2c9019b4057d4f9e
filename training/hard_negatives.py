"""Hard negatives: pairs that differ from a supported one in one thing that matters.

A number, a date, a name or the polarity of the claim is changed, or the sentence that the claim
needs is taken out of the evidence. Everything here is a pure function of its arguments and of a
seeded ``random.Random``.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Example(NamedTuple):
    """One pair to learn from: ``kind`` says how it was made, ``source`` from which set."""

    premise: str
    hypothesis: str
    supported: bool
    source: str
    kind: str = "labelled"


_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))
_CITATION = re.compile(
    r"\s*[\[(]?\s*<\|(?:multi_|other_)?cit\|>(?:\s*[,;–-]?\s*(?:\d+|<\|(?:multi_|other_)?cit\|>))*\s*[\])]?"
)
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”')\]]*\s+(?=[\"“'(\[]*[A-Z0-9])|\n+")
_STOP_WORDS = """
a an the of in on at to for from by with as is are was were be been being and or but that this these
those it its he she his her him they them their i you we our your who which what when where there
has have had do does did not no than then so if also into over about after before during between can
could will would may might one
"""
_STOP = frozenset(_STOP_WORDS.split())


# ---------------------------------------------------------------------- texts


def clean(text: str) -> str:
    """Undo treebank brackets, drop citation placeholders, and make spaces single."""
    text = _BRACKET.sub(lambda found: _BRACKETS[found.group()], text)
    text = _CITATION.sub("", text).replace("` `", '"').replace("``", '"').replace("''", '"')
    return re.sub(r"[ \t]+", " ", text).strip()


def normalised(text: str) -> str:
    """Return the words alone, in lower case: what two texts share that say the same words."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", clean(text)).lower()))


def content(text: str) -> set[str]:
    """Return the words that carry a text's content, in lower case."""
    return {
        w for w in _WORD.findall(text.lower()) if w not in _STOP and (len(w) > 2 or w.isdigit())
    }


def covered(hypothesis: str, premise: str) -> float:
    """Return the share, from 0 to 1, of the hypothesis' content words that the premise has."""
    words = content(hypothesis)
    return len(words & content(premise)) / len(words) if words else 0.0


def sentences(text: str) -> list[str]:
    """Split a text at ends of sentences and at line breaks."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


# ---------------------------------------------------------------------- changes of a claim

_YEAR = re.compile(r"\b(?:1[5-9]\d\d|20[0-4]\d)\b")
_NUMBER = re.compile(
    r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,-])\d+(?:\.\d+)?(?![\w]|[.,]\d)"
)
_YEAR_OF_MONTHS = """
January February March April May June July August September October November December
"""
_MONTHS = _YEAR_OF_MONTHS.split()
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b(?=\s+\d)|(?<=\bin )(?:{'|'.join(_MONTHS)})\b")
_SMALL_NUMBERS = "two three four five six seven eight nine ten eleven twelve"
_COUNTS = _SMALL_NUMBERS.split()
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b")
_NAME = re.compile(r"[A-Z][\w'’-]*[\w](?:(?: (?:of|the|de|von|van))? [A-Z](?:[\w'’-]*[\w]|\.)?)*")
_FIRST_WORDS = """
The A An In On At It He She They This That These Those There His Her Its Their However Several
Although While When Some Many Most Yes No I You We If And But For From With After Before During As
By To Of Our My Your What Who How Where Why Which Recent Previous Studies Also Thus
"""
_NOT_NAMES = frozenset(_FIRST_WORDS.split())
_VERB = re.compile(
    r"\b(is|are|was|were|has been|have been|can|could|will|would|should|did|does|do)\b"
)
_NOT = re.compile(r"(?:\b(is|are|was|were|can|could|will|would|should|did|does|do)) (?:not|never) ")
_OPPOSITES = """
before/after first/last more/fewer more/less most/least increased/decreased increase/decrease
increases/decreases higher/lower highest/lowest largest/smallest larger/smaller big/small won/lost
win/lose wins/loses older/younger oldest/youngest earlier/later early/late north/south east/west
northern/southern eastern/western male/female man/woman men/women father/mother son/daughter
brother/sister husband/wife positive/negative positively/negatively inhibits/promotes
inhibited/promoted inhibition/activation inhibit/promote inhibiting/promoting activates/suppresses
activated/suppressed activate/suppress activation/suppression upregulated/downregulated
up-regulated/down-regulated enhanced/reduced enhances/reduces all/none always/never both/neither
many/few same/different above/below inside/outside began/ended begins/ends start/end started/ended
success/failure successful/unsuccessful accepted/rejected with/without good/bad best/worst
true/false major/minor long/short longer/shorter longest/shortest high/low rich/poor only/hardly
alive/dead allowed/forbidden
"""
_OPPOSITE = {
    word: other
    for pair in _OPPOSITES.split()
    for word, other in (pair.split("/"), pair.split("/")[::-1])
}

Change = Callable[[str, str, Sequence[str], random.Random], str | None]


def _put(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


def change_date(claim: str, premise: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Move one year by up to 20, or replace one month; None where there is neither."""
    found = [*_YEAR.finditer(claim), *_MONTH.finditer(claim)]
    if not found:
        return None
    chosen = draw.choice(found)
    if chosen.group() in _MONTHS:
        options = [month for month in _MONTHS if month not in premise]
    else:
        year = int(chosen.group())
        step = draw.choice((1, 2, 3, 5, 10, 20))
        options = [str(y) for y in (year - step, year + step) if str(y) not in premise]
    options = [option for option in options if option != chosen.group()]
    return _put(claim, chosen, draw.choice(options)) if options else None


def change_number(
    claim: str, premise: str, names: Sequence[str], draw: random.Random
) -> str | None:
    """Replace one number that is no year by another of its kind that the premise has not."""
    found = [m for m in _NUMBER.finditer(claim) if not _YEAR.fullmatch(m.group())]
    found += _COUNT.finditer(claim)
    if not found:
        return None
    chosen = draw.choice(found)
    old = chosen.group()
    if old in _COUNTS:
        options = [count for count in _COUNTS if count != old and count not in premise]
        return _put(claim, chosen, draw.choice(options)) if options else None
    decimals = len(old.partition(".")[2])
    value = float(old.replace(",", ""))
    for _ in range(8):
        near = value + draw.choice((-3, -2, -1, 1, 2, 3, 5)) * 10**-decimals
        changed = near if draw.random() < 0.5 else value * draw.choice((0.5, 0.7, 1.3, 1.5, 2, 10))
        new = f"{max(changed, 0):{',' if ',' in old else ''}.{decimals}f}"
        if new != old and not re.search(rf"(?<![\d.,]){re.escape(new)}(?![\d]|[.,]\d)", premise):
            return _put(claim, chosen, new)
    return None


def names_in(text: str) -> list[re.Match[str]]:
    """Return the capitalised names of a text; a first word that starts any sentence is none."""
    found = []
    for match in _NAME.finditer(text):
        words = match.group().split()
        if words[0] in _NOT_NAMES or (match.start() == 0 and len(words) == 1):
            continue
        found.append(match)
    return found


def change_name(claim: str, premise: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Replace one name by another: of the premise in a third of the cases, else from ``names``."""
    found = names_in(claim)
    if not found:
        return None
    chosen = draw.choice(found)
    old = chosen.group()
    size = len(old.split())
    here = [match.group() for match in names_in(premise)]
    pool = here if draw.random() < 1 / 3 else draw.sample(list(names), min(40, len(names)))
    seen = premise if pool is not here else ""
    options = [
        name
        for name in pool
        if abs(len(name.split()) - size) <= 1
        and not content(name) & content(old)
        and name not in claim
        and not content(name) & content(seen)
    ]
    return _put(claim, chosen, draw.choice(options)) if options else None


def negated(claim: str) -> str | None:
    """Put "not" behind the first auxiliary, or take the "not" away; None where there is none."""
    if found := _NOT.search(claim):
        return _put(claim, found, f"{found.group(1)} ")
    if (found := _VERB.search(claim)) is None:
        return None
    head, _, rest = found.group().partition(" ")
    return _put(claim, found, f"{head} not {rest}".rstrip())


def change_polarity(
    claim: str, premise: str, names: Sequence[str], draw: random.Random
) -> str | None:
    """Replace one word by its opposite where the claim has such a word, else negate the claim."""
    opposites = [m for m in re.finditer(r"[A-Za-z-]+", claim) if m.group() in _OPPOSITE]
    if opposites and draw.random() < 0.7:
        chosen = draw.choice(opposites)
        return _put(claim, chosen, _OPPOSITE[chosen.group()])
    return negated(claim)


CHANGES: dict[str, Change] = {
    "number": change_number,
    "date": change_date,
    "name": change_name,
    "polarity": change_polarity,
}


def altered(example: Example, names: Sequence[str], draw: random.Random) -> Example | None:
    """Return the pair with one thing of its claim changed, so that it is supported no more."""
    kinds = list(CHANGES)
    draw.shuffle(kinds)
    if draw.random() < 0.5:  # numbers and dates are rarer than names and verbs
        kinds.sort(key=lambda kind: kind in ("name", "polarity"))
    for kind in kinds:
        claim = CHANGES[kind](example.hypothesis, example.premise, names, draw)
        if claim is not None and normalised(claim) != normalised(example.hypothesis):
            return example._replace(hypothesis=claim, supported=False, kind=kind)
    return None


# ---------------------------------------------------------------------- changes of the evidence


def without_needed(example: Example, least: float = 0.25) -> Example | None:
    """Take the sentence that the claim needs most out of the evidence.

    None where what is left still has the claim's words: at least ``least`` of them must be gone.
    """
    parts = sentences(example.premise)
    if len(parts) < 2:
        return None
    shares = [covered(example.hypothesis, part) for part in parts]
    needed = normalised(parts[max(range(len(parts)), key=shares.__getitem__)])
    left = " ".join(part for part in parts if normalised(part) != needed)
    lost = covered(example.hypothesis, example.premise) - covered(example.hypothesis, left)
    if not left or lost < least:
        return None
    return example._replace(premise=left, supported=False, kind="removed")


def window(example: Example, words: int) -> Example:
    """Cut the evidence to the run of sentences, up to ``words`` words, that covers the claim best.

    A sentence longer than that is kept whole if it is the best.
    """
    parts = sentences(example.premise)
    sizes = [len(part.split()) for part in parts]
    if sum(sizes) <= words:
        return example
    best, best_share = example.premise, -1.0
    for start in range(len(parts)):
        stop, size = start + 1, sizes[start]
        while stop < len(parts) and size + sizes[stop] <= words:
            size += sizes[stop]
            stop += 1
        run = " ".join(parts[start:stop])
        share = covered(example.hypothesis, run)
        if share > best_share:
            best, best_share = run, share
    return example._replace(premise=best)


def among(example: Example, others: Sequence[str], words: int, draw: random.Random) -> Example:
    """Set the evidence among other texts, in a random place, up to about ``words`` words."""
    left = words - len(example.premise.split())
    before: list[str] = []
    after: list[str] = []
    for other in others:
        size = len(other.split())
        if size > left:
            continue
        left -= size
        (before if draw.random() < 0.5 else after).append(other)
    premise = " ".join([*before, example.premise, *after])
    return example._replace(premise=premise, kind=f"{example.kind}, long")


def composed(first: Example, second: Example, other: str | None) -> Example:
    """Return both claims as one; given ``other``, that stands where the second's evidence was."""
    return Example(
        premise=f"{first.premise} {second.premise if other is None else other}",
        hypothesis=f"{first.hypothesis} {second.hypothesis}",
        supported=other is None and first.supported and second.supported,
        source=first.source,
        kind="composed" if other is None else "composed, removed",
    )


class Neighbours:
    """Finds texts that share rare words with a claim: distractors that look like evidence."""

    def __init__(self, texts: Sequence[str], most: int = 60) -> None:
        self.texts = list(dict.fromkeys(texts))
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(self.texts):
            for word in content(text):
                places[word].append(place)
        self._places = {word: at for word, at in places.items() if 1 < len(at) <= most}

    def of(self, claim: str, count: int, draw: random.Random, most: float = 0.6) -> list[str]:
        """Return up to ``count`` texts near to a claim, none with over ``most`` of its words."""
        votes: Counter[int] = Counter()
        for word in sorted(content(claim)):
            votes.update(self._places.get(word, ()))
        near = [place for place, _ in votes.most_common(3 * count)]
        draw.shuffle(near)
        near += [draw.randrange(len(self.texts)) for _ in range(3 * count)]
        fit = (self.texts[place] for place in dict.fromkeys(near))
        return [text for text in fit if covered(claim, text) <= most][:count]
