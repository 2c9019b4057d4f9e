"""Hold answers to the instructions of their prompt.

python examples/contract.py
"""

from __future__ import annotations

from citemeter.contract import check_contract, contract_report, read_contract

# As it may stand in a YAML or JSON file: read_contract("contract.yaml").
CONTRACT = read_contract(
    [
        {"id": "I1", "rule": "max_words", "n": 30, "unless": {"detail": True}},
        {"id": "I2", "rule": "every_claim_cited"},
        {"id": "I3", "rule": "marker_syntax", "syntax": "[doc:<id>]"},
        {"id": "I4", "rule": "max_citations_per_statement", "n": 2},
        {"id": "I5", "rule": "sources_section", "title": "Sources"},
        {"id": "I6", "rule": "no_citation_in_refusals"},
        {"id": "I7", "rule": "max_quote_words", "n": 10},
    ]
)
SOURCES = {
    "hr-12": "Employees accrue 25 days of paid time off per calendar year.",
    "hr-31": "Unused PTO up to 5 days may be carried over to the next year.",
}
ANSWERS = [
    "You get 25 days of PTO a year [doc:hr-12].\n\nSources:\n- [doc:hr-12]",
    "Sure, here is what I found.\nYou get 25 days [hr-12]. Ask your manager early.",
    "Five days carry over [doc:hr-31].\n\nSources:\n- [doc:hr-31]\n- [doc:hr-12]",
    "The documents do not say how sick leave is counted [doc:hr-12].",
]


def main() -> None:
    """Print what each answer breaks and where, then the accuracies."""
    results = []
    for number, answer in enumerate(ANSWERS, start=1):
        result = check_contract({"id": number, "answer": answer, "sources": SOURCES}, CONTRACT)
        results.append(result)
        verdict = {True: "follows all", False: "breaks some", None: "none applies"}
        print(f"answer {number}: {verdict[result.prompt_pass]}")
        for one in result.instructions:
            if one.passed is False:
                print(f"    {one.id} {one.rule}: {one.reason}")
                for finding in one.findings:
                    if finding.span is not None:
                        print(f"        at {finding.span.start}: {finding.text!r}")
    report = contract_report(results)
    for name, value in report.ifeval().items():
        print(f"{name} {value:.3f}")
    for row in report.per_instruction.values():
        print(f"{row.id} {row.rule}: {row.passed} of {row.applicable}, n/a {row.na_rate:.2f}")
    print(f"not tested by any answer: {', '.join(report.never_applicable)}")


if __name__ == "__main__":
    main()
