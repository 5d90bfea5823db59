"""The caret's place in a YAML file for completion: the keys around it, siblings and list items. It
reads lines alone, so the file need not be valid yet.

Complete ``squad.yaml``: fields, their words, and the components that exist.

Complete workflow states and workflow definitions: fields, statuses, phases, and
names of the tree.

Complete the YAML files of Chati.dev: fields and words of their schemas, and names
of the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.chati import config_file, domain_file, session_file, work_files
from synapse_ls.formats.chati.field_schema import SchemaField
from synapse_ls.formats.squad_manifest import SCHEMA, SquadField
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import (
    CONTEXTS,
    REQUIRED,
    STATUSES,
    STEP_STATUSES,
    WorkflowState,
)
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    unique_offer,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind, squad_folder_of

_FIELD = re.compile(
    r"(?P<indent>[ \t]*)(?P<dashes>(?:-[ \t]+)*)(?P<key>[\"']?[\w.-]+[\"']?)[ \t]*:(?=\s|$)"
)
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+)*-(?:[ \t]+|$)")
_WORD = re.compile(r"[^\s,\[\]{}\"'#:]")
_FLOW_KEY = re.compile(r"([\w.-]+)[ \t]*:[ \t]*[^,{}\[\]]*$")
_SCAN = 5_000  # lines that are looked at above the caret


@dataclass(frozen=True, slots=True)
class YamlContext:
    """The place of the caret in a YAML document.

    ``path`` are the keys around the caret, outermost first; list items add nothing to it. ``role``
    is "key" where a key can begin, "value" behind a key, "item" in a list. ``word`` is what would
    be replaced. ``siblings`` are the keys that the same mapping has already, ``list_values`` the
    other items of the same list. ``has_value``: behind the word there is a colon already.
    """

    path: tuple[str, ...]
    role: str
    word: Span
    siblings: frozenset[str] = frozenset()
    list_values: frozenset[str] = frozenset()
    has_value: bool = False


def yaml_context(facts: FileFacts, place: LineContext) -> YamlContext | None:
    """Return the context of the caret in a YAML file, its place as the lines around it show it;
    None in a comment.
    """
    before = place.text[place.span.start : place.caret]
    if re.search(r"(?:^|\s)#", before):
        return None
    word = place.word_span(_WORD)
    field = _FIELD.match(before)
    # The brackets of flow collections that are open at the caret.
    stack: list[str] = []
    for char in before:
        if char in "[{":
            stack.append(char)
        elif char in "]}" and stack:
            stack.pop()
    opened = "".join(stack)
    if field:
        path = (*_parent_keys(facts, place, _key_column(field)), field["key"].strip("\"'"))
        if not opened:
            # The span of a field's value from the word at the caret on, without a comment behind
            # it.
            end = place.text.find(" #", word.end, place.span.end)
            end = place.body.end if end < 0 else end
            rest = place.text[word.end : end]
            return YamlContext(
                path,
                "value",
                Span(word.start, word.end + len(rest.rstrip()) if rest.strip() else word.end),
            )
        return _flow_context(place, path, opened, word)
    if opened:
        parents = _parent_keys(facts, place, len(before) - len(before.lstrip()))
        return _flow_context(place, parents, opened, word)
    item = _ITEM.match(before)
    column = item.end() if item else len(before) - len(before.lstrip())
    if item and before.rstrip().endswith("-") and not before.endswith((" ", "\t")):
        return None
    parents = _parent_keys(
        facts, place, column if item is None else len(before) - len(before.lstrip()) + 1
    )
    siblings, values = _siblings(facts, place, column)
    role = "item" if item else "key"
    return YamlContext(parents, role, word, siblings, values, place.is_followed_by(":", word.end))


def _key_column(field: re.Match[str]) -> int:
    return len(field["indent"]) + len(field["dashes"])


def _parent_keys(facts: FileFacts, place: LineContext, column: int) -> tuple[str, ...]:
    """Return the keys that are less indented than ``column``, above the caret's line."""
    keys: list[str] = []
    for number in range(place.line - 1, max(place.line - _SCAN, -1), -1):
        if column <= 0:
            break
        line = facts.lines.line_span(number).cut(facts.text)
        field = _FIELD.match(line)
        if field is None:
            continue
        own = _key_column(field)
        if own < column:
            keys.append(field["key"].strip("\"'"))
            column = own
            if field["dashes"]:
                column = len(field["indent"]) + 1
    return tuple(reversed(keys))


def _siblings(
    facts: FileFacts, place: LineContext, column: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys at ``column`` and the scalar items of the block that holds the caret."""
    keys: set[str] = set()
    items: set[str] = set()
    for step in (-1, 1):
        number = place.line + step
        while 0 <= number < facts.lines.line_count and abs(number - place.line) < _SCAN:
            line = facts.lines.line_span(number).cut(facts.text)
            number += step
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            field, item = _FIELD.match(line), _ITEM.match(line)
            indent = len(line) - len(line.lstrip())
            if item and item.end() == column and not field:
                items.add(line[item.end() :].strip().strip("\"'"))
            elif field and _key_column(field) == column:
                keys.add(field["key"].strip("\"'"))
                if field["dashes"]:
                    break  # the first key of a list's item: the mapping begins here
            elif indent < column:
                break
    return frozenset(keys), frozenset(items)


def _flow_context(
    place: LineContext, path: tuple[str, ...], opened: str, word: Span
) -> YamlContext:
    """Return a place in ``[a, b]`` or ``{a: b}``."""
    before = place.text[place.span.start : place.caret]
    inner = before[max(before.rfind("["), before.rfind("{")) + 1 :]
    parts = [part.strip() for part in inner.split(",")]
    if opened[-1] == "[":
        values = frozenset(part.strip("\"'") for part in parts[:-1])
        return YamlContext(path, "item", word, list_values=values)
    key = _FLOW_KEY.search(parts[-1])
    if key:
        return YamlContext((*path, key[1]), "value", word)
    keys = frozenset(part.partition(":")[0].strip() for part in parts[:-1])
    return YamlContext(path, "key", word, keys, has_value=place.is_followed_by(":", word.end))


_BY_PATH = {field.path: field for field in SCHEMA}
_FIELD_ENDINGS = {"mapping": ":\n  ", "texts": ":\n  - ", "text": ": "}


def complete_squad(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a squad's manifest: what can be written there."""
    context = yaml_context(facts, place)
    if context is None:
        return None
    if context.role == "key":
        return unique_offer(context.word, _squad_field_items(context))
    if context.role == "item":
        return unique_offer(context.word, _list_items(view, facts, context))
    return unique_offer(context.word, _squad_word_items(_BY_PATH.get(context.path)))


def _squad_field_items(place: YamlContext) -> Iterator[CompletionItem]:
    """Yield the fields of the schema at a place, the required ones first."""
    fields = [field for field in SCHEMA if field.path[:-1] == place.path]
    for field in sorted(fields, key=lambda field: not field.required):
        name = field.path[-1]
        if name not in place.siblings:
            opened = "" if place.has_value else _FIELD_ENDINGS[field.shape]
            indented = opened.replace("\n", "\n" + "  " * len(place.path))
            detail = "required" if field.required else field.shape
            yield CompletionItem(
                name, "key", name + indented, "", detail, ("squad", ".".join(field.path))
            )


def _squad_word_items(field: SquadField | None) -> Iterator[CompletionItem]:
    for word in field.options if field else ():
        yield CompletionItem(word, "value", topic=("squad", ".".join(field.path) if field else ""))


def _list_items(view: View, facts: FileFacts, place: YamlContext) -> Iterable[CompletionItem]:
    """Return the files of a component's folder, or the squads that this one can need."""
    if place.path == ("dependencies", "squads"):
        own = squad_folder_of(facts.path, view.tree.snapshot.config.paths).rpartition("/")[2]
        squads = (squad for squad in completion_item.squad_items(view.tree) if squad.label != own)
        return (item for item in squads if item.label not in place.list_values)
    if len(place.path) == 2 and place.path[0] == "components":
        return _component_items(view, facts, place.path[1], place.list_values)
    return ()


def _component_items(
    view: View, facts: FileFacts, kind: str, taken: frozenset[str]
) -> Iterator[CompletionItem]:
    folder = f"{facts.path.rpartition('/')[0]}/{kind}"
    for path in view.tree.snapshot.paths_under(folder):
        name = path[len(folder) + 1 :]
        if name not in taken:
            yield CompletionItem(name, "file", detail=kind, topic=("file", path))


_STATE_FIELDS = (*REQUIRED, "current_phase", "squad_name")
_STEP_FIELDS = ("step_index", "phase", "agent", "action", "task", "status", "step_id")
_STATE_FIELDS_BY_PATH: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): _STATE_FIELDS,
    ("steps",): _STEP_FIELDS,
}
_DEFINITION_FIELDS_BY_PATH: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): ("workflow",),
    ("workflow",): ("id", "name", "type", "description", "sequence"),
    ("workflow", "sequence"): ("id", "step", "phase", "agent", "action", "task", "name"),
}


def complete_workflow_state(
    view: View, facts: FileFacts, place: LineContext
) -> CompletionOffer | None:
    """Return the completions at a place of a workflow's state."""
    state = facts.document
    workflow = state.workflow_id if isinstance(state, WorkflowState) else ""
    return _complete_fields(view, facts, place, _STATE_FIELDS_BY_PATH, workflow)


def complete_workflow(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a workflow's definition."""
    definition = facts.document
    named = definition.id if isinstance(definition, WorkflowDefinition) else None
    return _complete_fields(
        view, facts, place, _DEFINITION_FIELDS_BY_PATH, named.value if named else ""
    )


def _complete_fields(
    view: View,
    facts: FileFacts,
    place: LineContext,
    fields: Mapping[tuple[str, ...], tuple[str, ...]],
    workflow: str,
) -> CompletionOffer | None:
    context = yaml_context(facts, place)
    if context is None:
        return None
    in_step = context.path[-1:] in (("steps",), ("sequence",))
    if context.role == "key" or (context.role == "item" and in_step):
        return unique_offer(
            context.word, _workflow_field_items(context, fields.get(context.path, ()))
        )
    if context.role != "value":
        return None
    return unique_offer(context.word, _workflow_value_items(view, context, facts.text, workflow))


def _workflow_field_items(place: YamlContext, fields: Iterable[str]) -> Iterator[CompletionItem]:
    for name in fields:
        if name not in place.siblings:
            detail = "required" if name in REQUIRED and not place.path else ""
            yield CompletionItem(name, "key", name if place.has_value else f"{name}: ", "", detail)


def _workflow_value_items(
    view: View, place: YamlContext, text: str, workflow: str
) -> Iterable[CompletionItem]:
    *parents, name = place.path
    if name == "status":
        return _workflow_word_items(STEP_STATUSES if parents else STATUSES)
    if name == "target_context":
        return _workflow_word_items(CONTEXTS)
    if name in ("phase", "current_phase"):
        return completion_item.state_phase_items(view.tree, workflow, place.word.cut(text))
    supplier = _WORKFLOW_SUPPLIERS.get(name)
    return supplier(view) if supplier else ()


def _workflow_word_items(words: Iterable[str]) -> Iterator[CompletionItem]:
    return (CompletionItem(word, "value") for word in words)


_WORKFLOW_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    "workflow_id": lambda view: completion_item.workflow_items(view.tree),
    "agent": lambda view: completion_item.agent_items(view.tree),
    "squad_name": lambda view: completion_item.squad_items(view.tree),
    "task": lambda view: completion_item.task_items(view.tree),
}


Fields = tuple[SchemaField, ...]

_TASKS = (
    SchemaField("tasks", "list", fields=work_files.DEFINITION_FIELDS),
    *work_files.DEFINITION_FIELDS,
)
_WORKFLOW = (
    SchemaField(
        "workflow", "mapping", fields=(SchemaField("id"), SchemaField("name"), SchemaField("type"))
    ),
    SchemaField(
        "phases",
        "list",
        fields=(
            SchemaField("phase"),
            SchemaField("name"),
            SchemaField("category", words=("PLANNING", "BUILD", "DEPLOY")),
            SchemaField(
                "sequence",
                "list",
                fields=(SchemaField("agent"), SchemaField("action"), SchemaField("notes")),
            ),
        ),
    ),
)
_FIELDS_BY_KIND: Mapping[FileKind, Fields] = {
    FileKind.CHATI_SESSION: session_file.FIELDS,
    FileKind.CHATI_CONFIG: config_file.FIELDS,
    FileKind.CHATI_DOMAIN: domain_file.FIELDS,
    FileKind.CHATI_WORKFLOW: _WORKFLOW,
    FileKind.CHATI_TASKS: _TASKS,
}


def complete_chati(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a Chati.dev file."""
    context = yaml_context(facts, place)
    if context is None:
        return None
    fields = _fields_at(_FIELDS_BY_KIND[facts.kind], context.path)
    if context.role == "key" or (context.role == "item" and fields):
        return unique_offer(
            context.word,
            [*_chati_field_items(context, fields), *_agent_key_items(view, facts, context)],
        )
    return unique_offer(context.word, _chati_value_items(view, facts, context))


def _fields_at(fields: Fields, path: tuple[str, ...]) -> Fields:
    """Return the fields of the mapping at ``path``; below a mapping by names those of each of its
    values.
    """
    if not path:
        return fields
    field = next((field for field in fields if field.name == path[0]), None)
    if field is None:
        return ()
    return (
        _fields_at(field.value_fields, path[2:])
        if field.value_fields and path[1:]
        else _fields_at(field.fields, path[1:])
    )


def _chati_field_items(place: YamlContext, fields: Fields) -> Iterator[CompletionItem]:
    for field in fields:
        if field.name not in place.siblings:
            detail = "required" if field.required else ""
            insert = field.name if place.has_value else f"{field.name}: "
            yield CompletionItem(field.name, "key", insert, "", detail)


def _agent_key_items(view: View, facts: FileFacts, place: YamlContext) -> Iterator[CompletionItem]:
    """Yield the agents, which are the keys below ``agents`` of a session."""
    if facts.kind is FileKind.CHATI_SESSION and place.path == ("agents",):
        for name in ChatiTree(view.tree).agents:
            if name not in place.siblings:
                yield CompletionItem(name, "agent", name if place.has_value else f"{name}: ")


def _chati_value_items(
    view: View, facts: FileFacts, place: YamlContext
) -> Iterator[CompletionItem]:
    if not place.path:
        return
    *parents, name = place.path
    field = next(
        (
            field
            for field in _fields_at(_FIELDS_BY_KIND[facts.kind], tuple(parents))
            if field.name == name
        ),
        None,
    )
    if field is not None and field.types == "flag":
        yield from (CompletionItem(word, "value") for word in ("true", "false"))
    if field is not None:
        yield from (
            CompletionItem(word, "value") for word in field.words if word not in place.list_values
        )
    supplier = _CHATI_SUPPLIERS.get((facts.kind, name))
    if supplier:
        yield from (
            item for item in supplier(ChatiTree(view.tree)) if item.label not in place.list_values
        )


def _agent_items(tree: ChatiTree) -> Iterable[CompletionItem]:
    return (CompletionItem(name, "agent") for name in tree.agents)


def _handoff_items(tree: ChatiTree) -> Iterable[CompletionItem]:
    return (CompletionItem(path, "file", detail=agent) for agent, path in tree.handoffs.items())


def _workflow_items(tree: ChatiTree) -> Iterable[CompletionItem]:
    return (CompletionItem(name, "workflow") for name in tree.workflows)


_CHATI_SUPPLIERS: Mapping[tuple[FileKind, str], Callable[[ChatiTree], Iterable[CompletionItem]]] = {
    (FileKind.CHATI_SESSION, "current_agent"): _agent_items,
    (FileKind.CHATI_SESSION, "completed_agents"): _agent_items,
    (FileKind.CHATI_SESSION, "last_handoff"): _handoff_items,
    (FileKind.CHATI_SESSION, "workflow"): _workflow_items,
    (FileKind.CHATI_WORKFLOW, "agent"): _agent_items,
    (FileKind.CHATI_DOMAIN, "steps"): _agent_items,
}
