"""``synapse guard``: verdicts by the boundaries of a tree."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import write_tree

TREE = {
    ".synapse/manifest": """\
GLOBAL_STATE=active
GLOBAL_ALWAYS_ON=true
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
AGENT_DEVOPS_STATE=active
AGENT_DEVOPS_AGENT_TRIGGER=devops
AGENT_MASTER_STATE=active
AGENT_MASTER_AGENT_TRIGGER=master
AGENT_GONE_STATE=inactive
AGENT_GONE_AGENT_TRIGGER=gone
DOCS_STATE=active
DOCS_RECALL=manual
""",
    ".synapse/global": "GLOBAL_RULE_0=Be brief.\nGLOBAL_DENY_0=read .env\n",
    ".synapse/agent-dev": """\
AGENT_DEV_AUTH_0=ALLOWED: git commit
AGENT_DEV_AUTH_1=BLOCKED: git push, gh pr create — delegate to @devops
AGENT_DEV_AUTH_2=BLOCKED: MCP management
AGENT_DEV_DENY_0=write docs/stories/** — @po only
AGENT_DEV_ALLOW_0=git push origin preview
""",
    ".synapse/agent-devops": "AGENT_DEVOPS_AUTH_0=EXCLUSIVE: gh pr merge\n",
    ".synapse/agent-master": "AGENT_MASTER_AUTH_0=UNRESTRICTED: Can do anything\n",
    ".synapse/agent-gone": "AGENT_GONE_AUTH_0=EXCLUSIVE: npm test\n",
    ".synapse/docs": "DOCS_DENY_0=write manual/**\n",
}


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_tree(tmp_path / "project", TREE)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("agent", "what", "verdict"),
    [
        ("dev", ["git push"], "deny"),
        ("dev", ["git push origin preview"], "allow"),
        ("dev", ["git commit -m x"], "allow"),
        ("dev", ["gh pr merge 1"], "deny"),
        ("devops", ["gh pr merge 1"], "allow"),
        ("devops", ["git push"], "allow"),
        ("master", ["gh pr merge 1"], "allow"),
        ("", ["gh pr merge 1"], "ask"),
        ("", ["git push"], "allow"),
        ("dev", ["cat .env"], "deny"),
        ("", ["cat .env"], "deny"),
        ("dev", ["npm test"], "allow"),
        ("dev", ["--write", "docs/stories/1.md"], "deny"),
        ("dev", ["--write", "manual/1.md"], "allow"),
        ("dev", ["--write", ".synapse/manifest"], "allow"),
        ("dev", ["--mode", "enforce", "--write", ".synapse/manifest"], "ask"),
        ("dev", ["--folder", "docs", "--delete", "stories/1.md"], "deny"),
    ],
)
def test_a_verdict(synapse: Synapse, agent: str, what: list[str], verdict: str) -> None:
    done = synapse("guard", *what, "--agent", agent, "--format", "json")
    assert (done.json["decision"], done.code) == (verdict, int(verdict != "allow"))


def test_a_verdict_names_the_rule_its_place_and_the_delegate(synapse: Synapse) -> None:
    said = synapse("guard", "cd x; sudo git push -f", "--agent", "dev", "--format", "json").json
    assert said["rule"]["file"] == ".synapse/agent-dev"
    assert said["rule"]["line"] == 2
    assert (said["delegate"], said["what"]) == ("devops", "git push -f")


def test_an_agent_that_the_tree_does_not_know_is_remarked_on(synapse: Synapse) -> None:
    found = synapse("guard", "git status", "--agent", "dve")
    assert "no domain or definition is known for agent @dve" in found.err


def test_boundaries_that_cannot_be_judged_are_named_where_the_command_is_about_them(
    synapse: Synapse, tree: Path
) -> None:
    done = synapse("guard", "claude mcp add jira", "--agent", "dev")
    assert "AGENT_DEV_AUTH_2 (.synapse/agent-dev:3) says “MCP management”" in done.err
    sole = "CONSTITUTION_RULE_ART2_3=MUST: Only @devops may create tags after a review\n"
    write_tree(tree, {".synapse/constitution": sole})
    done = synapse("guard", "git tag v1", "--agent", "dev")
    said = "CONSTITUTION_RULE_ART2_3 (.synapse/constitution:1) says “MUST: Only @devops may create"
    assert done.out.startswith("allow") and said in done.err
    assert "cannot judge" not in synapse("guard", "npm test", "--agent", "dev").err


def test_an_article_that_names_an_act_is_judged_and_not_said_to_be_unreadable(
    synapse: Synapse, tree: Path
) -> None:
    sole = "CONSTITUTION_RULE_ART2_3=MUST: Apenas @devops pode criar releases e tags\n"
    write_tree(tree, {".synapse/constitution": sole})
    assert synapse("guard", "git tag v1", "--agent", "dev").out.startswith("deny")
    done = synapse("guard", "git tag v1", "--agent", "devops")
    assert done.out.startswith("allow") and "cannot judge" not in done.err


def test_whoever_releases_publishes_packages(synapse: Synapse, tree: Path) -> None:
    write_tree(
        tree, {".synapse/agent-devops": "AGENT_DEVOPS_AUTH_0=EXCLUSIVE: Release management\n"}
    )
    assert synapse("guard", "npm publish", "--agent", "dev").out.startswith("deny")
    assert synapse("guard", "npm publish", "--agent", "devops").out.startswith("allow")


def test_a_link_into_a_protected_folder_does_not_open_it(synapse: Synapse, tree: Path) -> None:
    (tree / "docs" / "stories").mkdir(parents=True)
    (tree / "open").symlink_to("docs/stories")
    done = synapse("guard", "--write", "open/1.md", "--agent", "dev")
    assert done.out.startswith("deny")


def test_an_alias_of_the_repository_is_what_it_stands_for(synapse: Synapse, tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("[alias]\n\tp = push --quiet\n\ts = status\n", "utf-8")
    assert synapse("guard", "git p", "--agent", "dev").out.startswith("deny")
    assert synapse("guard", "git s", "--agent", "dev").out.startswith("allow")


def test_a_domain_that_takes_part_is_heard(synapse: Synapse, tree: Path) -> None:
    manifest = tree / ".synapse" / "manifest"
    manifest.write_text(manifest.read_text("utf-8") + "DOCS_ALWAYS_ON=true\n", "utf-8")
    assert synapse("guard", "--write", "manual/1.md", "--agent", "dev").out.startswith("deny")


def test_the_mode_is_that_of_the_configuration(synapse: Synapse, tree: Path) -> None:
    (tree / ".synapse" / "config.toml").write_text('[guard]\nmode = "enforce"\n', "utf-8")
    done = synapse("guard", "rm .synapse/manifest", "--agent", "dev")
    assert done.out.startswith("ask")


def test_nothing_to_judge_is_an_error(synapse: Synapse) -> None:
    assert synapse("guard").code == 2


def test_a_program_that_is_not_known_may_be_a_protected_one_and_no_setting_is_the_remedy(
    tree: Path, synapse: Synapse
) -> None:
    shutil.rmtree(tree / ".synapse")
    adopted = "[guard]\nmode = 'enforce'\n[[adopted]]\npath = 'CLAUDE.md'\n"
    write_tree(tree, {"CLAUDE.md": "- Be brief\n", ".synapse/config.toml": adopted})
    done = synapse("guard", "$X push")
    assert done.out.startswith("ask")
    assert "“… push” may be “" in done.out and "“… push” is protected" not in done.out
    assert "[guard] mode" not in done.out
