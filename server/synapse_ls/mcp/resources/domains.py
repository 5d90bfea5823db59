"""This module serves the MCP resources ``synapse://domains/LABEL``: a domain with its settings
and all its rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_rows import PlanDomain
from synapse_ls.mcp.resources.resource_family import ResourceEntry, ResourceFamily
from synapse_ls.mcp.tool_result import join_groups
from synapse_ls.queries.domain_summary import describe_triggers, home_layer
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.name_checks import find_label
from synapse_ls.storage.user_error import UserError
from synapse_ls.text.plural_counts import format_count


def _list_resources(plan: Plan | None) -> Iterator[ResourceEntry]:
    if plan is not None:
        for domain in plan.domains():
            yield ResourceEntry(domain.label, domain.label, _describe_domain(plan, domain))


def _describe_domain(plan: Plan, domain: PlanDomain) -> str:
    state = "" if domain.active else ", inactive"
    wakes = describe_triggers(plan, domain) or "nothing wakes it"
    return f"{home_layer(domain)}, {wakes}, {format_count(len(domain.rows), 'rule')}{state}"


def _read_resource(root: str, key: str) -> str | None:
    plan = load_plan(root).with_all_files().plan
    try:
        domain = plan.domain(plan.labels[find_label(plan, key)])
    except UserError:
        return None
    words = (("keywords", domain.recall), ("excluded by", domain.exclude), ("paths", domain.paths))
    return join_groups(
        [
            f"{domain.label}: {_describe_domain(plan, domain)}",
            *(f"{name}: {', '.join(items)}" for name, items in words if items),
            *([f"file: {domain.file}"] if domain.file else ()),
        ],
        [f"{row.key}: {row.text}" if row.key else f"- {row.text}" for row in domain.rows],
    )


FAMILY = ResourceFamily(
    "domains",
    "Domain",
    "A domain of rules: what wakes it, and all its rules, in the block or not",
    _list_resources,
    _read_resource,
    argument="label",
)
