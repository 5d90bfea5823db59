"""Asking providers, in a process of its own that no prompt waits for."""

from __future__ import annotations

import os
import sys
from importlib.metadata import EntryPoint, entry_points
from threading import Thread
from typing import Any

from synapse_ls.memory import index, provider
from synapse_ls.memory.provider import GROUP, Question
from synapse_ls.service import cache
from synapse_ls.sessions.files import Lock, SessionError
from synapse_ls.text.json import JsonError, dumps, loads

PATIENCE = 10.0  # seconds that one provider has for its answer
_LONGEST = 120  # code points of what a provider says is wrong

_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from synapse_ls.memory.asking import main; main()"
)


def start(root: str, question: Question, names: tuple[str, ...]) -> None:
    """Have the providers ``names`` asked, and the index of the store brought up to date.

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
            [sys.executable, "-I", "-c", _CODE, packages],
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
    """Ask, unless another process is at it."""
    try:
        said = loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except JsonError:
        return
    root, agent, prompt = said["root"], said["agent"], said["prompt"]
    question = Question(root, agent=agent, prompt=prompt, files=tuple(said["files"]))
    try:
        with Lock(
            os.path.join(cache.prepared(), cache.file_name(root, "", "asking")), 0.0, keep=False
        ):
            index.look(root)
            for name in said["names"]:
                ask(question, name)
    except (OSError, SessionError):
        return
    finally:
        sys.stdout.flush()
        os._exit(0)  # a provider that hangs hangs alone


def ask(question: Question, name: str, patience: float = PATIENCE) -> str:
    """Ask one provider and keep its answer; why there is none, "" for there is."""
    box: list[Any] = []
    problem = ""

    def run() -> None:
        try:
            box.append(tuple(_answers(question, name)))
        except Exception as error:
            box.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    answers: Any = None
    if not box:
        problem = f"no answer within {patience:g} s"
    elif isinstance(box[0], Exception):
        problem = f"{type(box[0]).__name__}: {box[0]}".strip(": ")[:_LONGEST]
    else:
        answers = box[0]
    provider.keep(question.root, name, question.agent, question.prompt, answers, problem)
    return problem


def _answers(question: Question, name: str) -> Any:
    found = installed().get(name)
    if found is None:
        raise LookupError(f"no installed package offers a memory provider {name}")
    made = found.load()
    source = made() if isinstance(made, type) else made
    return source.recall(question)


def installed() -> dict[str, EntryPoint]:
    """The providers that installed packages offer, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}
