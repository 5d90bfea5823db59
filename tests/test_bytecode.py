"""The one file of bytecode that hooks load: made by itself, never in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trees import TEAM, write_tree

SOURCES = Path(__file__).parents[1] / "server" / "synapse_ls"
COUNT = """\
import sys
sys.path.insert(0, {folder!r})
from synapse_ls.storage.bytecode_bundle import run_bundled
run_bundled("synapse_ls.hooks.hook_command", ["--event", "UserPromptSubmit", "--client", "claude"])
kinds = [type(m.__spec__.loader).__name__ for n, m in sys.modules.items() if n.startswith("synapse_ls.")]
sys.stderr.write(f"{{kinds.count('_BundleLoader')}} {{len(kinds)}} ")
import inspect
from synapse_ls.hooks import hook_command
sys.stderr.write(str("Answers the event" in inspect.getsource(hook_command)))
"""


class Installed:
    """A copy of the package, and a tree to ask it about."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "site" / "synapse_ls"
        shutil.copytree(SOURCES, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        self.root = write_tree(folder / "tree", TEAM)
        self.environment = {**os.environ, "SYNAPSE_LS_CACHE": str(folder / "cache")}
        self.bundle = self.package / "__pycache__" / f"hook.{sys.implementation.cache_tag}.bundle"

    def call(self, session: str, *program: str) -> subprocess.CompletedProcess[str]:
        """The first prompt of ``session``, answered by ``hook.py`` unless by another program."""
        event = {
            "session_id": session,
            "cwd": str(self.root),
            "prompt": "@dev go on",
            "hook_event_name": "UserPromptSubmit",
        }
        hook = (str(self.package / "hook.py"), "--event", "UserPromptSubmit", "--client", "claude")
        return subprocess.run(
            [sys.executable, "-I", "-S", *(program or hook)],
            input=json.dumps(event),
            capture_output=True,
            env=self.environment,
            text=True,
            encoding="utf-8",
        )

    def counted(self, session: str) -> list[str]:
        """Modules from the bundle, modules of ours, whether sources are found."""
        done = self.call(session, "-c", COUNT.format(folder=str(self.package.parent)))
        return done.stderr.split()


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def told(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode == 0 and not done.stderr and "[ACTIVE AGENT: @dev]" in done.stdout


def test_all_that_a_prompt_loads_comes_from_the_bundle(installed: Installed) -> None:
    assert told(installed.call("one"))
    assert told(installed.call("two"))
    held, loaded, _ = installed.counted("three")
    assert int(held) == int(loaded) - 2  # the module that reads it, and its package


def test_a_source_that_has_changed_counts_at_once(installed: Installed) -> None:
    assert told(installed.call("one"))
    changed = installed.package / "hooks" / "event_dispatch.py"
    with changed.open("a", encoding="utf-8") as file:
        file.write("\nimport sys; sys.stderr.write('changed')\n")
    assert installed.call("two").stderr == "changed"
    assert installed.call("three").stderr == "changed"


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xfb\xff\xff\xff\x7f"])
def test_a_damaged_bundle_is_none_and_gets_replaced(installed: Installed, content: bytes) -> None:
    assert told(installed.call("one"))
    installed.bundle.write_bytes(content)
    assert told(installed.call("two"))
    assert installed.bundle.read_bytes() != content


def test_code_that_is_damaged_comes_from_the_source(installed: Installed) -> None:
    assert told(installed.call("one"))
    whole = installed.bundle.read_bytes()
    at = whole.index(b"This module replies to an agent with what its window lacks")
    code = whole.rindex(b"\xe3", 0, at)  # where the code of that module begins
    installed.bundle.write_bytes(whole[:code] + b"?" + whole[code + 1 :])
    assert told(installed.call("two"))


def test_where_it_cannot_be_written_all_works_without(installed: Installed) -> None:
    installed.bundle.mkdir(parents=True)
    assert told(installed.call("one"))
    assert told(installed.call("two"))
    assert not any(installed.bundle.iterdir())


def test_tools_find_the_source_of_what_came_from_the_bundle(installed: Installed) -> None:
    assert told(installed.call("one"))
    assert installed.counted("two")[-1] == "True"
