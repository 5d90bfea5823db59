"""``coverage``: which rules agents were told, and which never reach one."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from synapse_ls.mcp.fields import INTEGER, Field
from synapse_ls.mcp.said import Said, paragraphs, rest
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service import injections
from synapse_ls.service.coverage import coverage, coverage_report
from synapse_ls.service.observed import Observed
from synapse_ls.service.plans import planned
from synapse_ls.text.counted import counted

_MOST = 20  # findings of a kind


def _run(root: str, given: Given) -> Said:
    seen = Observed()
    for record in injections.read(root):
        seen.add(record)
    found = coverage(planned(root).whole().plan, seen)
    limit = _MOST if given["limit"] is None else max(given["limit"], 0)
    shown = [
        finding
        for _, kind in groupby(found.findings, lambda finding: finding.kind)
        for finding in list(kind)[:limit]
    ]
    few = "" if found.is_enough else "; these are too few to judge by"
    rules = counted(found.rules, "rule")
    text = paragraphs(
        [
            f"{found.percent:.0f}% of the rules were told at least once: {found.told} of {rules}",
            f"over {counted(found.prompts, 'prompt')} that the hook answered{few}",
        ],
        [f"{f.kind.code} {f.name} ({f.file}:{f.line}): {f.message}" for f in shown]
        + rest(len(shown), len(found.findings), "finding", "give a larger limit"),
    )
    kept = coverage_report(replace(found, findings=tuple(shown)), seen)
    return Said(text, kept)


TOOL = Tool(
    name="coverage",
    title="Rules that never reach an agent",
    about="By the log of the hook: how many rules were ever told, which domains never took part, "
    "which rules were always cut, which keywords never matched.",
    fields=(Field("limit", f"so many of each kind at most (default: {_MOST})", INTEGER),),
    run=_run,
)
