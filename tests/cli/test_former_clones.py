"""A clone at the place of a former one: what is recorded by path is about the former one, and is
written back only where the files of this one show that it is about them, too.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse
from tests.setup.migrate.trees import everything
from tests.setup.migrate.trees import project as carl_project


class Origin:
    """A repository, and the one place at which it is cloned again and again."""

    def __init__(self, folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.place, self._monkeypatch = folder, place, monkeypatch
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")

    def commit(self, **files: str) -> None:
        """Commits files: ``AGENTS_md`` is AGENTS.md."""
        for name, text in files.items():
            (self.folder / name.replace("_", ".")).write_text(text)
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "x")

    def clone(self, *options: str) -> Path:
        """Clones it to the place, where commands run from then on."""
        self._monkeypatch.chdir(self.folder)
        shutil.rmtree(self.place, ignore_errors=True)
        git(self.folder, "clone", "-q", *options, ".", str(self.place))
        self._monkeypatch.chdir(self.place)
        return self.place


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.com")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Origin:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return Origin(tmp_path / "origin", tmp_path / "place", monkeypatch)


def copy_named_in(err: str) -> Path:
    """The file that a note says what stood there before is in."""
    (line,) = (line for line in err.splitlines() if "gets no" in line)
    return Path(line.rpartition(" is in ")[2].partition(": copy")[0])


ENGINE = {"type": "command", "command": "node .claude/hooks/synapse-engine.cjs"}
LINT = {"type": "command", "command": "make lint"}
SETTINGS = ".claude/settings.json"
LOCAL = ".claude/settings.local.json"


def settings(*hooks: dict[str, Any]) -> str:
    groups = [{"hooks": [hook]} for hook in hooks]
    return json.dumps({"hooks": {"UserPromptSubmit": groups}} if hooks else {}, indent=2) + "\n"


def with_settings(origin: Origin, text: str, path: str = SETTINGS) -> Path:
    """A tree, and settings of Claude Code, in a new clone."""
    manifest = "GLOBAL_STATE=active\nPORTS_STATE=active\nPORTS_RECALL=port\n"
    for name, content in {".synapse/manifest": manifest, path: text}.items():
        (origin.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (origin.folder / name).write_text(content)
    (origin.folder / ".synapse/global").write_text("GLOBAL_RULE_0=Write small functions\n")
    (origin.folder / ".synapse/ports").write_text("PORTS_RULE_0=Use 8080\n")
    origin.commit()
    return origin.clone()


@pytest.mark.parametrize("scope", ["project", "local"])
def test_an_engine_that_the_former_clone_had_does_not_come_into_these_settings(
    synapse: Synapse, origin: Origin, scope: str
) -> None:
    with_settings(origin, settings(ENGINE, LINT))
    assert synapse("install", "--client", "claude", "--replace", "--scope", scope).code == 0
    place = with_settings(origin, settings(LINT))
    done = synapse("uninstall")
    assert (place / SETTINGS).read_text() == settings(LINT)
    assert copy_named_in(done.err).read_text() == settings(ENGINE, LINT)


@pytest.mark.parametrize("damage", [b"{}", b""])
def test_a_damaged_copy_is_not_written_back(
    synapse: Synapse, origin: Origin, tmp_path: Path, damage: bytes
) -> None:
    place = with_settings(origin, settings(ENGINE, LINT))
    synapse("install", "--client", "claude", "--replace")
    (copy,) = (tmp_path / "config").rglob("settings.json")
    copy.write_bytes(damage)
    done = synapse("uninstall")
    assert json.loads((place / SETTINGS).read_text()) == json.loads(settings(LINT))
    assert f"the copy of {SETTINGS} in {copy.parent} is damaged" in done.err


def test_an_installation_in_a_new_clone_does_not_keep_the_engine_of_the_former_one(
    synapse: Synapse, origin: Origin
) -> None:
    with_settings(origin, settings(ENGINE, LINT))
    synapse("install", "--client", "claude", "--replace")
    place = with_settings(origin, settings(LINT))
    synapse("install", "--client", "claude")
    synapse("uninstall")
    assert (place / SETTINGS).read_text() == settings(LINT)


def test_settings_that_are_as_the_former_installation_left_others_stay(
    synapse: Synapse, origin: Origin
) -> None:
    place = with_settings(origin, settings(ENGINE), LOCAL)
    synapse("install", "--client", "claude", "--replace")
    emptied = (place / LOCAL).read_text()
    assert "synapse" not in emptied
    place = with_settings(origin, emptied, LOCAL)
    synapse("uninstall")
    assert (place / LOCAL).read_text() == emptied


def test_an_installation_that_came_with_the_clone_brings_back_no_engine_of_the_former_one(
    synapse: Synapse, origin: Origin
) -> None:
    place = with_settings(origin, settings(LINT))
    synapse("install", "--client", "claude")
    installed = {**json.loads((place / SETTINGS).read_text()), "model": "opus"}
    with_settings(origin, settings(ENGINE))
    synapse("install", "--client", "claude", "--replace")
    place = with_settings(origin, json.dumps(installed, indent=2))
    done = synapse("uninstall")
    assert "synapse-engine" not in (place / SETTINGS).read_text()
    assert copy_named_in(done.err).read_text() == settings(ENGINE)


def test_an_engine_comes_back_into_settings_that_were_edited_since(
    synapse: Synapse, origin: Origin
) -> None:
    place = with_settings(origin, settings(ENGINE, LINT))
    synapse("install", "--client", "claude", "--replace")
    edited = {**json.loads((place / SETTINGS).read_text()), "model": "opus"}
    (place / SETTINGS).write_text(json.dumps(edited, indent=2))
    synapse("uninstall")
    assert "synapse-engine" in (place / SETTINGS).read_text()


def test_an_engine_comes_back_in_a_clone_that_has_the_installation(
    synapse: Synapse, origin: Origin
) -> None:
    place = with_settings(origin, settings(ENGINE, LINT))
    synapse("install", "--client", "claude", "--replace")
    place = with_settings(origin, (place / SETTINGS).read_text())
    synapse("uninstall")
    assert (place / SETTINGS).read_text() == settings(ENGINE, LINT)


@pytest.fixture
def carl(origin: Origin) -> Origin:
    """A repository with CARL in it, cloned and migrated."""
    carl_project(origin.folder)
    origin.commit()
    origin.clone()
    return origin


def commit_migration(synapse: Synapse, carl: Origin, *options: str) -> None:
    assert synapse("migrate", *options).code == 0
    git(carl.place, "add", "-A")
    git(carl.place, "commit", "-qm", "migrate")
    git(carl.place, "push", "-q", "origin", "HEAD:migrated")
    git(carl.folder, "merge", "-q", "migrated")


def test_a_clone_that_was_not_migrated_is_not_rolled_back(synapse: Synapse, carl: Origin) -> None:
    assert synapse("migrate", "--finish").code == 0
    shutil.rmtree(carl.folder / ".carl")
    shutil.rmtree(carl.folder / ".claude")
    carl.commit(CLAUDE_md="# Another shop\n")
    place = carl.clone()
    before = everything(place)
    done = synapse("migrate", "--rollback")
    assert done.code == 2 and "shows that it was migrated" in done.err
    assert everything(place) == before
    copies = Path(done.err.partition("is in ")[2].partition(": copy")[0])
    assert any(
        b"Version every route" in file.read_bytes() for file in copies.rglob("*") if file.is_file()
    )


def test_a_migration_in_a_new_clone_is_rolled_back_alone(synapse: Synapse, carl: Origin) -> None:
    assert synapse("migrate").code == 0
    (carl.folder / ".carl/global").write_text("GLOBAL_RULE_0=Look before you leap\n")
    (carl.folder / ".carl/api").write_text("API_RULE_0=Answer in JSON\n")
    carl.commit(CLAUDE_md="# Another shop\n")
    place = carl.clone()
    before = everything(place)
    assert synapse("migrate").code == 0
    assert everything(place) != before
    assert synapse("migrate", "--rollback").code == 0
    assert git(place, "status", "--short") == ""


@pytest.mark.parametrize("options", [(), ("--finish",)])
def test_a_clone_that_has_the_migration_is_rolled_back(
    synapse: Synapse, carl: Origin, options: tuple[str, ...]
) -> None:
    start = git(carl.place, "rev-parse", "HEAD").strip()
    commit_migration(synapse, carl)
    if options:
        commit_migration(synapse, carl, *options)
    place = carl.clone()
    (place / ".synapse/api").unlink()
    assert synapse("migrate", "--rollback").code == 0
    git(place, "add", "-A")
    assert git(place, "diff", "--stat", start, "--", ".carl", ".claude", "CLAUDE.md") == ""


def test_the_end_of_a_migration_from_elsewhere_is_taken_back_here_alone(
    synapse: Synapse, carl: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "another-computer"))
    commit_migration(synapse, carl)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    carl.clone()
    commit_migration(synapse, carl, "--finish")
    other = Origin(tmp_path / "other", carl.place, pytest.MonkeyPatch())
    other.commit(CLAUDE_md="# Another\n")
    monkeypatch.chdir(tmp_path)
    place = other.clone()
    monkeypatch.chdir(place)
    assert synapse("migrate", "--rollback").code == 2
    assert not (place / ".carl").exists()
    place = carl.clone()
    assert synapse("migrate", "--rollback").code == 0
    assert (place / ".carl/global").exists()


def test_an_interrupted_migration_of_the_former_clone_is_not_finished_in_this_one(
    synapse: Synapse, carl: Origin, tmp_path: Path
) -> None:
    assert synapse("migrate").code == 0
    (state,) = (tmp_path / "config/migrations").rglob("state")
    state.write_text("prepared")
    (carl.folder / ".carl/global").write_text("GLOBAL_RULE_0=Look before you leap\n")
    (carl.folder / ".carl/manifest").write_text("GLOBAL_STATE=active\n")
    (carl.folder / ".carl/api").unlink()
    carl.commit(CLAUDE_md="# Another shop\n")
    place = carl.clone()
    done = synapse("migrate")
    assert (done.code, "interrupted" in done.out) == (0, False)
    rules = "".join(file.read_text() for file in (place / ".synapse").iterdir() if file.is_file())
    assert "Look before you leap" in rules and "Version every route" not in rules


def test_a_configuration_that_somebody_wrote_here_stays(synapse: Synapse, origin: Origin) -> None:
    place = with_settings(origin, settings(ENGINE))
    assert synapse("install", "--client", "claude", "--replace", "--live").code == 0
    config = (place / ".synapse/config.toml").read_text()
    assert "synapse-live" in config
    (origin.folder / ".synapse/config.toml").write_text(config)
    place = with_settings(origin, settings(LINT))
    synapse("uninstall")
    assert (place / ".synapse/config.toml").read_text() == config
