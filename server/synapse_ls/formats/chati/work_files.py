"""Parse workflow definitions and tasks of Chati.dev.

``chati.dev/workflows/*.yaml`` has phases with a category (PLANNING, BUILD, DEPLOY); a block shows
the pipeline of the project's category. Tasks are ``chati.dev/tasks/{agent}-{action}.md`` with front
matter, or YAML below ``chati.dev/artifacts/`` (``T1.2``, with Given-When-Then criteria).
"""

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats import markdown_outline, task_file
from synapse_ls.formats.chati import field_schema
from synapse_ls.formats.chati.field_schema import SchemaField
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
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

_CHECKER = field_schema.SchemaChecker(
    "invalid-chati-task", "agents may get less of the task than it says"
)


class ChatiTask(NamedTuple):
    """One task of Chati.dev; ``criteria`` are lines, ``status`` is "" where nobody keeps one."""

    id: str
    title: str
    agent: Text | None
    phase: str
    status: str
    criteria: tuple[Text, ...]
    handoff_to: Text | None
    span: Span


class TasksDocument(NamedTuple):
    """The tasks of one Chati.dev file, in its order."""

    tasks: tuple[ChatiTask, ...]

    def task(self, name: str) -> ChatiTask | None:
        """Return the task of that id, else the only one there is, else None."""
        named = next((task for task in self.tasks if task.id == name), None)
        return named or (self.tasks[0] if len(self.tasks) == 1 else None)


def to_task_document(task: ChatiTask) -> task_file.TaskDocument:
    """Return a Chati.dev task as the engine knows tasks; the criteria of one that is completed are
    ticked.
    """
    done = task.status == "completed"
    criteria = tuple(
        markdown_outline.CheckItem(text.value, done, text.span) for text in task.criteria
    )
    return task_file.TaskDocument(title=task.title, responsible=task.agent, acceptance=criteria)


def parse_task_file(text: str) -> ParseResult[TasksDocument]:
    """Parse a Chati.dev task in Markdown. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-task``.
    """
    outline = markdown_outline.parse_clean_outline(text)
    root, problems = field_schema.parse_yaml_front_matter(outline)
    if root is None:
        return ParseResult(TasksDocument(()), problems)
    title = outline.title.value if outline.title else ""
    return ParseResult(
        TasksDocument((_build_task(root, title),)),
        sort_problems((*problems, *_CHECKER.check_fields(root, _STEP_FIELDS))),
    )


def parse_definitions(text: str) -> ParseResult[TasksDocument]:
    """Parse Chati.dev task definitions in YAML. Problem kinds: as for `parse`."""
    root, problems = parse_yaml(text)
    if root is None:
        return ParseResult(TasksDocument(()), problems)
    # The mapping itself, or those of a list, alone or below `tasks`.
    tasks = root.get("tasks") if root.kind == "mapping" else root
    nodes = [item.target_node for item in tasks.items] if tasks else []
    if root.kind == "mapping" and (tasks is None or tasks.kind != "sequence"):
        nodes = [root]
    nodes = [node for node in nodes if node.kind == "mapping"]
    found = (p for node in nodes for p in _CHECKER.check_fields(node, DEFINITION_FIELDS))
    document = TasksDocument(tuple(_build_task(node, "") for node in nodes))
    return ParseResult(document, sort_problems((*problems, *found)))


def _build_task(node: YamlNode, title: str) -> ChatiTask:
    return ChatiTask(
        id=node.scalar("id"),
        title=node.scalar("title") or title,
        agent=node.text("agent"),
        phase=node.scalar("phase"),
        status=node.scalar("status"),
        criteria=tuple(_criteria_texts(node.non_null("criteria"))),
        handoff_to=node.text("handoff_to"),
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
                later = (part[0].lower() + part[1:] for part in parts[1:])
                yield Text(", ".join((parts[0], *later)), item.span)


class WorkflowStep(NamedTuple):
    """One step of a Chati.dev workflow; ``category`` is lower case, "" where the phase
    names none.
    """

    agent: Text
    phase: str
    category: str
    action: str


class WorkflowDocument(NamedTuple):
    """A workflow of Chati.dev; ``id`` is None where the file names none (then its stem is
    the id).
    """

    id: Text | None
    name: str
    type: str
    steps: tuple[WorkflowStep, ...]
    root: YamlNode | None

    def agents_in_order(self, category: str = "") -> tuple[str, ...]:
        """Return the agents in order, of one category or of all, each once."""
        named = (s.agent.value for s in self.steps if category in ("", s.category))
        return tuple(dict.fromkeys(named))


def parse_workflow_definition(text: str) -> ParseResult[WorkflowDocument]:
    """Parse a workflow definition of Chati.dev. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-workflow``.
    """
    root, problems = parse_yaml(text)
    workflow = root.get("workflow") if root is not None else None
    found_problems = list(problems)
    phases = root.non_null("phases") if root is not None else None
    if root is not None and phases is None:
        found_problems.append(
            _workflow_problem(root.first_key_span, "The workflow has no `phases`", "Add `phases`.")
        )
    elif phases is not None and phases.kind != "sequence":
        found_problems.append(_workflow_problem(phases.span, "`phases` is not a list"))
        phases = None
    steps = tuple(
        WorkflowStep(
            agent, phase.scalar("name"), phase.scalar("category").lower(), step.scalar("action")
        )
        for phase in (root.nodes("phases") if root and phases else ())
        for step in phase.nodes("sequence")
        if (agent := step.text("agent")) and agent.value
    )
    document = WorkflowDocument(
        workflow.text("id") if workflow else None,
        workflow.scalar("name") if workflow else "",
        workflow.scalar("type") if workflow else "",
        steps,
        root,
    )
    return ParseResult(document, sort_problems(found_problems))


def _workflow_problem(span: Span, reason: str, remedy: str = "") -> Finding:
    message = f"{reason}, so the pipeline cannot be read from it."
    return Finding(span, message, remedy, kind="invalid-chati-workflow")
