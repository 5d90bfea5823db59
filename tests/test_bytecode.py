"""The one file of bytecode that hooks load: made by itself, never in the way."""

from __future__ import annotations

import json
import os
import py_compile
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synapse_ls.engine import block_assembly
from tests.forked_programs import run_program
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parents[1] / "server" / "synapse_ls"
COUNT = """\
import sys
sys.path.insert(0, {folder!r})
from synapse_ls.storage.bytecode_bundle import install_bundle
bundle = install_bundle(loads_ahead={ahead})
from synapse_ls.storage.program_start import run_bundled
run_bundled(bundle, "synapse_ls.hooks.hook_command", ["--event", "UserPromptSubmit", "--client", "claude"])
cached = [m.__cached__ for n, m in sys.modules.items() if n.startswith("synapse_ls.")]
sys.stderr.write(f"{{sum(file.endswith('.bundle') for file in cached)}} {{len(cached)}} ")
import inspect
from synapse_ls.hooks import hook_command
sys.stderr.write(str("Answer the event" in inspect.getsource(hook_command)))
"""
WORDS = (block_assembly.__doc__ or "").partition("\n")[0].encode()
"""What the code of a module has."""


HOOK_PACKAGES = (
    "activation conversation edits engine formats guard hooks integrations lint memory storage text "
    "workspace"
)
IMPORT_ALL = f"""\
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
from synapse_ls.storage import bytecode_bundle
bundle = bytecode_bundle.install_bundle(loads_ahead=False)
for name in "{HOOK_PACKAGES}".split():
    package = importlib.import_module("synapse_ls." + name)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
from synapse_ls.storage import bundle_writer
bundle_writer.save_imported(bundle)
print(*(name for name, module in sys.modules.items() if module.__name__.startswith("synapse_ls.")
    and not module.__cached__.endswith(".bundle")))
"""
"""Imports each module that a hook may import, puts it into the bundle, and prints those that did
not come from there.
"""


@contextmanager
def watched_children() -> Iterator[tuple[int, ...]]:
    """Waits for the children of what inherits these descriptors, the end of a pipe."""
    if sys.platform == "win32":
        yield ()
        return
    ours, theirs = os.pipe()
    try:
        yield (theirs,)
    finally:
        os.close(theirs)
        os.read(ours, 1)
        os.close(ours)


class Installed:
    """A copy of the package, and a tree to ask it about, which it shares with the copy that it is of."""

    root: Path
    environment: dict[str, str]

    def __init__(self, folder: Path, of: Installed | None = None) -> None:
        self.name = folder.name
        self.package = folder / "site" / "synapse_ls"
        self.bundle = self.package / "__pycache__" / f"hook.{sys.implementation.cache_tag}.bundle"
        self.root = of.root if of else write_tree(folder / "tree", TEAM)
        self.environment = (
            of.environment if of else {**os.environ, "SYNAPSE_LS_CACHE": str(folder / "cache")}
        )
        if of is not None:
            # A source that is written to gets a new file, see `replace_source`, as does the bundle.
            shutil.copytree(of.package, self.package, copy_function=os.link)
            self.bundle.unlink()
            shutil.copy2(of.bundle, self.bundle)
            return
        shutil.copytree(SOURCES, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        # As after an earlier session: a prompt does not wait for a busy machine to read the tree.
        ignored = self.root / ".synapse" / ".gitignore"
        ignored.write_text("sessions/\n", encoding="utf-8")
        (self.root / ".synapse" / "sessions").mkdir()
        run_program("synapse", "context", "go on", cwd=self.root, env=self.environment)

    def call(
        self, session: str, *program: str, prompt: str = "@dev go on"
    ) -> subprocess.CompletedProcess[str]:
        """A prompt of ``session``, answered by ``hook.py`` unless by another program."""
        event = {
            "session_id": f"{self.name} {session}",
            "cwd": str(self.root),
            "prompt": prompt,
            "hook_event_name": "UserPromptSubmit",
        }
        hook = (str(self.package / "hook.py"), "--event", "UserPromptSubmit", "--client", "claude")
        with watched_children() as watching:
            return subprocess.run(
                [sys.executable, "-I", "-S", *(program or hook)],
                input=json.dumps(event),
                capture_output=True,
                env=self.environment,
                text=True,
                encoding="utf-8",
                pass_fds=watching,
            )

    def replace_source(self, name: str, text: str) -> None:
        """Writes a module anew: the other copies keep theirs."""
        path = self.package / f"{name}.py"
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")

    def counted(self, session: str, *, ahead: bool = True) -> list[str]:
        """Modules from the bundle, modules of ours, whether sources are found."""
        code = COUNT.format(folder=str(self.package.parent), ahead=ahead)
        return self.call(session, "-c", code).stderr.split()


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """One that has answered before, as it is then."""
    made = Installed(tmp_path_factory.mktemp("installed"))
    assert told(made.call("first"))
    return made


@pytest.fixture
def installed(answered: Installed, tmp_path: Path) -> Installed:
    return Installed(tmp_path, answered)


@pytest.fixture(scope="module")
def installed_once(answered: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """One that many tests share."""
    return Installed(tmp_path_factory.mktemp("shared"), answered)


def told(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode == 0 and not done.stderr and "[ACTIVE AGENT: @dev]" in done.stdout


@pytest.mark.parametrize("ahead", [False, True])
def test_all_that_a_prompt_loads_comes_from_the_bundle(
    installed_once: Installed, ahead: bool
) -> None:
    assert told(installed_once.call(f"two{ahead}"))
    held, loaded, _ = installed_once.counted(f"three{ahead}", ahead=ahead)
    assert int(held) == int(loaded) - 2  # the module that reads it, and its package


def test_each_module_that_a_hook_may_import_can_come_from_the_bundle(installed: Installed) -> None:
    for _ in range(2):
        imported = subprocess.run(
            [sys.executable, "-I", "-c", IMPORT_ALL, str(installed.package.parent)],
            capture_output=True,
            text=True,
            env=installed.environment,
        )
        assert imported.stderr == ""
    from_source = {"synapse_ls.storage", "synapse_ls.storage.bytecode_bundle"}
    assert set(imported.stdout.split()) == from_source


@pytest.mark.parametrize("name", ["hooks/event_dispatch", "storage/session_store"])
def test_a_source_that_has_changed_counts_at_once(installed: Installed, name: str) -> None:
    assert told(installed.call("one"))
    text = (installed.package / f"{name}.py").read_text("utf-8")
    installed.replace_source(name, f"{text}\nimport sys; sys.stderr.write('changed')\n")
    assert installed.call("two").stderr == "changed"
    assert installed.call("three").stderr == "changed"


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xfb\xff\xff\xff\x7f"])
def test_a_damaged_bundle_is_none_and_gets_replaced(installed: Installed, content: bytes) -> None:
    assert told(installed.call("one"))
    installed.bundle.write_bytes(content)
    assert told(installed.call("two"))
    assert installed.bundle.read_bytes() != content


def damaged(whole: bytes, dice: random.Random) -> bytes:
    """The bytes with one bit flipped, cut off, or with a part written over."""
    at, size = dice.randrange(len(whole)), dice.randrange(1, 2_000)
    flipped = bytes([whole[at] ^ 1 << dice.randrange(8)])
    return dice.choice(
        (
            whole[:at] + flipped + whole[at + 1 :],
            whole[:at],
            whole[:at] + dice.randbytes(size) + whole[at + size :],
        )
    )


def test_code_that_is_damaged_comes_from_the_source_and_is_replaced(installed: Installed) -> None:
    assert told(installed.call("one"))
    whole = installed.bundle.read_bytes()
    assert whole.count(WORDS) == 1
    installed.bundle.write_bytes(whole.replace(WORDS, b"?" + WORDS[1:]))
    assert told(installed.call("two"))
    assert b"?" + WORDS[1:] not in installed.bundle.read_bytes()
    held, loaded, _ = installed.counted("three")
    assert int(held) == int(loaded) - 2


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_damaged_in_the_bundle_the_agent_is_told(
    installed_once: Installed, seed: int
) -> None:
    dice = random.Random(seed)
    whole = installed_once.bundle.read_bytes()
    installed_once.bundle.write_bytes(damaged(whole, dice))
    assert told(installed_once.call(f"s{seed}"))


@pytest.mark.parametrize(
    ("name", "bytecode"),
    [
        ("storage/bytecode_bundle", b""),
        ("storage/bundle_writer", b"\x00"),
        ("hooks/hook_command", b"\xe3\x00"),
        ("text/fast_json", b"nonsense"),
    ],
)
def test_a_pyc_that_cannot_be_read_is_none(
    installed_once: Installed, name: str, bytecode: bytes
) -> None:
    source = installed_once.package / f"{name}.py"
    if bytecode:
        # What is newer than the bundle does not come from it, and the next one is written.
        for module in (name, "hooks/hook_command"):
            text = (installed_once.package / f"{module}.py").read_text("utf-8")
            installed_once.replace_source(module, text)
    else:
        installed_once.bundle.unlink()
    pyc = Path(py_compile.compile(str(source), doraise=True) or "")
    whole = pyc.read_bytes()
    pyc.write_bytes(whole[:16] + bytecode)
    try:
        assert told(installed_once.call(f"{name} {bytecode!r}"))
    finally:
        pyc.write_bytes(whole)


def test_where_the_program_cannot_be_loaded_the_reply_is_empty(installed: Installed) -> None:
    installed.replace_source("hooks/hook_command", "nonsense(")
    done = installed.call("one")
    assert (done.returncode, done.stdout) == (0, "{}")


def test_what_has_no_source_any_more_goes(installed: Installed) -> None:
    gone = installed.package / "hooks" / "gone.py"
    gone.write_text("MARK = 'the text of a module that goes'\n", encoding="utf-8")
    text = (installed.package / "hooks" / "hook_command.py").read_text("utf-8")
    installed.replace_source("hooks/hook_command", f"{text}\nimport synapse_ls.hooks.gone\n")
    assert told(installed.call("one"))
    assert b"a module that goes" in installed.bundle.read_bytes()
    gone.unlink()
    installed.replace_source("hooks/hook_command", text)
    assert told(installed.call("two"))
    assert b"a module that goes" not in installed.bundle.read_bytes()


def test_where_it_cannot_be_written_all_works_without(installed: Installed) -> None:
    installed.bundle.unlink()
    installed.bundle.mkdir()
    assert told(installed.call("one"))
    assert told(installed.call("two"))
    assert not any(installed.bundle.iterdir())


def test_tools_find_the_source_of_what_came_from_the_bundle(installed: Installed) -> None:
    assert told(installed.call("one"))
    assert installed.counted("two")[-1] == "True"


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_nobody_waits_for_the_bundle_to_be_written(installed: Installed) -> None:
    waits = "import os\ndef save_imported(bundle):\n    os.read(int(os.environ['UNTIL']), 1)\n"
    installed.replace_source("storage/bundle_writer", waits)
    installed.bundle.unlink()
    until, end = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(installed.package / "hook.py"), "--client", "claude"],
            input=json.dumps({"hook_event_name": "UserPromptSubmit", "cwd": str(installed.root)}),
            capture_output=True,
            env={**installed.environment, "UNTIL": str(until)},
            pass_fds=(until,),
            text=True,
            timeout=60,
        )
    finally:
        os.close(end)
        os.close(until)
    assert done.returncode == 0
