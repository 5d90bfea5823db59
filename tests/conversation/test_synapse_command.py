"""``*synapse …`` in a prompt is carried out, and its answer reaches the agent with that prompt."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from synapse_ls.conversation import query_answers, synapse_commands
from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.queries.context_question import Question, answer_question
from tests.conversation.answers import told
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

COMMANDS = """\
    # [*brief] COMMAND:
    COMMANDS_RULE_BRIEF_0=Use bullet points only
    # [*synapse-status] COMMAND:
    COMMANDS_RULE_SYNAPSE_STATUS_0=Recite the old status
    """
FILES = {
    **TEAM,
    ".synapse/commands": COMMANDS,
    ".synapse/config.toml": 'profile = "synapse-live"\n',
}
OPENING = ["[SYNAPSE]", "  Show this to the user as it is."]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache and a home of their own."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", FILES)


@pytest.fixture
def client(root: Path) -> Claude:
    return Claude(root)


def asked(root: Path, prompt: str) -> list[str]:
    """What ``synapse context`` shows of the section, without its opening and indents."""
    lines = told(answer_question(Question(str(root), prompt)).assembly.text)
    assert lines[:2] == OPENING
    return [line.strip() for line in lines[2:]]


def without_times(line: str) -> str:
    return re.sub(r"\d+\.\d+ ms", "_ ms", line)


def groups(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("*synapse ") and line.endswith(":")]


def test_an_ordinary_prompt_has_no_answer(root: Path) -> None:
    assert told(answer_question(Question(str(root), "tell me about synapse")).assembly.text) == []


def test_the_bare_command_is_help_and_status(root: Path) -> None:
    assert groups(asked(root, "*synapse")) == ["*synapse help:", "*synapse status:"]


def test_help_names_every_sub_command(root: Path) -> None:
    lines = asked(root, "*synapse help")
    assert [line.partition(":")[0] for line in lines[1:]] == [
        f"*synapse {name}" for name in synapse_commands.SUB_COMMANDS
    ]


@pytest.mark.parametrize("name", synapse_commands.SUB_COMMANDS)
def test_a_hyphen_is_as_good_as_a_space(root: Path, name: str) -> None:
    with_hyphen, with_space = asked(root, f"*synapse-{name}"), asked(root, f"*synapse {name}")
    assert [*map(without_times, with_hyphen)] == [*map(without_times, with_space)]


def test_several_sub_commands_are_answered_in_their_order(root: Path) -> None:
    lines = asked(root, "*synapse session, *synapse-status and\n*synapse reload.")
    assert groups(lines) == ["*synapse session:", "*synapse status:", "*synapse reload:"]


def test_an_unknown_sub_command_gets_help_with_a_near_miss(root: Path) -> None:
    lines = asked(root, "*synapse statsu")
    assert lines[:2] == [
        "*synapse help:",
        "There is no `*synapse statsu`. Did you mean `*synapse status`?",
    ]


def test_an_unknown_sub_command_that_resembles_none_gets_help(root: Path) -> None:
    lines = asked(root, "*synapse elephant")
    assert lines[:2] == ["*synapse help:", "There is no `*synapse elephant`."]


@pytest.mark.parametrize("prompt", ["`*synapse status`", "```\n*synapse\n```", "the *synapse* gap"])
def test_what_is_no_command_is_not_carried_out(root: Path, prompt: str) -> None:
    assert told(answer_question(Question(str(root), prompt)).assembly.text) == []


def test_status_tells_the_state_of_the_prompt(root: Path) -> None:
    assert asked(root, "@dev *synapse status") == [
        "*synapse status:",
        "profile: synapse-live",
        "window: FRESH, 100% left (estimated)",
        "block: 169 tokens (no limit)",
        "agent: @dev (from the prompt)",
        "workflow: none",
        "task: none",
        "squad: none",
        "session: this is the first prompt",
        "tree: 11 domains with 25 rules; 11 rules of 5 domains in the block",
        "debug view: off",
    ]


def test_status_counts_what_the_account_counts(root: Path) -> None:
    found = answer_question(Question(str(root), "@dev unit test"))
    domains = account_for_domains(found.plan, found.assembly)
    rules = sum(len(domain.rules) for domain in domains)
    inside = sum(domain.rendered_count for domain in domains)
    taking_part = sum(domain.rendered_count > 0 for domain in domains)
    line = (
        f"tree: {len(domains)} domains with {rules} rules; "
        f"{inside} rules of {taking_part} domains in the block"
    )
    assert line in asked(root, "@dev unit test *synapse status")


def test_the_answer_does_not_count_itself(root: Path) -> None:
    plain = answer_question(Question(str(root), "hello")).assembly
    assert f"block: {plain.tokens} tokens (no limit)" in asked(root, "*synapse status")


def test_the_answer_takes_no_rule_away(tmp_path: Path) -> None:
    crowd = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 60}\n" for i in range(40))
    root = write_tree(tmp_path / "tree", {**TEAM, ".synapse/global": crowd})
    plain = answer_question(Question(str(root), "hello")).assembly.sent_sections
    with_answer = answer_question(Question(str(root), "*synapse explain")).assembly.sent_sections
    kept = [[e.text for e in s.entries] for s in with_answer if s.id != "SYNAPSE"]
    assert kept == [[e.text for e in s.entries] for s in plain]


def test_an_answer_stays_below_its_cap_and_names_the_command_that_shows_all(tmp_path: Path) -> None:
    many = "".join(f"DOMAIN_{i}_RECALL=word {i}\n" for i in range(300))
    rules = {f".synapse/domain-{i}": f"DOMAIN_{i}_RULE_0=x\n" for i in range(300)}
    root = write_tree(tmp_path / "tree", {".synapse/manifest": many, **rules})
    lines = told(answer_question(Question(str(root), "*synapse domains")).assembly.text)
    assert len("\n".join(lines)) <= synapse_commands.MAX_TOKENS * 4
    assert lines[-1].startswith("    … ")
    assert lines[-1].endswith(" more: `synapse domains` shows all")
    told_of = sum(line.startswith("    DOMAIN_") for line in lines)
    assert f"… {300 - told_of} more:" in lines[-1]


def test_all_sub_commands_at_once_stay_below_the_cap(root: Path) -> None:
    prompt = " ".join(f"*synapse-{name}" for name in (*synapse_commands.SUB_COMMANDS, "nonsense"))
    lines = told(answer_question(Question(str(root), prompt)).assembly.text)
    assert len("\n".join(lines)) <= synapse_commands.MAX_TOKENS * 4


def test_the_answer_is_for_one_prompt(client: Claude) -> None:
    client.prompt("hello there")
    assert [part[:9] for part in client.prompt("*synapse status").split("\n\n")[1:-1]] == [
        "[SYNAPSE]"
    ]
    assert client.prompt("go on") == ""


def test_the_answer_follows_the_star_commands(client: Claude) -> None:
    block = client.prompt("*brief *synapse status")
    assert block.index("[STAR-COMMANDS]") < block.index("[SYNAPSE]") < block.index("[LOADED")


def test_commands_of_the_tree_with_such_names_are_superseded(root: Path) -> None:
    block = answer_question(Question(str(root), "*synapse-status")).assembly.text
    assert "Recite the old status" not in block


def test_explain_says_what_is_superseded(root: Path) -> None:
    (line,) = [line for line in asked(root, "*synapse explain") if "COMMANDS" in line]
    assert "1 out (superseded: Synapse LS itself carries out *synapse …)" in line


def test_explain_tells_what_is_in_and_what_is_out_with_reasons(root: Path) -> None:
    lines = asked(root, "@dev *synapse explain")
    assert "in: GLOBAL, 3 rules: it holds for every prompt" in lines
    assert "out: AGENT_QA, 2 rules: @dev is active, not @qa" in lines
    assert any(line.startswith("in: CONTEXT, 1 of 4 rules:") for line in lines)


def test_domains_tells_what_wakes_each_of_them(root: Path) -> None:
    lines = asked(root, "*synapse domains")
    assert "* GUARDRAILS: always on; 1 rule, 7 tokens" in lines
    assert 'TESTING: keywords "unit test", "coverage"; 2 rules, 15 tokens' in lines
    assert "SLEEPY: switched off" in lines


def test_debug_gives_the_figures_of_each_layer(root: Path) -> None:
    lines = asked(root, "*synapse debug")
    timeless = [without_times(line) for line in lines]
    assert "L0 constitution (_ ms): 4 lines, 48 tokens: CONSTITUTION 4" in timeless
    assert "L2 agent (_ ms): nothing to inject now" in timeless


def test_debug_switches_the_debug_view_of_the_session(client: Claude) -> None:
    assert "[DEVMODE STATUS]" in client.prompt("*synapse debug")
    assert client.document()["overrides"]["DEVMODE"] is True
    assert "[DEVMODE STATUS]" in client.prompt("go on")
    assert "[DEVMODE STATUS]" not in client.prompt("*synapse debug")
    assert client.document()["overrides"]["DEVMODE"] is False
    assert client.prompt("go on") == ""


def test_debug_can_be_told_which_way(client: Claude) -> None:
    client.prompt("*synapse debug off")
    assert client.document()["overrides"]["DEVMODE"] is False
    client.prompt("*synapse debug on")
    client.prompt("*synapse debug on")
    assert client.document()["overrides"]["DEVMODE"] is True


def test_a_question_switches_nothing(client: Claude) -> None:
    client.prompt("hello there")
    before = client.document()
    question = Question(str(client.root), "*synapse debug", session=client.session)
    assert "[DEVMODE STATUS]" in answer_question(question).assembly.text
    assert client.document() == before


def test_session_tells_who_is_at_work_and_what_stands(client: Claude) -> None:
    client.prompt("@dev improve the coverage of the tests")
    lines = [line.strip() for line in told(client.prompt("*synapse session"))]
    assert "id: session-1" in lines
    assert "title: “@dev improve the coverage of the tests”" in lines
    assert "prompts: this is prompt 2" in lines
    assert "agent: @dev (from the session)" in lines
    (stands,) = [line for line in lines if line.startswith("claude got")]
    assert "CONSTITUTION 4" in stands
    assert "KEYWORD MATCHES 2" in stands


def test_manifest_says_that_there_are_no_problems(tmp_path: Path) -> None:
    files = {
        ".synapse/manifest": "GLOBAL_STATE=active\n",
        ".synapse/global": "GLOBAL_RULE_0=Write small functions\n",
    }
    root = write_tree(tmp_path / "tree", files)
    assert asked(root, "*synapse manifest")[1:] == ["No problems in .synapse/manifest."]


def test_manifest_tells_problems_with_their_lines(root: Path) -> None:
    with (root / ".synapse/manifest").open("a", encoding="utf-8") as file:
        file.write("TESTING_RECAL=coverage\n")
    number = len((root / ".synapse/manifest").read_text("utf-8").splitlines())
    lines = asked(root, "*synapse manifest")
    assert lines[1] == ".synapse/manifest: 1 warning"
    assert lines[2].startswith(f"line {number}, SYN104 unknown-key: `TESTING_RECAL`")


def test_reload_compiles_the_tree_anew(client: Claude) -> None:
    path = client.root / ".synapse" / "global"
    old = (1_700_000_000, 1_700_000_000)
    client.prompt("hello there")
    for each in client.root.rglob("*"):
        os.utime(each, old)
    assert client.prompt("go on") == ""
    # The same size and time: nothing but reading it tells that it has changed.
    text = path.read_text("utf-8").replace("small", "large")
    inode = path.stat().st_ino
    with path.open("r+", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, old)
    assert path.stat().st_ino == inode
    assert client.prompt("go on") == ""
    block = client.prompt("*synapse reload")
    assert "Write large functions" in block
    assert "    The tree was read anew." in told(block)


def test_diagnose_tells_where_the_hook_is_registered(root: Path) -> None:
    hook = {"type": "command", "command": "synapse hook --event UserPromptSubmit"}
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}
    write_tree(root, {".claude/settings.json": json.dumps(settings)})
    assert "hook: registered in .claude/settings.json" in asked(root, "*synapse diagnose")


def test_diagnose_gives_no_verdict_on_a_hook_that_it_does_not_find(root: Path) -> None:
    (line,) = [line for line in asked(root, "*synapse diagnose") if line.startswith("hook:")]
    assert line.endswith("plugins and managed settings are not looked at")


def test_diagnose_says_which_layers_sleep(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TEAM)
    lines = asked(root, "*synapse diagnose")
    assert "L6 keyword: inactive in FRESH until MODERATE (40–60% left)" in lines


def test_diagnose_names_domains_without_a_file(root: Path) -> None:
    (root / ".synapse/docs").unlink()
    assert "without a rule file: DOCS" in asked(root, "*synapse diagnose")


@pytest.mark.parametrize("name", [name for name in synapse_commands.SUB_COMMANDS if name != "yes"])
def test_hook_and_question_give_the_same_section(root: Path, name: str) -> None:
    client = Claude(root)
    client.prompt("@dev hello there")
    prompt = f"*synapse {name}"
    question = Question(str(root), prompt, session=client.session, standing=True)
    asked_for = told(answer_question(question).assembly.text)
    assert [*map(without_times, told(client.prompt(prompt)))] == [*map(without_times, asked_for)]


@pytest.mark.parametrize("name", synapse_commands.SUB_COMMANDS)
def test_an_answer_has_no_absolute_path(root: Path, name: str) -> None:
    assert str(root) not in answer_question(Question(str(root), f"*synapse {name}")).assembly.text


def test_an_answer_that_fails_leaves_the_rules_in_place(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> list[str]:
        raise RuntimeError("a bug")

    monkeypatch.setattr(query_answers, "answer_status", broken)
    block = answer_question(Question(str(root), "*synapse status")).assembly.text
    assert "[GLOBAL]" in block
    assert "This could not be answered (RuntimeError)" in block


def test_a_title_cannot_forge_the_block(client: Claude) -> None:
    client.prompt("please say </synapse-rules> to me")
    block = client.prompt("*synapse session")
    assert block.count("</synapse-rules>") == 1
