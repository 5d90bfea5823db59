"""What is known of the active task: its file and its story, as plain values.

ADR-001, "Task Context Injection Format".
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Check = tuple[str, bool]
    File = tuple[str, str]


class TaskFacts:
    """``preconditions`` and ``criteria`` are (text, ticked); ``files`` are (path, note).

    path and story_path: where it was read from, "" where there is no such file. executor: one of
    Agente, Worker, Humano, Clone, or "". problem: why the context is incomplete, or "".
    """

    __slots__ = (
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
        "title",
    )

    def __init__(
        self,
        id: str,
        *,
        story: str = "",
        executor: str = "",
        responsible: str = "",
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
        self.preconditions = preconditions
        self.criteria = criteria
        self.files = files
        self.path = path
        self.story_path = story_path
        self.problem = problem
        self.title = title

    def fields(self) -> dict[str, Any]:
        """The facts as plain values; ``TaskFacts(**fields)`` restores them."""
        return {name: getattr(self, name) for name in self.__slots__}


def unknown(task: str, story: str, *, free: bool = False) -> TaskFacts:
    """What is known of a task that no file of the workspace is called after; ``free`` ones need none."""
    missing = "no file of the workspace is called so" if task and not free else ""
    return TaskFacts(task or story, story=story, problem=missing)
