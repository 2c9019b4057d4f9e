"""Check answers before they are shown: strip made-up ids, flag quotations, stream sentences.

python examples/guardrail.py
"""

from __future__ import annotations

import json
from pathlib import Path

from citemeter.guardrail import Guardrail, GuardrailStream, Policy

HAGRID = Path(__file__).parent / "hagrid.jsonl"


def real_answers() -> None:
    """Check the real answers against their passages, then for a caller who may see one fewer."""
    records = [json.loads(line) for line in HAGRID.read_text(encoding="utf-8").splitlines()]
    for title, hidden in (("all passages", 0), ("the last passage hidden", 1)):
        actions: dict[str, int] = {}
        taken_out = 0
        for record in records:
            ids = [source["id"] for source in record["sources"]]
            allowed = ids[: len(ids) - hidden]
            verdict = Guardrail(record["sources"], allowed=allowed).check(record["answer"])
            actions[verdict.action] = actions.get(verdict.action, 0) + 1
            taken_out += sum(f.kind == "invalid_id" for f in verdict.findings)
        counts = ", ".join(f"{action} {actions[action]}" for action in sorted(actions))
        print(f"{title}: {counts}; ids taken out: {taken_out}")


def streamed() -> None:
    """Show an answer sentence by sentence while its tokens arrive."""
    sources = {
        "hr-12": "Employees accrue 25 days of paid time off per calendar year.",
        "hr-31": "Unused PTO up to 5 days may be carried over to the next year.",
    }
    answer = (
        "You get 25 days of paid time off per year [hr-12, hr-98]. "
        'The policy says "up to 10 days may be carried over" [hr-31]. '
        "Requests need the approval of a manager [hr-99]."
    )
    stream = GuardrailStream(sources, Policy(uncited_claim="block"))
    for start in range(0, len(answer), 5):  # as a model's tokens would come
        for checked in stream.feed(answer[start : start + 5]):
            print(f"{checked.action}: {checked.text}")
    for checked in stream.finish():
        print(f"{checked.action}: {checked.text}")
    for finding in stream.verdict.findings:
        print(f"    {finding.action}: {finding.message}")
    print(f"shown before the block: {stream.verdict.emitted} characters")


if __name__ == "__main__":
    real_answers()
    streamed()
