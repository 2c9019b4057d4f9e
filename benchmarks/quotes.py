"""How much faster a quotation is checked than with ``difflib``, on one long source.

    python benchmarks/quotes.py [--characters 200000] [--json]

``SequenceMatcher`` is given the folded texts, so that folding counts against this package only.
Its default throws away frequent characters (``autojunk``), which finds wrong runs in long texts:
the figure to compare with is the exact one, and both are printed. "cold" folds and indexes the
source anew for each quotation, "warm" has seen it before, as when an answer quotes it twice.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable
from difflib import SequenceMatcher

from citemeter.models import Source
from citemeter.text.quotations.folding import Folded, fold, fold_text
from citemeter.text.quotations.longest_match import longest_run
from citemeter.text.quotations.matching import match_quote

WORDS = re.findall(
    r"\w+",
    "the a of to in and is was that for on with as by at from it not are be this which or an "
    "tenant garden roof owner rent years pets consent landlord written notice days pool evening "
    "children adult lockers coin water degrees heat oven loaf minutes door bread rack hour trams "
    "weekdays quay bicycles property hive south colony kilograms honey winter smoke bees feed",
)


def prose(characters: int, seed: int = 7) -> str:
    """Write sentences of common words: many short runs recur, as in real text."""
    rng = random.Random(seed)
    sentences: list[str] = []
    size = 0
    while size < characters:
        words = rng.choices(WORDS, k=rng.randint(6, 18))
        sentence = " ".join(words).capitalize() + rng.choice([". ", ". ", ".\n", ", 1,250 – so. "])
        sentences.append(sentence)
        size += len(sentence)
    return "".join(sentences)[:characters]


def quotations(text: str) -> dict[str, str]:
    """Return one quotation of each kind, taken from late in the text."""
    words = text[int(len(text) * 0.8) :].split()[5:19]
    exact = " ".join(words)
    changed = [*words[:7], "altogether", *words[8:]]
    other = text[int(len(text) * 0.2) :].split()[3:8]
    return {
        "verbatim": exact,
        "verbatim, other typography": exact.upper().replace(" ", "\u00a0"),
        "ellipsis": " ".join(words[:4]) + " … " + " ".join(words[9:]),
        "altered": " ".join(changed),
        "stitched": " ".join(words[:5]) + " … " + " ".join(other),
        "fabricated": "rent falls due on every first working day before noon sharp",
        "fabricated, rare letters": "zigzag quiz jackdaws vex lymph",
        "long": " ".join(text[int(len(text) * 0.5) :].split()[:300]) + " altogether otherwise",
    }


def fastest(call: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--characters", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--smoke", action="store_true", help="A short source, to see that it runs.")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.characters, arguments.repeat = 20_000, 1
    text = prose(arguments.characters)
    source = Source(id="1", text=text)
    folded = Folded(text).text
    rows = []
    for kind, quote in quotations(text).items():
        needle = fold(quote)

        def cold(quote: str = quote) -> object:
            fold_text.cache_clear()  # what is known of a source goes with its folded text
            return match_quote(quote, [source], [])

        def exact(needle: str = needle) -> object:
            matcher = SequenceMatcher(None, needle, folded, autojunk=False)
            return matcher.find_longest_match()

        def default(needle: str = needle) -> object:
            return SequenceMatcher(None, needle, folded).find_longest_match()

        status = match_quote(quote, [source], []).status
        size = longest_run(needle, fold_text(text)).size
        expected = SequenceMatcher(None, needle, folded, autojunk=False).find_longest_match().size
        assert size == expected, (kind, size, expected)
        cold_time = fastest(cold, arguments.repeat)
        for _ in range(3):
            match_quote(quote, [source], [])
        warm_time = fastest(lambda quote=quote: match_quote(quote, [source], []), arguments.repeat)
        exact_time = fastest(exact, 2)
        default_time = fastest(default, 2)
        rows.append(
            {
                "kind": kind,
                "status": status,
                "cold_ms": cold_time * 1e3,
                "warm_ms": warm_time * 1e3,
                "difflib_exact_ms": exact_time * 1e3,
                "difflib_default_ms": default_time * 1e3,
                "ratio_cold": exact_time / cold_time,
                "ratio_warm": exact_time / warm_time,
                "ratio_warm_default": default_time / warm_time,
            }
        )
    if arguments.json:
        print(json.dumps({"characters": len(text), "rows": rows}, indent=1))
        return
    print(f"source: {len(text):,} characters; milliseconds for one quotation, best of runs")
    print(
        f"{'quotation':28}{'status':13}{'cold':>8}{'warm':>8}{'difflib':>9}{'(default)':>10}"
        f"{'x cold':>8}{'x warm':>8}{'x (default)':>12}"
    )
    for row in rows:
        print(
            f"{row['kind']:28}{row['status']:13}{row['cold_ms']:8.2f}{row['warm_ms']:8.3f}"
            f"{row['difflib_exact_ms']:9.1f}{row['difflib_default_ms']:10.1f}"
            f"{row['ratio_cold']:8.0f}{row['ratio_warm']:8.0f}{row['ratio_warm_default']:12.0f}"
        )
    ratio = statistics.geometric_mean(float(row["ratio_warm"]) for row in rows)
    print(f"geometric mean of the speed-up, warm: {ratio:,.0f}x")


if __name__ == "__main__":
    main()
