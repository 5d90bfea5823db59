"""MCP resources, ``synapse://…``: block, status, layers, domains and memories.

A new family is a `ResourceFamily` and a line in `RESOURCE_FAMILIES`.
"""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple
from urllib.parse import quote, unquote

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.reason_phrases import LAYER_NAMES
from synapse_ls.mcp import tool_definition
from synapse_ls.queries import guard_report, memory_report, report_model
from synapse_ls.queries.domain_report import describe_triggers, home_layer
from synapse_ls.queries.status_report import delivery_report, status_report
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_settings import find_label
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

SCHEME = "synapse://"


class ResourceEntry(NamedTuple):
    """A resource of a family. key: "" or what its template leaves open."""

    key: str
    title: str
    description: str


class ResourceFamily:
    """Resources of one kind, at ``synapse://NAME`` or ``synapse://NAME/{argument}``."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    argument: ClassVar[str] = ""
    mime: ClassVar[str] = "text/plain"

    def entries(self, plan: Plan | None) -> Iterator[ResourceEntry]:
        """Yield those of a tree, ``plan`` is None where there is none: one by default."""
        yield ResourceEntry("", self.title, self.description)

    def read(self, root: str, key: str) -> str | None:
        """Return the text of a resource, None where there is none with this ``key``."""
        raise NotImplementedError

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


class BlockResource(ResourceFamily):
    name = "block"
    title = "Block of rules"
    description = "The rules that the next prompt of the current session would get"

    def read(self, root: str, key: str) -> str:
        return tool_definition.query_answer(root, {}).assembly.text


def _describe_domain(plan: Plan, domain: PlanDomain) -> str:
    state = "" if domain.active else ", inactive"
    wakes = describe_triggers(plan, domain) or "nothing activates it"
    return f"{home_layer(domain)}, {wakes}, {format_count(len(domain.rules), 'rule')}{state}"


class DomainResources(ResourceFamily):
    name = "domains"
    title = "Domain"
    description = "A domain of rules: what activates it, and all its rules, in the block or not"
    argument = "label"

    def entries(self, plan: Plan | None) -> Iterator[ResourceEntry]:
        if plan is not None:
            for domain in plan.domains():
                yield ResourceEntry(domain.label, domain.label, _describe_domain(plan, domain))

    def read(self, root: str, key: str) -> str | None:
        plan = load_plan(root).with_all_files().plan
        try:
            domain = plan.domain(plan.labels[find_label(plan, key)])
        except UserError:
            return None
        words = (
            ("keywords", domain.recall),
            ("excluded by", domain.exclude),
            ("paths", domain.paths),
        )
        lines = tool_definition.join_groups(
            [
                f"{domain.label}: {_describe_domain(plan, domain)}",
                *(f"{name}: {', '.join(items)}" for name, items in words if items),
                *([f"file: {domain.file}"] if domain.file else ()),
            ],
            [
                line
                for row in domain.rules
                for line in tool_definition.split_text(
                    f"{row.key}: {row.text}" if row.key else f"- {row.text}"
                )
            ],
        )
        return tool_definition.render_lines(lines)


class LayerResources(ResourceFamily):
    name = "layers"
    title = "Layer"
    description = (
        "What one of the layers of the profile (L0 to L7 of synapse) has in the block of the "
        "current session"
    )
    argument = "layer"

    def entries(self, plan: Plan | None) -> Iterator[ResourceEntry]:
        own = {layer for layer, _ in plan.profile_table["layers"]} if plan else set()
        for layer, name in LAYER_NAMES.items():
            if layer in own:
                about = f"What the {name} layer has in the block now"
                yield ResourceEntry(layer, f"{layer} {name}", about)

    def read(self, root: str, key: str) -> str | None:
        if (layer := key.upper()) not in LAYER_NAMES:
            return None
        sent = tool_definition.query_answer(root, {}).assembly.sent_sections
        return "\n\n".join(render_section(section) for section in sent if section.layer == layer)


_SHARED_READER = ""  # a resource is for whoever reads it: what an agent keeps for itself is none


class MemoryResources(ResourceFamily):
    name = "memory"
    title = "Memory"
    description = "Something that earlier sessions have learned, as far as it is shared"
    argument = "id"

    def entries(self, plan: Plan | None) -> Iterator[ResourceEntry]:
        for memory in memory_report.list_memories(plan.root, _SHARED_READER) if plan else ():
            record = memory.record
            about = f"{record.sector}, {record.confidence:.0%}, {memory.score.tier}"
            yield ResourceEntry(record.id, record.title, about)

    def read(self, root: str, key: str) -> str | None:
        try:
            memory, archived = memory_report.find_memory(root, key, _SHARED_READER)
        except UserError:
            return None
        record = memory.record
        if archived:
            return None
        lines = tool_definition.join_groups(
            [
                f"{record.id}: {record.title}",
                f"{record.type}, {record.sector}, {record.storage}, {memory.score.tier} "
                f"({memory.score.value:.2f})",
                *([f"tags: {', '.join(record.tags)}"] if record.tags else ()),
                f"file: {record.path}",
            ],
            tool_definition.split_text(record.text) if record.text else (),
        )
        return tool_definition.render_lines(lines)


class StatusResource(ResourceFamily):
    name = "status"
    title = "Status"
    description = (
        "Bracket, what is left of the context window, agent, workflow, task, and counts of rules"
    )
    mime = "application/json"

    def read(self, root: str, key: str) -> str:
        answer = tool_definition.query_answer(root, {}, standing=True)
        report = status_report(answer, guard_report.registered_hooks(root), delivery_report(root))
        return dumps(tool_definition.render_data(report_model.to_json(report)))


RESOURCE_FAMILIES: tuple[ResourceFamily, ...] = (
    BlockResource(),
    StatusResource(),
    LayerResources(),
    DomainResources(),
    MemoryResources(),
)


def find_resource(uri: str) -> tuple[ResourceFamily, str] | None:
    """Return the family of the resource ``uri`` and its key there, None where there is none."""
    keys = ((family, family.parse_key(uri)) for family in RESOURCE_FAMILIES)
    return next(((family, key) for family, key in keys if key is not None), None)


def read_resource(root: str, uri: str) -> str | None:
    """Return the text of the resource ``uri``, None where there is none."""
    resource = find_resource(uri)
    return resource[0].read(root, resource[1]) if resource else None
