"""What the doctor says of hooks that Codex skips, and of those that it runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import agreed_to, approved_hooks, codes, doctor, trusted_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("answering"),
]


@pytest.fixture
def home(computer: None) -> Path:
    found = Path(os.environ["HOME"])
    (found / ".codex").mkdir()
    return found


def write_config(home: Path, *parts: str) -> None:
    (home / ".codex/config.toml").write_text("".join(parts))


def change_hooks(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(file.read_text())
    change(document["hooks"])
    file.write_text(json.dumps(document))


def codex_troubles(synapse: Synapse) -> list[dict[str, Any]]:
    document = doctor(synapse, "--client", "codex")
    return [one for one in document["troubles"] if one["client"] == "codex"]


def make_linked_tree(main: Path, linked: Path) -> None:
    """As `git worktree add` does."""
    own = main / ".git/worktrees/wt"
    own.mkdir(parents=True)
    (main / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (own / "HEAD").write_text("ref: refs/heads/wt\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{linked}/.git\n")
    (linked / ".git").write_text(f"gitdir: {own}\n")


def test_an_approval_of_another_hook_in_the_file_is_none_of_ours(
    synapse: Synapse, team: Path, home: Path
) -> None:
    synapse("install", "--client", "codex")
    other = {"hooks": [{"type": "command", "command": "echo"}]}
    file = team / ".codex/hooks.json"
    change_hooks(file, lambda hooks: hooks.update(Stop=[other]))
    approved = approved_hooks(file).partition(":stop:")[2]
    write_config(
        home, trusted_folder(team), f'[hooks.state."{file}:stop:', approved.partition("[")[0]
    )
    (trouble,) = codex_troubles(synapse)
    assert trouble["sentence"].startswith("nobody has approved the hooks of .codex/hooks.json in")


def test_hooks_that_a_person_switched_off_are_an_error(
    synapse: Synapse, team: Path, home: Path
) -> None:
    synapse("install", "--client", "codex")
    approved = approved_hooks(team / ".codex/hooks.json")
    switched_off = approved.replace("trusted_hash", "enabled = false\ntrusted_hash")
    write_config(home, trusted_folder(team), switched_off)
    (trouble,) = codex_troubles(synapse)
    assert (trouble["code"], trouble["severity"]) == ("hooks-off", "error")
    assert trouble["sentence"] == "the hooks of .codex/hooks.json are switched off in Codex"


def test_a_hook_that_came_after_the_approval_is_named(
    synapse: Synapse, team: Path, home: Path
) -> None:
    synapse("install", "--client", "codex", "--no-guard")
    agreed_to(team, home)
    synapse("install", "--client", "codex", "--guard")
    (trouble,) = codex_troubles(synapse)
    assert trouble["code"] == "unapproved-hooks"
    assert "the hook for PreToolUse in .codex/hooks.json in Codex yet" in trouble["sentence"]


def test_a_hook_that_was_changed_since_its_approval_is_named(
    synapse: Synapse, team: Path, home: Path
) -> None:
    synapse("install", "--client", "codex")
    agreed_to(team, home)
    file = team / ".codex/hooks.json"
    change_hooks(file, lambda hooks: hooks["UserPromptSubmit"][0]["hooks"][0].update(timeout=9))
    (trouble,) = [one for one in codex_troubles(synapse) if "approved" in one["sentence"]]
    assert trouble["code"] == "unapproved-hooks"
    said = "the hook for UserPromptSubmit in .codex/hooks.json was changed since a person approved"
    assert trouble["sentence"].startswith(said)


@pytest.mark.parametrize("key", ["hooks", "codex_hooks"])
@pytest.mark.parametrize("whose", ["user", "project"])
def test_hooks_are_switched_off_by_either_name_in_either_file(
    synapse: Synapse, team: Path, home: Path, key: str, whose: str
) -> None:
    synapse("install", "--client", "codex")
    agreed_to(team, home)
    base, name = (home, "~/.codex/config.toml") if whose == "user" else (team, ".codex/config.toml")
    with (base / ".codex/config.toml").open("a") as config:
        config.write(f"[features]\n{key} = false\n")
    (trouble,) = codex_troubles(synapse)
    assert trouble["sentence"] == f"{name} switches hooks off (features.{key} = false)"


@pytest.mark.parametrize(
    ("of_user", "of_project"),
    [
        ("hooks = false", "hooks = true"),
        ("codex_hooks = false", "hooks = true"),
        ("codex_hooks = false\nhooks = true", ""),
    ],
)
def test_what_says_last_that_hooks_are_on_counts(
    synapse: Synapse, team: Path, home: Path, of_user: str, of_project: str
) -> None:
    synapse("install", "--client", "codex")
    agreed_to(team, home)
    for base, said in ((home, of_user), (team, of_project)):
        with (base / ".codex/config.toml").open("a") as config:
            config.write(f"[features]\n{said}\n")
    assert codex_troubles(synapse) == []


def test_settings_of_a_folder_that_is_not_trusted_switch_nothing_off(
    synapse: Synapse, team: Path, home: Path
) -> None:
    synapse("install", "--client", "codex")
    write_config(home, approved_hooks(team / ".codex/hooks.json"))
    (team / ".codex/config.toml").write_text("[features]\nhooks = false\n")
    assert [one["code"] for one in codex_troubles(synapse)] == ["untrusted-folder"]


@pytest.mark.parametrize("whose", ["user", "project"])
def test_settings_that_are_no_toml_are_an_error_with_their_place(
    synapse: Synapse, team: Path, home: Path, whose: str
) -> None:
    synapse("install", "--client", "codex")
    agreed_to(team, home)
    base, name = (home, "~/.codex/config.toml") if whose == "user" else (team, ".codex/config.toml")
    (base / ".codex/config.toml").write_text(
        (trusted_folder(team) + approved_hooks(team / ".codex/hooks.json")) * (whose == "project")
        + "model = 'x'\n[features\n"
    )
    if whose == "project":
        (team / ".codex/config.toml").write_text("model = 'x'\n[features\n")
    (trouble,) = codex_troubles(synapse)
    assert trouble["sentence"].startswith(f"{name}:2:")
    assert trouble["sentence"].endswith(", so Codex runs no hooks at all")
    assert (trouble["severity"], trouble["line"]) == ("error", 2)
    assert trouble["remedy"] == "Mend that place of the file."


def test_settings_that_end_too_early_are_an_error(synapse: Synapse, team: Path, home: Path) -> None:
    synapse("install", "--client", "codex")
    write_config(home, "notify = [\n\n")
    (trouble,) = codex_troubles(synapse)
    assert (trouble["code"], trouble["severity"]) == ("unreadable-settings", "error")


@pytest.mark.parametrize("line", ["x = {a = 1,}", 'x = "\\e"', "x = 10:20"])
def test_what_only_a_later_toml_may_take_is_a_warning(
    synapse: Synapse, team: Path, home: Path, line: str
) -> None:
    synapse("install", "--client", "codex")
    write_config(home, f"{line}\n")
    (trouble,) = codex_troubles(synapse)
    assert (trouble["code"], trouble["severity"]) == ("unreadable-settings", "warning")


@pytest.mark.parametrize(
    ("levels", "is_trusted"),
    [
        ({"..": "trusted"}, True),
        ({".": "trusted", "..": "untrusted"}, True),
        ({".": "untrusted", "..": "trusted"}, False),
        ({"../..": "trusted"}, False),
    ],
)
def test_a_sub_folder_is_trusted_as_its_repository(
    synapse: Synapse,
    team: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    levels: dict[str, str],
    is_trusted: bool,
) -> None:
    synapse("install", "--client", "codex")
    repository = tmp_path / "above/repository"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git/HEAD").write_text("ref: refs/heads/main\n")
    inner = team.rename(repository / "inner")
    monkeypatch.chdir(inner)
    trust = [trusted_folder((inner / path).resolve(), level) for path, level in levels.items()]
    write_config(home, *trust, approved_hooks(inner / ".codex/hooks.json"))
    found = codes(doctor(synapse, "--client", "codex"), "codex")
    assert found == [] if is_trusted else found == ["untrusted-folder"]


def test_in_a_linked_work_tree_the_hooks_of_the_main_one_count(
    synapse: Synapse, team: Path, home: Path, tmp_path: Path
) -> None:
    synapse("install", "--client", "codex")
    main = tmp_path / "main"
    make_linked_tree(main, team)
    file = main / ".codex/hooks.json"
    file.parent.mkdir()
    file.write_text((team / ".codex/hooks.json").read_text())
    write_config(home, trusted_folder(main), approved_hooks(file))
    assert codex_troubles(synapse) == []


def test_hooks_of_a_linked_work_tree_alone_are_read_by_nobody(
    synapse: Synapse, team: Path, home: Path, tmp_path: Path
) -> None:
    synapse("install", "--client", "codex")
    main = tmp_path / "main"
    make_linked_tree(main, team)
    write_config(home, trusted_folder(main), approved_hooks(team / ".codex/hooks.json"))
    (trouble,) = codex_troubles(synapse)
    assert (trouble["code"], trouble["severity"]) == ("unread-settings", "error")
    assert f"{main}/.codex/hooks.json: it has none of ours" in trouble["sentence"]
    assert f"Run `synapse install --client codex` in {main}," in trouble["remedy"]


def test_the_folder_of_codex_that_a_variable_names_is_resolved(
    synapse: Synapse,
    team: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    monkeypatch.setenv("CODEX_HOME", str(link))
    synapse("install", "--client", "codex", "--scope", "user", "--trust")
    (real / "config.toml").write_text(approved_hooks(real / "hooks.json"))
    assert codex_troubles(synapse) == []
