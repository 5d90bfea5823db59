"""Reading a task and its story from disk into plain facts."""

from __future__ import annotations

import os
from collections.abc import Mapping

from synapse_ls.engine.task import TaskFacts
from synapse_ls.formats import story as stories
from synapse_ls.formats import task as tasks
from synapse_ls.service.names import named_path
from synapse_ls.text.decode import decode

LIMIT = 2_000_000  # bytes


def read_task(
    root: str, task: str, story: str, path: str, story_path: str, known: Mapping[str, str]
) -> TaskFacts:
    """The facts of a task file and a story file, "" for either that there is not.

    A task may name its story itself; ``known`` are the story files by name. A file that cannot be
    read, or whose real path leaves the workspace, is named in ``problem``.
    """
    facts = TaskFacts(task or story, story=story, path=path)
    problems = []
    if path:
        text, problem = _read(root, path)
        problems.append(problem)
        document = tasks.parse(text).document
        facts.executor = document.executor
        facts.responsible = document.responsible.value if document.responsible else ""
        facts.preconditions = tuple((item.text, item.checked) for item in document.preconditions)
        facts.criteria = tuple((item.text, item.checked) for item in document.acceptance)
        if not story:
            facts.story = document.story
            story_path = named_path(known, document.story)
    if story_path:
        facts.story_path = story_path
        text, problem = _read(root, story_path)
        problems.append(problem)
        told = stories.parse(text).document
        facts.story = told.id or _called(facts.story, story_path)
        if told.criteria:
            facts.criteria = tuple((item.text, item.checked) for item in told.criteria)
        facts.files = tuple((item.path, item.note) for item in told.files)
        facts.responsible = told.executor or facts.responsible
    facts.problem = "; ".join(problem for problem in problems if problem)
    return facts


def _called(written: str, path: str) -> str:
    """How a story without an id is called: as it was asked for, else by its file."""
    bare = written if written and "/" not in written else os.path.basename(path)
    return bare.removesuffix(".md")


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
