"""Read the files of a task and its story, and turn their documents into the facts for a block.

`build_task_facts` is pure: the caller passes the documents, from disk or from an editor.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from synapse_ls.engine.active_task import TaskFacts, find_story_path, story_id_of
from synapse_ls.formats import story_file, task_file
from synapse_ls.formats.chati.work_files import TasksDocument, to_task_document
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.text.decoding import decode_text
from synapse_ls.workspace import outside_links, path_classification
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.regular_files import read_beginning, real_path


@dataclass(frozen=True, slots=True)
class TaskDocuments:
    """A TaskDocuments gets at the documents of a task and of a story, each with why it may be
    incomplete.
    """

    task: Callable[[str], tuple[TaskDocument, str]]
    story: Callable[[str], tuple[StoryDocument, str]]


def find_task_document(document: object, name: str) -> TaskDocument | None:
    """Return the document of the task ``name`` in a parsed file; None where it says nothing of
    it.
    """
    if isinstance(document, TasksDocument):
        task = document.task(name)
        return to_task_document(task) if task else None
    return document if isinstance(document, TaskDocument) else None


def build_task_facts(
    task: str,
    story: str,
    path: str,
    story_path: str,
    stories: Mapping[str, str],
    documents: TaskDocuments,
) -> TaskFacts:
    """Return the facts that the documents of a task and a story say, "" for the path of either that
    there is not.

    A task may name its story itself; ``stories`` are the story files by name. What is wrong
    with a file is said in ``problem``.
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
        facts.postconditions = tuple((item.text, item.checked) for item in document.postconditions)
        facts.criteria = tuple((item.text, item.checked) for item in document.acceptance)
        facts.files = tuple((item.path, item.note) for item in document.files)
        if not story:
            facts.story = document.story
            story_path = find_story_path(stories, document.story)
    if story_path:
        facts.story_path = story_path
        story_document, problem = documents.story(story_path)
        problems.append(problem)
        facts.story = story_document.id or story_id_of(story_path)
        facts.story_state = story_document.state
        # What both say is the story's: it is where people tick and add.
        if story_document.criteria:
            criteria = {item.text: item.checked for item in story_document.criteria}
            facts.own_criteria = tuple(c for c in facts.criteria if c[0] not in criteria)
            facts.criteria = tuple(criteria.items())
        if story_document.files:
            files = {item.path: item.note for item in story_document.files}
            facts.own_files = tuple(file for file in facts.files if file[0] not in files)
            facts.files = tuple(files.items())
        facts.assigned = story_document.executor
    facts.problem = "; ".join(problem for problem in problems if problem)
    return facts


MAX_BYTES = 500_000  # bytes; the largest known story has a fifth of that


def read_task(
    root: str, task: str, story: str, path: str, story_path: str, stories_by_id: Mapping[str, str]
) -> TaskFacts:
    """Return the facts of a task file and a story file (see `build_task_facts`).

    A file that cannot be read, or whose real path leaves the workspace, is named in ``problem``.
    """

    def read_task_file(name: str) -> tuple[TaskDocument, str]:
        text, problem = _read_inside(root, name)
        places = path_classification.SYSTEM_PLACES
        kind = next((kind for place in places if (kind := place.classify(name))), None)
        if kind is not None:
            task_document = find_task_document(analyze_file(name, kind, text).document, task)
            return task_document or task_file.parse("").document, problem
        return task_file.parse(text).document, problem

    def read_story_file(name: str) -> tuple[StoryDocument, str]:
        text, problem = _read_inside(root, name)
        return story_file.parse(text).document, problem

    documents = TaskDocuments(read_task_file, read_story_file)
    return build_task_facts(task, story, path, story_path, stories_by_id, documents)


def _read_inside(root: str, path: str) -> tuple[str, str]:
    real = real_path(os.path.join(root, path))
    if not outside_links.is_readable(real, os.path.realpath(root)):
        return "", f"{path} leads out of the workspace, or to secrets, and was not read"
    try:
        data = read_beginning(real, MAX_BYTES + 1, within=os.sep)
    except OSError as error:
        return "", f"{path} cannot be read ({error.strerror})"
    if len(data) > MAX_BYTES:
        return "", f"{path} is larger than {MAX_BYTES} bytes and was not read"
    return decode_text(data).text, ""
