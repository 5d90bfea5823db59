"""Read a task file and its story file from disk into plain facts."""

import os
from collections.abc import Mapping

from synapse_ls.engine.task_documents import TaskDocuments, build_task_facts, find_task_document
from synapse_ls.engine.task_facts import TaskFacts
from synapse_ls.formats import story_file
from synapse_ls.formats import task_file as tasks
from synapse_ls.text.decoding import decode_text
from synapse_ls.workspace import path_classification
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.regular_files import read_beginning, real_path

MAX_BYTES = 500_000  # bytes; the largest known story has a fifth of that


def read_task(
    root: str, task: str, story: str, path: str, story_path: str, stories_by_id: Mapping[str, str]
) -> TaskFacts:
    """Return the facts of a task file and a story file (see `build_task_facts`).

    A file that cannot be read, or whose real path leaves the workspace, is named in ``problem``.
    """

    def read_task_file(name: str) -> tuple[tasks.TaskDocument, str]:
        text, problem = _read_inside(root, name)
        places = path_classification.SYSTEM_PLACES
        kind = next((kind for place in places if (kind := place.classify(name))), None)
        if kind is not None:
            task_document = find_task_document(analyze_file(name, kind, text).document, task)
            return task_document or tasks.parse("").document, problem
        return tasks.parse(text).document, problem

    def read_story_file(name: str) -> tuple[story_file.StoryDocument, str]:
        text, problem = _read_inside(root, name)
        return story_file.parse(text).document, problem

    documents = TaskDocuments(read_task_file, read_story_file)
    return build_task_facts(task, story, path, story_path, stories_by_id, documents)


def _read_inside(root: str, path: str) -> tuple[str, str]:
    real = real_path(os.path.join(root, path))
    inside = os.path.realpath(root)
    if os.path.commonpath((inside, real)) != inside:
        return "", f"{path} leads out of the workspace and was not read"
    try:
        data = read_beginning(real, MAX_BYTES + 1)
    except OSError as error:
        return "", f"{path} cannot be read ({error.strerror})"
    if len(data) > MAX_BYTES:
        return "", f"{path} is larger than {MAX_BYTES} bytes and was not read"
    return decode_text(data).text, ""
