"""Check quotations against the sources they cite.

python examples/quotes.py
"""

from __future__ import annotations

import citemeter

RECORD = {
    "answer": (
        'The charter says the archive "shall be open to every citizen of the town" [charter]. '
        'It adds that "no fee is charged for reading the records" [charter]. '
        'The minutes call the roof "beyond any hope of repair" [charter]. '
        'A member said that "the moon is made of paper and glue" [minutes].'
    ),
    "sources": {
        "charter": "The archive shall be open to every citizen of the town. A small fee is "
        "charged for reading the records.",
        "minutes": "The surveyor found the roof beyond any hope of repair and said so twice.",
    },
}


def main() -> None:
    """Print each quotation with its status and what differs."""
    report = citemeter.score([RECORD], judge=None)
    [result] = report.results
    for check in result.quotes:
        print(f"{check.status}: {check.quote}")
        if check.found_in is not None:
            print(f"    found in {check.found_in}")
        for said, source in check.changes:
            print(f"    the answer has {said!r} where the source has {source!r}")
    print(f"quote_verification {result['quote_verification']}")


if __name__ == "__main__":
    main()
