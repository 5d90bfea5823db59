"""What only a real process shows: streams, terminals, imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Synapse

COMMAND = [sys.executable, "-m", "synapse_ls"]


@pytest.fixture
def process() -> Synapse:
    """Runs a command in a process that is started for it."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> Done:
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=stdin.encode(),
            capture_output=True,
            env={**os.environ, **environment},
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX streams")


def test_the_package_can_be_run(process: Synapse) -> None:
    done = process("--version")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("synapse ")


def test_output_is_utf_8_whatever_the_locale_says(process: Synapse, team: Path) -> None:
    done = process("context", "--agent", "dev", PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert "git push — delegate" in done.out


def test_an_undecodable_argument_is_no_failure(process: Synapse, team: Path) -> None:
    done = subprocess.run([*COMMAND, "explain", b"caf\xe9 coverage"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_leaves_is_no_failure(team: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "explain", "-v"], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("arguments", "code"), [([], 1), (["--exit-zero"], 0)])
def test_findings_stay_findings_for_a_reader_that_leaves(
    team: Path, arguments: list[str], code: int
) -> None:
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("DOCS_RECAL=x\n" * 2)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "check", *arguments], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (code, b"")


def test_a_reader_of_both_streams_that_leaves_is_no_failure(team: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "status", "--agent", "nobody"], stdout=write, stderr=write)
    os.close(write)
    assert done.returncode in (0, 2)  # 2: the error itself had no reader


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_cannot_be_written_is_an_error(team: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, "domains"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: The output cannot be written: ")
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr


@posix
def test_closed_streams_are_no_failure(team: Path) -> None:
    done = subprocess.run(["/bin/sh", "-c", '"$@" <&- >&- 2>&-', "sh", *COMMAND, "domains"])
    assert done.returncode == 0


def on_a_terminal(arguments: list[str], **environment: str) -> str:
    """What a command writes to a terminal."""
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(slave)
    parts = []
    try:
        while part := os.read(master, 65536):
            parts.append(part)
    except OSError:  # Linux: the other end is closed
        pass
    os.close(master)
    assert process.wait() in (0, 1)
    return b"".join(parts).decode()


@posix
def test_a_terminal_gets_colours(team: Path) -> None:
    assert "\x1b[" in on_a_terminal(["status"])


@posix
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_gets_none(team: Path, environment: dict[str, str]) -> None:
    assert "\x1b" not in on_a_terminal(["status"], **environment)


@posix
def test_colour_can_be_refused(team: Path) -> None:
    assert "\x1b" not in on_a_terminal(["status", "--color", "never"])


@posix
def test_the_block_ends_in_a_line_break_on_a_terminal_only(process: Synapse, team: Path) -> None:
    assert on_a_terminal(["context"]).endswith("</synapse-rules>\r\n")
    assert process("context").out.endswith("</synapse-rules>")


def loaded(*arguments: str, stdin: str = "") -> set[str]:
    """The modules that a process has loaded when it is done."""
    code = (
        "import atexit, os, sys\n"
        "os._exit = sys.exit\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"sys.argv = ['synapse', *{list(arguments)!r}]\n"
        "from synapse_ls.__main__ import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=stdin.encode(), capture_output=True, check=True
    )
    return set(done.stderr.decode().split())


def test_the_hook_starts_without_the_command_line(team: Path) -> None:
    modules = loaded("hook", "--event", "UserPromptSubmit", stdin='{"prompt": "hello"}')
    assert "synapse_ls.hooks.hook_command" in modules
    assert not {"argparse", "rich", "synapse_ls.cli"} & modules


def test_context_loads_no_other_command(team: Path) -> None:
    modules = loaded("context", "--quiet")
    assert not {"rich", "synapse_ls.cli.log", "synapse_ls.cli.check", "pygls"} & modules
    assert not {
        name
        for name in modules
        if name.startswith(("synapse_ls.lint", "synapse_ls.edits", "synapse_ls.setup"))
    }


def test_a_check_of_an_unchanged_tree_loads_no_linter(team: Path) -> None:
    first, second = (loaded("check", "--exit-zero") for _ in range(2))
    assert "synapse_ls.lint.lint_runner" in first
    assert "asyncio" not in first
    assert not {name for name in second if name.startswith("synapse_ls.lint")}


def test_text_in_a_pipe_loads_no_rich(team: Path) -> None:
    assert "rich" not in loaded("explain", "--quiet")


def test_the_hook_answers_through_the_command_line(process: Synapse, team: Path) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "*brief", "cwd": str(team)}
    done = process("hook", "--client", "claude", stdin=json.dumps(event))
    assert done.code == 0
    assert "Use bullet points only" in done.json["hookSpecificOutput"]["additionalContext"]


def test_the_hook_and_the_command_line_send_the_same_bytes(process: Synapse, team: Path) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "*brief", "cwd": str(team)}
    told = process("hook", "--client", "claude", stdin=json.dumps(event)).json
    block = told["hookSpecificOutput"]["additionalContext"]
    assert process("context", "*brief").out == block


@pytest.mark.parametrize("stdin", ["", "not json", "[]", '{"prompt": 7}'])
def test_the_hook_fails_open(process: Synapse, team: Path, stdin: str) -> None:
    done = process("hook", "--event", "UserPromptSubmit", stdin=stdin)
    assert done.code == 0
    assert isinstance(done.json, dict)


def test_help_of_the_hook_reads_no_event(process: Synapse) -> None:
    done = process("hook", "--help")
    assert (done.code, done.err) == (0, "")
    assert "\nExamples:\n" in done.out


@posix
def test_the_hook_on_a_terminal_shows_its_help_beside_the_output(process: Synapse) -> None:
    assert "Answer an event of an agent client" in on_a_terminal(["hook"])
