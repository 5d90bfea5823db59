"""What a hook process loads for each client and kind of event."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.integrations.client_registry import HOOK_CLIENTS
from synapse_ls.integrations.hook_event import SESSION_START
from tests.forked_programs import run_program
from tests.integrations.recorded import NAMES, recorded
from tests.syntax import PACKAGE
from tests.test_house import HOOK_PACKAGES, HOOK_STDLIB, imports
from tests.trees import TEAM, write_tree

CODE = f"""\
import sys
bare = set(sys.modules)
sys.path.insert(0, {str(PACKAGE.parent)!r})
from synapse_ls.hooks.hook_command import main
main(sys.argv[1:])
sys.stderr.write("\\n".join(sorted(set(sys.modules) - bare)))
"""
# What a process loads only where an event or a file asks for it.
ON_DEMAND = {
    "datetime", "hashlib", "json", "mmap", "msvcrt", "os", "posix", "sys", "unicodedata", "warnings",
}  # fmt: skip


def one_of_each_kind() -> list[str]:
    """A recorded event of every kind that a client has, of those that leave nothing else to do.

    A rule file that was changed is linted, a failure is counted, and an agent that a session starts
    with is brought up.
    """
    found: dict[tuple[str, str], str] = {}
    for name in NAMES:
        case = recorded(name, Path("app"), Path("home"))
        busy = any(".synapse/" in path for path in case.event.get("edited", ()))
        busy |= bool(case.event.get("error"))
        busy |= case.kind == SESSION_START and bool(case.stdout)
        if not busy:
            found.setdefault((case.client, case.kind), name)
    return sorted(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of_each_kind())
def test_a_hook_process_loads_only_what_is_listed(name: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "app", TEAM)
    (root / "src").mkdir()
    case = recorded(name, root, tmp_path)
    write_tree(root, case.files)
    for path in sorted(root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    environment = {
        "HOME": str(tmp_path),
        "SYNAPSE_LS_CACHE": str(tmp_path / "cache"),
        **case.environment,
    }

    def payload(prompt: str) -> bytes:
        more = {"prompt": prompt} if "prompt" in case.stdin else {}
        return json.dumps({**case.stdin, **more}).encode()

    for prompt in ("hello", "go on"):  # the first one makes the plan and the session
        done = run_program(
            "hook", *case.arguments, stdin=payload(prompt), cwd=root, env=environment
        )
        assert done.returncode == 0
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", CODE, *case.arguments],
        input=payload("go on"),
        capture_output=True,
        cwd=root,
        env=environment,
        check=True,
    )
    loaded = set(done.stderr.decode().split())
    ours = {module for module in loaded if module.partition(".")[0] == "synapse_ls"}
    assert loaded - ours <= HOOK_STDLIB
    assert {module.split(".")[1] for module in ours if "." in module} <= set(HOOK_PACKAGES)
    clients = set(HOOK_CLIENTS) - {"opencode"}  # whose plugin others load
    loaded_clients = {module.split(".")[2] for module in ours if module.count(".") > 1} & clients
    assert loaded_clients <= {case.client}
    for module in sorted(ours):
        source = PACKAGE.parent / Path(*module.split(".")).with_suffix(".py")
        if source.exists():
            outside = {used.partition(".")[0] for used in imports(source)} - {"synapse_ls"}
            assert outside <= HOOK_STDLIB | ON_DEMAND, module


def test_a_first_prompt_loads_no_parser_that_its_files_do_not_need(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "app", TEAM)
    event = {"session_id": "one", "cwd": str(root), "prompt": "hello"}
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            CODE,
            "--event",
            "UserPromptSubmit",
            "--client",
            "claude",
        ],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "SYNAPSE_LS_CACHE": str(tmp_path / "cache")},
        check=True,
    )
    loaded = done.stderr.split()
    assert "GLOBAL" in done.stdout
    assert "synapse_ls.formats.domain_rules" in loaded
    others = ("agent_definition", "carl.carl_json", "chati", "markdown_outline", "yaml_tree")
    wanted = tuple(f"synapse_ls.formats.{name}" for name in others)
    assert [name for name in loaded if name.startswith((*wanted, "ruamel"))] == []
