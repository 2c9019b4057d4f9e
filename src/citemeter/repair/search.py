"""The search for citations that support a statement, and for those that can go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from citemeter.judges.asking import VerdictRequests
from citemeter.judges.base import Pair, Premise
from citemeter.models import Source
from citemeter.repair.models import Removal, Suggestion, Way
from citemeter.repair.prefilter import Prefilter
from citemeter.text.markers import near_miss
from citemeter.verdicts import Verdict

_PAIRS = 2  # pairs of uncited sources that are asked about
_PAIRED = 12  # sources of which pairs are made
_PORTION = 4_000_000  # characters of passages asked about at once
_FEW, _MANY, _TRIES = 12, 40, 48  # citations taken out one by one; at most; rounds of halving
_NO_TEXT = Verdict(supported=False, reason="the passages have no text")


class Library:
    """The sources of one answer, as the judge and the pre-filter read them.

    Args:
        sources: The sources by id.
        premise: What the judge reads of a source.
    """

    def __init__(self, sources: Mapping[str, Source], premise: Callable[[Source], str]) -> None:
        self.sources = sources
        self.order = list(sources)
        self._premise = premise
        self._texts: dict[str, str] = {}

    def text(self, source_id: str) -> str:
        """Return what the judge reads of a source; empty if it is blank."""
        text = self._texts.get(source_id)
        if text is None:
            text = self._premise(self.sources[source_id])
            text = self._texts[source_id] = "" if text.isspace() else text
        return text

    @cached_property
    def prefilter(self) -> Prefilter:
        """The ranking, made when it is first needed."""
        return Prefilter([self.text(i) for i in self.order])

    def premise(self, ids: Sequence[str]) -> str:
        """Return the passages of several sources as one premise, joined as metrics join them."""
        passages = [text for text in map(self.text, ids) if text]
        return Premise(passages) if len(passages) > 1 else "".join(passages)


class SearchTask:
    """Asks about sets of sources for one statement, each set once.

    Args:
        statement: The statement's words.
        library: The sources.

    Attributes:
        known: The verdicts, by set.
        asked: How many sets were asked about.
        failed: Why the judge failed on one of them, if it did.
        suggestions: What ``search`` found to support the statement, best first.
        removals: What the first suggestion leaves out of the ids it was made of.
    """

    def __init__(self, statement: str, library: Library) -> None:
        self.statement = statement
        self.library = library
        self.known: dict[tuple[str, ...], Verdict] = {}
        self.asked = 0
        self.failed: str | None = None
        self.suggestions: list[Suggestion] = []
        self.removals: list[Removal] = []

    def ask(self, sets: Sequence[tuple[str, ...]]) -> VerdictRequests[None]:
        """Ask about the sets that were not asked about yet, as many at once as fit in memory."""
        pairs: list[Pair] = []
        asked: list[tuple[str, ...]] = []
        size = 0
        for ids in dict.fromkeys(sets):
            if ids in self.known:
                continue
            premise = self.library.premise(ids)
            if not premise:
                self.known[ids] = _NO_TEXT
                continue
            if pairs and size + len(premise) > _PORTION:
                self._take(asked, (yield pairs))
                pairs, asked, size = [], [], 0
            pairs.append((premise, self.statement))
            asked.append(ids)
            size += len(premise)
        if pairs:
            self._take(asked, (yield pairs))

    def _take(self, asked: Sequence[tuple[str, ...]], verdicts: Sequence[Verdict]) -> None:
        self.known.update(zip(asked, verdicts, strict=True))
        self.asked += len(asked)
        for verdict in verdicts:
            if verdict.supported is None and self.failed is None:
                self.failed = verdict.error or "the judge gave no verdict"

    def supported(self, sets: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return the sets that support, by the judge's score, then as they came."""
        yes = [ids for ids in dict.fromkeys(sets) if self.known[ids].supported]
        return sorted(yes, key=lambda ids: -(self.known[ids].score or 0.0))


def search(
    statement: str,
    cited: Sequence[str],
    library: Library,
    *,
    judged: Verdict | None,
    candidates: int,
    top: int,
) -> VerdictRequests[SearchTask]:
    """Look for citations that support a statement which its own do not.

    The judge is asked about the spellings that were probably meant and the valid ids alone; then
    about the best candidates one by one; then about what the statement cites and one more, and
    about pairs. The first round in which it says yes ends the search.

    Args:
        statement: The statement's words.
        cited: The distinct ids it cites, invalid ones included.
        library: The sources.
        judged: The verdict on what it cites, if all of that is valid.
        candidates: How many sources are asked about one by one.
        top: How many suggestions are kept.
    """
    task = SearchTask(statement, library)
    valid = tuple(i for i in cited if i in library.sources)
    if judged is not None:
        task.known[valid] = judged
    near = {i: near_miss(i, library.order) for i in cited if i not in library.sources}
    spelled = [near.get(i, i) for i in cited]  # what was probably meant, in place
    respelled = tuple(dict.fromkeys([i for i in spelled if i is not None]))
    meant = tuple(i for i in respelled if i not in valid)
    ranked = [library.order[place] for place in library.prefilter.rank(statement)]
    rank = {source_id: number for number, source_id in enumerate(ranked, start=1)}
    best = [i for i in ranked if i not in respelled][:candidates]
    ways: dict[tuple[str, ...], Way] = {}

    def offer(way: Way, sets: Sequence[tuple[str, ...]]) -> VerdictRequests[list[tuple[str, ...]]]:
        fresh = [ids for ids in dict.fromkeys(sets) if ids and ids not in ways]
        ways.update(dict.fromkeys(fresh, way))
        yield from task.ask(fresh)
        return task.supported(fresh)

    chosen: list[tuple[str, ...]] = []
    if near:
        if meant:
            chosen = yield from offer("respelled", [respelled])
        if not chosen:
            chosen = yield from offer("rest", [valid])
    if not chosen:
        chosen = yield from offer("alone", [(i,) for i in (*respelled, *best)])
    if not chosen:
        more = [(*base, i) for base in dict.fromkeys((respelled, valid)) if base for i in best]
        extended = yield from offer("extended", more)
        paired = yield from offer("pair", _pairs(task, best))
        chosen = [*extended, *paired]
        chosen.sort(key=lambda ids: -(task.known[ids].score or 0.0))
    if chosen:
        kept, task.removals = yield from trimmed(task, chosen[0], precise=0, irrelevant=len(cited))
        for ids in dict.fromkeys((kept, *chosen[1:top])):
            places = [rank[i] for i in ids if i not in cited]
            way = ways.get(ids, ways[chosen[0]])
            task.suggestions.append(
                Suggestion(
                    source_ids=ids,
                    way=way,
                    verdict=task.known[ids],
                    rank=max(places, default=None),
                )
            )
    return task


def _pairs(task: SearchTask, best: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the pair that covers most words, and that of the two the judge scores highest."""
    library = task.library
    places = {source_id: place for place, source_id in enumerate(library.order)}
    few = [places[i] for i in best[:_PAIRED]]
    pairs = [
        (library.order[a], library.order[b])
        for a, b in library.prefilter.complements(task.statement, few)[: _PAIRS - 1]
    ]
    if len(best) > 1:
        first, second = sorted(best, key=lambda i: -(task.known[(i,)].score or 0.0))[:2]
        pairs.append((first, second))
    chosen: dict[frozenset[str], tuple[str, ...]] = {}
    for pair in pairs:
        first, second = sorted(pair, key=places.__getitem__)
        chosen.setdefault(frozenset(pair), (first, second))
    return list(chosen.values())


def trimmed(
    task: SearchTask, ids: tuple[str, ...], *, precise: int, irrelevant: int
) -> VerdictRequests[tuple[tuple[str, ...], list[Removal]]]:
    """Take irrelevant citations from a supported statement, asking about what is left each time.

    Of two copies of a passage both may be irrelevant, yet only one can go. Where some support
    alone, those stay, if they do so together; else the one that supports least alone goes first, of
    equals the last. Nothing goes that would leave fewer precise or more irrelevant citations than
    there were, so neither recall nor precision can fall, whatever the judge.

    Args:
        task: The statement and its sources.
        ids: The distinct ids, which together support it.
        precise: How many precise citations the statement has in the answer as it is.
        irrelevant: How many it has that are not.

    Returns:
        The ids that are left, and each removal with the verdicts behind it.
    """
    if len(ids) < 2:
        return ids, []
    known = task.known
    yield from task.ask([(i,) for i in ids])
    strong = tuple(i for i in ids if known[(i,)].supported is not False)  # or nobody knows
    steps: list[tuple[str, ...]] = []
    if 0 < len(strong) < len(ids):
        yield from task.ask([strong])
        if known[strong].supported and len(strong) >= precise:
            steps = [strong]
    if not steps:
        left = ids
        if len(ids) > _FEW:
            left = yield from _halved(task, ids)
        steps = yield from _one_by_one(task, left, precise, irrelevant)
    removals: list[Removal] = []
    left = ids
    for step in steps:
        removals += [
            Removal(source_id=i, reason="irrelevant", alone=known[(i,)], rest=known[step])
            for i in left
            if i not in step
        ]
        left = step
    return left, removals


def _one_by_one(
    task: SearchTask, left: tuple[str, ...], precise: int, irrelevant: int
) -> VerdictRequests[list[tuple[str, ...]]]:
    """Return what is left after each removal, as far as it is better than what there was."""
    known = task.known
    steps = [left]
    good = 0  # how many of the steps stand
    while True:
        rests = {i: tuple(j for j in left if j != i) for i in left if not known[(i,)].supported}
        yield from task.ask([rest for rest in rests.values() if rest])
        idle = [
            i
            for i, rest in rests.items()
            if rest and known[(i,)].supported is False and known[rest].supported
        ]
        if len(left) - len(idle) >= precise and len(idle) <= irrelevant:
            good = len(steps)
        if not idle or len(left) > _MANY:
            return steps[:good]
        left = rests[min(reversed(idle), key=lambda i: known[(i,)].score or 0.0)]
        steps.append(left)


def _halved(task: SearchTask, ids: tuple[str, ...]) -> VerdictRequests[tuple[str, ...]]:
    """Take away many citations at once, while what is left supports the statement."""
    weak = [i for i in ids if task.known[(i,)].supported is False]
    weak.sort(key=lambda i: task.known[(i,)].score or 0.0)
    left = ids
    size = len(weak)
    for _ in range(_TRIES):
        if not size:
            break
        for start in range(0, len(weak), size):
            chunk = frozenset(weak[start : start + size])
            rest = tuple(i for i in left if i not in chunk)
            if not rest:
                continue
            yield from task.ask([rest])
            if task.known[rest].supported:
                left = rest
                weak = [i for i in weak if i not in chunk]
                break
        else:
            size //= 2
    return left
