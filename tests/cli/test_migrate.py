"""``synapse migrate``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from synapse_ls.cli.console import Console
from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.setup.migrate.trees import SETTINGS, everything, project, write
from tests.support import corpus


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a tree of CARL, its hook, its block and a session; commands run in it."""
    root = project(tmp_path / "shop")
    monkeypatch.chdir(root)
    return root


def test_a_dry_run_prints_a_diff_and_writes_nothing(shop: Path, synapse: Synapse) -> None:
    before = everything(shop)
    done = synapse("migrate", "--dry-run")
    assert done.code == 0
    assert "--- /dev/null\n+++ b/.synapse/manifest\n" in done.out
    assert "-          {\n" not in done.out.partition("+++ b/CLAUDE.md")[2]
    assert "create  .synapse/global" in done.err
    assert "Parity: " in done.err
    assert everything(shop) == before


def test_the_tree_is_made_and_says_what_differs(shop: Path, synapse: Synapse) -> None:
    done = synapse("migrate")
    assert done.code == 0
    assert "created  .synapse/manifest " in done.out
    assert (
        "changed  .claude/settings.json        our hook in the place of CARL's (project)"
        in done.out
    )
    assert "and the same rules for each." in done.out
    assert "synapse migrate --apply-text --dry-run" in done.err
    assert "synapse migrate --finish" in done.err
    assert synapse("check").code == 0
    assert "<synapse-rules>" in synapse("context", "an endpoint").out


def test_it_is_done_once(shop: Path, synapse: Synapse) -> None:
    synapse("migrate")
    now = everything(shop)
    done = synapse("migrate")
    assert done.code == 0
    assert "nothing is left to do" in done.out
    assert everything(shop) == now


def test_texts_are_changed_only_when_asked_for(shop: Path, synapse: Synapse) -> None:
    synapse("migrate")
    assert "*carl" in (shop / "CLAUDE.md").read_text()
    shown = synapse("migrate", "--apply-text", "--dry-run")
    assert "+Use `synapse domain show API` for more, and `*synapse` for help.\n" in shown.out
    assert "*carl" in (shop / "CLAUDE.md").read_text()
    assert synapse("migrate", "--apply-text").code == 0
    assert "*carl" not in (shop / "CLAUDE.md").read_text()


def test_the_end_removes_carl_and_the_way_back_brings_it_again(
    shop: Path, synapse: Synapse
) -> None:
    before = everything(shop)
    synapse("migrate", "--apply-text")
    done = synapse("migrate", "--finish")
    assert [line for line in done.out.splitlines() if line.startswith("removed")] == [
        "removed  .carl",
        "removed  .claude/hooks/carl-hook.py",
        "removed  .claude/skills/carl-help",
    ]
    assert sorted(path.name for path in shop.iterdir()) == [".claude", ".synapse", "CLAUDE.md"]
    assert synapse("migrate", "--rollback").out.endswith("Rolled back.\n")
    assert everything(shop) == before


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_what_a_link_leads_to_is_left_alone_at_the_end(
    shop: Path, synapse: Synapse, options: tuple[str, ...]
) -> None:
    write(shop, "docs/carl/notes.md", b"mine")
    (shop / ".claude/commands").symlink_to("../docs")
    synapse("migrate")
    done = synapse("migrate", "--finish", *options)
    assert "note: .claude/commands/carl stays, because it is behind a link\n" in done.err
    assert "carl/notes.md" not in done.out
    assert (shop / "docs/carl/notes.md").read_bytes() == b"mine"


def test_the_end_waits_for_what_was_changed_since(shop: Path, synapse: Synapse) -> None:
    synapse("migrate")
    write(shop, ".carl/global", b"GLOBAL_RULE_0=New\n")
    done = synapse("migrate", "--finish")
    assert done.code == 2
    assert ".carl/global has changed since it was migrated" in done.err
    assert (shop / ".carl").exists()
    assert synapse("migrate", "--finish", "--force").code == 0
    assert not (shop / ".carl").exists()


def test_the_end_waits_for_the_tree(shop: Path, synapse: Synapse) -> None:
    done = synapse("migrate", "--finish")
    assert done.code == 0, "it migrates first"
    assert (shop / ".synapse/manifest").exists()
    assert not (shop / ".carl").exists()


@pytest.fixture
def neighbour(shop: Path) -> Path:
    """A project with a tree of CARL's, and one in ``.synapse/`` that was never made of it."""
    write(shop, ".synapse/manifest", b"GLOBAL_STATE=active\n")
    write(shop, ".synapse/global", b"GLOBAL_RULE_0=Greet the guests\n")
    write(shop, ".claude/settings.json", b"{}\n")
    return shop


def test_the_end_waits_for_rules_that_only_carl_has(neighbour: Path, synapse: Synapse) -> None:
    done = synapse("migrate", "--finish")
    assert done.code == 2
    assert ".carl/ was not migrated on this machine, and .synapse/ does not inject" in done.err
    assert (neighbour / ".carl").exists()
    assert synapse("migrate", "--finish", "--force").code == 0
    assert not (neighbour / ".carl").exists()
    assert synapse("migrate", "--rollback").code == 0
    assert (neighbour / ".carl").exists()


def test_a_dry_run_refuses_what_is_refused(neighbour: Path, synapse: Synapse) -> None:
    refused = synapse("migrate")
    assert refused.code == 2
    assert synapse("migrate", "--dry-run") == refused


def test_nothing_to_do_is_said(neighbour: Path, synapse: Synapse) -> None:
    synapse("migrate", "--finish", "--force")
    (neighbour / "CLAUDE.md").unlink()
    assert "note: nothing would be changed\n" in synapse("migrate", "--finish", "--dry-run").err
    assert synapse("migrate", "--finish").out == "Nothing is left to do.\n"


def test_the_hook_of_the_user_is_named_and_left(
    shop: Path, synapse: Synapse, tmp_path: Path
) -> None:
    write(tmp_path / "home", ".claude/settings.json", json.dumps(SETTINGS).encode())
    done = synapse("migrate")
    assert "~/.claude/settings.json:1 runs CARL's hook in all your projects" in done.err
    assert "carl-hook.py" in (tmp_path / "home/.claude/settings.json").read_text()


def test_the_hook_of_the_user_serves_a_tree_that_is_trusted(
    shop: Path, synapse: Synapse, tmp_path: Path
) -> None:
    write(tmp_path / "home", ".claude/settings.json", json.dumps(SETTINGS).encode())
    done = synapse("migrate", "--user")
    assert "carl-hook.py" not in (tmp_path / "home/.claude/settings.json").read_text()
    assert "next, `synapse trust` lets the hook of the user serve this tree" in done.err


def knows_two_projects(tmp_path: Path) -> Path:
    """Another project with CARL, of which Claude Code knows, and one without a tree."""
    other = project(tmp_path / "other")
    projects: dict[str, object] = {str(p): {} for p in (other, tmp_path, tmp_path / "shop")}
    write(tmp_path / "home", ".claude.json", json.dumps({"projects": projects}).encode())
    write(tmp_path / "home", ".claude/settings.json", json.dumps(SETTINGS).encode())
    return other


def test_other_projects_that_get_no_rules_from_the_hook_of_the_user_are_named(
    shop: Path, synapse: Synapse, tmp_path: Path
) -> None:
    other = knows_two_projects(tmp_path)
    said = synapse("migrate", "--user").err
    assert f"{other} gets no rules from the hook of the user: `synapse trust {other}`" in said
    assert said.count("gets no rules") == 1


def test_on_a_terminal_one_is_asked_to_trust_other_projects(
    shop: Path, synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = knows_two_projects(tmp_path)
    monkeypatch.setattr(Console, "can_ask", True)
    synapse("migrate", "--user", stdin="y\n")
    assert str(other) in synapse("trust", "--list").out


def test_an_editor_gets_everything_as_data(shop: Path, synapse: Synapse) -> None:
    found = synapse("migrate", "--dry-run", "--format", "json").json
    assert found["applied"] is False
    assert {change["part"] for change in found["changes"]} == {"tree", "sessions", "hook", "guide"}
    assert found["changes"][-1]["diff"].startswith("--- a/CLAUDE.md\n+++ b/CLAUDE.md\n")
    assert found["parity"]["differences"] == []
    assert found["parity"]["form"][0]["name"] == "frame"
    assert [text["path"] for text in found["texts"]] == ["CLAUDE.md"]
    assert found["removals"][0] == ".carl"
    assert found["hooks"][0]["replaced"] is True
    done = synapse("migrate", "--format", "json").json
    assert (done["applied"], Path(done["backup"]).is_dir()) == (True, True)
    undone = synapse("migrate", "--rollback", "--format", "json").json
    assert {"action": "restored", "path": "CLAUDE.md", "target": ""} in undone["steps"]


def test_whole_words_are_a_setting(shop: Path, synapse: Synapse) -> None:
    done = synapse("migrate", "--words")
    assert "Keywords match whole words here" in done.out
    assert 'matching = "word"' in (shop / ".synapse/config.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("migrate", "nowhere"), "There is no folder nowhere."),
        (("migrate", "--rollback"), "There is no migration of"),
        (("migrate", "--rollback", "--finish"), "--rollback takes everything back."),
    ],
)
def test_what_cannot_be_done_is_said(
    shop: Path, synapse: Synapse, arguments: tuple[str, ...], said: str
) -> None:
    done = synapse(*arguments)
    assert done.code == 2
    assert said in done.err


def test_without_a_tree_of_carl_there_is_nothing_to_migrate(
    tmp_path: Path, synapse: Synapse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = synapse("migrate")
    assert done.code == 2
    assert "There is no .carl/manifest" in done.err


def test_after_the_end_the_command_of_carls_template_tells_nothing_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synapse: Synapse
) -> None:
    root = shutil.copytree(corpus() / "carl", tmp_path / "shop")
    monkeypatch.chdir(root)
    assert synapse("migrate").code == 0
    assert synapse("migrate", "--finish").code == 0
    assert not (root / ".carl").exists()
    told = Claude(root).prompt("*carl please")
    assert told.startswith("<synapse-rules>")
    assert ".carl" not in told
    assert "write `*synapse help`" in told
    texts = (path.read_text() for path in (root / ".synapse").rglob("*") if path.is_file())
    assert not any(".carl/" in text for text in texts)
