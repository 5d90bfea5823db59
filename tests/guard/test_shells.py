"""Each line of the table of five shells gets its verdict: nothing else passes than what the page owns
up to, and no ordinary command is stopped or asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse_ls.guard.agent_action import POSIX, POWERSHELL
from tests.guard.test_verdicts import quoted, verdict_on

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "guard.md"
EVASIONS, ORDINARY = "evasions", "ordinary"
SHELLS = ("bash", "zsh", "fish", "powershell", "cmd")


def table() -> Iterator[tuple[str, str, str, str]]:
    """Yields (shell, kind, verdict, command) of each line."""
    shell = kind = ""
    for line in (HERE / "shells.txt").read_text("utf-8").split("\n"):
        if line.startswith("[") and line.endswith((f"{EVASIONS}]", f"{ORDINARY}]")):
            shell, _, kind = line.strip("[]").partition(" ")
        elif line and not line.startswith("#"):
            verdict, _, command = line.partition(": ")
            yield shell, kind, verdict, command


ROWS = list(table())


@pytest.mark.parametrize("shell", SHELLS)
def test_verdict_in_a_shell(shell: str) -> None:
    wrong: list[str] = []
    for verdict, command in ((row[2], row[3]) for row in ROWS if row[0] == shell):
        line = command.replace("\\n", "\n")
        if shell == "cmd":
            line = f"cmd /c {quoted(line)}"
        judgement = verdict_on(line, shell=POWERSHELL if shell == "powershell" else POSIX)
        if judgement.decision != ("allow" if verdict.startswith("unseen") else verdict):
            wrong.append(f"{command}: {judgement.decision}, not {verdict}; {judgement.reason}")
    assert wrong == []


def test_no_ordinary_command_is_stopped_and_no_evasion_passes_unsaid() -> None:
    assert {verdict for _, kind, verdict, _ in ROWS if kind == ORDINARY} == {"allow"}
    assert not [
        command for _, kind, verdict, command in ROWS if (kind, verdict) == (EVASIONS, "allow")
    ]


def test_the_page_owns_up_to_what_passes() -> None:
    unseen = " ".join(PAGE.read_text("utf-8").partition("## What is not seen")[2].split())
    for _, _, verdict, command in ROWS:
        if verdict.startswith("unseen"):
            assert verdict.removeprefix("unseen (").removesuffix(")") in unseen, command


def test_the_page_has_the_figures_of_the_table() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    counts = {kind: sum(row[1] == kind for row in ROWS) for kind in (EVASIONS, ORDINARY)}
    passed = sum(verdict.startswith("unseen") for _, _, verdict, _ in ROWS)
    assert min(counts.values()) >= 120
    assert {shell for shell, *_ in ROWS} == set(SHELLS)
    assert f"{counts[EVASIONS]} evasions, of which {passed} pass" in page
    assert f"{counts[ORDINARY]} ordinary commands" in page
