"""``synapse init --replace-adopted`` refuses where it would do harm, and writes nothing then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse

NEXT = "<!-- BEGIN:nextjs-agent-rules -->\n- Read the docs\n<!-- END:nextjs-agent-rules -->\n"
HARM = {
    "another tool's part": (
        "AGENTS.md",
        f"{NEXT}\n- Amounts are integers\n",
        1,
        "another tool keeps",
    ),
    "a comment behind a rule": (
        *("CLAUDE.md", "# Shop\n\n- Rule one <!-- why:\n- Do not tell\nsee -->\n- Rule two\n", 3),
        "a comment begins or ends on a line with other text",
    ),
    "a comment before a rule": ("CLAUDE.md", "<!-- a\nb --> Rule one\n", 1, "a comment begins"),
    "excludeAgent": (
        *(
            ".github/instructions/a.instructions.md",
            "---\napplyTo: '**'\nexcludeAgent: x\n---\n- a\n",
        ),
        *(1, "`excludeAgent: x` keeps it from some agents"),
    ),
    "no applyTo": (".github/instructions/a.instructions.md", "- a\n", 1, "without `applyTo`"),
    "a rule for who names it": (
        *(".cursor/rules/release.mdc", "---\nalwaysApply: false\n---\n- Delete all logs\n"),
        *(1, "its client applies it only where a person or the agent asks for it"),
    ),
    "another tool's part between notes": (
        *("AGENTS.md", "- Be kind\n\n[//]: # (begin x)\n\n- Rule of x\n\n[//]: # (end x)\n", 3),
        "another tool keeps",
    ),
    "an underlined heading": (
        "CLAUDE.md",
        "Title\n---\n- One rule\n",
        1,
        "this heading is underlined",
    ),
    "an alert": ("CLAUDE.md", "> [!CAUTION]\n> Never do it.\n", 1, "a rule stands in an alert"),
    "tags": ("CLAUDE.md", "<style>\n- Three rule\n</style>\n", 1, "tags enclose rules"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    (root / "GEMINI.md").write_text("- Answer in English\n")
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def refused(synapse: Synapse, root: Path, *arguments: str) -> str:
    """What is said where the command refuses, and writes nothing."""
    before = contents(root)
    done = synapse("init", "--replace-adopted", "--client", "claude", *arguments)
    assert done.code == 2 and contents(root) == before
    assert "Nothing was written, since --replace-adopted would do harm" in done.err
    assert "remedy: Run the command without --replace-adopted" in done.err
    return done.err


@pytest.mark.parametrize(("path", "text", "line", "why"), HARM.values(), ids=HARM)
@pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
def test_it_refuses_with_the_place_and_the_reason(
    *,
    synapse: Synapse,
    project: Path,
    path: str,
    text: str,
    line: int,
    why: str,
    arguments: tuple[str, ...],
) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)
    assert f"{path}:{line}: {why}" in refused(synapse, project, *arguments)


@pytest.mark.parametrize(("path", "text", "line", "why"), HARM.values(), ids=HARM)
def test_without_the_option_the_same_files_stay_as_they_are(
    *, synapse: Synapse, project: Path, path: str, text: str, line: int, why: str
) -> None:
    del line, why
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)
    before = contents(project)
    assert synapse("init", "--client", "claude").code == 0
    assert contents(project).items() >= before.items()
    assert synapse("check").out.startswith("No findings") or "SYN213" in synapse("check").out


def test_each_reason_is_named(synapse: Synapse, project: Path) -> None:
    (project / "AGENTS.md").write_text(f"{NEXT}\n- Amounts are integers\n")
    (project / "CLAUDE.md").write_text("Title\n---\n- One rule\n")
    said = refused(synapse, project)
    assert "another tool keeps" in said and "underlined" in said and "(1 more above)" in said


def test_it_refuses_a_link_to_a_page_that_is_for_people_too(
    synapse: Synapse, project: Path
) -> None:
    (project / "docs").mkdir()
    (project / "docs/a.mdc").write_text("---\nalwaysApply: true\n---\n- Linked\n")
    (project / ".cursor/rules").mkdir(parents=True)
    (project / ".cursor/rules/a.mdc").symlink_to("../../docs/a.mdc")
    assert ".cursor/rules/a.mdc:1: it is a link to docs/a.mdc" in refused(synapse, project)


RULES = "".join(
    f"- Step {i} of a release has its own line in the book of steps{', word by word' * 9}\n"
    for i in range(99)
)


def test_it_refuses_where_the_first_reply_has_no_room_for_all_rules(
    synapse: Synapse, project: Path
) -> None:
    (project / "CLAUDE.md").write_text(RULES)
    said = refused(synapse, project)
    numbers = re.search(r"first reply in Claude Code has room for (\d+) of (\d+) rules", said)
    assert numbers and 0 < int(numbers[1]) < int(numbers[2]) == 100


def test_the_same_rules_are_taken_over_without_it_and_the_numbers_are_said(
    synapse: Synapse, project: Path
) -> None:
    (project / "CLAUDE.md").write_text(RULES)
    done = synapse("init")
    numbers = re.search(r"has room for (\d+) of 100 rules", done.err)
    assert numbers and (project / "CLAUDE.md").read_text() == RULES
