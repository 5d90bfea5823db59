"""Tasks of Chati.dev: ``chati.dev/tasks/{agent}-{action}.md`` with front matter, and task definitions
(``T1.2`` with criteria in Given-When-Then form) in YAML files below ``chati.dev/artifacts/``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.chati.front import front_matter
from synapse_ls.formats.chati.schema import Checker, Field
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.lists import CheckItem
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.task import TaskDocument
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.span import Span

STATUSES = ("pending", "in_progress", "completed", "blocked")

DEFINITION = (
    Field("id", required=True, pattern=r"T\d+\.\d+", like="T1.2"),
    Field("title", required=True, pattern=r"(?s).{5,}", like="a title of at least 5 characters"),
    Field("phase", required=True),
    Field("priority", words=("critical", "high", "medium", "low")),
    Field("size", words=("XS", "S", "M", "L", "XL")),
    Field(
        "criteria",
        "list",
        required=True,
        least=1,
        fields=(
            Field("given", required=True),
            Field("when", required=True),
            Field("then", required=True),
        ),
    ),
    Field("status", required=True, words=STATUSES),
    Field("dependencies", "list"),
    Field("requirement_refs", "list"),
    Field("blocker", pattern=r"[CG]\d{2}", like="C01 or G01"),
    Field("completed_at", "time"),
)
_STEP = (
    Field("id", required=True),
    Field("agent", required=True),
    Field("criteria", "list|text"),
    Field("outputs", "list|text"),
    Field("requires_input", "flag"),
    Field("parallelizable", "flag"),
    Field("autonomous_gate", "flag"),
)

_DONE = "completed"
_CHECKER = Checker("invalid-chati-task", "agents may be told less of the task than it says")


@dataclass(frozen=True, slots=True)
class ChatiTask:
    """A task; ``criteria`` are lines, ``status`` is "" where nobody keeps one."""

    id: str
    title: str
    agent: Text | None
    phase: str
    status: str
    criteria: tuple[Text, ...]
    handoff_to: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The tasks of one file, in its order."""

    tasks: tuple[ChatiTask, ...]

    def task(self, name: str) -> ChatiTask | None:
        """The task of that id, else the only one there is."""
        named = next((task for task in self.tasks if task.id == name), None)
        return named or (self.tasks[0] if len(self.tasks) == 1 else None)


def as_task(task: ChatiTask) -> TaskDocument:
    """The task as the engine knows tasks; the criteria of one that is completed are ticked."""
    done = task.status == _DONE
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


def parse(text: str) -> Parsed[TaskFile]:
    """Read a task in Markdown. Problem kinds: those of `parse_yaml`, and ``invalid-chati-task``."""
    text = without(text, Comments.MARKUP)
    outline = markdown.outline(text)
    root, problems = front_matter(text, outline)
    if root is None:
        return Parsed(TaskFile(()), problems)
    title = outline.title.value if outline.title else ""
    found = (*problems, *_CHECKER.check(root, _STEP))
    return Parsed(TaskFile((_task(root, title),)), _in_order(found))


def parse_definitions(text: str) -> Parsed[TaskFile]:
    """Read task definitions in YAML. Problem kinds: as for `parse`."""
    root, problems = parse_yaml(text)
    if root is None:
        return Parsed(TaskFile(()), problems)
    nodes = tuple(_definitions(root))
    found = (*problems, *(p for node in nodes for p in _CHECKER.check(node, DEFINITION)))
    return Parsed(TaskFile(tuple(_task(node, "") for node in nodes)), _in_order(found))


def _definitions(root: Node) -> Iterator[Node]:
    """The mapping itself, or those of a list, alone or below ``tasks``."""
    held = root.get("tasks") if root.kind == "mapping" else root
    if held is not None and held.kind == "sequence":
        yield from (item.followed for item in held.items if item.followed.kind == "mapping")
    elif root.kind == "mapping":
        yield root


def _task(node: Node, title: str) -> ChatiTask:
    handoff = node.text("handoff_to")
    return ChatiTask(
        id=node.scalar("id"),
        title=node.scalar("title") or title,
        agent=node.text("agent"),
        phase=node.scalar("phase"),
        status=node.scalar("status"),
        criteria=tuple(_criteria(node.given("criteria"))),
        handoff_to=handoff,
        span=node.span,
    )


def _criteria(criteria: Node | None) -> Iterator[Text]:
    if criteria is None:
        return
    for item in criteria.items if criteria.kind == "sequence" else (criteria,):
        node = item.followed
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


def _in_order(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.span))
