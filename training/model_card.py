"""Write the table of data sets, with licence and share, into the network's model card.

Usage: ``python training/model_card.py RUN``; RUN is the folder of ``fit_cross_encoder.py train``,
which holds ``mixture.txt``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import citemeter
from measures import markdown_table, write_between_markers

CARD = Path(citemeter.__file__).parent / "data" / "network" / "MODEL_CARD.md"
SETS = {  # set: what it is, and the licence its makers give it
    "citation_integrity_biomed": ("Citation-Integrity, biomedical citing sentences", "MIT"),
    "factcheckgpt_stance": ("Factcheck-GPT, stance of evidence to claim", "Apache-2.0"),
    "faithdial_audit": ("audit of knowledge-grounded dialogue (FaithDial)", "MIT"),
    "q2_wow": ("Q², dialogue turns from Wizard of Wikipedia", "MIT"),
    "foolmetwice": ("FoolMeTwice, dev part", "Apache-2.0; text CC-BY-SA"),
    "fever_symmetric": ("FeverSymmetric, even rows", "CC-BY-SA"),
    "fever_gold_evidence": ("FEVER, claims with gold evidence", "CC-BY-SA"),
    "docnli_fever_retrieved": ("DocNLI's FEVER part", "BSD-3-Clause; FEVER CC-BY-SA"),
    "new_protocols_nli": ("New Protocols NLI (Wikipedia)", "CC-BY-SA"),
    "mnli_dev_all": ("MultiNLI, development sets", "MultiNLI's own terms (OANC, CC-BY, CC-BY-SA)"),
    "snli_dev_test": ("SNLI, development and test sets", "CC-BY-SA"),
    "conjnli": ("ConjNLI", "MIT"),
    "negation_nli": ("negated NLI pairs", "MIT"),
    "cad_nli": ("counterfactually augmented NLI", "Apache-2.0"),
}


def data_table(mixture: str) -> str:
    """Return the table of what was learnt from; ``mixture`` is what ``summary`` gave.

    Raises:
        KeyError: If a set has no licence here.
    """
    pairs: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    for line in mixture.splitlines():
        source, kind, count, _ = (cell.strip() for cell in line.split("|"))
        if source != "all":
            pairs[source] += int(count)
            kinds.setdefault(source, Counter())[_kind(kind)] += int(count)
    total = sum(pairs.values())
    rows = [
        [
            SETS[source][0],
            SETS[source][1],
            str(count),
            f"{count / total:.1%}",
            ", ".join(f"{kind} {n}" for kind, n in kinds[source].most_common()),
        ]
        for source, count in pairs.most_common()
    ]
    head = ["set", "licence", "pairs", "share", "of them"]
    return markdown_table(head, [*rows, ["all", "", str(total), "100 %", ""]])


def _kind(kind: str) -> str:
    """Return the group that a kind of pair counts in."""
    kind = kind.removesuffix(", long")
    if kind in ("labelled", "gold", "nli"):
        return "as published"
    return "matching" if kind == "match" else "made from them"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    mixture = (parser.parse_args().run / "mixture.txt").read_text(encoding="utf-8")
    write_between_markers(CARD, "model_card.py", data_table(mixture))


if __name__ == "__main__":
    main()
