"""What ``synapse init`` says of what an adopted file costs later, and other commands of what is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synapse_ls.engine.context_usage import estimate_tokens
from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.trees import write_tree

RULES = "# Work\n\n- Test first\n- Never push to main\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_tree(tmp_path / "project", {"CLAUDE.md": RULES})
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return root


def figure(text: str, sentence: str) -> int:
    match = re.search(rf"([\d,]+) {sentence}", text)
    assert match, text
    return int(match[1].replace(",", ""))


SUBAGENT = (
    "tokens for each sub-agent Explore or Plan, which does not get these files from the client"
)


def test_init_says_what_a_sub_agent_costs_as_the_hook_then_injects_it(
    synapse: Synapse, project: Path
) -> None:
    said = synapse("init", "--client", "claude").err
    reply = Claude(project).send("SubagentStart", agent_id="a1", agent_type="Explore")
    text = reply["hookSpecificOutput"]["additionalContext"]
    assert "Test first" in text
    assert figure(said, SUBAGENT) == estimate_tokens(text)


def test_the_price_of_each_sub_agent_is_its_own(synapse: Synapse, project: Path) -> None:
    manifest = "PLANS_STATE=active\nPLANS_AGENT_TRIGGER=Plan\n"
    rules = "PLANS_RULE_0=Name the risks of each step\n"
    write_tree(project, {".synapse/manifest": manifest, ".synapse/plans": rules})
    said = synapse("init", "--client", "claude", "--from").err
    prices = {}
    for agent in ("Explore", "Plan"):
        reply = Claude(project).send("SubagentStart", agent_id=agent, agent_type=agent)
        text = reply["hookSpecificOutput"]["additionalContext"]
        prices[agent] = figure(said, f"tokens for each sub-agent {agent},")
        assert prices[agent] == estimate_tokens(text)
    assert prices["Plan"] > prices["Explore"]


def test_explain_names_the_sub_agents_that_do_not_get_a_file(
    synapse: Synapse, project: Path
) -> None:
    synapse("init")
    reason = "claude reads CLAUDE.md by itself, but not for its sub-agents Explore and Plan"
    assert reason in synapse("explain", "--client", "claude").out


def test_init_says_what_comes_with_the_files_of_a_folder(synapse: Synapse, project: Path) -> None:
    write_tree(project, {"web/CLAUDE.md": "- Use the design system\n"})
    said = synapse("init", "--client", "claude,vscode").err
    sentence = r"tokens more when files of web/\*\* are used"
    assert figure(said, sentence) > 0
    assert len(re.findall(sentence, said)) == 1  # Claude Code reads it itself


def test_init_says_where_the_rules_need_no_hook(synapse: Synapse, project: Path) -> None:
    needless = "these rules need no hook there"
    assert needless in synapse("init", "--client", "vscode", "--dry-run").err
    assert needless not in synapse("init", "--client", "claude", "--dry-run").err


def test_init_names_the_links_to_a_file(synapse: Synapse, project: Path) -> None:
    (project / "AGENTS.md").symlink_to("CLAUDE.md")
    assert "CLAUDE.md (also AGENTS.md)" in synapse("init").err


def test_what_another_tool_keeps_is_named_by_its_lines(synapse: Synapse, project: Path) -> None:
    block = "\n<!-- BEGIN:x -->\n\nRead the guide.\n\n<!-- END:x -->\n"
    (project / "CLAUDE.md").write_text(RULES + block)
    assert "text between the marks of another tool in lines 6–10" in synapse("init").err


def test_a_domain_whose_rules_are_out_for_several_reasons_is_explained_by_rule(
    synapse: Synapse, project: Path
) -> None:
    write_tree(project, {".cursor/rules/x.mdc": f"---\nalwaysApply: true\n---\n{RULES}"})
    synapse("init")
    out = synapse("why", "X_MDC").out
    assert out.count(" is out: ") == 2 and "always on" not in out


def test_uninstall_names_each_client_that_read_a_shared_file(
    synapse: Synapse, project: Path
) -> None:
    synapse("init", "--client", "copilot")
    assert "VS Code Copilot Chat, GitHub Copilot CLI" in synapse("uninstall").out


def test_uninstall_names_the_log_and_the_cache_of_the_project(
    synapse: Synapse, project: Path, tmp_path: Path
) -> None:
    synapse("init", "--client", "claude")
    Claude(project).prompt("Hello")
    match = re.search(
        r"the log and the cache of this project are (\S+)\*;", synapse("uninstall").err
    )
    assert match
    names = [path.name for path in Path(match[1]).parent.iterdir()]
    assert any(name.startswith(Path(match[1]).name) for name in names)
