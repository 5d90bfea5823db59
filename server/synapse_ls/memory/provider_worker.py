"""This module is the worker that asks memory providers, a process of its own that no prompt waits
for.
"""

from __future__ import annotations

import os
import sys
from threading import Thread
from typing import TYPE_CHECKING, Any

from synapse_ls.memory import memory_index, provider_answers
from synapse_ls.memory.provider_answers import ENTRY_POINT_GROUP, RecallQuestion
from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import ANYWHERE, FileLock, StorageError
from synapse_ls.text.fast_json import JsonError, dumps, loads

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PROVIDER_TIMEOUT = 10.0  # seconds that one provider has for its answer
_LONGEST_PROBLEM = 120  # code points of what a provider says is wrong

_WORKER_CODE = "import sys; sys.path.insert(0, sys.argv[1]); from synapse_ls.memory.provider_worker import main; main()"


def start_worker(root: str, question: RecallQuestion, names: tuple[str, ...]) -> None:
    """Starts the worker: a process that asks the providers ``names`` and brings the index of the
    store up to date.

    The prompt goes through a pipe: what people say is in no list of processes.
    """
    import subprocess

    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    said = {
        "root": root,
        "agent": question.agent,
        "prompt": question.prompt,
        "files": list(question.files),
        "names": list(names),
    }
    try:
        started = subprocess.Popen(
            [sys.executable, "-I", "-c", _WORKER_CODE, packages],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert started.stdin is not None
        with started.stdin as pipe:
            pipe.write(dumps(said, None).encode("utf-8", "surrogatepass"))
    except OSError:
        return  # what is not refreshed now is with the next prompt


def main() -> None:
    """Runs the worker: asks the providers, unless another process is at it."""
    try:
        said = loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except JsonError:
        return
    root, agent, prompt = said["root"], said["agent"], said["prompt"]
    question = RecallQuestion(root, agent=agent, prompt=prompt, files=tuple(said["files"]))
    try:
        folder = plan_cache.prepare_cache_folder()
        if not folder:
            return
        lock = os.path.join(folder, plan_cache.cache_file_name(root, "", "asking"))
        with FileLock(lock, 0.0, within=ANYWHERE, keep=False):
            memory_index.refresh_index(root)
            for name in said["names"]:
                ask_provider(question, name)
    except (OSError, StorageError):
        return
    finally:
        sys.stdout.flush()
        os._exit(0)  # a provider that hangs hangs alone


def ask_provider(question: RecallQuestion, name: str, patience: float = PROVIDER_TIMEOUT) -> str:
    """Asks one provider and saves its answer; returns why there is none, "" where there is one."""
    box: list[Any] = []
    problem = ""

    def run() -> None:
        try:
            box.append(tuple(_provider_answers(question, name)))
        except Exception as error:
            box.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    answers: Any = None
    if not box:
        problem = f"no answer within {patience:g} s"
    elif isinstance(box[0], Exception):
        problem = f"{type(box[0]).__name__}: {box[0]}".strip(": ")[:_LONGEST_PROBLEM]
    else:
        answers = box[0]
    provider_answers.save_answers(
        question.root, name, question.agent, question.prompt, answers, problem
    )
    return problem


def _provider_answers(question: RecallQuestion, name: str) -> Any:
    found = installed_providers().get(name)
    if found is None:
        raise LookupError(f"no installed package offers a memory provider {name}")
    made = found.load()
    source = made() if isinstance(made, type) else made
    return source.recall(question)


def installed_providers() -> dict[str, EntryPoint]:
    """Returns the providers that installed packages offer, by name."""
    # A prompt that starts the process does not wait for this module's fifty.
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
