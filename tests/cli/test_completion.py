"""What a shell completes, asked as its script asks; and its script, run by the shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from synapse_ls.cli.command_table import FIRST_COMMANDS
from tests.cli.conftest import Synapse

SHELLS = ("bash", "zsh", "fish", "powershell")
TRY = """
source script.bash
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_synapse; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def words(synapse: Synapse, *typed: str) -> list[str]:
    done = synapse("completion", "candidates", "--", *typed)
    assert (done.code, done.err) == (0, "")
    return [line.partition("\t")[0] for line in done.out.splitlines()]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["chec"], ["check"]),
        (["memory", "short-term", "s"], ["show", "set"]),
        (["--root", "..", "chec"], ["check"]),
        (["context", "--agen"], ["--agent"]),
        (["check", "--format", "sa"], ["sarif"]),
        (["check", "--format=sa"], ["--format=sarif"]),
        (["check", "--format", "=", "sa"], ["sarif"]),
        (["install", "--client", "claude,gem"], ["claude,gemini"]),
        (["check", "--select", "SYN203"], ["SYN203"]),
        (["completion", "z"], ["zsh"]),
        (["context", "--agent", ""], ["dev", "qa"]),
        (["why", "TESTING_RULE_"], ["TESTING_RULE_0", "TESTING_RULE_1"]),
        (["domain", "toggle", "TESTING", ""], ["on", "off"]),
        (["profile", "diff", "carl", "carl-"], ["carl-v2"]),
        (["help", "brack"], ["bracket"]),
        (["help", "memory", "st"], ["stats"]),
        (["check", ""], [":files"]),
        (["context", "--root", ""], [":folders"]),
        (["sync", "gem"], ["gemini"]),
    ],
    ids=" ".join,
)
def test_a_word_goes_on(
    synapse: Synapse, team: Path, typed: list[str], expected: list[str]
) -> None:
    assert words(synapse, *typed) == expected


@pytest.mark.parametrize("typed", [["nothing", ""], ["context", "--prompt", ""], ["why", "A", ""]])
def test_nothing_is_offered_where_nothing_is_known(
    synapse: Synapse, team: Path, typed: list[str]
) -> None:
    assert words(synapse, *typed) == []


def test_the_first_word_is_a_command(synapse: Synapse) -> None:
    assert set(FIRST_COMMANDS) <= set(words(synapse, ""))


def test_each_word_says_what_it_is(synapse: Synapse) -> None:
    done = synapse("completion", "candidates", "--", "doctor")
    assert done.out == "doctor\tCall the hook as clients do, and say what is wrong\n"


def test_names_that_a_shell_would_act_on_are_left_out(synapse: Synapse, team: Path) -> None:
    manifest = team / ".synapse" / "manifest"
    manifest.write_text(
        "A_AGENT_TRIGGER=$(touch x)\nB_AGENT_TRIGGER=a;b\nC_AGENT_TRIGGER=fine\n"
        "D_AGENT_TRIGGER=-;touch${IFS}x;#\nE_AGENT_TRIGGER=--force\n",
        "utf-8",
    )
    for name in "abcde":
        (team / ".synapse" / name).write_text(f"{name.upper()}_RULE_0=x\n", "utf-8")
    found = words(synapse, "context", "--agent", "")
    assert "fine" in found and not [word for word in found if set("$;()` -") & set(word)]
    assert not words(synapse, "context", "--agent", "-")


def test_a_broken_tree_is_no_noise_while_typing(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".synapse").mkdir()
    (tmp_path / ".synapse" / "manifest").write_bytes(b"\xff\x00=")
    monkeypatch.chdir(tmp_path)
    assert words(synapse, "context", "--agent", "") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_asks_for_candidates(synapse: Synapse, shell: str) -> None:
    done = synapse("completion", shell)
    call = f"'{sys.executable}' -I -m synapse_ls completion candidates -- "
    assert (done.code, done.out.count(call)) == (0, 1)


@pytest.mark.parametrize(
    ("shell", "quoted"),
    [
        ("bash", r"'/a b/o'\''x/\p‘'"),
        ("zsh", r"'/a b/o'\''x/\p‘'"),
        ("fish", r"'/a b/o\'x/\\p‘'"),
        ("powershell", r"'/a b/o''x/\p‘‘'"),
    ],
)
def test_the_interpreter_of_a_script_is_quoted_for_its_shell(
    synapse: Synapse, monkeypatch: pytest.MonkeyPatch, shell: str, quoted: str
) -> None:
    monkeypatch.setattr(sys, "executable", r"/a b/o'x/\p‘")
    assert f"{quoted} -I -m synapse_ls" in synapse("completion", shell).out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("chec", "check"),
        ("context --agent d", "dev"),
        ("context --agent = d", "dev"),
    ],
)
def test_bash_completes(synapse: Synapse, team: Path, typed: str, expected: str) -> None:
    Path("script.bash").write_text(synapse("completion", "bash").out, "utf-8")
    Path("synapse").write_text("#!/bin/sh\ntouch ran\n", "utf-8")
    Path("synapse").chmod(0o755)
    script = TRY.format(words=f"./synapse {typed}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == (expected, "")
    assert not Path("ran").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    ("shell", "setup"),
    [
        ("bash --norc -i", ""),
        ("bash --norc -i", "enable -n compopt; "),  # that is how bash 3 is
        ("zsh -f -i", "autoload -U compinit; compinit -u -D; "),
        ("fish --no-config -i", ""),
    ],
)
def test_a_name_of_a_file_is_quoted_where_it_is_put_in(
    synapse: Synapse, team: Path, shell: str, setup: str
) -> None:
    import pty  # only where there are pseudo-terminals

    program = shell.partition(" ")[0]
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    Path("script").write_text(synapse("completion", program).out, "utf-8")
    Path("x$(touch${IFS}ran).md").touch()
    child, terminal = pty.fork()
    if not child:
        os.execvp(program, shell.split())
    output = b""

    def type_and_read(typed: str, end: str) -> None:
        nonlocal output
        os.write(terminal, typed.encode())
        with suppress(OSError):  # how a terminal ends
            while end.encode() not in output:
                output += os.read(terminal, 4096)

    type_and_read(f"{setup}source ./script; echo rea''dy\n", "ready")
    type_and_read("synapse check x\t\nexit\n", "no such end")
    os.close(terminal)
    os.waitpid(child, 0)
    assert r"x\$\(touch\$\{IFS\}ran\).md" in output.decode("utf-8", "replace")
    assert not Path("ran").exists()
