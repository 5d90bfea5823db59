"""``synapse://domains/LABEL``: a domain with its settings and all its rules."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan import Domain, Plan
from synapse_ls.mcp.resources.family import Family, Listed
from synapse_ls.mcp.said import paragraphs
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.inventory import home_layer, wakes_by
from synapse_ls.service.lookup import find_label
from synapse_ls.service.plans import planned
from synapse_ls.text.counted import counted


def _listed(plan: Plan | None) -> Iterator[Listed]:
    for domain in plan.domains() if plan else ():
        yield Listed(domain.label, domain.label, _about(plan, domain) if plan else "")


def _about(plan: Plan, domain: Domain) -> str:
    state = "" if domain.active else ", inactive"
    wakes = wakes_by(plan, domain) or "nothing wakes it"
    return f"{home_layer(domain)}, {wakes}, {counted(len(domain.rows), 'rule')}{state}"


def _read(root: str, key: str) -> str | None:
    plan = planned(root).whole().plan
    try:
        domain = plan.domain(plan.labels[find_label(plan, key)])
    except ServiceError:
        return None
    words = (("keywords", domain.recall), ("excluded by", domain.exclude), ("paths", domain.paths))
    return paragraphs(
        [
            f"{domain.label}: {_about(plan, domain)}",
            *(f"{name}: {', '.join(items)}" for name, items in words if items),
            *([f"file: {domain.file}"] if domain.file else ()),
        ],
        [f"{row.key}: {row.text}" if row.key else f"- {row.text}" for row in domain.rows],
    )


FAMILY = Family(
    "domains",
    "Domain",
    "A domain of rules: what wakes it, and all its rules, in the block or not",
    _listed,
    _read,
    argument="label",
)
