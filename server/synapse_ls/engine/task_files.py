"""A task and its story, as files say them → the facts that a block tells.

Pure: whoever has the files, on disk or in an editor, hands their documents in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from synapse_ls.engine.named import named_path
from synapse_ls.engine.task import TaskFacts
from synapse_ls.formats.chati.task import TaskFile, as_task
from synapse_ls.formats.story import StoryDocument
from synapse_ls.formats.task import TaskDocument


@dataclass(frozen=True, slots=True)
class Documents:
    """How to get at the documents of a task and of a story, each with why it may be incomplete."""

    task: Callable[[str], tuple[TaskDocument, str]]
    story: Callable[[str], tuple[StoryDocument, str]]


def task_document(document: object, name: str) -> TaskDocument | None:
    """What a parsed file says of the task ``name``; None where it says nothing."""
    if isinstance(document, TaskFile):
        task = document.task(name)
        return as_task(task) if task else None
    return document if isinstance(document, TaskDocument) else None


def facts_in(
    task: str,
    story: str,
    path: str,
    story_path: str,
    known: Mapping[str, str],
    documents: Documents,
) -> TaskFacts:
    """The facts of a task file and a story file, "" for either that there is not.

    A task may name its story itself; ``known`` are the story files by name. What is wrong with a
    file is said in ``problem``.
    """
    facts = TaskFacts(task or story, story=story, path=path)
    problems = []
    if path:
        document, problem = documents.task(path)
        problems.append(problem)
        facts.executor = document.executor
        facts.title = document.title
        facts.responsible = document.responsible.value if document.responsible else ""
        facts.preconditions = tuple((item.text, item.checked) for item in document.preconditions)
        facts.criteria = tuple((item.text, item.checked) for item in document.acceptance)
        if not story:
            facts.story = document.story
            story_path = named_path(known, document.story)
    if story_path:
        facts.story_path = story_path
        told, problem = documents.story(story_path)
        problems.append(problem)
        facts.story = told.id or _called(facts.story, story_path)
        if told.criteria:
            facts.criteria = tuple((item.text, item.checked) for item in told.criteria)
        facts.files = tuple((item.path, item.note) for item in told.files)
        facts.responsible = told.executor or facts.responsible
    facts.problem = "; ".join(problem for problem in problems if problem)
    return facts


def _called(written: str, path: str) -> str:
    """How a story without an id is called: as it was asked for, else by its file."""
    bare = written if written and "/" not in written else path.rpartition("/")[2]
    return bare.removesuffix(".md")
