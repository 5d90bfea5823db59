"""This module holds the facts of the active task, what is known of it (its file and its story), as
plain values, and finds both files.

ADR-001, "Task Context Injection Format".
"""

from __future__ import annotations

from synapse_ls.engine.name_slugs import slug_of
from synapse_ls.engine.story_names import find_story_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.engine.compiled_plan import Plan

    Check = tuple[str, bool]
    File = tuple[str, str]


def find_named_path(paths: Mapping[str, str], written: str) -> str:
    """Returns the path of the task or story whose facts are wanted, by what is ``written``: itself,
    or a file's name in any spelling; "" for none.
    """
    if not written:
        return ""
    bare = written.strip("`\"'").removeprefix("./")
    if bare in paths.values():
        return bare
    if bare in paths:
        return paths[bare]
    wanted = slug_of(bare.removesuffix(".md"))
    return next((path for name, path in paths.items() if slug_of(name) == wanted != ""), "")


def task_paths(plan: Plan, task: str, story: str) -> tuple[str, str]:
    """Returns the files that have the facts of ``task`` and of ``story`` (an id, a file name or a
    path), "" for none.

    What is no task's name may be a story's.
    """
    path = find_named_path(plan.tasks, task)
    story_path = find_story_path(plan.stories, story)
    if not path and not story_path and task:
        story_path = find_story_path(plan.stories, task)
    return path, story_path


class TaskFacts:
    """A TaskFacts is what is known of one task.

    ``preconditions`` and ``criteria`` are (text, ticked); ``files`` are (path, note). path and
    story_path: where it was read from, "" where there is no such file. executor: one of Agente,
    Worker, Humano, Clone, or "". responsible: who the task says does it, assigned: who the story
    does, "" for nobody. story_state: what the story has come to ("done", …; `StoryDocument`).
    problem: why the context is incomplete, or "".
    """

    __slots__ = (
        "assigned",
        "criteria",
        "executor",
        "files",
        "id",
        "path",
        "preconditions",
        "problem",
        "responsible",
        "story",
        "story_path",
        "story_state",
        "title",
    )

    def __init__(
        self,
        id: str,
        *,
        story: str = "",
        executor: str = "",
        responsible: str = "",
        assigned: str = "",
        story_state: str = "",
        preconditions: tuple[Check, ...] = (),
        criteria: tuple[Check, ...] = (),
        files: tuple[File, ...] = (),
        path: str = "",
        story_path: str = "",
        problem: str = "",
        title: str = "",
    ) -> None:
        self.id = id
        self.story = story
        self.executor = executor
        self.responsible = responsible
        self.assigned = assigned
        self.story_state = story_state
        self.preconditions = preconditions
        self.criteria = criteria
        self.files = files
        self.path = path
        self.story_path = story_path
        self.problem = problem
        self.title = title

    def to_fields(self) -> dict[str, Any]:
        """Returns the facts as plain values; ``TaskFacts(**fields)`` restores them."""
        return {name: getattr(self, name) for name in self.__slots__}


def unknown_task_facts(task: str, story: str, *, free: bool = False) -> TaskFacts:
    """Returns the facts of a task that no file of the workspace is called after; ``free`` ones
    need none.
    """
    missing = "no file of the workspace is called so" if task and not free else ""
    return TaskFacts(task or story, story=story, problem=missing)
