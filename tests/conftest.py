"""What holds for every test."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import settings

from synapse_ls.__main__ import CONVERSATION
from synapse_ls.hooks import daily_cleanup
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.storage import program_start
from synapse_ls.text.lazy_import import register_module
from synapse_ls.workspace.user_folders import folders_in_use
from tests.registered_events import MARK, Gate, check_is_registered
from tests.support import MEMORY_FOLDER, has_memory_folder

# Wall time says more about what else the machine does than about an example. What never ends is
# stopped by pytest's own timeout, and what must be fast is measured where nothing else runs.
# `./scripts/test` asks for the quick one; its part `slow` tries twice as many examples. Both try the
# same ones each time, so that a run says something of what was changed; `search` tries others.
settings.register_profile("synapse-ls", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("search", deadline=None, max_examples=1_000)
settings.load_profile("synapse-ls")

# As the entry points do.
register_module("conversation", CONVERSATION)

# A shell starts what runs in the background with interrupts ignored, and so would every process that a
# test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests make and remove tens of thousands of files, and many a disk takes a thousandth of a second for
# each. Whoever names a folder (`TMPDIR=/tmp ./scripts/test`) has it used, and so do other systems.
if "TMPDIR" not in os.environ and has_memory_folder():
    os.environ["TMPDIR"] = MEMORY_FOLDER
    tempfile.tempdir = None  # pytest has asked for where it was before

USER_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
"""What stands in for the user's own folders; removed at the end of the process that has made them."""

# A folder of an earlier run may have had the same path: what was kept of it, or trusted, is no concern of this one, and
# nothing of a test is to be left with the user. The process that starts the workers has imported this first.
for variable in ("SYNAPSE_LS_CACHE", "SYNAPSE_LS_CONFIG"):
    if variable not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix=f"{variable.lower()}-")
        os.environ[variable] = folder.name
        USER_FOLDERS.append(folder)

# Tests keep what they have parsed for each other, and at the usual thresholds the collector looks through it
# in vain. The server works with the same ones (`lsp/tree_jobs.py`).
gc.set_threshold(100_000, 20, 100)

# What is flushed to the disk is no concern of a test, which kills processes and never the machine, and takes
# most of the time of those that write.
setattr(os, "fsync", lambda _: None)  # noqa: B010 - mypy lets nobody assign to a function


_start_process = program_start.start_process


def _start_needed_process(module: str, *arguments: str) -> bool:
    """Start a background process, but not that which tidies a tree up once a day, which each tree of a
    test would get with its first event: it is tried by what starts it and by what it does.
    """
    is_tidying = module == daily_cleanup.__name__ and len(arguments) == 1
    return is_tidying or _start_process(module, *arguments)


setattr(program_start, "start_process", _start_needed_process)  # noqa: B010

_begin_call = HookCall.__init__


def _begin_registered_call(call: HookCall, event: Any, host: Any, *rest: Any) -> None:
    """Begin the handling of an event that a client sends where `synapse install` has been."""
    check_is_registered(host.name, event)
    _begin_call(call, event, host, *rest)


setattr(HookCall, "__init__", _begin_registered_call)  # noqa: B010


@pytest.fixture(autouse=True)
def _events(request: pytest.FixtureRequest) -> None:
    """Let only tests that say so fire events that no installation registers."""
    Gate.is_open = request.node.get_closest_marker(MARK) is not None


@pytest.fixture(autouse=True)
def _folders_in_use() -> Iterator[None]:
    """What one test works for is nothing to the next."""
    yield
    folders_in_use.clear()
    folders_in_use[os.curdir] = False


SLOW_SECONDS = 900  # for one slow test, on a machine that does other things as well


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Give slow tests longer than the others."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later garbage collection: it stays until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def compiled_roots(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots whose plan is made from all files."""
    from synapse_ls.storage import tree_compilation

    found: list[str] = []
    compile_tree = tree_compilation.compile_tree

    def note(root: str, *arguments: Any, **more: Any) -> Any:
        found.append(root)
        return compile_tree(root, *arguments, **more)

    monkeypatch.setattr(tree_compilation, "compile_tree", note)
    return found
