"""``log``: what the hook has told agents."""

from __future__ import annotations

from itertools import groupby, islice
from typing import Any

from synapse_ls.mcp.fields import INTEGER, Field
from synapse_ls.mcp.said import Said, paragraphs
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service import injections
from synapse_ls.service.plans import planned
from synapse_ls.service.told import Wanted, injections_report

_NUMBER = 10


def _run(root: str, given: Given) -> Said:
    wanted = Wanted(session=given["session"], agent=given["agent"], rule=given["rule"])
    number = _NUMBER if given["limit"] is None else max(given["limit"], 0)
    records = list(islice(filter(wanted, injections.read(root)), number))
    reports = injections_report(planned(root).whole().plan, records)
    text = paragraphs(map(_line, reports)) or "Nothing of that kind was told to an agent."
    return Said(text, {"injections": reports})


def _line(report: dict[str, Any]) -> str:
    about = (report["client"], report["session"] or "no session", report["event"])
    took = " · ".join(
        f"{layer} {', '.join(domain['label'] for domain in domains)}"
        for layer, domains in groupby(report["domains"], lambda domain: domain["layer"])
    )
    tokens = report["tokens"]
    cost = f"{tokens} of {report['budget']} tokens" if tokens else "nothing new"
    cut = f"; cut: {', '.join(report['cut'])}" if report["cut"] else ""
    return f"{report['time']} {' '.join(about)}: {report['bracket']}, {cost}; {took}{cut}"


TOOL = Tool(
    name="log",
    title="What agents were told",
    about="What the hook has told agents, the latest first: when, to which client and session, which "
    "domains took part, what was cut. It never has a prompt.",
    fields=(
        Field("session", "only to this session, by its whole id"),
        Field("agent", "only to this agent"),
        Field("rule", "only where this rule was told or cut, or this domain took part"),
        Field("limit", f"so many at most (default: {_NUMBER})", INTEGER),
    ),
    run=_run,
)
