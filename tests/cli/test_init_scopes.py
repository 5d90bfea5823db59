"""``synapse init``: no rule is told when its client would not tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse

CURSOR = "---\nglobs: {}\nalwaysApply: false\n---\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return root


def write(root: Path, name: str, text: str) -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("name", "front", "why"),
    [
        (
            ".github/instructions/review.instructions.md",
            '---\napplyTo: "**"\nexcludeAgent: "coding-agent"\n---\n',
            "`excludeAgent: coding-agent` keeps it from some agents",
        ),
        (".github/instructions/manual.instructions.md", "", "without `applyTo`, Copilot reads it"),
        ("rules/manual.md", "---\ntrigger: manual\n---\n", "`trigger: manual` keeps it"),
        ("rules/asked.md", "---\ninclusion: manual\n---\n", "`inclusion: manual` keeps it"),
    ],
)
def test_a_file_for_occasions_that_no_domain_has_is_left_out_and_named(
    synapse: Synapse, project: Path, name: str, front: str, why: str
) -> None:
    write(project, name, f"{front}- Only by hand\n")
    write(project, "CLAUDE.md", "- Answer in English\n")
    done = synapse("init", "--from", "CLAUDE.md", name)
    assert f"{name}:1: {why}" in done.err
    assert "Only by hand" not in synapse("context", "only by hand", "--file", name).out


def test_where_all_files_are_left_out_it_is_said_why_and_nothing_is_written(
    synapse: Synapse, project: Path
) -> None:
    write(project, ".github/instructions/manual.instructions.md", "- Only by hand\n")
    done = synapse("init", "--from")
    assert done.code == 2 and "without `applyTo`" in done.err
    assert "that a tree can have" in done.err
    assert not (project / ".synapse").exists()


def test_globs_are_read_as_their_client_reads_them(synapse: Synapse, project: Path) -> None:
    rule = '---\napplyTo: "*.py,tests/**,/top/*.js"\n---\n- Type hints everywhere\n'
    write(project, ".github/instructions/py.instructions.md", rule)
    synapse("init")
    files = {
        "a.py": 1,
        "src/deep/a.py": 1,
        "packages/x/tests/t.js": 1,
        "top/a.js": 1,
        "a/top/a.js": 0,
    }
    blocks = {name: synapse("context", "--file", name).out for name in files}
    assert {name: int("Type hints" in block) for name, block in blocks.items()} == files


@pytest.mark.parametrize("order", [("api", "web"), ("web", "api")])
def test_rule_files_of_one_name_keep_their_own_files(
    synapse: Synapse, project: Path, order: tuple[str, str]
) -> None:
    for folder in order:
        text = f"{CURSOR.format(f'{folder}/**')}- Log with {folder}log\n"
        write(project, f".cursor/rules/{folder}/logging.mdc", text)
    names = [f".cursor/rules/{folder}/logging.mdc" for folder in order]
    synapse("init", "--from", *names)
    for folder, other in (order, order[::-1]):
        block = synapse("context", "--file", f"{folder}/a.ts").out
        assert f"{folder}log" in block and f"{other}log" not in block
    synapse("init", "--from", names[1])
    assert "logging-2" not in str(sorted((project / ".synapse").iterdir()))


def test_a_rule_file_of_the_name_of_a_section_keeps_its_files(
    synapse: Synapse, project: Path
) -> None:
    section = "## API\n\n- Version every route\n- Log with slog here\n- Name the caller of it\n"
    write(project, "CLAUDE.md", f"# Shop\n\n{section}\n## B\n\n- Be brief\n")
    write(project, ".cursor/rules/api.mdc", f"{CURSOR.format('api/**')}- Validate what comes in\n")
    synapse("init")
    assert "Version every route" in synapse("context").out
    assert "Validate" not in synapse("context").out
    assert "Validate" in synapse("context", "--file", "api/a.ts").out


def test_a_rule_file_taken_over_later_does_not_join_a_domain_of_other_files(
    synapse: Synapse, project: Path
) -> None:
    write(project, ".cursor/rules/a/api.mdc", f"{CURSOR.format('a/**')}- Log with slog\n")
    synapse("init")
    write(project, ".cursor/rules/b/api.mdc", f"{CURSOR.format('b/**')}- Log with zap\n")
    synapse("init", "--from", ".cursor/rules/b/api.mdc")
    assert "zap" not in synapse("context", "--file", "a/x").out
    assert "zap" in synapse("context", "--file", "b/x").out


def test_a_linked_rule_file_of_the_project_is_taken_over(synapse: Synapse, project: Path) -> None:
    write(project, "docs/rules/a.mdc", "---\nalwaysApply: true\n---\n- Linked cursor rule\n")
    (project / ".cursor/rules").mkdir(parents=True)
    (project / ".cursor/rules/a.mdc").symlink_to("../../docs/rules/a.mdc")
    synapse("init")
    assert "Linked cursor rule" in synapse("context").out


def test_a_link_out_of_the_project_is_named(synapse: Synapse, project: Path) -> None:
    write(project, "../elsewhere.mdc", "- From elsewhere\n")
    write(project, ".cursor/rules/b.mdc", "---\nalwaysApply: true\n---\n- Here\n")
    (project / ".cursor/rules/a.mdc").symlink_to("../../../elsewhere.mdc")
    done = synapse("init")
    assert ".cursor/rules/a.mdc is a link that leads out of the project" in done.err
    assert "From elsewhere" not in synapse("context").out


def test_text_of_another_tool_is_left_to_it(synapse: Synapse, project: Path) -> None:
    marks = "<!-- BEGIN:nextjs-agent-rules -->\n- Read the docs\n<!-- END:nextjs-agent-rules -->\n"
    write(project, "AGENTS.md", f"{marks}\n# Ours\n\n- Amounts are integers\n")
    done = synapse("init")
    assert "AGENTS.md:1: between the marks of another tool" in done.err
    block = synapse("context").out
    assert "Amounts" in block and "Read the docs" not in block


def test_an_import_with_a_colon_behind_it_is_not_taken_over(
    synapse: Synapse, project: Path
) -> None:
    write(project, "CLAUDE.md", "- The steps stand in @release.md: follow them\n- Be brief\n")
    write(project, "release.md", "- Tag before you publish\n")
    done = synapse("init")
    assert "CLAUDE.md:1: release.md" in done.err and "Tag" not in synapse("context").out


def test_a_project_with_nothing_to_take_over_gets_a_starter_tree(
    synapse: Synapse, project: Path
) -> None:
    write(project, ".github/instructions/manual.instructions.md", "- Only by hand\n")
    done = synapse("init")
    assert done.code == 0 and "takes them over" not in done.err
    assert "manual.instructions.md is not taken over: without `applyTo`" in done.err
    assert "Only by hand" not in synapse("context").out


def test_a_link_that_git_wrote_as_text_is_followed(synapse: Synapse, project: Path) -> None:
    write(project, "docs/rules/a.mdc", "---\nalwaysApply: true\n---\n- Linked cursor rule\n")
    write(project, ".cursor/rules/a.mdc", "../../docs/rules/a.mdc")
    synapse("init")
    block = synapse("context").out
    assert "Linked cursor rule" in block and "../docs" not in block


def test_where_there_is_nothing_else_replacing_is_refused(synapse: Synapse, project: Path) -> None:
    write(project, ".github/instructions/manual.instructions.md", "- Only by hand\n")
    done = synapse("init", "--replace-adopted", "--client", "copilot")
    assert done.code == 2 and "without `applyTo`" in done.err
    assert [path.name for path in project.iterdir()] == [".github"]
