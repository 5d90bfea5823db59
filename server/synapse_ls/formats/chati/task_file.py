"""This module parses tasks of Chati.dev: ``chati.dev/tasks/{agent}-{action}.md`` with front matter,
and task definitions (``T1.2`` with criteria in Given-When-Then form) in YAML files below
``chati.dev/artifacts/``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.chati.field_schema import (
    SchemaChecker,
    SchemaField,
    parse_yaml_front_matter,
)
from synapse_ls.formats.markdown_lists import CheckItem
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.parse_result import ParseResult, Problem, Text
from synapse_ls.text.span import Span

STATUSES = ("pending", "in_progress", "completed", "blocked")

DEFINITION_FIELDS = (
    SchemaField("id", required=True, pattern=r"T\d+\.\d+", example="T1.2"),
    SchemaField(
        "title", required=True, pattern=r"(?s).{5,}", example="a title of at least 5 characters"
    ),
    SchemaField("phase", required=True),
    SchemaField("priority", words=("critical", "high", "medium", "low")),
    SchemaField("size", words=("XS", "S", "M", "L", "XL")),
    SchemaField(
        "criteria",
        "list",
        required=True,
        min_items=1,
        fields=(
            SchemaField("given", required=True),
            SchemaField("when", required=True),
            SchemaField("then", required=True),
        ),
    ),
    SchemaField("status", required=True, words=STATUSES),
    SchemaField("dependencies", "list"),
    SchemaField("requirement_refs", "list"),
    SchemaField("blocker", pattern=r"[CG]\d{2}", example="C01 or G01"),
    SchemaField("completed_at", "time"),
)
_STEP_FIELDS = (
    SchemaField("id", required=True),
    SchemaField("agent", required=True),
    SchemaField("criteria", "list|text"),
    SchemaField("outputs", "list|text"),
    SchemaField("requires_input", "flag"),
    SchemaField("parallelizable", "flag"),
    SchemaField("autonomous_gate", "flag"),
)

_DONE_STATUS = "completed"
_CHECKER = SchemaChecker("invalid-chati-task", "agents may be told less of the task than it says")


@dataclass(frozen=True, slots=True)
class ChatiTask:
    """A ChatiTask is one task of Chati.dev; ``criteria`` are lines, ``status`` is "" where nobody
    keeps one.
    """

    id: str
    title: str
    agent: Text | None
    phase: str
    status: str
    criteria: tuple[Text, ...]
    handoff_to: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class TasksDocument:
    """A TasksDocument has the tasks of one Chati.dev file, in its order."""

    tasks: tuple[ChatiTask, ...]

    def task(self, name: str) -> ChatiTask | None:
        """Returns the task of that id, else the only one there is, else None."""
        named = next((task for task in self.tasks if task.id == name), None)
        return named or (self.tasks[0] if len(self.tasks) == 1 else None)


def to_task_document(task: ChatiTask) -> TaskDocument:
    """Returns a Chati.dev task as the engine knows tasks; the criteria of one that is completed are
    ticked.
    """
    done = task.status == _DONE_STATUS
    return TaskDocument(
        title=task.title,
        task=None,
        responsible=task.agent,
        executor_type=None,
        executor="",
        atomic_layer="",
        preconditions=(),
        postconditions=(),
        acceptance=tuple(CheckItem(said.value, done, None, said.span) for said in task.criteria),
        checklist=(),
        story="",
    )


def parse(text: str) -> ParseResult[TasksDocument]:
    """Parses a Chati.dev task in Markdown. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-task``.
    """
    text = blank_directives(text, CommentStyle.MARKUP)
    outline = markdown_outline.parse_outline(text)
    root, problems = parse_yaml_front_matter(text, outline)
    if root is None:
        return ParseResult(TasksDocument(()), problems)
    title = outline.title.value if outline.title else ""
    found = (*problems, *_CHECKER.check_fields(root, _STEP_FIELDS))
    return ParseResult(TasksDocument((_build_task(root, title),)), _sort_problems(found))


def parse_definitions(text: str) -> ParseResult[TasksDocument]:
    """Parses Chati.dev task definitions in YAML. Problem kinds: as for `parse`."""
    root, problems = parse_yaml(text)
    if root is None:
        return ParseResult(TasksDocument(()), problems)
    nodes = tuple(_definition_nodes(root))
    found = (
        *problems,
        *(p for node in nodes for p in _CHECKER.check_fields(node, DEFINITION_FIELDS)),
    )
    return ParseResult(
        TasksDocument(tuple(_build_task(node, "") for node in nodes)), _sort_problems(found)
    )


def _definition_nodes(root: YamlNode) -> Iterator[YamlNode]:
    """Yields the mapping itself, or those of a list, alone or below ``tasks``."""
    held = root.get("tasks") if root.kind == "mapping" else root
    if held is not None and held.kind == "sequence":
        yield from (item.target_node for item in held.items if item.target_node.kind == "mapping")
    elif root.kind == "mapping":
        yield root


def _build_task(node: YamlNode, title: str) -> ChatiTask:
    handoff = node.text("handoff_to")
    return ChatiTask(
        id=node.scalar("id"),
        title=node.scalar("title") or title,
        agent=node.text("agent"),
        phase=node.scalar("phase"),
        status=node.scalar("status"),
        criteria=tuple(_criteria_texts(node.non_null("criteria"))),
        handoff_to=handoff,
        span=node.span,
    )


def _criteria_texts(criteria: YamlNode | None) -> Iterator[Text]:
    if criteria is None:
        return
    for item in criteria.items if criteria.kind == "sequence" else (criteria,):
        node = item.target_node
        if node.kind == "scalar" and node.value.strip():
            yield Text(node.value, item.span)
        elif node.kind == "mapping":
            parts = [
                f"{word.capitalize()} {node.scalar(word)}"
                for word in ("given", "when", "then")
                if node.scalar(word)
            ]
            if parts:
                yield Text(
                    ", ".join((parts[0], *(p[0].lower() + p[1:] for p in parts[1:]))), item.span
                )


def _sort_problems(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.span))
