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
PURE = ("text", "formats", "engine", "lint", "ide", "guard", "edits", "compaction")
IO = {
    "os", "io", "pathlib", "shutil", "tempfile", "subprocess", "socket", "asyncio", "threading",
    "time", "datetime", "random", "logging", "urllib", "http", "glob",
}  # fmt: skip
GIT_NAMES = ("git", "git.exe", "git.cmd", "/usr/bin/git")
STARTING_FUNCTIONS = {
    "system", "popen", "posix_spawn", "posix_spawnp", "startfile", "create_subprocess_exec",
    "create_subprocess_shell", "spawnv", "spawnve", "spawnvp", "spawnl", "execv", "execve", "execvp",
    "execvpe", "execl", "execlp",
}  # fmt: skip
# What may start a process, and which: never one that a repository names.
PROGRAM_STARTERS = {
    "cli/compact.py": "the command of --summarizer",
    "hooks/lint_feedback.py": "ourselves",
    "hooks/session_spawn.py": "the command of the user's own configuration",
    "hooks/status_line.py": "the command of --then",
    "memory/provider_worker.py": "ourselves",
    "setup/doctor/called_server.py": "lines that doctor makes",
    "setup/doctor/canary_prompt.py": "lines that doctor makes",
    "setup/doctor/server_probe.py": "lines that doctor makes",
    "setup/install/client_version.py": "agent clients, outside of the project",
    "storage/background_process.py": "ourselves",
    "storage/git_runner.py": "git",
}
# What opens a file itself, and what: no file of a project or of a client, unless it refuses what is
# no regular file. Everything else reads by `workspace/regular_files.py`.
FILE_OPENERS = {
    "cli/console.py": "the null device",
    "lsp/stdio_transport.py": "standard output",
    "setup/doctor/canary_prompt.py": "the log of a folder that it has made",
    "setup/init/starter_tree.py": "the package's own texts",
    "setup/migrate/disk_operations.py": "copies of what it has looked at",
    "storage/atomic_files.py": "relative to a folder that is held open; it looks at what it has opened",
    "storage/bytecode_bundle.py": "the package's own bytecode",
    "storage/confined_folders.py": "folders",
    "storage/hook_log.py": "the user's own cache",
    "storage/injection_log.py": "the user's own cache",
    "storage/pinned_trees.py": "the user's own configuration",
    "storage/plan_cache.py": "the user's own cache",
    "storage/write_journal.py": "the user's own cache",
    "workspace/regular_files.py": "regular files",
    "workspace/trusted_places.py": "the user's own configuration",
}
OPENING_METHODS = {"copy2", "copyfile", "copytree", "open", "read_bytes", "read_text"}
OPENING_CALLS = {"open", "os.open", "io.open", "os.fdopen"}
# Methods of that name that open nothing.
NO_FILES = {"self.read_text", "files.read_text", "self.documents.open"}
PROTOCOL = {"pygls", "lsprotocol"}
# A package imports only packages that stand before it. lsp and mcp do not know each other.
ORDER = (
    "text", "compaction", "formats", "workspace", "engine", "guard", "storage", "edits", "integrations",
    "lint", "ide", "memory", "activation", "hooks", "queries", "live", "setup", "conversation", "lsp",
    "mcp", "cli",
)  # fmt: skip
# Tables of command lines: the names of our modules in them are what somebody else may run.
COMMAND_LINE_TABLES = ("guard/nested_commands.py", "guard/wrapper_programs.py")
WAYS = 20  # through one function: branches, boolean operators, parts of comprehensions
# Modules with functions that may have more.
TANGLED = {
    "hooks/block_composition.py": ("compose_block",),  # one loop that a changed file begins anew
    "queries/navigation_report.py": ("position_report",),  # one `or None` for each field
    "cli/check.py": ("_verify_options",),  # a list of what does not go together
    # Still to be divided: what is found out, and how it is shown.
    "cli/install.py": ("_run",),
    "cli/explain.py": ("_layer_lines", "_rows_of_domain"),
    "cli/memory_account.py": ("memory_lines",),
}

# Modules of the standard library that a hook process may load beyond those of a bare interpreter.
HOOK_STDLIB = {
    "__future__", "_blake2", "_collections_abc", "_imp", "_json", "_thread", "errno", "fcntl", "genericpath",
    "marshal", "os", "os.path", "posixpath", "stat", "_stat", "time",
}  # fmt: skip
HOOK_PACKAGES = (
    "engine", "hooks", "storage", "integrations", "text", "formats", "workspace", "guard",
    "memory",
)  # fmt: skip


def modules(*packages: str) -> list[Path]:
    return [
        path for package in packages or [""] for path in sorted((PACKAGE / package).rglob("*.py"))
    ]


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
def test_a_pure_package_does_no_io(path: Path) -> None:
    # The members of datetime are values; only asking for the time is not pure.
    used = {name for name in imports(path) if name.split(".")[0] in IO}
    assert not used


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_one_package_knows_the_language_server_protocol(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] != "lsp":
        assert not {name for name in imports(path) if name.split(".")[0] in PROTOCOL}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_one_package_knows_the_model_context_protocol(path: Path) -> None:
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
    if path.name != "disk_watcher.py":
        assert not [name for name in imports(path) if name.split(".")[0] == "watchdog"]


WRITING_CALLS = {
    "os": {
        "link", "makedirs", "mkdir", "mkfifo", "remove", "removedirs", "rename", "renames",
        "replace", "rmdir", "symlink", "truncate", "unlink",
    },
    "shutil": {"copy", "copy2", "copyfile", "copytree", "move", "rmtree"},
    "": {
        "hardlink_to", "mkdir", "rmdir", "symlink_to", "touch", "unlink", "write_bytes", "write_text",
        "mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryDirectory",
    },
}  # fmt: skip
WRITING_FLAGS = {"O_APPEND", "O_CREAT", "O_RDWR", "O_TRUNC", "O_WRONLY"}
WRITERS = ("storage/atomic_files.py", "storage/confined_folders.py")
# Modules that write beside the one writer, and why they may.
WRITING_MODULES = {
    "storage/hook_log.py": "appends to logs in the cache folder, which nobody else may write to",
    "storage/plan_cache.py": "makes the cache folder",
    "storage/block_previews.py": "makes a folder in the cache folder",
    "setup/migrate/disk_operations.py": "copies and removes whole folders, whose parents it checks",
    "setup/sync/file_changes.py": "puts back a link of the project that it has removed",
    "queries/git_revision.py": "unpacks a revision into a folder of its own for temporary files",
    "setup/doctor/client_examination.py": "gives a hook that it tries a cache for the moment",
    "setup/doctor/canary_prompt.py": "copies the plan into that cache for the moment",
    "cli/console.py": "sends what nobody reads any more to the null device",
}


def writing_calls(path: Path) -> set[str]:
    """What a module calls to change files, as written there."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in WRITING_FLAGS:
            found.add(ast.unparse(node))
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else ast.unparse(called)
        owner = ast.unparse(called.value) if isinstance(called, ast.Attribute) else ""
        if name in WRITING_CALLS.get(owner, set()) | WRITING_CALLS[""]:
            found.add(ast.unparse(called))
        if name in ("open", "fdopen") and owner != "os":
            modes = [*node.args[:2], *(word.value for word in node.keywords if word.arg == "mode")]
            written = [one.value for one in modes if isinstance(one, ast.Constant)]
            if any(isinstance(mode, str) and set(mode) & set("wax+") for mode in written):
                found.add(ast.unparse(node))
    return found


def test_one_writer_changes_files() -> None:
    found = {}
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        if name not in WRITERS and (calls := writing_calls(path)):
            found[name] = sorted(calls)
    assert {name: calls for name, calls in found.items() if name not in WRITING_MODULES} == {}
    assert set(WRITING_MODULES) - set(found) == set()


def starts_programs(path: Path) -> bool:
    """Whether a module may start a process."""
    attributes = {
        n.attr for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Attribute)
    }
    return "subprocess" in imports(path) or bool(attributes & STARTING_FUNCTIONS)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_only_listed_modules_start_programs(path: Path) -> None:
    assert starts_programs(path) is (name_of(path) in PROGRAM_STARTERS)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_only_listed_modules_open_files_themselves(path: Path) -> None:
    calls = {
        ast.unparse(n.func)
        for n in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(n, ast.Call)
    }
    opening = {
        call
        for call in calls - NO_FILES
        if call in OPENING_CALLS or ("." in call and call.rpartition(".")[2] in OPENING_METHODS)
    }
    assert bool(opening) is (name_of(path) in FILE_OPENERS), opening


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_one_module_starts_git(path: Path) -> None:
    if path.name == "git_runner.py":
        return
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    assert not (starts_programs(path) and {t for t in texts if t.split(" ")[0] in GIT_NAMES})
    searches = [
        n
        for n in nodes
        if isinstance(n, ast.Call)
        and ast.unparse(n.func).rpartition(".")[2] in ("find_program", "which")
        and any(isinstance(a, ast.Constant) and a.value in GIT_NAMES for a in n.args)
    ]
    assert not searches
    assert not {n for n in imports(path) if n.split(".")[0] in ("git", "pygit2", "dulwich")}


def test_no_command_but_serve_and_mcp_loads_a_shell() -> None:
    code = (
        "import sys; from synapse_ls.cli.main import main; main(['check', '--help'])\n"
        "import synapse_ls.cli.mcp, synapse_ls.cli.serve\n"
        "sys.exit(bool({'pygls', 'lsprotocol', 'mcp', 'anyio'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("path", modules("cli", "integrations"), ids=name_of)
def test_command_line_and_integrations_never_import_the_server(path: Path) -> None:
    assert not [name for name in imports(path) if name.startswith("synapse_ls.lsp")]


@cache
def module_names() -> dict[str, Path]:
    """The modules of the package by their dotted names."""
    paths = {path.relative_to(PACKAGE.parent).with_suffix(""): path for path in modules()}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in paths.items()}


@cache
def uses(path: Path) -> frozenset[str]:
    """The modules of ours that a file imports or names in a string, but for types alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in node.body
        for child in ast.walk(part)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
            found.add(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return frozenset(found & module_names().keys() - {"synapse_ls"})


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_package_imports_only_packages_above_it(path: Path) -> None:
    package = path.relative_to(PACKAGE).parts[0]
    if package in ORDER and path.relative_to(PACKAGE).as_posix() not in COMMAND_LINE_TABLES:
        above = ORDER[: ORDER.index(package) + 1]
        # The command line starts the other shells.
        below = [
            name for name in uses(path) if name.split(".")[1] not in (*above, "version", "__main__")
        ]
        assert not below, f"{name_of(path)} may import only from {', '.join(above)}: {below}"


def test_no_two_modules_import_each_other() -> None:
    names = {path: name for name, path in module_names().items()}
    graph = {name: uses(path) - {name} for path, name in names.items()}
    pairs = [
        f"{one} <-> {other}"
        for one, used in graph.items()
        for other in used
        if one < other and one in graph.get(other, ())
    ]
    assert not pairs


def count_ways(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Counts the ways through a function as radon does: one, and one more for each branch, boolean
    operator, part of a comprehension and assertion. Functions in it are counted by themselves.
    """
    ways = 1
    pending: list[ast.AST] = [*function.body]
    while pending:
        match node := pending.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case ast.If() | ast.IfExp() | ast.Assert():
                ways += 1
            case ast.For() | ast.AsyncFor() | ast.While():
                ways += 1 + bool(node.orelse)
            case ast.Try() | ast.TryStar():
                ways += len(node.handlers) + bool(node.orelse)
            case ast.BoolOp():
                ways += len(node.values) - 1
            case ast.comprehension():
                ways += 1 + len(node.ifs)
            case ast.Match():
                ways += sum(getattr(case.pattern, "pattern", "") is not None for case in node.cases)
        pending += ast.iter_child_nodes(node)
    return ways


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_function_is_simple_enough_to_be_read(path: Path) -> None:
    tangled = [
        f"{name_of(path)}:{node.lineno} {node.name} has {ways} ways through it"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (ways := count_ways(node)) > WAYS
        and node.name not in TANGLED.get(name_of(path), ())
    ]
    assert not tangled, (
        f"More than {WAYS} are too many to keep in mind. Give a part of it a name of its own, or "
        f"turn branches into a table: {'; '.join(tangled)}"
    )


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=name_of)
def test_a_package_has_an_empty_init(path: Path) -> None:
    # Of the packages only the libraries for others have names of their own.
    is_library = path.parent in (PACKAGE, PACKAGE / "compaction")
    assert is_library or not path.read_text(encoding="utf-8").strip()


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
        "from synapse_ls.storage.bytecode_bundle import run_bundled\n"
        "run_bundled('synapse_ls.hooks.hook_command', ['--event', 'UserPromptSubmit', '--client', 'claude'])\n"
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
    assert {n.split(".")[1] for n in ours if "." in n} <= set(HOOK_PACKAGES)
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
