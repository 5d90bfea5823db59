"""The invariants of ARCHITECTURE.md, as tests."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.syntax import PACKAGE, nodes
from tests.trees import TEAM, write_tree

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
    "queries/history_compaction.py": "the command of --summarizer",
    "hooks/hook_server.py": "ourselves",
    "hooks/lint_feedback.py": "ourselves",
    "hooks/session_continuation.py": "the command of the user's own configuration",
    "hooks/status_line.py": "the command of --then",
    "memory/memory_providers.py": "ourselves",
    "setup/doctor/hook_trial.py": "lines that doctor makes",
    "setup/install/installed_clients.py": "agent clients, outside of the project",
    "storage/program_start.py": "ourselves",
    "workspace/git_runner.py": "git",
}
# What opens a file itself, and what: no file of a project or of a client, unless it refuses what is
# no regular file. Everything else reads by `workspace/regular_files.py`.
FILE_OPENERS = {
    "cli/console.py": "the null device",
    "hooks/hook_server.py": "the null device",
    "lint/language_words.py": "the package's own word lists",
    "lint/rule_pages.py": "the package's own texts",
    "cli/completion.py": "the package's own scripts",
    "cli/glossary.py": "the package's own texts",
    "lsp/sentence_translation.py": "the package's own texts",
    "lsp/stdio_transport.py": "standard output",
    "setup/doctor/hook_trial.py": "the log of a folder that it has made",
    "setup/init/starter_tree.py": "the package's own texts",
    "setup/migrate/migration_journal.py": "copies of what it has looked at",
    "storage/atomic_files.py": "relative to a folder that is held open; it looks at what it has opened",
    "storage/bytecode_bundle.py": "the package's own bytecode",
    "storage/injection_log.py": "the user's own cache",
    "storage/program_start.py": "the null device",
    "storage/trusted_trees.py": "the user's own configuration",
    "storage/plan_cache.py": "the user's own cache",
    "workspace/regular_files.py": "regular files, and the folders on the way",
    "workspace/outside_links.py": "the user's own configuration",
}
OPENING_METHODS = {"copy2", "copyfile", "copytree", "open", "read_bytes", "read_text"}
OPENING_CALLS = {"open", "os.open", "io.open", "os.fdopen"}
# Calls of that name that open nothing, and the functions of the modules in the table.
NO_FILES = {
    "self.read_text", "files.read_text", "self.documents.open", "session_values.read_text",
    "atomic_files.read_bytes",
}  # fmt: skip
PROTOCOL = {"pygls", "lsprotocol"}
# A package imports only packages that stand before it. lsp and mcp do not know each other.
ORDER = (
    "text", "compaction", "formats", "workspace", "engine", "guard", "storage", "edits", "integrations",
    "lint", "ide", "memory", "activation", "hooks", "queries", "live", "setup", "conversation", "lsp",
    "mcp", "cli",
)  # fmt: skip
# Tables of command lines: the names of our modules in them are what somebody else may run.
COMMAND_LINE_TABLES = ("guard/nested_commands.py", "guard/wrapper_programs.py")

# The fence: the modules that the commonest events of Claude Code load (`COMMON_EVENTS`), and its status
# line, but for the empty packages around them. Only they are lean, and no other module has to be.
FENCE = {
    "engine": """
        block_assembly block_renderer block_sections compiled_plan context_usage delivery_difference
        domain_selection memory_hints situation supplementary_sections
        systems.synapse.layers active_task text_escaping prompt_parser word_matching""",
    "formats": """
        act_commands rule session_file session_values window_state""",
    "guard": """
        action_verdict agent_action boundary_patterns command_files command_normalization nested_commands
        program_options shell_lexer shell_parser wrapper_programs""",
    "hooks": """
        boundary_verdict event_dispatch events.prompt events.session_start
        events.tool_after events.tool_before hook_call hook_command reply_freshness
        session_upkeep hook_timeout status_line window_changes window_reply""",
    "integrations": """
        claude claude.transcript client_registry hook_client hook_event tool_uses transcript_tail
        model_windows""",
    "memory": "situation_memories",
    "storage": """
        atomic_files bytecode_bundle confined_folders current_plan hook_log injection_log plan_cache
        program_start session_changes session_store""",
    "text": "block_markup digest fast_json lazy_import path_globs phrases record user_error",
    "workspace": """
        agent_spellings git_settings linked_work_trees regular_files tree_folders
        tree_search_upward user_folders""",
}
FENCED = {
    f"synapse_ls.{package}.{name}" for package, names in FENCE.items() for name in names.split()
}
MOST_FENCED = 100
# What starts a program before any of that, and is as lean.
STARTERS = {"synapse_ls", "synapse_ls.__main__", "synapse_ls.hook", "synapse_ls.statusline"}
# Modules of the standard library that a hook process may load beyond those of a bare interpreter.
HOOK_STDLIB = {
    "__future__", "_blake2", "_collections_abc", "_imp", "_json", "_signal", "_stat", "_thread", "abc",
    "errno", "fcntl", "genericpath", "marshal", "os", "os.path", "posixpath", "stat", "time",
}  # fmt: skip
# What lean modules load only where an event, a file or a system asks for it.
ON_DEMAND = {
    "_frozen_importlib", "_frozen_importlib_external", "ast", "datetime", "hashlib", "json", "msvcrt",
    "nt", "posix", "pwd", "site", "subprocess", "sys", "unicodedata", "warnings", "winreg",
}  # fmt: skip


def modules(*packages: str) -> list[Path]:
    return [
        path for package in packages or [""] for path in sorted((PACKAGE / package).rglob("*.py"))
    ]


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules a file imports, but for those under ``if TYPE_CHECKING``."""
    found: set[str] = set()
    skipped: set[ast.AST] = set()
    for node in nodes(path):
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


def find_wrong(
    paths: Iterable[Path], wrong_in: Callable[[Path], Iterable[str]]
) -> dict[str, list[str]]:
    """What is wrong in each module that has anything wrong. One test asks all modules, since one for
    each would take most of the time of all tests.
    """
    found = {name_of(path): sorted(wrong_in(path)) for path in paths}
    return {name: wrong for name, wrong in found.items() if wrong}


def of_roots(path: Path, roots: Container[str]) -> set[str]:
    """What a module imports of these packages."""
    return {name for name in imports(path) if name.split(".")[0] in roots}


def outside(package: str) -> list[Path]:
    """The modules that are not in a package."""
    return [path for path in modules() if path.relative_to(PACKAGE).parts[0] != package]


def test_a_pure_package_does_no_io() -> None:
    # The members of datetime are values; only asking for the time is not pure. A library logs.
    allowed = {"compaction/strategies.py": {"logging"}, "text/iso_time.py": {"datetime"}}
    found = find_wrong(modules(*PURE), lambda path: of_roots(path, IO))
    assert {name: set(wrong) - allowed.get(name, set()) for name, wrong in found.items()} == {
        name: set() for name in allowed
    }


def test_one_package_knows_the_language_server_protocol() -> None:
    assert find_wrong(outside("lsp"), lambda path: of_roots(path, PROTOCOL)) == {}


def test_one_package_knows_the_model_context_protocol() -> None:
    sdk = {"mcp", "mcp_types", "anyio", "pydantic"}

    def wrong_in(path: Path) -> set[str]:
        ours = {name for name in imports(path) if name.startswith("synapse_ls.mcp")}
        return of_roots(path, sdk) | ours

    assert find_wrong(outside("mcp"), wrong_in) == {}


def test_one_module_knows_positions() -> None:
    others = [path for path in modules("lsp") if path.name != "convert.py"]
    of_positions = {"Position", "Range", "character"}
    assert find_wrong(others, lambda path: attributes(path) & of_positions) == {}


@cache
def attributes(path: Path) -> frozenset[str]:
    """The names behind dots in a module."""
    return frozenset(node.attr for node in nodes(path) if isinstance(node, ast.Attribute))


def test_one_module_watches_the_disk() -> None:
    others = [path for path in modules() if path.name != "file_watching.py"]
    assert find_wrong(others, lambda path: of_roots(path, {"watchdog"})) == {}


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
    "storage/plan_cache.py": "makes the cache folder",
    "storage/plan_writer.py": "removes a cached plan",
    "storage/program_start.py": "gives a process the null device",
    "storage/editor_cache.py": "makes a folder in the cache folder",
    "setup/migrate/migration_journal.py": "copies and removes whole folders, whose parents it checks",
    "setup/planned_changes.py": "puts back a link of the project that it has removed",
    "queries/git_revision.py": "unpacks a revision into a folder of its own for temporary files",
    "queries/findings_since_revision.py": "puts what changed since a revision into such a folder",
    "setup/doctor/client_examination.py": "gives a hook that it tries a cache for the moment",
    "setup/doctor/hook_trial.py": "copies the plan into that cache for the moment",
    "cli/console.py": "sends what nobody reads any more to the null device",
}


def writing_calls(path: Path) -> set[str]:
    """What a module calls to change files, as written there."""
    found = set()
    for node in nodes(path):
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


LISTING_CALLS = {"glob", "iterdir", "listdir", "rglob", "scandir"}
# Modules that list folders beside `outside_links.list_names`, which asks where links lead, and why
# no name that a project's link brings in is said.
LISTERS = {
    "cli/install.py": "the user's own cache",
    "hooks/session_upkeep.py": "looks at times alone",
    "hooks/boundary_verdict.py": "which files of rules are links; nothing of them is said",
    "integrations/gemini/transcript.py": "transcripts of the client",
    "integrations/kimi/transcript.py": "transcripts of the client",
    "integrations/vscode/transcript.py": "transcripts of the client",
    "memory/memory_index.py": "folders that memory_paths has asked about",
    "memory/memory_paths.py": "asks itself; below the store it follows no link",
    "queries/findings_cache.py": "the user's own cache",
    "setup/doctor/hook_trial.py": "a folder that it has made",
    "setup/doctor/registration_checks.py": "leaves out what is behind a link",
    "setup/doctor/tree_checks.py": "the package, and the user's own editor",
    "setup/init/rule_sources.py": "asks itself, to name the link",
    "setup/init/starter_tree.py": "the project's folder itself, and the package",
    "setup/install/settings_backup.py": "the user's own configuration",
    "setup/mcp_sdk.py": "installed packages",
    "setup/migrate/carl_installation.py": "what is behind a link is refused as it is read",
    "setup/migrate/migration_journal.py": "the user's own backups",
    "setup/migrate/migration_plan.py": "folders that carl_installation has asked about",
    "setup/sync_plan.py": "what is behind a link is refused as it is read",
    "storage/atomic_files.py": "a folder that it holds open",
    "storage/audit_log.py": "the user's own log",
    "storage/plan_cache.py": "a hash of names",
    "storage/program_start.py": "the descriptors of the process",
    "storage/session_archive.py": "asks itself, to say why a folder cannot be read",
    "storage/session_store.py": "looks at times and numbers alone",
    "storage/trusted_trees.py": "the user's own configuration",
    "workspace/file_scanner.py": "asks itself, to note the link",
    "workspace/file_watching.py": "asks about each link",
    "workspace/linked_work_trees.py": "git's own folder",
    "workspace/outside_links.py": "the one way to list a folder of the project",
    "workspace/pinned_content.py": "asks itself, to stamp the folder",
    "workspace/repository_discovery.py": "git's own folder",
    "lsp/root_discovery.py": "follows no link",
    "workspace/tree_search_upward.py": "follows no link",
}


def listing_calls(path: Path) -> set[str]:
    """What a module calls to list folders, as written there."""
    calls = (node.func for node in nodes(path) if isinstance(node, ast.Call))
    return {
        ast.unparse(c) for c in calls if isinstance(c, ast.Attribute) and c.attr in LISTING_CALLS
    }


def test_only_listed_modules_list_folders_themselves() -> None:
    listing = find_wrong(modules(), listing_calls)
    assert {name: calls for name, calls in listing.items() if name not in LISTERS} == {}
    assert set(LISTERS) - set(listing) == set()


READING_CALLS = {
    "open_descriptor", "open_named_stream", "open_stream", "read_beginning", "read_whole",
}  # fmt: skip
# Modules that call the readers of `regular_files`, which ask not where a link leads, and what of.
RAW_READERS = {
    "activation/project_status.py": "git's own folder, which repository_discovery has asked about",
    "cli/check_baseline.py": "a file that a person names",
    "cli/client_options.py": "transcripts that a person names, or of the client",
    "cli/compact.py": "a file that a person names",
    "cli/tree_options.py": "a file that a person names",
    "hooks/boundary_verdict.py": "a file that an agent is about to write; nothing of it is said",
    "hooks/digest_worker.py": "a transcript of the client",
    "hooks/hook_timeout.py": "the state of the process",
    "integrations/codex/settings.py": "asks itself",
    "integrations/settings_syntax.py": "asks itself; the package's own scripts",
    "integrations/transcript_tail.py": "transcripts of the client",
    "lsp/features/custom_requests.py": "a file that a person names",
    "mcp/history_tools.py": "asks itself",
    "queries/rule_audit.py": "transcripts of the client",
    "queries/session_replay.py": "transcripts that a person names, or of the client",
    "setup/install/hook_installation.py": "whether a file that is not read has our name",
    "setup/migrate/migration_journal.py": "copies, and files that carl_installation asks about",
    "setup/migrate/migration_plan.py": "files that are no links, in folders that carl_installation asks about",
    "setup/migrate/migration_run.py": "the user's own settings",
    "setup/planned_changes.py": "whether what was planned by is still there; nothing of it is said",
    "setup/sync_plan.py": "asks itself",
    "storage/audit_log.py": "the user's own log",
    "storage/edit_application.py": "files that the edit was made from",
    "storage/session_archive.py": "asks itself",
    "storage/task_reader.py": "asks itself",
    "workspace/file_reader.py": "asks itself: the way to read a file of the project",
    "workspace/git_settings.py": "git's settings, as git finds them",
    "workspace/instruction_readers.py": "asks itself",
    "workspace/linked_work_trees.py": "git's own files; each side has to name the other",
    "workspace/pinned_content.py": "digests; nothing of a file is said",
    "workspace/repository_discovery.py": "git's own files, to ask where they lead",
}  # fmt: skip


def reading_calls(path: Path) -> list[str]:
    """What a module calls to read regular files, wherever a link leads."""
    calls = (ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call))
    called = {call for call in calls if not call.startswith("session_values.")}
    return [call for call in called if call.rpartition(".")[2] in READING_CALLS]


def test_only_listed_modules_read_files_wherever_a_link_leads() -> None:
    reading = find_wrong(modules(), reading_calls)
    reading.pop("workspace/regular_files.py")
    assert {name: calls for name, calls in reading.items() if name not in RAW_READERS} == {}
    assert set(RAW_READERS) - set(reading) == set()


def starts_programs(path: Path) -> bool:
    """Whether a module may start a process."""
    return "subprocess" in imports(path) or bool(attributes(path) & STARTING_FUNCTIONS)


def test_only_listed_modules_start_programs() -> None:
    assert {name_of(path) for path in modules() if starts_programs(path)} == {*PROGRAM_STARTERS}


def opening_calls(path: Path) -> list[str]:
    """What a module calls to open files, as written there."""
    calls = {ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)}
    return [
        call
        for call in calls - NO_FILES
        if call in OPENING_CALLS or ("." in call and call.rpartition(".")[2] in OPENING_METHODS)
    ]


def test_only_listed_modules_open_files_themselves() -> None:
    opening = find_wrong(modules(), opening_calls)
    assert {name: calls for name, calls in opening.items() if name not in FILE_OPENERS} == {}
    assert set(FILE_OPENERS) - set(opening) == set()


def git_starts(path: Path) -> Iterator[str]:
    """What a module does to start git, or has it done."""
    if starts_programs(path):
        texts = (node.value for node in nodes(path) if isinstance(node, ast.Constant))
        yield from (t for t in texts if isinstance(t, str) and t.split(" ")[0] in GIT_NAMES)
    for node in nodes(path):
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).rpartition(".")[2] in ("find_program", "which")
            and any(isinstance(a, ast.Constant) and a.value in GIT_NAMES for a in node.args)
        ):
            yield ast.unparse(node)
    yield from of_roots(path, ("git", "pygit2", "dulwich"))


def test_one_module_starts_git() -> None:
    others = [path for path in modules() if path.name != "git_runner.py"]
    assert find_wrong(others, git_starts) == {}


def test_no_command_but_serve_and_mcp_loads_a_shell() -> None:
    code = (
        "import sys; from synapse_ls.cli.main import main; main(['check', '--help'])\n"
        "import synapse_ls.cli.protocol_servers, synapse_ls.cli.protocol_servers\n"
        "sys.exit(bool({'pygls', 'lsprotocol', 'mcp', 'anyio'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_command_line_and_integrations_never_import_the_server() -> None:
    assert (
        find_wrong(
            modules("cli", "integrations"),
            lambda path: (name for name in imports(path) if name.startswith("synapse_ls.lsp")),
        )
        == {}
    )


@cache
def module_names() -> dict[str, Path]:
    """The modules of the package by their dotted names."""
    paths = {path.relative_to(PACKAGE.parent).with_suffix(""): path for path in modules()}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in paths.items()}


@cache
def uses(path: Path) -> frozenset[str]:
    """The modules of ours that a file imports or names in a string, but for types alone."""
    skipped = {
        id(child)
        for node in nodes(path)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in node.body
        for child in ast.walk(part)
    }
    found: set[str] = set()
    for node in nodes(path):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
            found.add(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return frozenset(found & module_names().keys() - {"synapse_ls"})


def uses_below(path: Path) -> list[str]:
    """What a module uses of packages that do not stand above its own."""
    package = path.relative_to(PACKAGE).parts[0]
    if package not in ORDER or path.relative_to(PACKAGE).as_posix() in COMMAND_LINE_TABLES:
        return []
    # The command line starts the other shells.
    above = (*ORDER[: ORDER.index(package) + 1], "version", "__main__")
    return [name for name in uses(path) if name.split(".")[1] not in above]


def test_a_package_imports_only_packages_above_it() -> None:
    below = find_wrong(modules(), uses_below)
    assert below == {}, f"A package may import only from those before it in {', '.join(ORDER)}."


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


def test_a_package_has_an_empty_init() -> None:
    # Of the packages only the libraries for others have names of their own, and those that are one
    # client or one family of rules.
    libraries = (PACKAGE, PACKAGE / "compaction")
    registered = (PACKAGE / "integrations", PACKAGE / "lint" / "rules")
    others = [
        path
        for path in PACKAGE.rglob("__init__.py")
        if path.parent not in libraries and path.parent.parent not in registered
    ]
    assert find_wrong(others, lambda path: path.read_text(encoding="utf-8").split()) == {}


def test_the_library_of_compaction_stands_alone() -> None:
    def wrong_in(path: Path) -> set[str]:
        return {
            n for n in of_roots(path, {"synapse_ls"}) if not n.startswith("synapse_ls.compaction")
        }

    assert find_wrong(modules("compaction"), wrong_in) == {}


HOOK_CODE = f"""\
import sys
bare = set(sys.modules)
sys.path.append({str(PACKAGE.parent)!r})
from synapse_ls.storage.bytecode_bundle import install_bundle
bundle = install_bundle()
from synapse_ls.storage.program_start import run_bundled
run_bundled(bundle, "synapse_ls.hooks." + sys.argv[1], sys.argv[2:])
sys.stderr.write("\\n".join(sorted(set(sys.modules) - bare)))
"""
READ = {"tool_name": "Read", "tool_input": {"file_path": "README.md"}}
COMMON_EVENTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("UserPromptSubmit", {"prompt": "hello", "session_id": "two"}),
    ("UserPromptSubmit", {"prompt": "please look at it"}),
    ("UserPromptSubmit", {"prompt": "*brief"}),
    ("PostToolUse", {**READ, "tool_response": {}}),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "git push"}}),
    ("SessionStart", {"source": "startup", "session_id": "three"}),
)


def loaded_modules(root: Path, name: str, **event: object) -> set[str]:
    """What a process of the hook has loaded when it has answered an event, or of the status line."""
    is_event = name != "status_line"
    program = ["hook_command", "--event", name, "--client", "claude"] if is_event else [name]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", HOOK_CODE, *program],
        input=json.dumps({"session_id": "one", "cwd": str(root), **event}).encode(),
        capture_output=True,
        cwd=root,
        env={**os.environ, "HOME": str(root.parent), "SYNAPSE_LS_CACHE": str(root.parent / "c")},
        check=True,
    )
    return set(done.stderr.decode().split())


@pytest.fixture(scope="module")
def common_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree whose plan and session are there."""
    root = write_tree(tmp_path_factory.mktemp("common") / "app", TEAM)
    for path in (root, *root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    for prompt in ("hello", "go on"):
        loaded_modules(root, "UserPromptSubmit", prompt=prompt)
    return root


@pytest.fixture(scope="module")
def common_modules(common_tree: Path) -> set[str]:
    """What the commonest events load."""
    status = {"model": {"id": "x"}, "context_window": {"context_window_size": 200_000}}
    found = loaded_modules(common_tree, "status_line", **status)
    return found.union(
        *(loaded_modules(common_tree, name, **event) for name, event in COMMON_EVENTS)
    )


def test_the_fence_is_what_the_commonest_events_load(common_modules: set[str]) -> None:
    ours = {name for name in common_modules if name.partition(".")[0] == "synapse_ls"}
    empty = {name for name, path in module_names().items() if not path.stat().st_size}
    assert ours - empty - STARTERS == FENCED
    assert len(FENCED) <= MOST_FENCED
    assert common_modules - ours <= HOOK_STDLIB


def test_a_silent_tool_event_loads_nothing_of_the_engine(common_tree: Path) -> None:
    loaded = loaded_modules(common_tree, "PostToolUse", **dict(COMMON_EVENTS)["PostToolUse"])
    assert "synapse_ls.hooks.events.tool_after" in loaded
    assert [name for name in loaded if name.startswith("synapse_ls.engine")] == []


COUNTING_CODE = f"""\
import sys
sys.path.append({str(PACKAGE.parent)!r})
from synapse_ls.hooks.hook_command import main
calls = {{}}
def count(frame, event, _):
    name = frame.f_globals.get("__name__", "")
    if event == "call" and name.startswith("synapse_ls") and frame.f_code.co_name != "<module>":
        calls[name] = calls.get(name, 0) + 1
sys.setprofile(count)
main(["--event", "UserPromptSubmit", "--client", "claude"])
sys.setprofile(None)
sys.stderr.write(f"{{sum(calls.values())}} {{len(calls)}}")
"""
MOST_CALLS, MOST_MODULES = 1_000, 55


def test_a_prompt_in_a_tree_of_two_rules_is_a_short_walk(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "app",
        {
            ".synapse/manifest": "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n",
            ".synapse/global": "GLOBAL_RULE_0=Write tests first.\nGLOBAL_RULE_1=Keep it small.\n",
        },
    )
    for path in (root, *root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    for prompt in ("hello", "go on", "please look into the failing build"):
        event = {"session_id": "one", "cwd": str(root), "prompt": prompt}
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", COUNTING_CODE],
            input=json.dumps(event).encode(),
            capture_output=True,
            env={
                **os.environ,
                "HOME": str(root.parent),
                "SYNAPSE_LS_CACHE": str(root.parent / "c"),
            },
            check=True,
        )
    calls, walked = map(int, done.stderr.split())
    assert calls <= MOST_CALLS
    assert walked <= MOST_MODULES


def test_a_fenced_module_imports_only_what_is_lean() -> None:
    def wrong_in(path: Path) -> set[str]:
        used = {name for name in imports(path) if name.partition(".")[0] != "synapse_ls"}
        return {name.partition(".")[0] for name in used} - HOOK_STDLIB - ON_DEMAND

    paths = [path for name, path in module_names().items() if name in FENCED]
    assert find_wrong(paths, wrong_in) == {}


def test_only_fenced_modules_are_lean() -> None:
    names = {path: name for name, path in module_names().items()}

    def hand_made(path: Path) -> set[str]:
        is_lean = "\nTYPE_CHECKING = False\n" in path.read_text(encoding="utf-8")
        return {"TYPE_CHECKING"} if is_lean and names[path] not in FENCED | STARTERS else set()

    assert find_wrong(modules(), hand_made) == {}


def test_a_first_prompt_loads_no_parser_that_its_files_do_not_need(tmp_path: Path) -> None:
    loaded = loaded_modules(write_tree(tmp_path / "app", TEAM), "UserPromptSubmit", prompt="hello")
    assert "synapse_ls.formats.domain_file" in loaded
    others = ("agent_definition", "carl.carl_json", "chati", "markdown_outline", "yaml_tree")
    unneeded = tuple(f"synapse_ls.formats.{name}" for name in others)
    assert [name for name in loaded if name.startswith((*unneeded, "ruamel"))] == []
