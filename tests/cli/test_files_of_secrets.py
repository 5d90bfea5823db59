"""A file whose name says that it holds secrets is not read as rules, by a link or by a setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import TEAM, write_tree

SECRET = "MARZIPAN=zebra hunter marzipan\n"
SENTENCE = "says that it holds secrets"
AGENT = ".claude/agents/dev.md"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = write_tree(tmp_path / "tree", TEAM)
    monkeypatch.chdir(tree)
    return tree


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        ".env~",
        ".env-prod",
        "prod.env",
        ".npmrc",
        "deploy/id_rsa",
        "deploy/id_rsa.old",
        "deploy/server.pem",
        "deploy/#id_rsa#",
        "deploy/.id_rsa.swp",
        "a.tfstate.backup",
        ".aws/credentials",
        ".dev.vars",
    ],
)
@pytest.mark.parametrize("link", [".synapse/global", "NOTES.md"])
def test_a_link_to_it_brings_nothing_of_it_into_context(
    synapse: Synapse, root: Path, name: str, link: str
) -> None:
    write_tree(root, {name: SECRET, ".synapse/config.toml": '[[adopted]]\npath = "NOTES.md"\n'})
    (root / link).unlink(missing_ok=True)
    (root / link).symlink_to(root / name)
    assert "marzipan" not in synapse("context", "go on").out
    report = synapse("check").out
    assert SENTENCE in report and "marzipan" not in report


def test_it_cannot_be_adopted(synapse: Synapse, root: Path) -> None:
    write_tree(root, {".env": SECRET, ".synapse/config.toml": '[[adopted]]\npath = ".env"\n'})
    assert "marzipan" not in synapse("context", "go on").out
    assert SENTENCE in synapse("check").out
    assert SENTENCE in synapse("init", "--from", ".env").err


@pytest.mark.parametrize("command", ["doctor", "check", "status"])
def test_the_configuration_is_not_read_from_it(synapse: Synapse, root: Path, command: str) -> None:
    write_tree(root, {".env": "PASSWORD=marzipan\n"})
    (root / ".synapse/config.toml").unlink(missing_ok=True)
    (root / ".synapse/config.toml").symlink_to("../.env")
    done = synapse(command)
    assert "marzipan" not in done.out + done.err


@pytest.mark.parametrize("target", [".env", ".git/config"])
def test_an_agent_is_not_read_from_it(synapse: Synapse, root: Path, target: str) -> None:
    text = f"# dev\n\n```yaml\nagent:\n  name: marzipan\n  id: dev\n```\n# {SECRET}"
    write_tree(root, {target: text, ".aiox-core/development/agents/qa.md": "# qa\n"})
    link = root / ".aiox-core/development/agents/dev.md"
    link.symlink_to(root / target)
    assert "marzipan" not in synapse("activate", "dev").out


def test_no_managed_block_is_written_into_it(synapse: Synapse, root: Path) -> None:
    write_tree(root, {".env": SECRET})
    (root / "AGENTS.md").symlink_to(".env")
    done = synapse("sync", "agents")
    assert SENTENCE in done.out + done.err
    assert (root / ".env").read_text() == SECRET


def test_in_a_folder_of_rules_the_ending_env_is_that_of_rules(synapse: Synapse, root: Path) -> None:
    (root / ".synapse/global").rename(root / ".synapse/global.env")
    assert "[GLOBAL]" in synapse("context", "go on").out


def test_without_a_tree_it_is_not_checked_either(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = write_tree(tmp_path / "bare", {".env": SECRET})
    (bare / "AGENTS.md").symlink_to(".env")
    monkeypatch.chdir(bare)
    done = synapse("check")
    assert "marzipan" not in done.out + done.err
    assert SENTENCE in done.err


def test_it_is_no_short_term_memory(synapse: Synapse, root: Path) -> None:
    write_tree(root, {".env": f"## Summary\n{SECRET}", "system/core_identity.md": "# I\n"})
    (root / "memory").mkdir()
    (root / "memory/short_term.md").symlink_to("../.env")
    for words in (("show",), ("set", "--goal", "x")):
        done = synapse("memory", "short-term", *words)
        assert "marzipan" not in done.out + done.err
        assert SENTENCE in done.err
    assert (root / ".env").read_text() == f"## Summary\n{SECRET}"


def test_nor_is_the_constitution_built_from_it(synapse: Synapse, root: Path) -> None:
    text = "### I. Marzipan (MUST)\n\n- Rule marzipan\n"
    write_tree(
        root, {".env": text, ".synapse/config.toml": '[paths]\nconstitution = ["const.md"]\n'}
    )
    (root / "const.md").symlink_to(".env")
    done = synapse("constitution", "build", "--dry-run")
    assert "marzipan" not in (done.out + done.err).lower()
    assert SENTENCE in done.err


@pytest.mark.parametrize("link", [".claude/settings.json", ".mcp.json", ".synapse/config.toml"])
@pytest.mark.parametrize("words", [("--dry-run",), ()])
def test_nor_are_settings_of_a_client_read_or_changed_in_it(
    synapse: Synapse, root: Path, link: str, words: tuple[str, ...]
) -> None:
    text = '{\n "marzipan": "secret"\n}\n'
    write_tree(root, {"terraform.tfstate": text})
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).unlink(missing_ok=True)
    (root / link).symlink_to(root / "terraform.tfstate")
    done = synapse("install", "--client", "claude", "--mcp", *words)
    assert "marzipan" not in done.out + done.err
    assert (root / "terraform.tfstate").read_text() == text
