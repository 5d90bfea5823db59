"""What the hook says before a tool is used, in a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import boundary_verdict, hook_call
from synapse_ls.storage import current_plan, injection_log, program_start
from synapse_ls.storage.atomic_files import FileLock
from synapse_ls.workspace import git_settings
from tests.hooks.hook_clients import Claude, told
from tests.trees import TEAM, write_tree

FILES = {
    ".synapse/manifest": TEAM[".synapse/manifest"]
    + "        AGENT_DEVOPS_STATE=active\n        AGENT_DEVOPS_AGENT_TRIGGER=devops\n"
    + "        MIGRATIONS_STATE=active\n        MIGRATIONS_PATHS=migrations/**\n",
    ".synapse/agent-devops": "AGENT_DEVOPS_AUTH_0=EXCLUSIVE: git push\n",
    ".synapse/migrations": "MIGRATIONS_DENY_0=write migrations/** — ask @data-engineer\n",
}


def client(root: Path, mode: str) -> Claude:
    text = f"profile = 'synapse-live'\n[guard]\nmode = '{mode}'\n"
    config = {".synapse/config.toml": text}
    return Claude(write_tree(root, {**TEAM, **FILES, **config}))


def use(agent: Claude, command: str = "", **fields: Any) -> dict[str, Any]:
    """The reply to a command that is about to be run."""
    tool = {"tool_name": "Bash", "tool_input": {"command": command}} if command else {}
    return agent.send("PreToolUse", **{**tool, **fields})


def decision(reply: dict[str, Any]) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


def warning(reply: dict[str, Any]) -> str:
    shown = reply.pop("systemMessage", "")
    text = told(reply)
    assert shown == text
    return text


def test_the_active_agent_is_denied_what_its_boundaries_forbid(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    reply = use(agent, "cd x && git push")
    assert decision(reply) == "deny"
    assert "@devops may" in reply["hookSpecificOutput"]["permissionDecisionReason"]
    assert use(agent, "git status") == {}


ARTICLES = {
    "MUST: Apenas @devops pode executar git push para remote": "git push",
    "MUST: Apenas @devops pode criar Pull Requests": "gh pr create",
    "MUST: Apenas @devops pode criar releases e tags": "git tag v1.0",
    "Only @devops may git push/push/publish": "npm publish",
    "Only @devops and @qa can run `terraform apply`": "terraform apply",
}


def with_article(root: Path, text: str) -> Claude:
    agent = client(root, "enforce")
    constitution = root / ".synapse" / "constitution"
    constitution.write_text(
        f"CONSTITUTION_RULE_ART2_0=Authority (NON-NEGOTIABLE)\nCONSTITUTION_RULE_ART2_1={text}\n"
    )
    for name in ("dev", "devops"):
        file = root / ".synapse" / f"agent-{name}"
        file.write_text(f"AGENT_{name.upper()}_RULE_0=Look twice\n")
    return agent


@pytest.mark.parametrize(("text", "command"), ARTICLES.items())
def test_a_command_that_the_constitution_leaves_to_one_agent_is_denied_to_others(
    text: str, command: str, tmp_path: Path
) -> None:
    agent = with_article(tmp_path, text)
    assert decision(use(agent, command)) == "ask"
    agent.prompt("@dev go on")
    reply = use(agent, command)
    assert decision(reply) == "deny"
    assert "CONSTITUTION_RULE_ART2_1" in reply["hookSpecificOutput"]["permissionDecisionReason"]
    agent.prompt("@devops go on")
    assert use(agent, command) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Only @nobody may push",
        "Only @devops may push after the review of @qa",
        "Only @devops may approve what others push",
        "SHOULD: Only @devops may push",
        "Only the person may push",
        "Only @sm may create stories",
        "@dev writes, only @devops may push",
    ],
)
def test_other_prose_of_the_constitution_is_no_verdict(text: str, tmp_path: Path) -> None:
    agent = with_article(tmp_path, text)
    agent.prompt("@dev go on")
    assert use(agent, "git push") == {}
    assert use(agent, "npm publish") == {}


def test_the_owner_is_not(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@devops publish it")
    assert use(agent, "git push") == {}


def test_another_agent_is_denied_what_is_its(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@qa look at it")
    assert decision(use(agent, "git push")) == "deny"


def test_a_sub_agent_that_the_tree_knows_has_boundaries_of_its_own(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    assert use(agent, "git push", agent_id="a1", agent_type="devops") == {}
    assert decision(use(agent, "git push", agent_id="a2", agent_type="qa")) == "deny"


def test_a_sub_agent_that_it_does_not_know_has_those_of_the_session(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    assert decision(use(agent, "git push", agent_id="a1", agent_type="Explore")) == "deny"


def test_a_sub_agent_is_known_by_its_start(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    agent.send("SubagentStart", agent_id="a1", agent_type="devops")
    assert use(agent, "git push", agent_id="a1") == {}


def test_a_file_wakes_the_domain_whose_rule_forbids_it(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    tool = {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / "migrations/1.sql")}}
    assert decision(agent.send("PreToolUse", **tool)) == "deny"


@pytest.mark.parametrize(("mode", "verdict"), [("enforce", "deny"), ("warn", "allow")])
def test_no_rule_is_passed_over_for_the_sake_of_time_where_it_enforces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, verdict: str
) -> None:
    started: list[str] = []
    monkeypatch.setattr(program_start, "start_process", lambda *of: started.append(of[0]))
    monkeypatch.setattr(hook_call, "PROMPT_PATIENCE", 0.0)
    tool = {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / "migrations/1.sql")}}
    assert decision(client(tmp_path, mode).send("PreToolUse", **tool)) == verdict
    # For the next event, should it all take longer than there is time.
    assert started == [current_plan.__name__] * (mode == "enforce")


def test_a_link_is_judged_by_its_own_name_too(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/migrations").mkdir()
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    (tmp_path / "migrations").symlink_to("real/migrations")
    for path in ("migrations/1.sql", tmp_path / "migrations/1.sql"):
        tool = {"tool_name": "Write", "tool_input": {"file_path": str(path)}}
        assert decision(agent.send("PreToolUse", **tool)) == "deny"


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        (".synapse", "real", "real/agent-dev"),
        (".synapse", "real", ".synapse/agent-dev"),
        (".synapse/agent-dev", "docs/rules.txt", "docs/rules.txt"),
        (".claude/settings.json", "hooks.json", "hooks.json"),
        (".claude", "client", "client/settings.json"),
        (".claude", "client", ".claude/settings.json"),
    ],
)
def test_what_a_link_of_rules_or_hook_settings_leads_to_is_asked_about(
    link: str, target: str, path: str, tmp_path: Path
) -> None:
    agent = client(tmp_path, "enforce")
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / target).parent.mkdir(exist_ok=True)
    if (tmp_path / link).exists():
        (tmp_path / link).rename(tmp_path / target)
    else:
        (tmp_path / target).mkdir()
    (tmp_path / link).symlink_to(tmp_path / target)
    for tool in (
        {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / path)}},
        {"tool_name": "Bash", "tool_input": {"command": f"echo x > {path}"}},
    ):
        assert decision(agent.send("PreToolUse", **tool)) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/extend/override/ teams/pay/squad.yaml",
        "cp squad.yaml teams/pay/",
        "echo x > teams/pay/config.yaml",
        "rm -r teams/pay",
        "git mv teams/pay old",
        "rm -r teams",
        "ln -s /tmp/x teams/new",
        "cp -r ../other/.synapse teams/pay/",
    ],
)
def test_what_decides_over_the_rules_of_a_squad_is_asked_about(
    command: str, tmp_path: Path
) -> None:
    agent = client(tmp_path, "enforce")
    with (tmp_path / ".synapse/config.toml").open("a") as config:
        config.write('[paths]\nsquads = ["teams"]\n')
    agent.prompt("@dev go on")
    assert decision(use(agent, command)) == "ask"
    assert decision(use(agent, "rm -r teams/pay/src; touch teams/pay/notes.md")) == "allow"


def test_what_a_person_has_said_is_not_written_unasked(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.uses(20_000)
    path = str(agent.transcript)
    for tool in (
        {"tool_name": "Write", "tool_input": {"file_path": path}},
        {"tool_name": "Bash", "tool_input": {"command": f"echo x >> {path}"}},
        {"tool_name": "Bash", "tool_input": {"command": "cp a ~/.claude/projects/-x/s1.jsonl"}},
    ):
        assert decision(agent.send("PreToolUse", **tool)) == "ask"
    tool = {"tool_name": "Bash", "tool_input": {"command": f"tail -1 {path}"}}
    assert agent.send("PreToolUse", **tool) == {}


def test_a_link_is_followed(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    (tmp_path / "migrations").mkdir()
    (tmp_path / "m").symlink_to("migrations")
    tool = {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / "m/1.sql")}}
    assert decision(agent.send("PreToolUse", **tool)) == "deny"


@pytest.mark.parametrize(
    "tool",
    [
        {"tool_name": "Write", "tool_input": {"file_path": ".synapse/agent-dev"}},
        {"tool_name": "Edit", "tool_input": {"file_path": ".claude/settings.local.json"}},
        {"tool_name": "Write", "tool_input": {"file_path": ".git/hooks/pre-commit"}},
        {"tool_name": "Edit", "tool_input": {"file_path": ".git/config"}},
        {"tool_name": "mcp__synapse__activate_agent", "tool_input": {"agent": "devops"}},
        {"tool_name": "Bash", "tool_input": {"command": "synapse session set --agent devops"}},
    ],
    ids=["rules", "settings", "hook-of-git", "settings-of-git", "tool", "command"],
)
def test_to_be_enforced_it_asks_before_it_is_changed_itself(
    tmp_path: Path, tool: dict[str, Any]
) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    assert decision(agent.send("PreToolUse", **tool)) == "ask"
    again = client(tmp_path / "b", "warn")
    again.prompt("@dev go on")
    assert again.send("PreToolUse", **tool) == {}


def test_a_warning_comes_once_for_each_rule_and_turn(tmp_path: Path) -> None:
    agent = client(tmp_path, "warn")
    agent.prompt("@dev go on")
    assert "AGENT_DEV_AUTH_0" in warning(use(agent, "git push"))
    assert use(agent, "git push -f") == {}
    agent.prompt("go on")
    assert "AGENT_DEV_AUTH_0" in warning(use(agent, "git push"))


def test_nor_does_it_come_again_while_others_use_the_session(tmp_path: Path) -> None:
    agent = client(tmp_path, "warn")
    agent.prompt("@dev go on")
    assert warning(use(agent, "git push"))
    with FileLock(
        str(tmp_path / f".synapse/sessions/{agent.session}.json"), 1.0, within=str(tmp_path)
    ):
        assert use(agent, "git push -f") == {}


def test_off_is_off(tmp_path: Path) -> None:
    agent = client(tmp_path, "off")
    agent.prompt("@dev go on")
    assert use(agent, "git push") == {}
    assert not list(injection_log.read_records(str(tmp_path), "verdicts"))


def test_without_a_session_what_belongs_to_others_is_asked(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.session = ""
    assert decision(use(agent, "git push")) == "ask"


def test_a_rule_that_was_just_written_counts(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    assert use(agent, "npm publish") == {}
    with (tmp_path / ".synapse/agent-dev").open("a", encoding="utf-8") as file:
        file.write("AGENT_DEV_DENY_0=npm publish\n")
    assert decision(use(agent, "npm publish")) == "deny"


def test_the_log_has_the_rule_and_not_the_command(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    use(agent, "git push secret-remote")
    (record,) = injection_log.read_records(str(tmp_path), "verdicts")
    assert (record["decision"], record["rule"], record["agent"], record["delegate"]) == (
        "deny",
        "AGENT_DEV_AUTH_0",
        "dev",
        "devops",
    )
    assert "secret-remote" not in repr(record)


def test_what_no_boundary_is_about_loads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = client(tmp_path, "warn")
    (tmp_path / ".synapse/migrations").unlink()
    agent.prompt("@dev go on")

    def unexpected(*_: object) -> None:
        raise AssertionError("nobody has to judge this")

    monkeypatch.setattr(boundary_verdict, "judge_event", unexpected)
    read = {"tool_name": "Read", "tool_input": {"file_path": str(tmp_path / "a")}}
    assert agent.send("PreToolUse", **read) == {}


def test_an_alias_of_the_repository_is_what_it_stands_for(tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    write_tree(tmp_path, {".git/config": "[alias]\n  P = push\n  s = status\n"})
    agent.prompt("@dev go on")
    assert git_settings.read_git_aliases(str(tmp_path))["p"] == "push"
    assert decision(use(agent, "git p")) == "deny"
    assert decision(use(agent, "git P")) == "deny"
    assert decision(use(agent, "git -c alias.q=push Q")) == "deny"
    assert use(agent, "git s") == {}


@pytest.mark.parametrize(
    "path",
    [
        ".synapse/config.toml\0",
        ".synapse/config.toml\0.txt",
        ".synapse/x\ud800",
        "docs/../.synapse/config.toml\0x",
    ],
)
def test_a_path_is_judged_as_the_system_reads_it_up_to_a_nul(path: str, tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    for spelled in (path, f"{tmp_path}/{path}", f"file://{tmp_path}/{path}".replace("\0", "%00")):
        given = {"file_path": spelled, "content": ""}
        assert decision(use(agent, tool_name="Write", tool_input=given)) == "ask", spelled


@pytest.mark.parametrize("path", ["a\0b", "\0", "../\0", "\ud800"])
@pytest.mark.parametrize("tool", ["Write", "Read", "Edit"])
def test_a_nul_in_a_path_is_no_failure(path: str, tool: str, tmp_path: Path) -> None:
    agent = client(tmp_path, "enforce")
    agent.prompt("@dev go on")
    names_none = tool != "Read" and not path.strip("\0")
    verdict = decision(use(agent, tool_name=tool, tool_input={"file_path": path}))
    assert verdict == ("ask" if names_none else "allow")
    agent.send("PostToolUse", tool_name=tool, tool_input={"file_path": path}, tool_response="x")
