"""MCP resources: ``synapse://block``, ``status``, ``layers/L0``, ``domains/LABEL`` and
``memory/ID``. A new family is a `ResourceFamily` and a line in `RESOURCE_FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.rule_account import LAYER_NAMES, account_for_domains
from synapse_ls.mcp.tool_definition import join_groups, query_answer, replace_surrogates
from synapse_ls.queries.domain_report import describe_triggers, home_layer
from synapse_ls.queries.guard_report import registered_hooks
from synapse_ls.queries.memory_report import find_memory, list_memories
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.status_report import delivery_report, status_report
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_settings import find_label
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

SCHEME = "synapse://"
TEXT, JSON = "text/plain", "application/json"


class ResourceEntry(NamedTuple):
    """A resource of a family. key: "" or what its template leaves open."""

    key: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class ResourceFamily:
    """Resources of one kind, at ``synapse://NAME`` or ``synapse://NAME/{argument}``.

    list_resources: those of a tree, None where there is none. read_resource: (root, key) -> the
    text, None where there is no such resource.
    """

    name: str
    title: str
    description: str
    list_resources: Callable[[Plan | None], Iterator[ResourceEntry]]
    read_resource: Callable[[str, str], str | None]
    argument: str = ""
    mime: str = TEXT

    @property
    def template(self) -> str:
        """The URI template; of a family of one, its URI."""
        return f"{SCHEME}{self.name}" + (f"/{{{self.argument}}}" if self.argument else "")

    def uri(self, key: str) -> str:
        """Return the URI of one resource."""
        return f"{SCHEME}{self.name}" + (f"/{quote(key, safe='')}" if self.argument else "")

    def parse_key(self, uri: str) -> str | None:
        """Return the key in ``uri``; None where it is none of this family."""
        start = f"{SCHEME}{self.name}"
        if not self.argument:
            return "" if uri.rstrip("/") == start else None
        rest = uri.removeprefix(f"{start}/")
        return None if rest == uri or not rest or "/" in rest else unquote(rest)


_BLOCK_TITLE = "Block of rules"
_BLOCK_DESCRIPTION = "The rules that the next prompt of the current session would be told"


def _list_block(_: Plan | None) -> Iterator[ResourceEntry]:
    yield ResourceEntry("", _BLOCK_TITLE, _BLOCK_DESCRIPTION)


def _read_block(root: str, _: str) -> str:
    return query_answer(root, {}).assembly.text


BLOCK_FAMILY = ResourceFamily("block", _BLOCK_TITLE, _BLOCK_DESCRIPTION, _list_block, _read_block)


def _list_domains(plan: Plan | None) -> Iterator[ResourceEntry]:
    if plan is not None:
        for domain in plan.domains():
            yield ResourceEntry(domain.label, domain.label, _describe_domain(plan, domain))


def _describe_domain(plan: Plan, domain: PlanDomain) -> str:
    state = "" if domain.active else ", inactive"
    wakes = describe_triggers(plan, domain) or "nothing wakes it"
    return f"{home_layer(domain)}, {wakes}, {format_count(len(domain.rules), 'rule')}{state}"


def _read_domain(root: str, key: str) -> str | None:
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
        [f"{row.key}: {row.text}" if row.key else f"- {row.text}" for row in domain.rules],
    )


DOMAINS_FAMILY = ResourceFamily(
    "domains",
    "Domain",
    "A domain of rules: what wakes it, and all its rules, in the block or not",
    _list_domains,
    _read_domain,
    argument="label",
)


def _list_layers(plan: Plan | None) -> Iterator[ResourceEntry]:
    own = {layer for layer, _ in plan.profile_table["layers"]} if plan else set()
    for layer, name in LAYER_NAMES.items():
        if layer not in own:
            continue
        yield ResourceEntry(layer, f"{layer} {name}", f"What the {name} layer has in the block now")


def _read_layer(root: str, key: str) -> str | None:
    layer = key.upper()
    if layer not in LAYER_NAMES:
        return None
    sent = query_answer(root, {}).assembly.sent_sections
    return "\n\n".join(render_section(section) for section in sent if section.layer == layer)


LAYERS_FAMILY = ResourceFamily(
    "layers",
    "Layer",
    "What one of the layers of the profile (L0 to L7 of synapse) has in the block of the current "
    "session",
    _list_layers,
    _read_layer,
    argument="layer",
)


_SHARED_READER = ""  # a resource is for whoever reads it: what an agent keeps for itself is none


def _list_memories(plan: Plan | None) -> Iterator[ResourceEntry]:
    for memory in list_memories(plan.root, _SHARED_READER) if plan else ():
        record = memory.record
        about = f"{record.sector}, {record.confidence:.0%}, {memory.score.tier}"
        yield ResourceEntry(record.id, record.title, about)


def _read_memory(root: str, key: str) -> str | None:
    try:
        memory, archived = find_memory(root, key, _SHARED_READER)
    except UserError:
        return None
    record = memory.record
    if archived:
        return None
    return join_groups(
        [
            f"{record.id}: {record.title}",
            f"{record.type}, {record.sector}, {record.storage}, {memory.score.tier} "
            f"({memory.score.value:.2f})",
            *([f"tags: {', '.join(record.tags)}"] if record.tags else ()),
            f"file: {record.path}",
        ],
        [record.text] if record.text else [],
    )


MEMORY_FAMILY = ResourceFamily(
    "memory",
    "Memory",
    "Something that earlier sessions have learned, as far as it is shared",
    _list_memories,
    _read_memory,
    argument="id",
)


_STATUS_TITLE = "Status"
_STATUS_DESCRIPTION = (
    "Bracket, what is left of the context window, agent, workflow, task, and counts of rules"
)


def _list_status(_: Plan | None) -> Iterator[ResourceEntry]:
    yield ResourceEntry("", _STATUS_TITLE, _STATUS_DESCRIPTION)


def _read_status(root: str, _: str) -> str:
    answer = query_answer(root, {}, standing=True)
    accounts = account_for_domains(answer.plan, answer.assembly)
    report = status_report(answer, accounts, registered_hooks(root), delivery_report(root))
    return dumps(replace_surrogates(to_json(report)))


STATUS_FAMILY = ResourceFamily(
    "status", _STATUS_TITLE, _STATUS_DESCRIPTION, _list_status, _read_status, mime=JSON
)


RESOURCE_FAMILIES: tuple[ResourceFamily, ...] = (
    BLOCK_FAMILY,
    STATUS_FAMILY,
    LAYERS_FAMILY,
    DOMAINS_FAMILY,
    MEMORY_FAMILY,
)


def read_resource(root: str, uri: str) -> str | None:
    """Return the text of the resource ``uri``, None where there is none."""
    for family in RESOURCE_FAMILIES:
        key = family.parse_key(uri)
        if key is not None:
            return family.read_resource(root, key)
    return None


def resource_mime(uri: str) -> str:
    """Return the MIME type of the text of the resource ``uri``, "" where there is none."""
    return next(
        (family.mime for family in RESOURCE_FAMILIES if family.parse_key(uri) is not None), ""
    )
