"""Reports that earlier versions wrote, in today's form."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from typing import Any


def upgrade_report(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report of schema version 1 as one of version 2.

    What version 1 did not write stays out: sources, and without results what a merge needs.

    Args:
        report: The report as it stands in JSON.
    """
    from citemeter.evaluation.merging import aggregator_of
    from citemeter.results import Signature

    upgraded = {name: value for name, value in report.items() if name not in ("responses", "pairs")}
    signature = Signature.model_validate(_signature(report["signature"], report["metrics"]))
    totals = aggregator_of(signature, report["metrics"])
    results = [
        {name: value for name, value in result.items() if name not in ("undefined", "bounds")}
        | {
            "counts": counts,
            "scores": {
                name: score
                for name, score in totals.add(counts).items()
                if name in result["scores"]
            },
            "details": {
                name: _DETAILS[name](value, result)
                for name, value in result.get("details", {}).items()
                if name in _DETAILS
            },
        }
        for result in report.get("results", ())
        for counts in [_counts(result["counts"])]
    ]
    metrics = report["metrics"]
    if results and len(results) == report["responses"]["scored"]:
        metrics = totals.summaries(tuple(metrics))
    return upgraded | {
        "schema_version": 2,
        "signature": signature,
        "counts": _counts(report["counts"]),
        "metrics": metrics,
        "record_counts": report["responses"],
        "pair_counts": report["pairs"],
        "details": {
            name: _SUMMARIES.get(name, dict)(value)
            for name, value in report.get("details", {}).items()
        },
        "results": results,
    }


def _signature(signature: dict[str, Any], metrics: Container[str]) -> dict[str, Any]:
    from citemeter.evaluation.settings import Settings

    defaults = Settings().signature(None).choices
    known = defaults | {name: signature[name] for name in defaults if name in signature}
    known |= {"repair": "repair_rate" in metrics, "describe": "inside_citation_rate" in metrics}
    if known["segmenter"] == "nupunkt":
        known["segmenter"] = "citemeter"  # it has had its own name since
    changed = [name for name, value in known.items() if value != defaults[name]]
    return {**signature, **known, "changed": changed}


_RENAMED = (
    (re.compile(r"^repaired_"), "after_repair_"),
    (re.compile(r"^mended_"), "repaired_"),
    (re.compile(r"^unmended_"), "unrepaired_"),
    (re.compile(r"^open_statements$"), "unjudged_repairs"),
    (re.compile(r"^open_"), "unjudged_"),
    (re.compile(r"unjudged_in_crowds$"), "unjudged_in_groups"),
    (re.compile(r"_silent$"), "_empty"),
)


def _counts(counts: dict[str, int]) -> dict[str, int]:
    """Return counts by their names of today."""
    renamed = {}
    for name, number in counts.items():
        for pattern, today in _RENAMED[:5]:
            if pattern.search(name):
                name = pattern.sub(today, name)
                break
        for pattern, today in _RENAMED[5:]:
            name = pattern.sub(today, name)
        renamed[name] = number
    return renamed


def _outcomes(table: dict[str, Any]) -> dict[str, Any]:
    return {
        side: {"empty" if name == "silent" else name: n for name, n in counts.items()}
        for side, counts in table.items()
    }


def _attribution(found: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    own = {name: found.get(name) for name in ("label", "prediction", "complexity")}
    said = {name: value for name, value in found.items() if name not in own}
    classification = {"label": own["prediction"], **said} if said else None
    if said.get("error") is not None:
        state = "failed"
    elif own["prediction"] is None:
        state = "unlabelled"
    else:
        state = "right" if own["prediction"] == own["label"] else "wrong"
    return own | {"state": state, "classification": classification}


_SUMMARIES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "abstention": _outcomes,
    "contract": lambda table: {"instructions": table},
    "repair": lambda table: {"problems": table},
}
_DETAILS: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    "abstention": lambda found, result: {
        "outcome": "empty" if found["conduct"] == "silent" else found["conduct"]
    },
    "attribution": _attribution,
    "grounding": lambda found, result: {**found, "id": result["id"], "counts": {}},
    "contract": lambda found, result: {**found, "id": result["id"]},
}
"""Those of repair need the answers before, which version 1 did not write."""
