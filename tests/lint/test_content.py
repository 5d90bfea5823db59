"""What is said of rules: their numbers, their texts, their commands and their authority."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from synapse_ls.lint.domain_triggers import PLACEHOLDER_KEYWORD, is_placeholder
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.text_edit import apply_edits
from tests.engine.blocks import block
from tests.lint.clean import findings
from tests.trees import plan_of, tree_of

X = {".synapse/manifest": "X_STATE=active\nX_RECALL=unit test\n"}
TEAM = {
    ".synapse/manifest": """\
AGENT_DEV_AGENT_TRIGGER=dev
AGENT_QA_AGENT_TRIGGER=qa
DEPLOY_RECALL=deploy
OLD_STATE=inactive
""",
}


def found(code: str, files: Mapping[str, str]) -> list[str]:
    return [marked.removeprefix(f"{code} ") for marked in findings(files, select=(code,))]


def in_rules(code: str, text: str) -> list[str]:
    """What a rule marks in the file of a domain X."""
    return found(code, {**X, ".synapse/x": text})


def the_one(code: str, files: Mapping[str, str]) -> Finding:
    (diagnostic,) = lint_tree(tree_of(files), select=(code,))
    return diagnostic


def mended(code: str, path: str, files: Mapping[str, str]) -> str:
    """The file after the fix of the one finding."""
    fix = the_one(code, files).fix
    assert fix
    assert {edited for edited, _ in fix.edits} == {path}
    return apply_edits(files[path], [edit for _, edit in fix.edits])


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("X_RULE_0=a\nX_RULE_1=b\n", []),
        ("X_RULE_1=a\nX_RULE_2=b\n", []),
        ("X_RULE_1=a\nX_RULE_0=b\nX_RULE_2=c\n", []),
        ("X_RULE_0=a\nX_RULE_2=b\nX_RULE_5=c\n", ["X_RULE_2"]),
        ("X_RULE_2=b\nX_RULE_0=a\n", ["X_RULE_2"]),
        ("X_RULE_5=a\nX_RULE_6=b\n", ["X_RULE_5"]),
        ("X_RULE_0=a\nX_AUTH_0=b\nX_RULE_1=c\nX_AUTH_2=d\n", ["X_AUTH_2"]),
        ("X_RULE_0=a\n# X_RULE_1=off\nX_RULE_2=b\n", []),
        ("X_RULE_0=a\n#X_RULE_1=off\nX_RULE_3=b\n", ["X_RULE_3"]),
        ("X_RULE_0=a\nX_RULE_0=b\nX_RULE_1=c\n", []),
        ("X_RULE_0=a\nX_RULE_999999999=b\n", ["X_RULE_999999999"]),
        ("X_RULE_NAMES_3=a\n", []),
        ("- a\n- b\n", []),
    ],
)
def test_a_gap_is_told_once_for_each_list(text: str, marked: list[str]) -> None:
    assert in_rules("SYN124", text) == marked


def test_articles_commands_and_brackets_are_lists_of_their_own() -> None:
    files = {
        ".synapse/constitution": "CONSTITUTION_RULE_ART1_0=T (MUST)\nCONSTITUTION_RULE_ART2_2=b\n",
        ".synapse/context": "CONTEXT_RULE_FRESH_0=a\nCONTEXT_RULE_CRITICAL_3=b\n",
        ".synapse/commands": "COMMANDS_RULE_BRIEF_0=a\nCOMMANDS_RULE_PLAN_4=b\n",
    }
    assert found("SYN124", files) == [
        "COMMANDS_RULE_PLAN_4",
        "CONSTITUTION_RULE_ART2_2",
        "CONTEXT_RULE_CRITICAL_3",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("X_RULE_0=a\nX_RULE_2=b\nX_RULE_5=c\n", "X_RULE_0=a\nX_RULE_1=b\nX_RULE_2=c\n"),
        ("X_RULE_5=b\nX_RULE_1=a\n", "X_RULE_2=b\nX_RULE_1=a\n"),
        ("X_RULE_001=a\nX_RULE_003=b\n", "X_RULE_001=a\nX_RULE_002=b\n"),
        ("X_RULE_0=a\nX_RULE_3=b\nX_RULE_3=c\n", "X_RULE_0=a\nX_RULE_1=b\nX_RULE_1=c\n"),
    ],
)
def test_numbering_anew_keeps_the_order(before: str, after: str) -> None:
    files = {**X, ".synapse/x": before}
    assert mended("SYN124", ".synapse/x", files) == after
    assert in_rules("SYN124", after) == []


def test_a_list_with_rules_that_are_switched_off_is_not_numbered_anew() -> None:
    text = "X_RULE_0=a\n# X_RULE_1=off\nX_RULE_5=b\n"
    assert the_one("SYN124", {**X, ".synapse/x": text}).fix is None


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("## One\nX_RULE_0=a\n### Two\nX_RULE_1=b\n", ["## One"]),
        ("# Title\n## One  \nX_RULE_0=a\n", ["## One"]),
        ("# a\n# b\n## One\nX_RULE_0=a\n", []),
        ("##########\n## One ##\n##########\nX_RULE_0=a\n", []),
        ("## ====\n## X_RULE_1=off\nX_RULE_0=a\n", []),
        ("X_RULE_0=a\n## The end\n", []),
        ("## One\n- a\n- b\n", []),
    ],
)
def test_headings_among_keys_are_comments(text: str, marked: list[str]) -> None:
    assert in_rules("SYN125", text) == marked


def test_the_heading_in_a_file_of_keys_is_told_to_nobody() -> None:
    keys, plain = "## One\nGLOBAL_RULE_0=a\n", "## One\n- a\n"
    for text, shown in ((keys, False), (plain, True)):
        made = block(plan_of({".synapse/global": text}))
        assert ("One" in made.text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "TODO",
        "todo: later".upper(),
        "TBD.",
        "FIXME: say what is meant",
        "...",
        "{{RULE_TEXT}}",
        "{rule}",
        "[your rule here]",
        "<describe the rule>",
        "Your rule here",
        "Add your first rule here.",
        "Rule text here",
        "Sua regra aqui",
        "This is Rule 0 - describe when these rules apply",
        "Lorem ipsum dolor sit amet",
    ],
)
def test_a_template_s_text_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "TODO comments name an issue",
        "Leave no TODO behind",
        "EXCLUSIVE: EPIC-{ID}-EXECUTION.yaml management",
        "Use {{name}} in templates",
        "[CONSTITUTION]",
        "<synapse-rules>",
        "Put tests here and there",
        "Write it down",
        "Your code must compile",
    ],
)
def test_a_rule_that_speaks_of_such_things_is_none(text: str) -> None:
    assert not is_placeholder(text)


def test_keywords_of_templates_are_placeholders() -> None:
    items = ("keyword1", "keyword 2", "trigger phrase", "Your keyword", "palavra-chave1")
    assert all(map(PLACEHOLDER_KEYWORD.fullmatch, items))
    assert not any(
        map(PLACEHOLDER_KEYWORD.fullmatch, ("keyword", "SEO keywords", "trigger", "word1"))
    )
    manifest = {".synapse/manifest": "X_RECALL=keyword1, unit test\n", ".synapse/x": "- a\n"}
    assert found("SYN126", manifest) == ["keyword1"]


def test_the_keys_of_a_template_get_the_name_of_the_domain() -> None:
    text = "DOMAIN_RULE_0=a\nDOMAIN_RULE_1=b\n"
    assert findings({**X, ".synapse/x": text}) == ["SYN126 DOMAIN"]
    files = {**X, ".synapse/x": text}
    assert mended("SYN126", ".synapse/x", files) == "X_RULE_0=a\nX_RULE_1=b\n"


def test_a_template_s_key_is_not_renamed_into_one_that_is_taken() -> None:
    files = {**X, ".synapse/x": "DOMAIN_RULE_0=a\nX_RULE_0=b\n"}
    assert the_one("SYN126", files).fix is None


def test_a_placeholder_that_nobody_is_told_is_left_alone() -> None:
    for path in (".synapse/old", ".synapse/orphan"):
        assert found("SYN126", {**TEAM, path: "OLD_RULE_0=TODO\n"}) == []


def test_a_domain_may_really_be_called_domain() -> None:
    files = {".synapse/manifest": "DOMAIN_STATE=active\n", ".synapse/domain": "DOMAIN_RULE_0=a\n"}
    assert findings(files) == []


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("COMMANDS_RULE_A_0=a\nCOMMANDS_RULE_B_0=b\nCOMMANDS_RULE_A_1=c\n", ["COMMANDS_RULE_A_1"]),
        ("COMMANDS_RULE_A_0=a\nB_RULE_0=b\nA_RULE_0=c\nA_RULE_1=d\n", ["A_RULE_0"]),
        ("[*a] COMMAND:\none\n[*b] COMMAND:\ntwo\n[*a] COMMAND:\nthree\n", ["three"]),
        ("COMMANDS_RULE_A_0=a\n# more\nCOMMANDS_RULE_A_1=b\nCOMMANDS_RULE_B_0=c\n", []),
        ("COMMANDS_RULE_S_HELP_0=a\nCOMMANDS_RULE_S_RUN_0=b\n", []),
    ],
)
def test_a_command_is_defined_in_one_place(text: str, marked: list[str]) -> None:
    assert found("SYN504", {".synapse/commands": text}) == marked


def agent(name: str, commands: str) -> dict[str, str]:
    text = f"# {name}\n\n```yaml\nagent:\n  id: {name}\ncommands: {commands}\n```\n"
    return {f".claude/agents/{name}.md": text}


BRIEF = {".synapse/commands": "# [*brief] COMMAND:\nCOMMANDS_RULE_BRIEF_0=a\n"}


@pytest.mark.parametrize(
    ("commands", "marked"),
    [
        ("[brief]", ["brief"]),
        ("['*brief']", ["brief"]),
        ("[{name: brief, description: x}]", ["brief"]),
        ("{brief: x}", ["brief"]),
        ("[brief-me, debrief]", []),
        ("[]", []),
    ],
)
def test_an_agent_s_command_collides(commands: str, marked: list[str]) -> None:
    assert found("SYN505", {**BRIEF, **agent("dev", commands)}) == marked


def test_all_agents_with_the_command_are_counted() -> None:
    files = dict(BRIEF)
    for name in ("dev", "pm", "po", "qa"):
        files |= agent(name, "[brief]")
    for name in ("a", "b", "c", "d", "e"):
        files |= agent(name, "[other]")
    diagnostic = the_one("SYN505", files)
    assert "@dev, @pm, @po and 1 more" in diagnostic.message
    assert len(diagnostic.related) == 3


def test_rules_for_a_command_that_most_agents_have_accompany_it() -> None:
    files = dict(BRIEF)
    for name in ("dev", "pm", "po", "qa"):
        files |= agent(name, "[brief]")
    assert found("SYN505", files) == []


@pytest.mark.parametrize(
    ("rule", "marked"), [("Record a trap in the list.", []), ("Use bullets.", ["record-trap"])]
)
def test_rules_that_say_how_the_command_is_done_fit_the_agents(
    rule: str, marked: list[str]
) -> None:
    text = f"# [*record-trap] COMMAND:\nCOMMANDS_RULE_RECORD_TRAP_0={rule}\n"
    files = {".synapse/commands": text, **agent("dev", "[record-trap]")}
    assert found("SYN505", files) == marked


def test_all_colliding_commands_of_a_file_are_one_hint() -> None:
    text = "".join(f"[*{name}] COMMAND:\n  0. Do it.\n" for name in ("plan", "review"))
    commands = {".synapse/commands": text, ".synapse/manifest": "COMMANDS_STATE=active\n"}
    diagnostic = the_one("SYN505", {**commands, **agent("qa", "[plan, review]")})
    assert diagnostic.message.startswith(
        "`*plan` (@qa), `*review` (@qa) are also commands of agents, so with Synapse LS prompts"
    )
    assert diagnostic.severity is Severity.HINT


def authority(**files: str) -> list[str]:
    named = {f".synapse/{name.replace('_', '-')}": text for name, text in files.items()}
    return found("SYN506", {**TEAM, **named})


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("ALLOWED: git push", "BLOCKED: git push", ["git push"]),
        ("BLOCKED: Git  Push.", "ALLOWED: git commit, git push", ["git push"]),
        ("ALLOWED: a / b; c", "BLOCKED: c — @devops only", ["c"]),
        ("EXCLUSIVE: releases", "BLOCKED: releases", ["releases"]),
        ("PERMITIDO: git push", "BLOQUEADO: git push", ["git push"]),
        ("ALLOWED: files (list, boxes)", "BLOCKED: files (scope, title)", []),
        ("ALLOWED: git push (tags)", "BLOCKED: git push", []),
        ("ALLOWED: CI/CD", "BLOCKED: CI", []),
        ("ALLOWED: git push", "BLOCKED for other agents: git push", []),
        ("ALLOWED: tests", "EXCLUSIVE: tests", []),
        ("ALLOWED: tests", "ALLOWED: tests", []),
        ("DELEGATES: tests", "BLOCKED: tests", []),
        ("ALLOWED: reading — git push is not", "BLOCKED: git push", []),
        ("ALLOWED: git push", "NEVER execute git push — delegate to @devops", ["git push"]),
        ("NEVER execute a, git push", "EXCLUSIVE authority for git push", ["git push"]),
        ("ONLY modify tests, docs", "NEVER modify tests, docs", ["modify tests, docs"]),
        ("MUST run the tests", "Never run the tests.", ["run the tests."]),
        ("MUST NOT push", "MUST push", ["push"]),
        ("SEMPRE testar", "NUNCA testar", ["testar"]),
        ("IMMER testen", "NIEMALS testen", ["testen"]),
        ("SIEMPRE probar", "NUNCA probar", ["probar"]),
        ("ERLAUBT: git push", "VERBOTEN: git push", ["git push"]),
        ("TOUJOURS tester", "NE JAMAIS tester", ["tester"]),
        ("MUST run the tests", "ALLOWED: run the tests", []),
        ("ONLY @devops releases", "NEVER releases", []),
        ("NEVER modify tests", "ALLOWED: tests", []),
    ],
)
def test_boundaries_of_one_agent(first: str, second: str, marked: list[str]) -> None:
    text = f"AGENT_DEV_AUTH_0={first}\nAGENT_DEV_AUTH_1={second}\n"
    assert authority(agent_dev=text) == marked


@pytest.mark.parametrize(
    ("dev", "qa", "marked"),
    [
        ("EXCLUSIVE: verdicts", "EXCLUSIVE: verdicts", ["verdicts"]),
        ("OWNS: verdicts", "EXCLUSIVE: verdicts", ["verdicts"]),
        ("ALLOWED: verdicts", "EXCLUSIVE: verdicts", ["verdicts"]),
        ("EXCLUSIVE authority for verdicts", "EXCLUSIVE authority for verdicts", ["verdicts"]),
        ("EXCLUSIVE authority over verdicts", "OWNS: verdicts", ["verdicts"]),
        ("BLOCKED for other agents: verdicts", "ALLOWED: verdicts", ["verdicts"]),
        ("NEVER execute verdicts", "EXCLUSIVE authority for verdicts", []),
        ("EXCLUSIVE: Tier 1 — Ana, Rui", "EXCLUSIVE: Tier 1 — Eva, Lia, Zoe", []),
        ("EXCLUSIVE: verdicts", "EXCLUSIVE: verdicts — delegate to nobody", ["verdicts"]),
        ("BLOCKED: verdicts", "EXCLUSIVE: verdicts", []),
        ("BLOCKED: verdicts", "ALLOWED: verdicts", []),
        ("ALLOWED: verdicts", "ALLOWED: verdicts", []),
    ],
)
def test_boundaries_of_two_agents(dev: str, qa: str, marked: list[str]) -> None:
    files = {"agent_dev": f"AGENT_DEV_AUTH_0={dev}\n", "agent_qa": f"AGENT_QA_AUTH_0={qa}\n"}
    assert authority(**files) == marked


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("Always use tabs", "Never use tabs.", ["use tabs."]),
        ("MUST use tabs — they are short", "NEVER use tabs", ["use tabs"]),
        ("NEVER use tabs", "Always use tabs", ["use tabs"]),
        ("Always use tabs", "Never use spaces", []),
        ("Always use tabs", "Always use tabs", []),
        ("EXCLUSIVE: tabs", "BLOCKED: tabs", []),
        ("Nevertheless use tabs", "Always use tabs", []),
    ],
)
def test_rules_of_one_domain_that_demand_and_forbid(
    first: str, second: str, marked: list[str]
) -> None:
    text = f"AGENT_DEV_RULE_0={first}\nAGENT_DEV_RULE_1={second}\n"
    assert authority(agent_dev=text) == marked
    other = {"agent_dev": f"AGENT_DEV_RULE_0={first}\n", "agent_qa": f"AGENT_QA_RULE_0={second}\n"}
    assert authority(**other) == []


def test_allow_and_deny_keys_contradict_each_other_and_boundaries() -> None:
    text = "AGENT_DEV_ALLOW_0=git push\nAGENT_DEV_DENY_0=git push\nAGENT_DEV_AUTH_0=ALLOWED: ls\n"
    assert authority(agent_dev=text) == ["git push"]
    assert authority(agent_dev=text + "AGENT_DEV_DENY_1=ls\n") == ["git push", "ls"]


def test_boundaries_that_nobody_reads_contradict_nothing() -> None:
    text = "OLD_AUTH_0=ALLOWED: a\nOLD_AUTH_1=BLOCKED: a\n"
    assert authority(old=text, orphan=text) == []


def test_squads_have_owners_of_their_own() -> None:
    squad = {
        "squads/s/.synapse/manifest": "P_AGENT_TRIGGER=p\nQ_AGENT_TRIGGER=q\n",
        "squads/s/.synapse/rules": "P_AUTH_0=EXCLUSIVE: tables\nQ_AUTH_0=EXCLUSIVE: releases\n",
    }
    root = {**TEAM, ".synapse/agent-dev": "AGENT_DEV_AUTH_0=EXCLUSIVE: tables\n"}
    assert found("SYN506", {**root, **squad}) == []
    both = squad["squads/s/.synapse/rules"] + "Q_AUTH_1=EXCLUSIVE: tables\n"
    assert found("SYN506", {**root, **squad, "squads/s/.synapse/rules": both}) == ["tables"]


GLOBAL = {".synapse/global": "GLOBAL_RULE_0=Never commit to main.\n"}


@pytest.mark.parametrize(
    ("files", "marked"),
    [
        ({".synapse/deploy": "DEPLOY_RULE_0=Never  commit to main.\n"}, 1),
        ({".synapse/deploy": "- Never commit to main.\n"}, 1),
        ({".synapse/constitution": "CONSTITUTION_RULE_ART1_1=Never commit to main.\n"}, 1),
        ({".synapse/deploy": "DEPLOY_RULE_0=Never commit to main\n"}, 0),
        ({".synapse/old": "OLD_RULE_0=Never commit to main.\n"}, 0),
        ({".synapse/orphan": "ORPHAN_RULE_0=Never commit to main.\n"}, 0),
        ({".synapse/commands": "COMMANDS_RULE_SAFE_0=Never commit to main.\n"}, 0),
        ({".synapse/context": "CONTEXT_RULE_FRESH_0=Never commit to main.\n"}, 0),
        ({".synapse/agent-dev": "A_RULE_0=Twice.\n", ".synapse/deploy": "D_RULE_0=Twice.\n"}, 0),
    ],
)
def test_what_stands_in_every_block_is_not_repeated(files: Mapping[str, str], marked: int) -> None:
    assert len(found("SYN507", {**TEAM, **GLOBAL, **files})) == marked


def test_a_repeated_rule_is_told_once() -> None:
    copy = {".synapse/agent-dev": "AGENT_DEV_RULE_0=Never commit to main.\n"}
    made = block(plan_of({**TEAM, **GLOBAL, **copy}), agent="dev")
    assert made.text.count("Never commit to main.") == 1


@pytest.mark.parametrize(
    ("path", "text", "marked"),
    [
        (".synapse/deploy", "DEPLOY_RULE_0=a b\nDEPLOY_RULE_1=a b\n", ["a b"]),
        (".synapse/lost", "LOST_RULE_0=a b\nLOST_RULE_1=a b\n", []),  # told by no block
        (".synapse/commands", "COMMANDS_RULE_A_0=x y\nCOMMANDS_RULE_B_0=x y\n", []),
        (".synapse/commands", "COMMANDS_RULE_A_0=x y\nCOMMANDS_RULE_A_1=x y\n", ["x y"]),
        (".synapse/context", "FRESH_RULE_0=x y\nCRITICAL_RULE_0=x y\n", []),
        (".synapse/context", "## FRESH\n- x y\n## CRITICAL\n- x y\n", []),
    ],
)
def test_a_file_says_a_thing_once(path: str, text: str, marked: list[str]) -> None:
    assert found("SYN507", {**TEAM, path: text}) == marked


def test_a_rule_is_long_from_a_tenth_of_the_smallest_budget_on() -> None:
    assert in_rules("SYN508", f"X_RULE_0={'x' * 320}\n") == []
    assert in_rules("SYN508", f"X_RULE_0={'x' * 321}\n") == ["x" * 321]


@pytest.mark.parametrize(
    ("text", "is_several"),
    [
        ("Do this. Do that. Do more.", True),
        ("Faça isto. Não faça aquilo! Étudie.", True),
        ("Offer (1) this (2) that (3) more", False),
        ("Do this. Do that.", False),
        ("Use tools, e.g. Ruff. Or i.e. Mypy.", False),
        ('Say "Yes. No. Maybe." and go.', False),
        ("Version 1.2.3 of A. B. Smith", False),
        ("Call f(1) and f(2)", False),
        ("Names like foo.Bar and a.B are fine. Others are not.", False),
    ],
)
def test_three_sentences_are_several_rules(text: str, is_several: bool) -> None:
    assert bool(in_rules("SYN509", f"X_RULE_0={text}\n")) == is_several
