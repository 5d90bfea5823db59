"""Complete YAML files: squads, workflow states, workflow definitions, and those of Chati.dev.

The caret's context (keys around it, siblings, list items) comes from the lines alone, so the file
need not be valid yet.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats import workflow_state
from synapse_ls.formats.chati import config_file, domain_file, session_file, work_files
from synapse_ls.formats.chati.field_schema import SchemaField
from synapse_ls.formats.squad_manifest import SCHEMA
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    unique_offer,
    word_items,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind, squad_folder_of

_FIELD = lazy_pattern(
    r"(?P<indent>[ \t]*)(?P<dashes>(?:-[ \t]+)*)(?P<key>[\"']?[\w.-]+[\"']?)[ \t]*:(?=\s|$)"
)
_ITEM = lazy_pattern(r"[ \t]*(?:-[ \t]+)*-(?:[ \t]+|$)")
_WORD = lazy_pattern(r"[^\s,\[\]{}\"'#:]")
_FLOW_KEY = lazy_pattern(r"(?<![\w.-])([\w.-]+)[ \t]*:[ \t]*[^,{}\[\]]*$")
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
    indent = len(before) - len(before.lstrip())
    word = place.word_span(_WORD)
    field = _FIELD.match(before)
    # The brackets of flow collections that are open at the caret.
    stack: list[str] = []
    for char in before:
        if char in "[{":
            stack.append(char)
        elif char in "]}" and stack:
            stack.pop()
    if field:
        path = (*_parent_keys(facts, place, _key_column(field)), field["key"].strip("\"'"))
        if stack:
            return _flow_context(place, path, stack[-1], word)
        # A field's value from the word at the caret on, without a comment behind it.
        end = place.text.find(" #", word.end, place.span.end)
        end = place.body.end if end < 0 else end
        rest = place.text[word.end : end].rstrip()
        return YamlContext(path, "value", Span(word.start, word.end + len(rest)))
    if stack:
        return _flow_context(place, _parent_keys(facts, place, indent), stack[-1], word)
    if (item := _ITEM.match(before)) and before.endswith("-"):
        return None
    parents = _parent_keys(facts, place, indent + 1 if item else indent)
    siblings, values = _siblings(facts, place, item.end() if item else indent)
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
        if (field := _FIELD.match(facts.lines.line_span(number).cut(facts.text))) is None:
            continue
        if (key_column := _key_column(field)) < column:
            keys.append(field["key"].strip("\"'"))
            column = key_column
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
    place: LineContext, path: tuple[str, ...], bracket: str, word: Span
) -> YamlContext:
    """Return a place in ``[a, b]`` or ``{a: b}``, by the innermost open bracket."""
    before = place.text[place.span.start : place.caret]
    inner = before[max(before.rfind("["), before.rfind("{")) + 1 :]
    parts = [part.strip() for part in inner.split(",")]
    if bracket == "[":
        values = frozenset(part.strip("\"'") for part in parts[:-1])
        return YamlContext(path, "item", word, list_values=values)
    if key := _FLOW_KEY.search(parts[-1]):
        return YamlContext((*path, key[1]), "value", word)
    keys = frozenset(part.partition(":")[0].strip() for part in parts[:-1])
    return YamlContext(path, "key", word, keys, has_value=place.is_followed_by(":", word.end))


_BY_PATH = {field.path: field for field in SCHEMA}
_FIELD_ENDINGS = {"mapping": ":\n  ", "texts": ":\n  - ", "text": ": "}


def complete_yaml(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a YAML file: what can be written there."""
    if (context := yaml_context(facts, place)) is None:
        return None
    return unique_offer(context.word, ITEMS_BY_KIND[facts.kind](view, facts, context))


def _field_items(
    place: YamlContext, names: Iterable[str], required: Collection[str] = (), kind: str = "key"
) -> Iterator[CompletionItem]:
    """Yield the keys that the mapping at a place does not have yet."""
    for name in names:
        if name not in place.siblings:
            detail = "required" if name in required else ""
            yield CompletionItem(name, kind, name if place.has_value else f"{name}: ", "", detail)


def _squad_items(view: View, facts: FileFacts, place: YamlContext) -> Iterator[CompletionItem]:
    """Yield the fields of the schema, the required ones first, their words, and the components that
    exist.
    """
    if place.role == "key":
        fields = [field for field in SCHEMA if field.path[:-1] == place.path]
        for field in sorted(fields, key=lambda field: not field.required):
            if (name := field.path[-1]) not in place.siblings:
                ending = "" if place.has_value else _FIELD_ENDINGS[field.shape]
                indented = ending.replace("\n", "\n" + "  " * len(place.path))
                detail = "required" if field.required else field.shape
                topic = ("squad", ".".join(field.path))
                yield CompletionItem(name, "key", name + indented, "", detail, topic)
    elif place.role == "value":
        options = _BY_PATH[place.path].options if place.path in _BY_PATH else ()
        yield from word_items(options, topic=("squad", ".".join(place.path)))
    elif place.path == ("dependencies", "squads"):
        folder = squad_folder_of(facts.path, view.tree.snapshot.config.paths).rpartition("/")[2]
        for item in completion_item.squad_items(view.tree):
            if item.label != folder and item.label not in place.list_values:
                yield item
    elif len(place.path) == 2 and place.path[0] == "components":
        kind = place.path[1]
        folder = f"{facts.path.rpartition('/')[0]}/{kind}"
        for path in view.tree.snapshot.paths_under(folder):
            if (name := path[len(folder) + 1 :]) not in place.list_values:
                yield CompletionItem(name, "file", detail=kind, topic=("file", path))


_STATE_FIELDS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): (*workflow_state.REQUIRED, "current_phase", "squad_name"),
    ("steps",): ("step_index", "phase", "agent", "action", "task", "status", "step_id"),
}
_DEFINITION_FIELDS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): ("workflow",),
    ("workflow",): ("id", "name", "type", "description", "sequence"),
    ("workflow", "sequence"): ("id", "step", "phase", "agent", "action", "task", "name"),
}


def _workflow_items(view: View, facts: FileFacts, place: YamlContext) -> Iterable[CompletionItem]:
    """Return the fields, statuses, phases and names of a workflow's state or its definition."""
    document = facts.document
    in_step = place.path[-1:] in (("steps",), ("sequence",))
    if place.role == "key" or (place.role == "item" and in_step):
        by_path = _STATE_FIELDS if facts.kind is FileKind.WORKFLOW_STATE else _DEFINITION_FIELDS
        return _field_items(
            place, by_path.get(place.path, ()), () if place.path else workflow_state.REQUIRED
        )
    if place.role != "value":
        return ()
    *parents, name = place.path
    if name == "status":
        return word_items(workflow_state.STEP_STATUSES if parents else workflow_state.STATUSES)
    if name == "target_context":
        return word_items(workflow_state.CONTEXTS)
    if name in ("phase", "current_phase"):
        workflow = ""
        if isinstance(document, workflow_state.WorkflowState):
            workflow = document.workflow_id
        elif isinstance(document, WorkflowDefinition) and document.id:
            workflow = document.id.value
        return completion_item.state_phase_items(view.tree, workflow, place.word.cut(facts.text))
    supplier = completion_item.ITEMS_BY_FAMILY.get(_FAMILY_OF_FIELD.get(name, ""))
    return supplier(view.tree) if supplier else ()


_FAMILY_OF_FIELD = {
    "workflow_id": "workflow", "agent": "agent", "squad_name": "squad", "task": "task"
}  # fmt: skip


Fields = tuple[SchemaField, ...]

_TASKS = (
    SchemaField("tasks", "list", fields=work_files.DEFINITION_FIELDS),
    *work_files.DEFINITION_FIELDS,
)
_WORKFLOW_STEP = (SchemaField("agent"), SchemaField("action"), SchemaField("notes"))
_WORKFLOW_PHASE = (
    SchemaField("phase"),
    SchemaField("name"),
    SchemaField("category", words=("PLANNING", "BUILD", "DEPLOY")),
    SchemaField("sequence", "list", fields=_WORKFLOW_STEP),
)
_WORKFLOW_HEAD = (SchemaField("id"), SchemaField("name"), SchemaField("type"))
_WORKFLOW = (
    SchemaField("workflow", "mapping", fields=_WORKFLOW_HEAD),
    SchemaField("phases", "list", fields=_WORKFLOW_PHASE),
)
_FIELDS_BY_KIND: Mapping[FileKind, Fields] = {
    FileKind.CHATI_SESSION: session_file.FIELDS,
    FileKind.CHATI_CONFIG: config_file.FIELDS,
    FileKind.CHATI_DOMAIN: domain_file.FIELDS,
    FileKind.CHATI_WORKFLOW: _WORKFLOW,
    FileKind.CHATI_TASKS: _TASKS,
}


def _chati_items(view: View, facts: FileFacts, place: YamlContext) -> Iterator[CompletionItem]:
    """Yield the fields and words of the schema of a Chati.dev file, and names of the tree."""
    schema, chati = _FIELDS_BY_KIND[facts.kind], ChatiTree(view.tree)
    fields = _fields_at(schema, place.path)
    if place.role == "key" or (place.role == "item" and fields):
        required = {field.name for field in fields if field.required}
        yield from _field_items(place, [field.name for field in fields], required)
        if facts.kind is FileKind.CHATI_SESSION and place.path == ("agents",):
            yield from _field_items(place, chati.agents, kind="agent")
    elif place.path:
        *parents, name = place.path
        siblings = _fields_at(schema, tuple(parents))
        field = next((field for field in siblings if field.name == name), SchemaField(""))
        words = ("true", "false", *field.words) if field.types == "flag" else field.words
        items = list(word_items(words))
        # Names of the tree.
        if (facts.kind, name) in _AGENT_FIELDS:
            items += (CompletionItem(agent, "agent") for agent in chati.agents)
        elif (facts.kind, name) == (FileKind.CHATI_SESSION, "last_handoff"):
            handoffs = chati.handoffs.items()
            items += (CompletionItem(path, "file", detail=agent) for agent, path in handoffs)
        elif (facts.kind, name) == (FileKind.CHATI_SESSION, "workflow"):
            items += (CompletionItem(workflow, "workflow") for workflow in chati.workflows)
        yield from (item for item in items if item.label not in place.list_values)


def _fields_at(fields: Fields, path: tuple[str, ...]) -> Fields:
    """Return the fields of the mapping at ``path``; below a mapping by names those of each of its
    values.
    """
    if not path:
        return fields
    if (field := next((field for field in fields if field.name == path[0]), None)) is None:
        return ()
    return (
        _fields_at(field.value_fields, path[2:])
        if field.value_fields and path[1:]
        else _fields_at(field.fields, path[1:])
    )


_AGENT_FIELDS = {
    (FileKind.CHATI_SESSION, "current_agent"),
    (FileKind.CHATI_SESSION, "completed_agents"),
    (FileKind.CHATI_WORKFLOW, "agent"),
    (FileKind.CHATI_DOMAIN, "steps"),
}

# What can be written at a place, by the kind of the file.
ITEMS_BY_KIND: Mapping[
    FileKind, Callable[[View, FileFacts, YamlContext], Iterable[CompletionItem]]
] = {
    FileKind.SQUAD: _squad_items,
    FileKind.WORKFLOW_STATE: _workflow_items,
    FileKind.WORKFLOW: _workflow_items,
    **dict.fromkeys(_FIELDS_BY_KIND, _chati_items),
}
