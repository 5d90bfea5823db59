"""Parse workflow state files, ``.aiox/{instance}-state.yaml`` (workflow-state-schema 1.0.0).

The name pattern also matches an epic's state and unrelated files, which are recognised by shape and
not reported as corrupt.
"""

from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import Any, NamedTuple

from synapse_ls.formats.name_normalization import normalize_agent_id
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.edit_distance import choice_remedy, nearest_choice, nearest_word
from synapse_ls.text.finding import Finding, ParseResult, problem_data, sort_problems
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

STATUSES = ("active", "paused", "completed", "aborted")
STEP_STATUSES = ("pending", "in_progress", "completed", "skipped")
CONTEXTS = ("core", "squad", "hybrid")
REQUIRED = (
    "workflow_id", "workflow_name", "instance_id", "target_context", "started_at", "updated_at",
    "status", "current_step_index", "steps",
)  # fmt: skip
# A mapping with one of the first keys, or with two of the others, is meant to be an instance,
# however broken.
_OWN_KEYS = ("workflow_id", "instance_id", "current_step_index")
_SHARED_KEYS = ("steps", "workflow_name", "target_context")
# What says where a workflow is, so that a file with `workflow` is one of its instances.
_PLACE_KEYS = ("current_phase", "phase", "current_step", "status", "current_agent")
_STORY_KEYS = ("story_id", "story", "current_story")
UNREADABLE = ("invalid-yaml", "yaml-too-large", "yaml-too-deep")


class WorkflowStep(NamedTuple):
    """One step of a workflow's instance in its state file.

    ``index`` is its place in the list. ``agent`` is an agent id or ""; ``raw_agent`` is what the
    file says, "" only for headers, markers and other steps that belong to nobody.
    """

    index: int  # type: ignore[assignment]  # a tuple's own is never asked for
    phase: str
    agent: str
    raw_agent: str
    action: str
    status: str
    step_id: str
    task: str
    span: Span


class WorkflowState(NamedTuple):
    """A parsed workflow state file. ``shape`` is "instance", "epic" or "other"; "other" has no
    fields.

    An epic fills ``instance_id`` (its id), ``status``, ``current_phase`` (the wave) and
    ``updated_at``. ``root`` is the mapping that holds the fields, for their places.
    """

    shape: str
    workflow_id: str = ""
    workflow_name: str = ""
    instance_id: str = ""
    status: str = ""
    current_phase: str = ""
    squad_name: str = ""
    story: str = ""
    updated_at: str = ""
    current_step_index: int = 0
    steps: tuple[WorkflowStep, ...] = ()
    root: YamlNode | None = None

    @property
    def current_step(self) -> WorkflowStep | None:
        """The step at ``current_step_index``, or the next one after it that belongs to an agent.

        The reference's manager never marks a step as being in progress, and gives headers and
        markers steps of their own, so the status of a step says nothing about where the work is.
        """
        return next(
            (step for step in self.steps[self.current_step_index :] if step.raw_agent), None
        )


# Of a step of a workflow's definition: index, id, step, phase, task.
DefinedStep = tuple[int, str, str, str, str]


def plan_row(state: WorkflowState, path: str, defined: Iterable[DefinedStep]) -> tuple[Any, ...]:
    """Return what a workflow state file gives a plan: workflow, the names of its current step,
    agent, task, squad, path, story. ``defined`` are the steps of its definition.
    """
    step = state.current_step
    names = [state.current_phase]
    task = ""
    if step is not None:
        written = next((row for row in defined if row[0] == step.index), None)
        names += [step.phase, step.step_id, *(written[1:4] if written else ())]
        task = step.task or (written[4] if written else "")
    return (
        state.workflow_id,
        tuple(dict.fromkeys(name for name in names if name)),
        step.agent if step else "",
        task.removesuffix(".md"),
        state.squad_name,
        path,
        state.story,
    )


def parse(text: str) -> ParseResult[WorkflowState]:
    """Parse a workflow state file.

    Problem kinds: those of `parse_yaml`, of which the shape "other" keeps only what makes the file
    unreadable, and for an instance ``invalid-workflow-state``, whose data names the ``field``.
    """
    root, problems = parse_yaml(text)
    epic = _find_epic(root) if root else None
    if epic is not None:
        waves = epic.get("waves")
        wave = waves.get(epic.scalar("current_wave")) if waves else None
        return ParseResult(
            WorkflowState(
                "epic",
                instance_id=epic.scalar("epicId"),
                status=epic.scalar("status"),
                current_phase=wave.scalar("name") if wave else "",
                updated_at=epic.scalar("updated_at"),
                root=epic,
            ),
            problems,
        )
    if root is None or not _is_instance(root):
        found = [problem for problem in problems if problem.kind in UNREADABLE]
        key = root.key_node("workflow") if root else None
        if not found and key and root and any(map(root.key_node, _PLACE_KEYS)):
            found = [
                Finding(
                    key.span,
                    "The workflow is not followed, because its id is in `workflow_id`.",
                    "Write `workflow_id`.",
                    kind="invalid-workflow-state",
                    data=(("suggestion", "workflow_id"),),
                )
            ]
        if not found and (root is None or not root.pairs):
            # The problem of a file that is empty, or holds something else than fields.
            what = (
                "is empty" if root is None or not root.span.cut(text).strip() else "holds no fields"
            )
            found = [
                Finding(
                    Span(*next(iter_lines(text))),
                    f"The file {what}, so there is no workflow to be followed.",
                    "Delete it, or have the workflow write its state again.",
                    kind="invalid-workflow-state",
                )
            ]
        return ParseResult(WorkflowState("other", root=root), tuple(found))
    found = [*problems, *_instance_problems(root)]
    return ParseResult(_read_instance(root), sort_problems(found))


def parse_instance(text: str) -> WorkflowState | None:
    """Return the instance of a workflow that a text tells of, as `parse` does, without what is
    wrong with its fields; None for another shape, and where the text cannot be read.
    """
    root, problems = parse_yaml(text)
    if root is None or any(problem.kind in UNREADABLE for problem in problems):
        return None
    return _read_instance(root) if _find_epic(root) is None and _is_instance(root) else None


def _find_epic(root: YamlNode) -> YamlNode | None:
    epic = root.get("epic_state")
    return epic if epic is not None and epic.kind == "mapping" else None


def _is_instance(root: YamlNode) -> bool:
    return (
        any(map(root.key_node, _OWN_KEYS)) or sum(map(bool, map(root.key_node, _SHARED_KEYS))) > 1
    )


def _read_instance(root: YamlNode) -> WorkflowState:
    return WorkflowState(
        "instance",
        workflow_id=root.scalar("workflow_id"),
        workflow_name=root.scalar("workflow_name"),
        instance_id=root.scalar("instance_id"),
        status=root.scalar("status"),
        current_phase=root.scalar("current_phase"),
        squad_name=root.scalar("squad_name"),
        story=next(filter(None, map(root.scalar, _STORY_KEYS)), ""),
        updated_at=root.scalar("updated_at"),
        current_step_index=max(_step_index(root) or 0, 0),
        steps=tuple(starmap(_read_step, enumerate(root.nodes("steps")))),
        root=root,
    )


def _step_index(root: YamlNode) -> int | None:
    node = root.get("current_step_index")
    value = node.resolve() if node else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read_step(index: int, node: YamlNode) -> WorkflowStep:
    raw_agent = node.scalar("agent").strip()
    return WorkflowStep(
        index,
        phase=node.scalar("phase"),
        agent=normalize_agent_id(raw_agent),
        raw_agent=raw_agent,
        action=node.scalar("action"),
        status=node.scalar("status"),
        step_id=node.scalar("step_id") or node.scalar("id") or node.scalar("step"),
        task=node.scalar("task"),
        span=node.span,
    )


def _instance_problems(root: YamlNode) -> Iterator[Finding]:
    for name in REQUIRED:
        if root.non_null(name) is None:
            key = root.key_node(name)
            others = [other for other, _ in root.pairs if other.value not in REQUIRED]
            meant = next(
                (k for k in others if name in (nearest_word(k.value, REQUIRED), f"{k.value}_id")),
                None,
            )
            if key is None and meant is not None:
                problem = _state_problem(name, meant.span, "", f"Write `{name}`.")
                yield problem._replace(
                    message=f"`{meant.value[:40]}` is not read, so {_EFFECTS.get(name, _EFFECT)}.",
                    data=(*problem.data, ("suggestion", name)),
                )
                continue
            place = key.span if key else root.first_key_span
            yield _state_problem(name, place, "is missing", f"Add `{name}`.")
    yield from _check_vocabulary(root, "status", STATUSES)
    yield from _check_vocabulary(root, "target_context", CONTEXTS)
    if (steps := root.non_null("steps")) and steps.kind != "sequence":
        yield _state_problem("steps", steps.span, "is not a list")
    items = steps.items if steps else ()
    for number, step in enumerate(items):
        if step.target_node.kind == "mapping":
            yield from _check_vocabulary(
                step.target_node, "status", STEP_STATUSES, f"steps[{number}]."
            )
        else:
            yield _state_problem(f"steps[{number}]", step.span, "is not a mapping")
    # The problems of steps that say the same of their place as an earlier one.
    first: dict[str, int] = {}
    for problem_number, problem_step in enumerate(items):
        written = problem_step.target_node.text("step_index")
        if written and first.setdefault(written.value, problem_number) < problem_number:
            what = f"is {written.value} like that of steps[{first[written.value]}]"
            problem_name = f"steps[{problem_number}].step_index"
            yield _state_problem(problem_name, written.span, what, "Number the steps from 0.")
    count = len(items)
    node, index = root.non_null("current_step_index"), _step_index(root)
    if node is None:
        return
    if index is None or index < 0:
        yield _state_problem("current_step_index", node.span, "is not a count from zero")
    # A workflow that ran to its end may point behind its last step.
    elif count and index >= count + (root.scalar("status") == "completed"):
        yield _state_problem(
            "current_step_index", node.span, f"points behind the last step, {count - 1}"
        )


def _check_vocabulary(
    node: YamlNode, name: str, words: tuple[str, ...], path: str = ""
) -> Iterator[Finding]:
    if (value := node.non_null(name)) and (value.kind != "scalar" or value.value not in words):
        word = value.value if value.kind == "scalar" else ""
        remedy, near = choice_remedy(word, words), nearest_choice(word, words)
        effect = _STEP_EFFECT if path else _EFFECTS.get(name, _EFFECT)
        problem = _state_problem(f"{path}{name}", value.span, "is not a single value", remedy)
        if word:
            message = f"`{word[:40]}` is not a value of `{name}`, so {effect}."
            problem = problem._replace(message=message)
        yield problem._replace(data=(*problem.data, *problem_data(suggestion=near)))


# What comes of a field that cannot be read.
_EFFECT = "the workflow cannot be followed reliably"
_STEP_EFFECT = "nothing says whether this step is done"
_EFFECTS = {
    "workflow_id": "nothing says which workflow this state belongs to",
    "status": "the workflow is not followed",
}


def _state_problem(name: str, span: Span, reason: str, remedy: str = "") -> Finding:
    return Finding(
        span,
        f"`{name}` {reason}, so {_EFFECTS.get(name, _EFFECT)}.",
        remedy,
        kind="invalid-workflow-state",
        data=(("field", name),),
    )


def state_order(state: WorkflowState, mtime_ns: int, path: str) -> tuple[bool, int, int, str]:
    """Return what sorts workflow instances: active ones first, the newest of them first.

    Newest by ``updated_at``, then by the time of the file's last change, then by name.
    """
    return state.status != "active", -(parse_instant(state.updated_at) or 0), -mtime_ns, path
