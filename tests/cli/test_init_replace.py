"""``synapse init --replace-adopted``: each rule reaches the model once, and every byte comes back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.console import Console
from synapse_ls.setup.init import source_replacement
from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.managed_blocks import write_changes
from synapse_ls.storage.atomic_files import StorageError
from tests.cli.conftest import Synapse
from tests.trees import write_tree

CLAUDE = """\
# Shop

This file provides guidance to Claude Code.

## Git

- Commit in the imperative
- A commit is one change
- Rebase a branch before you push it

## Commands

```sh
make
```

- Answer in English
@docs/style.md
"""
AGENTS = "# Rules\n\n- Answer in English\n- Never edit what is generated\n"
CURSOR = "---\nglobs: src/api/**\nalwaysApply: false\n---\n\n- Version every endpoint\n"
FILES = {
    "CLAUDE.md": CLAUDE,
    "AGENTS.md": AGENTS,
    "docs/style.md": "- Tabs, never spaces\n",
    ".cursor/rules/api.mdc": CURSOR,
}
RULES = (
    *("Commit in the imperative", "A commit is one change", "Answer in English"),
    *("Tabs, never spaces", "Never edit what is generated", "Version every endpoint"),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_tree(tmp_path / "project", {})
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return root


def contents(root: Path) -> dict[str, bytes]:
    """All files but those of the tree."""
    return {
        name: path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not (name := path.relative_to(root).as_posix()).startswith(".synapse")
    }


def told(synapse: Synapse, *files: str, prompt: str = "commit this") -> str:
    """What a client with the hook reads: its own files and the block."""
    block = synapse("context", prompt, "--file", "src/api/a.ts").out
    return "\n".join((*(Path(name).read_text() for name in files if Path(name).exists()), block))


def test_without_a_word_the_files_stay_and_it_is_said(synapse: Synapse, project: Path) -> None:
    before = contents(project)
    done = synapse("init", "--from")
    assert contents(project) == before
    assert "CLAUDE.md, AGENTS.md, .cursor/rules/api.mdc stay as they are" in done.err
    assert "has these rules in context twice" in done.err and "--replace-adopted" not in done.err


@pytest.mark.parametrize("arguments", [(), ("--keywords",)])
def test_each_rule_reaches_a_client_with_the_hook_once(
    synapse: Synapse, project: Path, arguments: tuple[str, ...]
) -> None:
    clients = ("--client", "claude", "--client", "codex", "--client", "cursor")
    assert synapse("init", "--replace-adopted", *clients, *arguments).code == 0
    for files in (("CLAUDE.md",), ("AGENTS.md", ".cursor/rules/synapse.mdc")):
        text = told(synapse, *files)
        assert {rule: text.count(rule) for rule in RULES} == dict.fromkeys(RULES, 1)
    assert not (project / ".cursor/rules/api.mdc").exists()
    assert "```sh\nmake\n```" in (project / "CLAUDE.md").read_text()
    assert "@docs/style.md" not in (project / "CLAUDE.md").read_text()
    assert synapse("check").out.startswith("No findings")


def test_uninstalling_brings_every_byte_back(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_bytes(CLAUDE.replace("\n", "\r\n").encode())
    before = contents(project)
    synapse("init", "--replace-adopted", "--client", "claude", "--client", "cursor")
    assert contents(project) != before
    synapse("uninstall")
    assert contents(project) == before


def test_what_files_were_is_kept_before_they_are_written(
    synapse: Synapse, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)

    def write_and_end(*given: Any) -> None:
        write_changes(*given)
        raise KeyboardInterrupt  # as a process that is killed: nothing that comes later is done

    monkeypatch.setattr(source_replacement, "write_changes", write_and_end)
    synapse("init", "--from", *FILES, "--replace-adopted", "--client", "claude")
    assert contents(project) != before
    synapse("install", "--client", "claude")
    synapse("uninstall")
    assert contents(project) == before


def test_files_that_cannot_be_kept_are_not_written(
    synapse: Synapse, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)

    def refuse(*_: Any) -> None:
        raise StorageError("The folder cannot be written.", "Make room.")

    monkeypatch.setattr(settings_backup, "save_record", refuse)
    done = synapse("init", "--from", *FILES, "--replace-adopted")
    assert "could not be kept, so nothing was written" in done.err
    assert contents(project) == before


def test_a_client_without_the_hook_reads_the_rules_in_its_file(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted")
    assert "Commit in the imperative" in (project / "CLAUDE.md").read_text()
    assert (project / "AGENTS.md").read_text().count("Version every endpoint") == 1
    assert not (project / ".cursor/rules").exists(), "Cursor reads AGENTS.md, too"


@pytest.mark.parametrize("kept", ["", "```sh\nmake\n```\n"])
def test_a_client_that_reads_two_files_finds_each_rule_in_one(
    synapse: Synapse, project: Path, kept: str
) -> None:
    instructions = project / ".github" / "copilot-instructions.md"
    instructions.parent.mkdir()
    instructions.write_text(f"{kept}- Name the ticket\n")
    before = contents(project)
    synapse("init", "--replace-adopted", "--client", "claude")
    assert (project / "AGENTS.md").read_text().count("Name the ticket") == 1
    assert (instructions.read_text() if instructions.exists() else "") == kept
    synapse("uninstall")
    assert contents(project) == before


def test_registering_the_hook_later_leaves_the_rules_to_it(synapse: Synapse, project: Path) -> None:
    before = contents(project)
    synapse("init", "--replace-adopted")
    held = contents(project)
    synapse("install", "--client", "claude")
    assert told(synapse, "CLAUDE.md").count("Commit in the imperative") == 1
    assert "Commit in the imperative" in (project / "AGENTS.md").read_text()
    synapse("install", "--client", "codex")
    synapse("uninstall", "--client", "claude")
    assert (project / "CLAUDE.md").read_bytes() == before["CLAUDE.md"]
    assert (project / "AGENTS.md").read_bytes() != held["AGENTS.md"]
    synapse("uninstall")
    assert contents(project) == before


def test_a_file_that_was_made_for_a_client_goes_with_the_rest(
    synapse: Synapse, project: Path
) -> None:
    (project / "AGENTS.md").unlink()
    before = contents(project)
    synapse("init", "--replace-adopted")
    assert "Version every endpoint" in (project / ".cursor/rules/synapse-api.mdc").read_text()
    synapse("install", "--client", "cursor")
    assert "Version every endpoint" not in "".join(
        path.read_text() for path in (project / ".cursor/rules").iterdir()
    )
    synapse("uninstall")
    assert contents(project) == before


def test_a_synchronised_file_follows_the_hook(synapse: Synapse, project: Path) -> None:
    synapse("init", "--template", "starter", "--rule", "Answer in English")
    (project / "GEMINI.md").write_text("# Mine\n")
    synapse("sync", "gemini")
    before = contents(project)
    done = synapse("install", "--client", "gemini")
    assert "Answer in English" not in (project / "GEMINI.md").read_text()
    assert "GEMINI.md" in done.err
    synapse("uninstall", "--client", "gemini")
    assert contents(project) == before


def test_edits_stay_when_the_rest_comes_back(synapse: Synapse, project: Path) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    file = project / "CLAUDE.md"
    file.write_text(file.read_text().replace("make\n", "make all\n") + "\n## Mine\n\nNew text.\n")
    synapse("uninstall")
    assert file.read_text() == CLAUDE.replace("make\n", "make all\n") + "\n## Mine\n\nNew text.\n"


def test_what_somebody_brought_back_or_deleted_is_left_alone(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    (project / "CLAUDE.md").write_text(f"{CLAUDE}\nMine.\n")
    (project / "AGENTS.md").unlink()
    (project / ".cursor/rules/api.mdc").parent.mkdir(parents=True, exist_ok=True)
    (project / ".cursor/rules/api.mdc").write_text(CURSOR)
    synapse("uninstall")
    assert (project / "CLAUDE.md").read_text() == f"{CLAUDE}\nMine.\n"
    assert not (project / "AGENTS.md").exists()
    assert (project / ".cursor/rules/api.mdc").read_text() == CURSOR


def test_a_dry_run_shows_what_would_go(synapse: Synapse, project: Path) -> None:
    before = contents(project)
    done = synapse("init", "--replace-adopted", "--dry-run", "--client", "claude")
    assert "\n-- Commit in the imperative\n" in done.out and contents(project) == before
    assert not (project / ".synapse").exists()


def test_rules_that_were_adopted_before_can_be_replaced_later(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--from")
    done = synapse("init", "--from", "--replace-adopted", "--client", "claude")
    assert done.code == 0
    assert told(synapse, "CLAUDE.md").count("Commit in the imperative") == 1


def test_adopting_and_replacing_can_be_two_commands(synapse: Synapse, project: Path) -> None:
    synapse("init")
    assert synapse("init", "--replace-adopted", "--client", "claude").code == 0
    assert told(synapse, "CLAUDE.md").count("Commit in the imperative") == 1
    assert (project / ".claude/settings.json").exists()


def test_where_nothing_was_kept_uninstalling_says_which_rules_nobody_tells(
    synapse: Synapse, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    synapse("init", "--keywords", "--replace-adopted", "--client", "claude")
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "another-machine"))
    manifest = project / ".synapse/manifest"
    text = manifest.read_text()
    manifest.write_text(f"{text}\nRAILS_STATE=active\nRAILS_RECALL=rails\n")
    (project / ".synapse/rails").write_text("RAILS_RULE_0=Keep models thin\n")
    said = synapse("uninstall").err
    assert "holds the rules again" in said and "has no rule of" in said and "RAILS" in said


def test_a_rule_that_is_written_beside_our_part_later_is_taken_out_too(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    file = project / "CLAUDE.md"
    before = file.read_text()
    file.write_text(f"{before}\n## Logging\n\n- Log lines are JSON with a request id\n")
    synapse("init", "--from", "CLAUDE.md", "--replace-adopted")
    assert "request id" not in file.read_text()
    assert "request id" in synapse("context", "go on").out
    assert "SYN213" not in synapse("check").out


def test_on_a_terminal_one_is_asked_about_words_and_not_about_the_files(
    synapse: Synapse, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    monkeypatch.setattr(Console, "can_ask", True)
    done = synapse("init", stdin="y\ny\n")
    assert "Make the tree of them?" in done.err
    assert "GIT: git, commit" in done.err and "only with a prompt that says" in done.err
    assert "GIT_RECALL=" in (project / ".synapse/manifest").read_text()
    assert contents(project) == before and "--replace-adopted" not in done.err


def test_a_link_to_another_file_is_written_through(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    before = contents(project)
    synapse("init", "--replace-adopted", "--client", "claude", "--client", "codex")
    assert told(synapse, "CLAUDE.md").count("Never edit what is generated") == 1
    assert (project / "CLAUDE.md").is_symlink()
    synapse("uninstall")
    assert contents(project) == before


def test_other_parts_of_an_imported_page_can_still_be_found(
    synapse: Synapse, project: Path
) -> None:
    (project / "docs/style.md").write_text("- Tabs, never spaces\n\n```py\nx\n```\n")
    synapse("init", "--replace-adopted", "--client", "claude")
    lines = (project / "CLAUDE.md").read_text().splitlines()
    assert "docs/style.md" in lines


@pytest.mark.parametrize("hooked", ["claude", "codex"])
def test_a_file_that_imports_that_of_another_client_tells_nothing_twice(
    synapse: Synapse, project: Path, hooked: str
) -> None:
    (project / "CLAUDE.md").write_text("@AGENTS.md\n")
    before = contents(project)
    synapse("init", "--replace-adopted", "--client", hooked)
    assert "@AGENTS.md" not in (project / "CLAUDE.md").read_text()
    files = ["CLAUDE.md"] if hooked == "claude" else ["AGENTS.md"]
    assert told(synapse, *files).count("Never edit what is generated") == 1
    other = "AGENTS.md" if hooked == "claude" else "CLAUDE.md"
    assert (project / other).read_text().count("Never edit what is generated") == 1
    synapse("uninstall")
    assert contents(project) == before


def test_files_without_rules_may_import_each_other(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text("@AGENTS.md\n")
    (project / "AGENTS.md").write_text("- Answer in English\n\n```sh\nmake\n```\n")
    synapse("init", "--replace-adopted", "--client", "claude", "--client", "codex")
    assert (project / "CLAUDE.md").read_text() == "@AGENTS.md\n"
    assert "make" in (project / "AGENTS.md").read_text()


def test_the_settings_name_nobody_s_files(synapse: Synapse, project: Path) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    assert json.loads((project / ".claude/settings.json").read_text())["hooks"]


def test_a_hook_of_one_person_is_pointed_out(synapse: Synapse, project: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    done = synapse("init", "--replace-adopted")
    assert "Claude Code calls the hook for you alone" in done.err
    assert "calls the hook for you alone" not in synapse("init", "--replace-adopted").err


def test_a_second_time_there_is_nothing_to_do(synapse: Synapse, project: Path) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    after = contents(project)
    done = synapse("init", "--from", "--replace-adopted", "--client", "claude")
    assert done.out.splitlines()[-1] == "Nothing to change." and contents(project) == after


def test_what_was_adopted_can_be_shown_without_the_tree(synapse: Synapse, project: Path) -> None:
    synapse("init", "--from")
    assert synapse("init", "--from", "--replace-adopted", "--dry-run").out.startswith("--- ")


@pytest.mark.parametrize("added", ["- Log lines are JSON", "- A commit is one change"])
def test_a_second_take_over_keeps_the_first_original(
    synapse: Synapse, project: Path, added: str
) -> None:
    synapse("init", "--keywords", "--replace-adopted", "--client", "claude")
    file = project / "CLAUDE.md"
    file.write_text(f"{file.read_text()}\n{added}\n")
    synapse("init", "--from", "CLAUDE.md", "--replace-adopted")
    assert added.removeprefix("- ") not in file.read_text()
    synapse("uninstall")
    assert file.read_text() == f"{CLAUDE}\n{added}\n"


def test_a_file_that_version_control_brought_back_is_the_original_of_a_second_take_over(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    file = project / "CLAUDE.md"
    file.write_text(f"# New\n\n{CLAUDE}")
    synapse("init", "--from", "CLAUDE.md", "--replace-adopted")
    assert "Commit in the imperative" not in file.read_text()
    synapse("uninstall")
    assert file.read_text() == f"# New\n\n{CLAUDE}"


STRICT = "## Testing\n\n- Use the fake clock, don't sleep\n- Never mock\n- Keep tests small\n"


@pytest.mark.parametrize("arguments", [(), ("--keywords",)])
def test_why_a_subject_does_not_wait_for_words_is_said(
    synapse: Synapse, project: Path, arguments: tuple[str, ...]
) -> None:
    (project / "CLAUDE.md").write_text(STRICT)
    done = synapse("init", "--from", "CLAUDE.md", *arguments)
    why = 'TESTING stays always on, since it forbids or demands: "Use the fake clock, don\'t sleep"'
    assert why in done.err and "0 of 1 subject waits for a word" in done.err
    lines = (project / ".synapse/manifest").read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("# TESTING_RECALL="))
    assert "forbids or demands" in lines[place - 1] and "don't sleep" in lines[place - 1]


def test_how_much_of_a_subject_does_not_wait_is_said_with_its_words(
    synapse: Synapse, project: Path
) -> None:
    (project / "CLAUDE.md").write_text(f"{STRICT}- Name a test after what holds\n")
    done = synapse("init", "--from", "CLAUDE.md", "--keywords")
    assert "(2 of 4 rules forbid or demand, and stay always on)" in done.err
    assert "always on, since" not in done.err


def test_nothing_is_written_before_the_last_question_is_answered(
    synapse: Synapse, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    monkeypatch.setattr(Console, "can_ask", True)
    seen: list[bool] = []

    def answer(_: Console, question: str, **__: object) -> bool:
        seen.append(contents(project) == before and not (project / ".synapse").exists())
        return True

    monkeypatch.setattr(Console, "confirm", answer)
    synapse("init", "--client", "claude")
    assert seen == [True, True] and contents(project) != before


def test_files_that_keep_their_rules_are_said_to_be_copied(synapse: Synapse, project: Path) -> None:
    write_tree(project, {"docs/style.md": "- Tabs\n", "CLAUDE.md": "- Small\n\n@docs/style.md\n"})
    done = synapse("init", "--from", "CLAUDE.md", "--client", "claude", "--replace-adopted")
    assert "docs/style.md keeps its rules, and the tree has copies: what is edited" in done.err
    assert "CLAUDE.md keeps" not in done.err
    (project / "docs/style.md").write_text("- Spaces\n")
    assert "Spaces" not in synapse("context").out
    synapse("init", "--from", "docs/style.md")
    assert "Spaces" in synapse("context").out


def test_nothing_is_said_of_a_file_that_is_not_there(synapse: Synapse, project: Path) -> None:
    rule = "---\nglobs: src/api/**/*.ts\n---\n- Handlers validate their input\n"
    write_tree(project, {".cursor/rules/api.mdc": rule})
    given = ("--from", ".cursor/rules/api.mdc", "--client", "cursor", "--replace-adopted")
    done = synapse("init", *given)
    assert not (project / ".cursor/rules/synapse.mdc").exists()
    assert "synapse.mdc" not in done.err


def test_globs_that_a_client_does_not_keep_any_more_are_said(
    synapse: Synapse, project: Path
) -> None:
    rule = "---\nglobs: src/api/**/*.ts\n---\n- Handlers validate their input\n"
    write_tree(project, {".cursor/rules/api.mdc": rule, "AGENTS.md": "- Tabs\n"})
    (project / "CLAUDE.md").unlink(missing_ok=True)
    given = ("--from", "AGENTS.md", ".cursor/rules/api.mdc", "--replace-adopted")
    done = synapse("init", *given)
    assert "AGENTS.md has the rules of .cursor/rules/api.mdc now, below a heading that" in done.err
    assert "Cursor reads it with every prompt" in done.err
    assert "(only for files that match `src/api/**/*.ts`)" in (project / "AGENTS.md").read_text()


def test_an_agent_without_the_hook_is_told_where_the_rules_are(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    said = (project / "CLAUDE.md").read_text()
    assert "If no such block is there, read them in `.synapse/` before you begin." in said


@pytest.mark.parametrize("is_copy", [True, False])
def test_a_folder_that_was_moved_or_copied_gets_its_files_back(
    synapse: Synapse, project: Path, monkeypatch: pytest.MonkeyPatch, is_copy: bool
) -> None:
    before = contents(project)
    synapse("init", "--replace-adopted", "--client", "claude", "--client", "cursor")
    held = contents(project)
    other = project.with_name("renamed")
    shutil.copytree(project, other)
    if not is_copy:
        shutil.rmtree(project)
    monkeypatch.chdir(other)
    synapse("uninstall")
    assert contents(other) == before
    if is_copy:
        monkeypatch.chdir(project)
        assert contents(project) == held
        synapse("uninstall")
        assert contents(project) == before


def test_files_of_another_project_are_not_taken_for_those_of_this(
    synapse: Synapse, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "CLAUDE.md").write_text("- Paint it black\n- Then wait a day\n")
    monkeypatch.chdir(other)
    synapse("init", "--replace-adopted", "--client", "claude")
    monkeypatch.chdir(project)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "another-computer"))
    synapse("init", "--replace-adopted", "--client", "claude")
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    done = synapse("uninstall")
    assert "Paint" not in (project / "CLAUDE.md").read_text()
    assert "no copy of CLAUDE.md from before `synapse init --replace-adopted`" in done.err


def test_rules_that_only_the_tree_has_are_named_when_files_come_back(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    file = project / ".synapse/git"
    file.write_text(f"{file.read_text()}GIT_RULE_9=Tag each release\n")
    done = synapse("uninstall")
    assert "1 rule in the tree alone" in done.err
    assert '"Tag each release" (.synapse/git)' in done.err
    assert "Commit in the imperative" not in done.err


def test_nothing_is_said_of_the_tree_where_files_have_all_its_rules(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--replace-adopted", "--client", "claude")
    assert "in the tree alone" not in synapse("uninstall").err
