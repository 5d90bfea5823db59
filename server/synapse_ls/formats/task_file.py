"""Parse task files: AIOX Task Format V1.0 (TASK-FORMAT-SPECIFICATION-V1), as files really are.

The definition's fenced block is marked as YAML but is not (bold keys, check boxes with a mapping
below), so it is read line by line. Conditions and criteria are below ``**Checklist:**`` in the
block, or in sections of their own. A squad's tasks have the same fields as front matter.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from synapse_ls.formats import markdown_outline, name_normalization, story_file
from synapse_ls.formats.markdown_outline import (
    CheckItem,
    Line,
    ListItem,
    Outline,
    is_placeholder,
    parse_blocks,
    parse_field,
    parse_fields,
    parse_list_item,
)
from synapse_ls.text.finding import ParseResult, Text
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

__all__ = ["CheckItem", "TaskDocument", "executor_type", "parse"]

_YAML = ("yaml", "yml")
_METADATA = ("metadata", "metadados")
_EXAMPLE_WORDS = ("template", "templates", "example", "examples", "exemplo")

# Field, and the keys that people write for it (folded; the first one present counts).
_KEYS: Mapping[str, tuple[str, ...]] = {
    "task": ("task", "tarefa"),
    "responsible": ("responsavel", "responsible", "owner"),
    "executor_type": (
        *("responsavel_type", "responsible_type", "responsavel_tipo", "tipo_responsavel"),
        *("executor_type", "tipo_executor", "executor"),
    ),
    "story": ("story",),
}

# The types of executors (ADR-001 E7), in the spelling of the format.
EXECUTORS = ("Agente", "Worker", "Humano", "Clone")

_EXECUTOR_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("agente", "agent", "ai", "ia", "llm", "hybrid", "hibrido"), "Agente"),
    **dict.fromkeys(("worker", "trabalhador", "script", "system", "sistema"), "Worker"),
    **dict.fromkeys(("humano", "human", "user", "usuario", "person", "pessoa"), "Humano"),
    **dict.fromkeys(("clone", "clon"), "Clone"),
}

_CHECKLISTS: Mapping[str, str] = {
    "checklist": "checklist",
    **dict.fromkeys(
        ("pre conditions", "preconditions", "pre condicoes", "precondicoes", "prerequisites"),
        "preconditions",
    ),
    **dict.fromkeys(
        ("post conditions", "postconditions", "pos condicoes", "poscondicoes"), "postconditions"
    ),
    **dict.fromkeys(("acceptance criteria", "acceptance criterion"), "acceptance"),
    **dict.fromkeys(("criterios de aceitacao", "criterios de aceite"), "acceptance"),
}


class TaskDocument(NamedTuple):
    """What a task file says.

    ``executor_type`` is the spelling of the file, ``executor`` what it means (ADR-001 E7): Agente,
    Worker, Humano, Clone, or "" if unknown. ``checklist`` holds the points of a ``Checklist`` that
    are called neither pre-condition, post-condition nor criterion. ``story`` is the story that the
    task names, if any; ``story_span`` is where.
    """

    title: str
    task: Text | None = None
    responsible: Text | None = None
    executor_type: Text | None = None
    executor: str = ""
    preconditions: tuple[CheckItem, ...] = ()
    postconditions: tuple[CheckItem, ...] = ()
    acceptance: tuple[CheckItem, ...] = ()
    checklist: tuple[CheckItem, ...] = ()
    files: tuple[story_file.FileItem, ...] = ()
    story: str = ""
    story_span: Span | None = None


def executor_type(raw: str) -> str:
    """Return the executor type behind its spelling in a task file: ``"agent"`` -> ``"Agente"``;
    unknown -> "".
    """
    return _EXECUTOR_WORDS.get(name_normalization.to_slug(raw).partition(" ")[0], "")


def parse(text: str) -> ParseResult[TaskDocument]:
    """Parse a task file. It has no problems of its own: nothing in it is wrong, only absent."""
    outline = markdown_outline.parse_clean_outline(text)
    text = outline.text
    front = parse_fields(text, outline.front) if outline.front else {}
    definition = _find_definition(outline)
    known = {**front, **(parse_fields(text, definition) if definition else {})}
    lists: dict[str, list[CheckItem]] = {}
    stories: list[Text] = []
    for region in (outline.front, definition):
        if region:
            spans = [Span(*line).shift(region.start) for line in iter_lines(region.cut(text))]
            _read_checklists([Line(span, span.cut(text)) for span in spans], "", lists, stories)
    # The checklists that have a section of their own and are not known yet.
    for section in outline.sections:
        words = {word for parent in outline.parents(section) for word in parent.slug.split()}
        name = _CHECKLISTS.get(section.slug, "")
        if not name or lists.get(name) or not words.isdisjoint(_EXAMPLE_WORDS):
            continue
        section_lists: dict[str, list[CheckItem]] = {}
        for part in outline.with_subsections(section):
            fenced = [line for line in part.lines if line.fence in _YAML]
            _read_checklists(fenced, name, section_lists, stories)
            blocks = parse_blocks(line for line in part.lines if line.fence is None)
            items = [b for b in blocks if isinstance(b, ListItem) and not is_placeholder(b.text)]
            # The check boxes; where there are none, the items of the outermost list.
            boxes = [item for item in items if item.checked is not None]
            outermost = [item for item in items if item.indent == items[0].indent]
            checks = [item.to_check_item() for item in boxes or outermost]
            section_lists.setdefault(name, []).extend(checks)
        if section_lists.get(name):
            lists[name] = section_lists[name]

    kind = _first_field(known, "executor_type")
    metadata = (
        parse_field(line.text, line.span.start)
        for section in outline.sections
        if section.slug in _METADATA
        for line in section.lines
    )
    named = [
        _first_field(known, "story"),
        *(pair[1] for pair in metadata if pair and pair[0] == "story"),
        *stories,
    ]
    story = next((text for text in named if text and _is_story(text)), None)
    title = outline.title or front.get("title")
    return ParseResult(
        TaskDocument(
            title=title.value if title else "",
            task=_first_field(known, "task"),
            responsible=_first_field(known, "responsible"),
            executor_type=kind,
            executor=executor_type(_value_or_empty(kind)),
            preconditions=tuple(lists.get("preconditions", ())),
            postconditions=tuple(lists.get("postconditions", ())),
            acceptance=tuple(lists.get("acceptance", ())),
            checklist=tuple(lists.get("checklist", ())),
            files=story_file.parse_file_list(outline),
            story=story.value if story else "",
            story_span=story.span if story else None,
        ),
        (),
    )


def _value_or_empty(text: Text | None) -> str:
    return text.value if text and not is_placeholder(text.value) else ""


def _is_story(text: Text) -> bool:
    """Return whether a field names a story: a bare number such as ``1.2`` does, although it says
    nothing else.
    """
    return bool(text.value.replace(".", "").isdecimal() or _value_or_empty(text))


def _first_field(fields_by_key: Mapping[str, Text], name: str) -> Text | None:
    return next((fields_by_key[key] for key in _KEYS[name] if key in fields_by_key), None)


def _find_definition(outline: Outline) -> Span | None:
    """Return the span of the first YAML block that names a task; later ones are examples."""
    bodies = (fence.body for fence in outline.fences if fence.language in _YAML)
    return next((body for body in bodies if "task" in parse_fields(outline.text, body)), None)


def _read_checklists(
    lines: Iterable[Line], kind: str, lists: dict[str, list[CheckItem]], stories: list[Text]
) -> None:
    """Read ``pre-conditions:`` and the like with their items, and each item's mapping.

    ``kind`` is the list that items before any such key belong to, "" for none.
    """
    key_indent = 0 if kind else -1
    item_indent = -1
    for line in lines:
        stripped = line.text.strip()
        if not stripped or stripped.startswith("#"):
            continue
        indent = len(line.text) - len(line.text.lstrip())
        if item := parse_list_item(line):
            if not kind or indent < key_indent:
                continue
            if item_indent in (-1, indent):
                item_indent = indent
                # The check box of an item may stand inside quotes: `- "[x] text"`.
                text, check = item.text, item.to_check_item()
                quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
                inner = parse_list_item(Line(item.body, f"- {text[1:-1]}")) if quoted else None
                if inner:
                    check = CheckItem(inner.text, bool(inner.checked), item.span)
                if not is_placeholder(check.text):
                    lists.setdefault(kind, []).append(check)
                continue
        if not (pair := parse_field(stripped, line.span.start + indent)):
            continue
        name, value = pair
        inside = kind and item_indent >= 0 and indent > item_indent
        if not inside:
            kind = _CHECKLISTS.get(name.replace("_", " "), "")
            key_indent, item_indent = indent, -1
        elif name == "story" and value.value:
            stories.append(value)
