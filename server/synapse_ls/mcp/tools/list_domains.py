"""``list_domains``: the rule sets of the tree, and what wakes each."""

from __future__ import annotations

from typing import Any

from synapse_ls.mcp.fields import INTEGER, Field
from synapse_ls.mcp.said import Said, paragraphs, rest
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.inventory import domain_report, emptiness
from synapse_ls.service.plans import planned
from synapse_ls.text.counted import counted

_MOST = 500  # domains


def _run(root: str, given: Given) -> Said:
    plan = planned(root).whole().plan
    total = len(plan.packed)
    limit = _MOST if given["limit"] is None else max(given["limit"], 0)
    domains = [domain_report(plan, plan.domain(number)) for number in range(min(total, limit))]
    text = paragraphs(
        [*map(_line, domains), *rest(len(domains), total, "domain", "give a larger limit")],
        [] if total else [f"note: {emptiness(plan)}"],
    )
    return Said(text, {"domains": domains, "total": total})


def _line(domain: dict[str, Any]) -> str:
    state = "" if domain["active"] else ", inactive"
    wakes = domain["wakes_by"] or "nothing wakes it"
    count = counted(domain["rules"], "rule")
    words = f" ({', '.join(domain['recall'])})" if domain["recall"] else ""
    where = f" {domain['file']}" if domain["file"] else ""
    return f"{domain['label']}: {domain['layer']}, {wakes}{words}, {count}{state}{where}"


TOOL = Tool(
    name="list_domains",
    title="Domains of rules",
    about="The domains (named rule sets) of this project: layer, what wakes each, how many rules, "
    "its file.",
    fields=(Field("limit", f"so many at most (default: {_MOST})", INTEGER),),
    run=_run,
)
