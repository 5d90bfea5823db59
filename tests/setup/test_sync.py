"""Rules are written into files of other people, and all that is theirs survives."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from synapse_ls.formats.managed_block import BEGIN_MARK, END_MARK, HOOK, RULES
from synapse_ls.integrations.client_settings import PROJECT, Surroundings
from synapse_ls.integrations.instruction_files import TARGETS
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install.hook_installation import apply_changes as register
from synapse_ls.setup.install.hook_installation import plan_installation
from synapse_ls.setup.sync_plan import (
    BROKEN_TROUBLE,
    EDITED_TROUBLE,
    FOREIGN_TROUBLE,
    REFUSED_TROUBLE,
    SyncPlan,
    hooked_clients,
    plan_sync,
    write_changes,
)
from synapse_ls.text.user_error import UserError
from tests.support import corpus, examples
from tests.trees import TEAM, write_tree

PATHS = {
    **TEAM,
    ".synapse/manifest": TEAM[".synapse/manifest"] + "API_STATE=active\nAPI_PATHS=src/api/**\n",
    ".synapse/api": "API_RULE_0=Version every endpoint\n",
}
PATHS[".synapse/manifest"] = "\n".join(
    line.strip() for line in PATHS[".synapse/manifest"].splitlines()
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return write_tree(tmp_path / "project", PATHS)


def sync(root: Path, *targets: str, remove: bool = False, force: bool = False) -> SyncPlan:
    made = plan_sync(root, targets, remove=remove, force=force)
    write_changes(root, made.changes)
    return made


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def trouble(made: SyncPlan) -> dict[str, str]:
    return {change.path: change.trouble for change in made.changes if change.trouble}


def change_rules(root: Path) -> None:
    (root / ".synapse/global").write_text("GLOBAL_RULE_0=Write tiny functions\n", "utf-8")


def test_twice_changes_nothing(root: Path) -> None:
    sync(root, *TARGETS)
    before = contents(root)
    assert sync(root).drift == ()
    assert contents(root) == before


def test_removing_restores_what_was_there(root: Path) -> None:
    (root / "AGENTS.md").write_bytes(b"# Mine\n")
    before = contents(root)
    sync(root, *TARGETS)
    sync(root, remove=True)
    assert contents(root) == before
    assert not (root / ".cursor").exists()


def test_only_what_was_written_before_is_kept_up_to_date(root: Path) -> None:
    (root / "CLAUDE.md").write_text("Mine\n", "utf-8")
    sync(root, "agents")
    change_rules(root)
    made = sync(root)
    assert list(made.targets) == ["agents"]
    assert "tiny" in (root / "AGENTS.md").read_text("utf-8")
    assert (root / "CLAUDE.md").read_text("utf-8") == "Mine\n"


def test_targets_of_the_configuration_are_written(root: Path) -> None:
    (root / ".synapse/config.toml").write_text('[sync]\ntargets = ["gemini"]\n', "utf-8")
    assert list(sync(root).targets) == ["gemini"]
    assert (root / "GEMINI.md").exists()


def test_an_edit_in_the_block_survives_until_it_is_given_up(root: Path) -> None:
    sync(root, "agents")
    file = root / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("Name things", "Call things"), "utf-8")
    change_rules(root)
    made = sync(root)
    assert trouble(made) == {"AGENTS.md": EDITED_TROUBLE}
    assert "Call things" in file.read_text("utf-8")
    assert sync(root, force=True).changes[0].trouble == ""
    assert "tiny" in file.read_text("utf-8")


def test_an_edit_in_a_file_of_ours_is_not_deleted_with_its_domain(root: Path) -> None:
    sync(root, "cursor")
    file = root / ".cursor/rules/synapse-api.mdc"
    file.write_text(file.read_text("utf-8") + "\nMine\n", "utf-8")
    (root / ".synapse/api").unlink()
    assert trouble(sync(root)) == {".cursor/rules/synapse-api.mdc": EDITED_TROUBLE}
    assert file.exists()


def test_an_edit_that_the_tree_has_taken_over_is_none(root: Path) -> None:
    sync(root, "agents")
    file = root / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("Name things", "Call things"), "utf-8")
    rules = root / ".synapse/global"
    rules.write_text(rules.read_text("utf-8").replace("Name things", "Call things"), "utf-8")
    assert trouble(sync(root)) == {}
    assert sync(root).drift == ()


def test_a_file_of_a_domain_that_is_gone_goes_too(root: Path) -> None:
    sync(root, "cursor")
    (root / ".synapse/api").unlink()
    sync(root)
    assert not (root / ".cursor/rules/synapse-api.mdc").exists()


def test_somebody_elses_file_is_left_alone(root: Path) -> None:
    file = root / ".cursor/rules/synapse.mdc"
    file.parent.mkdir(parents=True)
    file.write_text("Mine\n", "utf-8")
    assert trouble(sync(root, "cursor")) == {".cursor/rules/synapse.mdc": FOREIGN_TROUBLE}
    assert file.read_text("utf-8") == "Mine\n"


def test_marks_that_do_not_pair_are_left_alone(root: Path) -> None:
    (root / "AGENTS.md").write_text(f"a\n{BEGIN_MARK} rules -->\nb\n", "utf-8")
    made = sync(root)
    assert trouble(made) == {"AGENTS.md": BROKEN_TROUBLE}
    assert made.changes[0].line == 2


def test_a_file_in_utf_16_is_left_alone(root: Path) -> None:
    (root / "AGENTS.md").write_bytes("Mine".encode("utf-16"))
    assert trouble(sync(root, "agents")) == {"AGENTS.md": REFUSED_TROUBLE}


def test_a_link_is_written_through(root: Path) -> None:
    (root / "docs.md").write_text("Mine\n", "utf-8")
    (root / "AGENTS.md").symlink_to("docs.md")
    sync(root, "agents")
    assert (root / "AGENTS.md").is_symlink()
    assert BEGIN_MARK in (root / "docs.md").read_text("utf-8")


def test_a_link_out_of_the_project_is_left_alone(root: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs.md").write_text("Theirs\n", "utf-8")
    (root / "AGENTS.md").symlink_to(tmp_path / "theirs.md")
    assert trouble(sync(root, "agents")) == {"AGENTS.md": REFUSED_TROUBLE}


@pytest.mark.parametrize("named", [("agents", "claude"), ("claude",)])
def test_one_file_behind_two_names_has_one_block(root: Path, named: tuple[str, ...]) -> None:
    (root / "AGENTS.md").write_text("Mine\n", "utf-8")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    sync(root, *named)
    assert (root / "AGENTS.md").read_text("utf-8").count(BEGIN_MARK) == 1
    before = contents(root)
    sync(root)
    assert sync(root).drift == ()
    assert contents(root).keys() == before.keys()


@pytest.mark.parametrize("name", TARGETS)
def test_where_the_project_has_the_hook_no_rule_is_said_twice(root: Path, name: str) -> None:
    sync(root, name)
    client = CLIENTS[TARGETS[name].clients[0]]
    register(plan_installation(Surroundings.of_process(str(root)), [client], PROJECT))
    assert client.name in hooked_clients(root)
    made = sync(root)
    assert made.targets[name] == HOOK
    (file,) = [change.path for change in made.changes if change.after is not None]
    text = (root / file).read_text("utf-8")
    assert "Name things well" not in text
    assert "<synapse-rules>" in text
    assert any("below `[sync]`" in note for note in made.notes)


def test_what_is_to_be_repeated_is_said_anyway(root: Path) -> None:
    (root / ".synapse/config.toml").write_text('[sync]\nrepeat = ["agents"]\n', "utf-8")
    register(plan_installation(Surroundings.of_process(str(root)), [CLIENTS["codex"]], PROJECT))
    made = sync(root, "agents")
    assert made.targets["agents"] == RULES
    assert any("more than once" in note for note in made.notes)


def test_a_file_that_is_too_large_is_said_with_figures(root: Path) -> None:
    (root / "CLAUDE.md").write_text("Mine\n" * 300, "utf-8")
    (said,) = [n for n in sync(root, "claude").notes if n.startswith("CLAUDE.md")]
    assert "lines of 200" in said


def test_a_client_that_reads_two_files_is_named(root: Path) -> None:
    assert any("Cursor read" in note for note in sync(root, "agents", "cursor").notes)


def test_a_claude_file_that_imports_another_is_named(root: Path) -> None:
    (root / "CLAUDE.md").write_text("@AGENTS.md\n", "utf-8")
    assert any("Claude Code reads" in n for n in sync(root, "agents", "claude").notes)


def test_a_file_that_changed_meanwhile_is_not_overwritten(root: Path) -> None:
    made = plan_sync(root, ["agents", "gemini"])
    (root / "GEMINI.md").write_text("Mine\n", "utf-8")
    with pytest.raises(UserError, match="has changed since"):
        write_changes(root, made.changes)
    assert not (root / "AGENTS.md").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_where_one_file_cannot_be_written_none_is(root: Path) -> None:
    (root / ".github").mkdir(mode=0o500)
    with pytest.raises(UserError):
        sync(root, "agents", "copilot")
    assert not (root / "AGENTS.md").exists()


@pytest.mark.parametrize("new", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", ["# Mine\n\nBe kind.\n", "# Mine\n\nBe kind."])
def test_what_is_put_into_a_file_has_its_line_breaks(root: Path, text: str, new: str) -> None:
    before = text.replace("\n", new).encode()
    file = root / "AGENTS.md"
    file.write_bytes(before)
    (change,) = sync(root, "agents").changes
    assert change.line == len(text.split("\n"))
    made = file.read_bytes()
    assert made.startswith(before)
    assert set(re.findall(rb"\r\n|\r|\n", made)) == {new.encode()}
    sync(root, remove=True)
    assert file.read_bytes() == before


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
PIECES = st.sampled_from(("\r\n", "\n", "\r", "```\n", "~~~", "---\n", "\ufeff", "\u2028", "é"))
SURROUNDINGS = (
    st.lists(st.one_of(TEXT, PIECES), max_size=8)
    .map(lambda parts: "".join(parts).encode())
    .filter(
        lambda data: (
            END_MARK.encode() not in data and not data.startswith((b"\xff\xfe", b"\xfe\xff"))
        )
    )
)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.one_of(SURROUNDINGS, st.binary(max_size=40)).filter(
        lambda data: bool(data) and not data.startswith((b"\xff\xfe", b"\xfe\xff"))
    )
)
@example(b"\r")
@example(b"\r\r\n")
@example(b"a\rb")
@example(b"a\nb\r")
@example(b"a\r\nb\r")
def test_arbitrary_surroundings_survive_to_the_byte(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write_tree(Path(folder), TEAM)
        file = root / "AGENTS.md"
        file.write_bytes(data)
        sync(root, "agents")
        assert file.read_bytes().startswith(data)
        assert sync(root).drift == ()
        change_rules(root)
        assert trouble(sync(root)) == {}
        assert file.read_bytes().startswith(data)
        assert b"tiny" in file.read_bytes()
        sync(root, remove=True)
        assert file.exists()
        assert file.read_bytes() == data


def test_a_real_tree_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "aiox"
    shutil.copytree(corpus() / "aiox", root, symlinks=True)
    made = sync(root, *TARGETS)
    assert trouble(made) == {}
    assert sync(root).drift == ()


@pytest.mark.parametrize(
    ("path", "target", "written"),
    [
        ("CLAUDE.md", "claude", False),
        ("CLAUDE.md", "copilot", False),  # both clients of the target read it
        ("CLAUDE.md", "agents", True),
        ("AGENTS.md", "agents", False),
        ("AGENTS.md", "gemini", True),
    ],
)
def test_a_rule_is_written_only_where_a_client_does_not_read_its_source(
    root: Path, path: str, target: str, written: bool
) -> None:
    (root / ".synapse/config.toml").write_text(f'[[adopted]]\npath = "{path}"\n', "utf-8")
    (root / path).write_text("# Mine\n\n- Bake a cake.\n", "utf-8")
    made = sync(root, target)
    (change,) = (c for c in made.changes if c.path == TARGETS[target].main_place.path)
    own = path == change.path
    assert (change.after or b"").count(b"Bake a cake.") == written + own
