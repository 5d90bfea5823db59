"""An agent in a linked work tree works on the project: paths mean there what they mean in the
main work tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.storage.trusted_trees import trust_tree, write_pin
from synapse_ls.workspace.pinned_content import scan_content
from synapse_ls.workspace.program_search import find_program
from synapse_ls.workspace.tree_search_upward import find_root
from tests.hooks.hook_clients import Claude, told
from tests.hooks.test_tool_before import decision
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git")

FILES = {
    **TEAM,
    ".synapse/manifest": TEAM[".synapse/manifest"] + "TSX_STATE=active\nTSX_PATHS=src/**/*.tsx\n",
    ".synapse/tsx": "TSX_RULE_0=Components are functions\nTSX_DENY_0=write docs/stories/**\n",
    ".synapse/config.toml": "profile = 'synapse-live'\n[guard]\nmode = 'enforce'\n",
    "src/a.tsx": "a\n",
}
NESTED, BESIDE = ".claude/worktrees/foo", "../team-foo"


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


def repository(root: Path, *ignored: str) -> Path:
    write_tree(root, {**FILES, ".gitignore": "\n".join(ignored)})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "begin")
    return root


@pytest.fixture(params=(NESTED, BESIDE))
def work_tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = repository(tmp_path / "team")
    git(root, "worktree", "add", "-q", request.param)
    return Path(root, request.param).resolve()


@pytest.fixture
def agent(work_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    """One whose session began in the main work tree."""
    client = Claude(tmp_path / "team")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(client.root))
    client.prompt("@dev go on")
    return client


def test_in_a_linked_work_tree_of_a_pinned_project_the_pinned_tree_counts(
    work_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    root = str(tmp_path / "team")
    write_pin(root, scan_content(root)[0], "")
    (work_tree / ".synapse/global").write_text("GLOBAL_RULE_0=Evil zebra.\n")
    said = Claude(work_tree).prompt("hello")
    assert said and "zebra" not in said
    trust_tree(str(work_tree))
    assert "zebra" in Claude(work_tree, "two").prompt("hello")


def test_so_does_one_of_a_folder_in_it_that_has_no_tree_there(
    work_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    package = tmp_path / "team/src"
    rules = "GLOBAL_RULE_0=Only the package says so.\n"
    write_tree(package, {".synapse/manifest": "GLOBAL_STATE=active\n", ".synapse/global": rules})
    write_pin(str(package), scan_content(str(package))[0], "")
    assert "Only the package" in Claude(work_tree / "src").prompt("hello")


def separate_folder(root: Path) -> None:
    repository(root)
    git(root, "init", "-q", "--separate-git-dir", str(root.parent / "store"))


def linked_folder(root: Path) -> None:
    repository(root)
    (root / ".git").rename(root.parent / "store")
    (root / ".git").symlink_to(root.parent / "store")


def submodule(root: Path) -> None:
    source = repository(root.parent / "source")
    outer = root.parent
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(source), root.name)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("make", [separate_folder, linked_folder, submodule])
def test_a_main_work_tree_whose_git_folder_lies_elsewhere_is_the_same_project(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    root = tmp_path / "outer" / "team"
    root.parent.mkdir()
    make(root)
    linked = tmp_path / "team-foo"
    git(root, "worktree", "add", "-q", str(linked))
    (linked / ".synapse/global").write_text("GLOBAL_RULE_0=Evil zebra.\n")
    for folder, other in ((linked, root), (root, linked)):
        agent = Claude(folder, folder.name)
        agent.prompt("@dev go on")
        assert run(agent, f"rm -rf {other}/.synapse") == "ask", other
        assert run(agent, f"cd {other} && rm -rf .synapse") == "ask", other
        assert write(agent, other / ".synapse" / "global") == "ask", other
        (other / "bin").mkdir()
        (other / "bin" / "tool").write_text("")
        (other / "bin" / "tool").chmod(0o755)
        monkeypatch.setenv("PATH", f"{other / 'bin'}:/usr/bin:/bin")
        assert find_program("tool", str(folder)) == "", other
    write_pin(str(root), scan_content(str(root))[0], "")
    said = Claude(linked, "two").prompt("hello")
    assert said and "zebra" not in said


def test_work_trees_beside_each_other_share_a_pin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    source = repository(tmp_path / "source")
    team = tmp_path / "team"
    git(tmp_path, "clone", "-q", "--bare", str(source), str(team / ".bare"))
    for name in ("one", "two"):
        git(team / ".bare", "worktree", "add", "-q", "-b", name, str(team / name))
    write_pin(str(team / "one"), scan_content(str(team / "one"))[0], "")
    (team / "two/.synapse/global").write_text("GLOBAL_RULE_0=Evil zebra.\n")
    said = Claude(team / "two").prompt("hello")
    assert said and "zebra" not in said


def edit(agent: Claude, path: object, **fields: object) -> str:
    given = {"file_path": str(path), "old_string": "a", "new_string": "b"}
    return told(agent.send("PostToolUse", tool_name="Edit", tool_input=given, **fields))


def write(agent: Claude, path: object, **fields: object) -> str:
    given = {"file_path": str(path), "content": "x"}
    return decision(agent.send("PreToolUse", tool_name="Write", tool_input=given, **fields))


def run(agent: Claude, command: str, **fields: object) -> str:
    given = {"command": command}
    return decision(agent.send("PreToolUse", tool_name="Bash", tool_input=given, **fields))


def test_a_file_there_brings_the_rules_of_its_path(agent: Claude, work_tree: Path) -> None:
    assert "Components are functions" in edit(agent, work_tree / "src" / "a.tsx")


def test_a_relative_path_is_one_of_the_folder_there(agent: Claude, work_tree: Path) -> None:
    assert "Components are functions" in edit(agent, "a.tsx", cwd=str(work_tree / "src"))


def test_the_guard_protects_a_file_there(agent: Claude, work_tree: Path) -> None:
    edit(agent, work_tree / "src" / "a.tsx")
    assert write(agent, work_tree / "docs" / "stories" / "1.1.md") == "deny"
    assert write(agent, work_tree / "docs" / "notes.md") == "allow"


def test_the_guard_reads_the_command_lines_there(agent: Claude, work_tree: Path) -> None:
    edit(agent, work_tree / "src" / "a.tsx")
    assert run(agent, "echo x > docs/stories/1.1.md", cwd=str(work_tree)) == "deny"
    assert run(agent, f"echo x > {work_tree}/docs/stories/1.1.md") == "deny"
    assert run(agent, "echo x > docs/notes.md", cwd=str(work_tree)) == "allow"


def test_settings_and_rules_are_protected_there(agent: Claude, work_tree: Path) -> None:
    for name in (".claude/settings.json", ".synapse/global", ".git"):
        assert write(agent, work_tree / name) == "ask", name


def test_a_session_that_begins_there_knows_the_main_work_tree(
    work_tree: Path, tmp_path: Path
) -> None:
    agent = Claude(work_tree)
    agent.prompt("@dev go on")
    assert "Components are functions" in edit(agent, tmp_path / "team" / "src" / "a.tsx")
    assert edit(agent, work_tree / "src" / "a.tsx") == ""


def test_rules_that_are_not_committed_are_found_from_there(tmp_path: Path) -> None:
    root = repository(tmp_path / "team", ".synapse")
    git(root, "worktree", "add", "-q", BESIDE)
    (tmp_path / "team-foo" / "src" / "new").mkdir()
    assert find_root(str(tmp_path / "team-foo" / "src" / "new")) == str(root)


def test_a_work_tree_of_a_repository_whose_project_is_a_folder_in_it(tmp_path: Path) -> None:
    top = repository(tmp_path / "team")
    write_tree(top / "app", FILES)
    git(top, "worktree", "add", "-q", BESIDE)
    agent = Claude(top / "app")
    agent.prompt("@dev go on")
    assert edit(agent, tmp_path / "team-foo" / "src" / "a.tsx") == ""
    assert "Components are" in edit(agent, tmp_path / "team-foo" / "app" / "src" / "a.tsx")


@pytest.mark.parametrize("forged", ["leads in", "leads out"])
def test_who_is_not_named_by_both_sides_is_no_work_tree(forged: str, tmp_path: Path) -> None:
    root = repository(tmp_path / "team", ".synapse")
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    git(root, "worktree", "add", "-q", BESIDE)
    kept = root / ".git" / "worktrees" / "team-foo"
    if forged == "leads in":  # a folder says that it is one
        (other / ".git").write_text(f"gitdir: {kept}\n")
    else:  # a repository says that somebody's folder is one
        (kept / "gitdir").write_text(f"{other}/.git\n")
    assert find_root(str(other)) is None
    agent = Claude(root)
    agent.prompt("@dev go on")
    assert edit(agent, other / "src" / "a.tsx") == ""
