"""A reader meets an idea whole: a module that only its neighbour imports, and that fits with it in
one page, belongs to it, unless it is one of many alike or hides something of its own."""

from __future__ import annotations

import ast
from collections import defaultdict
from fnmatch import fnmatch

from synapse_ls.cli.command_table import GROUPS
from tests.syntax import PACKAGE, nodes

LINES = 500  # of two modules that are read as one

# Folders with one module for each of many things of a kind, which a neighbour lists.
REGISTRIES = (
    "compaction/shapes/*", "engine/systems/*/*_layer.py", "engine/systems/*/profile.py",
    "engine/systems/*/source.py", "hooks/events/*", "ide/actions/*", "ide/completion/*",
    "ide/hovers/*", "ide/lenses/*", "ide/tokens/*", "integrations/*/*", "lint/rules/*/*",
    "lsp/features/*", "mcp/prompts/*", "mcp/resources/*", "mcp/tools/*", "cli/formats/*",
    "workspace/systems/*", "setup/diagnosis/sections/*",
)  # fmt: skip
COMMANDS = frozenset(f"cli/{row.target.partition(':')[0]}.py" for _, rows in GROUPS for row in rows)
# What else stands apart, and why.
APART = {
    "compaction/conversation_text.py": "a text to read, apart from what is summed up and when",
    "workspace/posix_calls.py": "takes the place of a module as a whole, where that is not loaded",
    "workspace/posix_paths.py": "takes the place of a module as a whole, where that is not loaded",
    "storage/bundled_run.py": "has the bundle written, by a module that asks for how it is read",
    "hooks/plan_watch.py": "what is done while nobody asks, apart from who asks",
    "hooks/server_messages.py": "the protocol, apart from the process that speaks it",
    "lsp/protocol_classes.py": "how another library is imported, which is done as it is loaded itself",
    "lsp/early_imports.py": "what is imported ahead of time, apart from what the server does",
    "setup/doctor/called_server.py": "a server that is kept and spoken to, apart from hooks that are started",
    "lsp/parent_process.py": "the client's process, which is another subject than its requests",
    "setup/migrate/carl_json_conversion.py": "another format of the same system",
    "formats/yaml_library.py": "how another library is imported, which is done as it is loaded itself",
    "storage/plan_rule_update.py": "needs the parsers of rule files, which its neighbour does without",
    "storage/task_reader.py": "needs the YAML parser, which its neighbour does without",
    "memory/provider_worker.py": "another process",
    "mcp/tree_location.py": "where a tree is, which has nothing to do with who asks",
    "hooks/workflow_recognition.py": "what the commands of a session say, apart from a block",
    "storage/last_chati_session.py": "the state of one rule system, apart from plans of all of them",
    "storage/agent_cache.py": "needs the YAML parser only where definitions have changed",
    "engine/withdrawal_lines.py": "how what is taken back is said, apart from what is to be taken back",
    "hooks/git_settings.py": "what git and GitHub keep where, which is needed only beside a command",
    "hooks/failed_verdict.py": "loaded only where an event has failed",
    "cli/word_completion.py": "what a shell asks with each key, apart from the script that asks",
}


def modules() -> dict[str, str]:
    """Module -> its path, but for packages."""
    return {
        "synapse_ls." + path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): (
            path.relative_to(PACKAGE).as_posix()
        )
        for path in PACKAGE.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py", "hook.py", "statusline.py")
    }


def importers(known: dict[str, str]) -> dict[str, set[str]]:
    """Module -> the modules that name it: in an import or, for a lazy one, in a string."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in known.items():
        for node in nodes(PACKAGE / path):
            if isinstance(node, ast.ImportFrom) and node.module:
                for name in (node.module, *(f"{node.module}.{a.name}" for a in node.names)):
                    if name in known:
                        found[name].add(module)
            elif isinstance(node, ast.Constant) and node.value in known:
                found[str(node.value)].add(module)
    return found


def length(path: str) -> int:
    return (PACKAGE / path).read_text(encoding="utf-8").count("\n")


def test_a_module_that_only_its_neighbour_imports_is_part_of_it() -> None:
    known = modules()
    using = importers(known)
    found = {
        path: known[user]
        for module, path in known.items()
        if len(using[module]) == 1
        for user in using[module]
        if known[user].rpartition("/")[0] == path.rpartition("/")[0]
        and length(path) + length(known[user]) <= LINES
        and path not in COMMANDS
        and not any(fnmatch(path, pattern) for pattern in REGISTRIES)
    }
    unexplained = {path: user for path, user in found.items() if path not in APART}
    assert not unexplained, f"make it part of its neighbour, or say in APART why not: {unexplained}"
    assert not set(APART) - set(found), "no exception any more"
