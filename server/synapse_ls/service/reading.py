"""Reading a task and its story from disk into plain facts."""

from __future__ import annotations

import os
from collections.abc import Mapping

from synapse_ls.engine.task import TaskFacts
from synapse_ls.engine.task_files import Documents, facts_in, task_document
from synapse_ls.formats import story as stories
from synapse_ls.formats import task as tasks
from synapse_ls.text.decode import decode
from synapse_ls.workspace.facts import analyze
from synapse_ls.workspace.systems import registry as systems

LIMIT = 500_000  # bytes; the largest known story has a fifth of that


def read_task(
    root: str, task: str, story: str, path: str, story_path: str, known: Mapping[str, str]
) -> TaskFacts:
    """The facts of a task file and a story file (see `facts_in`).

    A file that cannot be read, or whose real path leaves the workspace, is named in ``problem``.
    """

    def read_task_file(name: str) -> tuple[tasks.TaskDocument, str]:
        text, problem = _read(root, name)
        kind = systems.classify(name)
        if kind is not None:
            found = task_document(analyze(name, kind, text).document, task)
            return found or tasks.parse("").document, problem
        return tasks.parse(text).document, problem

    def read_story_file(name: str) -> tuple[stories.StoryDocument, str]:
        text, problem = _read(root, name)
        return stories.parse(text).document, problem

    documents = Documents(read_task_file, read_story_file)
    return facts_in(task, story, path, story_path, known, documents)


def _read(root: str, path: str) -> tuple[str, str]:
    real = os.path.realpath(os.path.join(root, path))
    inside = os.path.realpath(root)
    if os.path.commonpath((inside, real)) != inside:
        return "", f"{path} leads out of the workspace and was not read"
    try:
        with open(real, "rb") as file:
            data = file.read(LIMIT + 1)
    except OSError as error:
        return "", f"{path} cannot be read ({error.strerror})"
    if len(data) > LIMIT:
        return "", f"{path} is larger than {LIMIT} bytes and was not read"
    return decode(data).text, ""
