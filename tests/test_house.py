"""The invariants of ARCHITECTURE.md, as tests."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.trees import TEAM, write_tree

PACKAGE = Path(__file__).parent.parent / "server" / "synapse_ls"
PURE = ("text", "formats", "engine", "lint", "ide", "guard", "sync", "compaction")
IO = {
    "os", "io", "pathlib", "shutil", "tempfile", "subprocess", "socket", "asyncio", "threading",
    "time", "datetime", "random", "logging", "urllib", "http", "glob",
}  # fmt: skip
PROTOCOL = {"pygls", "lsprotocol"}
LINES = 400

# Modules of the standard library that a hook process may load beyond those of a bare interpreter.
HOOK_STDLIB = {
    "__future__", "_blake2", "_collections_abc", "_json", "errno", "fcntl", "genericpath",
    "marshal", "os", "os.path", "posixpath", "stat", "_stat", "time",
}  # fmt: skip
HOOK_ROOMS = (
    "engine", "service", "sessions", "hosts", "text", "formats", "workspace", "guard",
    "memory",
)  # fmt: skip


def modules(*rooms: str) -> list[Path]:
    return [path for room in rooms or [""] for path in sorted((PACKAGE / room).rglob("*.py"))]


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules a file imports, but for those under ``if TYPE_CHECKING``."""
    found: set[str] = set()
    skipped: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            skipped.update(child for part in node.body for child in ast.walk(part))
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return frozenset(found)


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", modules(*PURE), ids=name_of)
def test_a_pure_room_does_no_io(path: Path) -> None:
    # The members of datetime are values; only asking for the time is not pure.
    used = {name for name in imports(path) if name.split(".")[0] in IO}
    assert not used


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_only_the_shell_knows_the_protocol(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] != "lsp":
        assert not {name for name in imports(path) if name.split(".")[0] in PROTOCOL}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_one_room_knows_the_model_context_protocol(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] != "mcp":
        sdk = {"mcp", "mcp_types", "anyio", "pydantic"}
        assert not {name for name in imports(path) if name.split(".")[0] in sdk}
        assert not {name for name in imports(path) if name.startswith("synapse_ls.mcp")}


@pytest.mark.parametrize("path", modules("lsp"), ids=name_of)
def test_one_module_knows_positions(path: Path) -> None:
    names = {
        n.attr for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Attribute)
    }
    assert path.name == "convert.py" or not names & {"Position", "Range", "character"}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_one_module_watches_the_disk(path: Path) -> None:
    if path.name != "disk_watch.py":
        assert not [name for name in imports(path) if name.split(".")[0] == "watchdog"]


def test_no_command_but_serve_and_mcp_loads_a_shell() -> None:
    code = (
        "import sys; from synapse_ls.cli.main import main; main(['check', '--help'])\n"
        "import synapse_ls.cli.mcp, synapse_ls.cli.serve\n"
        "sys.exit(bool({'pygls', 'lsprotocol', 'mcp', 'anyio'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("path", modules("cli", "hosts"), ids=name_of)
def test_command_line_and_hosts_never_import_the_shell(path: Path) -> None:
    assert not [name for name in imports(path) if name.startswith("synapse_ls.lsp")]


@pytest.mark.parametrize("path", modules("text", "formats", "workspace", "engine"), ids=name_of)
def test_data_walks_one_way(path: Path) -> None:
    order = ["text", "formats", "workspace", "engine"]
    room = path.relative_to(PACKAGE).parts[0]
    inner = set(order[: order.index(room) + 1])
    # ``near`` rooms may share values: a plan is stamped, a problem carries a span.
    used = {n.split(".")[1] for n in imports(path) if n.startswith("synapse_ls.") and "." in n}
    assert used <= inner | ({"formats"} if room == "text" else set())


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_is_one_room(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=name_of)
def test_a_package_has_an_empty_init(path: Path) -> None:
    # Of the rooms only the library for others has names of its own.
    assert path.parent.name == "compaction" or not path.read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("path", modules("compaction"), ids=name_of)
def test_the_library_of_compaction_stands_alone(path: Path) -> None:
    ours = {name for name in imports(path) if name.startswith("synapse_ls.")}
    assert all(name.startswith("synapse_ls.compaction") for name in ours)


def hook_modules(root: Path, prompts: list[str]) -> list[str]:
    """The modules a hook process has loaded after each of ``prompts`` was answered by a new one."""
    code = (
        "import sys\n"
        "bare = set(sys.modules)\n"
        f"sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        "from synapse_ls.bytecode import run\n"
        "run('synapse_ls.service.hook', ['--event', 'UserPromptSubmit', '--client', 'claude'])\n"
        "sys.stderr.write('\\n'.join(sorted(set(sys.modules) - bare)))\n"
    )
    loaded = ""
    for prompt in prompts:
        event = {
            "session_id": "s",
            "cwd": str(root),
            "prompt": prompt,
            "hook_event_name": "UserPromptSubmit",
        }
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code],
            input=json.dumps(event).encode(),
            capture_output=True,
            env={**os.environ, "SYNAPSE_LS_CACHE": str(root / "cache")},
            check=True,
        )
        loaded = done.stderr.decode()
    return loaded.split()


REMEMBERED = {
    ".synapse/memory/shared/durable/mem-2026-01-02-001.md": """\
        ---
        explicit: true
        tags: [tests]
        ---

        # Tests use the staging database
        """,
}


@pytest.mark.parametrize("more", [{}, REMEMBERED], ids=["rules", "memories"])
def test_the_hook_path_imports_only_what_is_listed(more: dict[str, str], tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**TEAM, **more})
    for path in sorted(root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    loaded = hook_modules(root, ["hello", "*brief improve coverage", "@dev go on", "go on"])
    ours = {name for name in loaded if name.split(".")[0] == "synapse_ls"}
    assert set(loaded) - ours <= HOOK_STDLIB
    assert {n.split(".")[1] for n in ours if "." in n} <= {*HOOK_ROOMS, "bytecode"}
    for name in sorted(ours):
        path = PACKAGE.parent / Path(*name.split("."))
        source = path.with_suffix(".py")
        if source.exists():
            outside = {n.split(".")[0] for n in imports(source)} - {"synapse_ls"}
            lazily = {
                "unicodedata", "hashlib", "json", "msvcrt", "datetime", "warnings", "sys", "mmap",
                "_frozen_importlib", "_frozen_importlib_external",
            }  # fmt: skip
            assert outside <= HOOK_STDLIB | lazily, name
