"""What a hover says about each part of a tree."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from synapse_ls.ide.hover import hover
from synapse_ls.ide.hover_markdown import LINKED_WORD, WORDS
from tests.ide.views import SQUAD, STATE, Asked, block_in, check_hover, view_of
from tests.support import LINKED_WORDS, text_outside_code
from tests.trees import TEAM

MANIFEST = ".synapse/manifest"
CODE_SPAN = re.compile(r"(?<![`\\])(`+)(?!`).+?(?<!`)\1(?!`)")  # CommonMark 0.31, "Code spans"
STATE_PATH = ".aiox/a-state.yaml"


def team_manifest(line: str, marked: str) -> str:
    """The manifest of the team with a line marked."""
    text = tree_text(MANIFEST)
    assert line in text
    return text.replace(line, marked)


def tree_text(path: str) -> str:
    facts = view_of(TEAM).tree.snapshot.facts(path)
    assert facts is not None
    return facts.text


def test_a_key_tells_what_its_domain_contributes_and_that_it_is_active() -> None:
    check_hover(
        MANIFEST,
        team_manifest("GLOBAL_STATE=", "«GLOBAL_STATE»="),
        "**GLOBAL** · `STATE`: Whether the domain is switched on",
        "3 rules, 19 tokens, in `.synapse/global:1`",
        "**In the block now**",
        "(L1 global)",
        "The block now: FRESH",
    )


def test_a_value_tells_the_same_as_its_key() -> None:
    check_hover(
        MANIFEST, team_manifest("GLOBAL_STATE=active", "GLOBAL_STATE=«active»"), "**GLOBAL**"
    )


def test_a_sleeping_layer_is_the_reason_and_the_remedy_wakes_it() -> None:
    check_hover(
        MANIFEST,
        team_manifest("WORKFLOW_STORY_DEV_STATE", "«WORKFLOW_STORY_DEV_STATE»"),
        "**Not in the block now**: L3 is inactive in FRESH until MODERATE",
        "To inject it: run `synapse profile use synapse-live`",
        files={**TEAM, STATE_PATH: STATE},
    )


def test_an_inactive_domain_says_how_to_switch_it_on() -> None:
    check_hover(
        MANIFEST,
        team_manifest("SLEEPY_STATE", "«SLEEPY_STATE»"),
        "**Not in the block now**: SLEEPY_STATE is not active",
        "set SLEEPY_STATE=active",
    )


def test_a_domain_without_a_file_says_so() -> None:
    check_hover(MANIFEST, "«LOST_STATE»=active\n", "It has no rule file.", "create .synapse/lost")


def test_a_domain_of_a_squad_goes_by_its_name_in_the_tree() -> None:
    check_hover(
        "squads/etl-squad/.synapse/manifest",
        "«PIPELINE_STATE»=active\n",
        "**ETL_PIPELINE**",
        "`squads/etl-squad/.synapse/pipeline:1`",
        files={**TEAM, **SQUAD},
    )


def test_a_keyword_shows_the_block_of_a_prompt_that_says_it() -> None:
    check_hover(
        MANIFEST,
        team_manifest("=unit test,", "=«unit test»,"),
        "**unit test** activates TESTING when a prompt has it as whole words",
        "**In the block of a prompt that says it**",
        "The block for the prompt `unit test`: MODERATE",
        '  TESTING (matched "unit test"):',
        remaining=50,
    )


def test_a_keyword_in_a_sleeping_layer_shows_the_block_in_which_it_wakes() -> None:
    markdown = Asked(MANIFEST, team_manifest("=unit test,", "=«unit test»,")).hover()
    assert "L6 is inactive in FRESH until MODERATE" in markdown
    assert "The block for the prompt `unit test`: MODERATE" in markdown
    assert 'TESTING (matched "unit test")' in block_in(markdown)


def test_a_keyword_shows_the_part_of_its_own_domain_and_leads_to_the_block() -> None:
    check_hover(
        MANIFEST,
        team_manifest("=unit test,", "=«unit test»,"),
        "its part of it ([whole block](command:synapse.showContext?",
        "```text\n[KEYWORD MATCHES]\n  TESTING (matched",
        "Arrange, act, assert",
        remaining=50,
    )


def test_a_domain_is_shown_in_each_bracket_with_what_brings_it_in() -> None:
    check_hover(
        MANIFEST,
        team_manifest("TESTING_STATE=", "«TESTING_STATE»="),
        "**FRESH**: inactive · MODERATE, DEPLETED, CRITICAL: 2 of 2, 15 tokens",
        "The block for the prompt `unit test`: MODERATE",
    )


def test_a_rule_of_a_bracket_shows_all_of_them() -> None:
    check_hover(
        ".synapse/context",
        "CONTEXT_RULE_FRESH_0=«Breathe»\n",
        "| | left | active | tokens |",
        "| **FRESH** | 60–100% | L0 L1 L2 L7 | ",
        "| CRITICAL | less than 25% | L0 L1 L2 L3 L4 L5 L6 L7 | ",
    )


def test_a_keyword_names_the_domains_that_share_it() -> None:
    text = "A_RECALL=«unit test»\nB_RECALL=Unit  Test\nC_RECALL=test\n"
    files = {".synapse/a": "A_RULE_0=a\n", ".synapse/b": "b\n", ".synapse/c": "c\n"}
    check_hover(
        MANIFEST,
        text,
        "Also a keyword of B.",
        "The same words match B (Unit Test), C (test).",
        files=files,
        remaining=50,
    )


def test_a_keyword_that_an_exclusion_shadows_says_by_what() -> None:
    check_hover(
        MANIFEST,
        "A_RECALL=«unit test»\nA_EXCLUDE=test\n",
        "**Not in the block of a prompt that says it**",
        'the prompt says "test", which excludes it',
        files={".synapse/a": "A_RULE_0=a\n"},
        remaining=50,
    )


def test_an_excluded_word_names_the_keywords_that_it_shadows() -> None:
    check_hover(
        MANIFEST,
        "A_RECALL=unit test, coverage\nA_EXCLUDE=«test»\n",
        "**test** in a prompt keeps A from being recalled.",
        "So these keywords never do anything: unit test.",
        files={".synapse/a": "A_RULE_0=a\n"},
    )


def test_a_globally_excluded_word_stops_all_recall() -> None:
    check_hover(MANIFEST, "GLOBAL_EXCLUDE=«test»\nA_RECALL=a test\n", "stops all recall", "a test")


def test_a_trigger_tells_where_its_agent_is_defined_and_shows_its_block() -> None:
    check_hover(
        MANIFEST,
        team_manifest("TRIGGER=dev", "TRIGGER=«dev»"),
        "**@dev** activates AGENT_DEV while this agent is active",
        "defined in `.claude/agents/dev.md`",
        "**Not in the block now**: no agent is active, not @dev.",
        "The block with @dev: FRESH",
        "[ACTIVE AGENT: @dev]",
        files={**TEAM, ".claude/agents/dev.md": "---\nname: dev\n---\n"},
    )


def test_a_trigger_of_the_active_agent_says_so() -> None:
    check_hover(
        MANIFEST,
        team_manifest("TRIGGER=qa", "TRIGGER=«qa»"),
        "defined by no file",
        "**In the block now**: agent @qa is active",
        agent="qa",
    )


def test_a_workflow_trigger_shows_the_block_in_that_workflow() -> None:
    check_hover(
        MANIFEST,
        team_manifest("=story_development", "=«story_development»"),
        "**story_development** activates WORKFLOW_STORY_DEV",
        "The block in the workflow story_development: MODERATE",
        remaining=50,
    )


def test_devmode_says_whether_it_is_on() -> None:
    check_hover(MANIFEST, "«DEVMODE»=true\n", "**DEVMODE**", "It is on now.")


def test_a_comment_says_nothing() -> None:
    view = view_of({**TEAM, MANIFEST: "# comment\n"})
    assert hover(view, MANIFEST, 3) is None


def test_a_rule_tells_its_cost_and_its_place() -> None:
    check_hover(
        ".synapse/global",
        "«GLOBAL_RULE_0»=Write small functions\n",
        "**GLOBAL_RULE_0** · rule of GLOBAL · `.synapse/global:1` · 7 tokens",
        "**In the block now**",
    )


def test_the_text_of_a_rule_tells_the_same_as_its_key() -> None:
    check_hover(".synapse/global", "GLOBAL_RULE_0=«Write small functions»\n", "**GLOBAL_RULE_0**")


def test_a_rule_that_is_cut_says_by_which_budget() -> None:
    words = "a rule that is far too long to be told " * 8
    text = "".join(f"GLOBAL_RULE_{n}={n} {words}\n" for n in range(9)) + "«GLOBAL_RULE_9»=last\n"
    check_hover(
        ".synapse/global",
        text,
        "**Not in the block now**: it does not fit into the budget of FRESH (800 tokens)",
    )


def test_a_domain_that_is_partly_cut_says_which_rules_are_out_and_why() -> None:
    words = "a rule that is far too long to be told " * 8
    rules = "".join(f"GLOBAL_RULE_{n}={n} {words}\n" for n in range(30))
    check_hover(
        MANIFEST,
        team_manifest("GLOBAL_STATE", "«GLOBAL_STATE»"),
        "of them in the block",
        "**In the block now**: it holds for every prompt (L1 global).\n\n"
        "**Not in the block now**: `GLOBAL_RULE_",
        "–29`: it does not fit into the budget of FRESH (800 tokens)",
        "To inject it: run `synapse profile use synapse-live`",
        files={**TEAM, ".synapse/global": rules},
    )


def test_a_rule_that_would_be_cut_once_its_agent_is_active_is_not_promised() -> None:
    words = "a rule that is far too long to be told " * 8
    text = "".join(f"AGENT_DEV_RULE_{n}={n} {words}\n" for n in range(9))
    check_hover(
        ".synapse/agent-dev",
        f"{text}«AGENT_DEV_RULE_9»=last\n",
        "**Not in the block now**: no agent is active, not @dev.\n\n"
        "**Not in the block with @dev either**: it does not fit into the budget of FRESH",
    )


def test_a_rule_of_another_phase_says_which_phase_it_is_for() -> None:
    check_hover(
        ".synapse/workflow-story-dev",
        "WORKFLOW_STORY_DEV_RULE_0=Phase in_development: a\n"
        "«WORKFLOW_STORY_DEV_RULE_1»=Phase qa_review: b\n",
        "in the phase qa_review",
        "**Not in the block now**: it is for phase qa_review; the phase is in_development.",
        files={**TEAM, STATE_PATH: STATE},
        remaining=50,
    )


def test_an_authority_boundary_is_called_so() -> None:
    check_hover(
        ".synapse/agent-dev",
        "«AGENT_DEV_AUTH_0»=no\n",
        "authority boundary of AGENT_DEV",
        agent="dev",
    )


def test_a_boundary_says_what_the_guard_reads_in_it() -> None:
    check_hover(
        ".synapse/agent-dev",
        "«AGENT_DEV_AUTH_0»=BLOCKED: git push, MCP management — @devops\n",
        "The guard only warns of `git push`: the agent may go on. It sees no command in "
        "`MCP management`.",
        agent="dev",
    )


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("off", "The guard is off, and does nothing about `git push`."),
        ("warn", "The guard only warns of `git push`: the agent may go on."),
        ("enforce", "The guard refuses `git push`."),
    ],
)
def test_a_boundary_says_what_the_mode_in_force_does(mode: str, sentence: str) -> None:
    check_hover(
        ".synapse/agent-dev",
        "«AGENT_DEV_AUTH_0»=BLOCKED: git push — @devops\n",
        sentence,
        agent="dev",
        files={**TEAM, ".synapse/config.toml": f'[guard]\nmode = "{mode}"\n'},
    )


def test_a_denial_says_what_the_guard_reads_in_it() -> None:
    check_hover(
        ".synapse/agent-dev",
        "«AGENT_DEV_DENY_0»=write docs/** — @po\n",
        "The guard only warns of `write docs/**`: the agent may go on.",
        agent="dev",
    )


def test_a_rule_of_a_file_that_the_tree_refers_to_is_told_about_there() -> None:
    text = "# Guide\n\n- Never push.\n"
    files = {".synapse/config.toml": '[[adopted]]\npath = "CLAUDE.md"\n', "CLAUDE.md": text}
    found = hover(view_of(files), "CLAUDE.md", text.index("push"))
    assert found is not None
    assert "**In the block now**: always on" in found.markdown and "CLAUDE_MD" in found.markdown


def test_a_rule_in_plain_text_goes_by_its_number() -> None:
    check_hover(".synapse/global", "«Write small functions.»\n", "**Rule 1** · rule of GLOBAL")


def test_a_rule_of_a_file_without_a_domain_is_never_told() -> None:
    check_hover(".synapse/stray", "«STRAY_RULE_0»=a\n", "No domain of a manifest is served")


def test_an_article_goes_by_its_title() -> None:
    check_hover(
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=CLI First (MUST)\n«CONSTITUTION_RULE_ART1_1»=a\n",
        "rule of Art. I CLI First (MUST)",
        "**In the block now**",
    )


def test_a_bracket_tells_its_budget_and_its_layers_and_shows_its_block() -> None:
    check_hover(
        ".synapse/context",
        "CONTEXT_RULE_FRESH_0=a\n«CONTEXT_RULE_MODERATE_0»=Prefer short answers\n",
        "**Not in the block now**: it is for MODERATE; the bracket is FRESH.",
        "**MODERATE**: 40–60% of the context window left. Budget 1,500 tokens; active are L0, L1",
        "The block in MODERATE: MODERATE",
        "  1. Prefer short answers",
    )


def test_a_star_command_shows_the_block_of_a_prompt_that_says_it() -> None:
    check_hover(
        ".synapse/commands",
        "# [*«brief»] COMMAND:\nCOMMANDS_RULE_BRIEF_0=Use bullet points only\n",
        "**\\*brief** · 1 rule, 8 tokens, from `.synapse/commands:2`",
        "The block for the prompt `*brief`: FRESH",
        "[*brief] COMMAND:",
    )


def test_a_star_command_that_is_executed_says_who_answers() -> None:
    check_hover(
        ".synapse/commands",
        "# [*«synapse-status»] COMMAND:\nCOMMANDS_RULE_SYNAPSE_STATUS_0=Recite the status\n",
        "**Not in the block now**: Synapse LS itself answers a prompt that says \\*synapse-status.",
    )


def test_a_mention_of_a_star_command_tells_what_it_does() -> None:
    check_hover(".synapse/global", "GLOBAL_RULE_0=Say «*brief» to sum up\n", "**\\*brief**")


def test_a_squad_tells_its_domains_and_what_they_cost() -> None:
    check_hover(
        "squads/etl-squad/squad.yaml",
        "name: «etl-squad»\nversion: 1.0.0\n",
        "**etl-squad** · squad in `squads/etl-squad`",
        "`extend`: its domains join those of the root.",
        "- ETL_PIPELINE: 1 rule, 8 tokens",
        "The block with the squad etl-squad: MODERATE",
        "[SQUAD: etl-squad]",
        files={**TEAM, **SQUAD},
        remaining=50,
    )


def test_a_squad_that_overrides_says_what_that_means() -> None:
    check_hover(
        "squads/etl-squad/squad.yaml",
        "name: etl-squad\nversion: 1.0.0\nconfig:\n  extends: «override»\n",
        "`override`: its active domains take the place of the root's",
        files={**TEAM, **SQUAD},
    )


def test_extends_in_the_manifest_of_a_squad_is_about_the_squad() -> None:
    check_hover(
        "squads/etl-squad/.synapse/manifest",
        "«ETL_EXTENDS»=none\nPIPELINE_STATE=active\n",
        "`none`: its domains count only while the squad is active.",
        files={**TEAM, **SQUAD},
    )


def test_a_step_tells_whether_the_work_is_there_and_which_rules_are_for_it() -> None:
    check_hover(
        STATE_PATH,
        STATE.replace(
            "{step_index: 1, phase: qa_review, agent: qa, action: check, status: pending}",
            "«{step_index: 1, phase: qa_review, agent: qa, action: check, status: pending}»",
        ),
        "**Step 2 of 2** · phase `qa_review` · @qa · pending",
        "Not the current step.",
        "Rules for its phase: `.synapse/workflow-story-dev:3`.",
    )


def test_the_workflow_of_a_state_tells_the_domain_that_it_brings_in() -> None:
    check_hover(
        STATE_PATH,
        STATE.replace("story-development-cycle\n", "«story-development-cycle»\n", 1),
        "**Active now** (known from the state).",
        "WORKFLOW_STORY_DEV: workflow story_development is active",
        "The block in the workflow story-development-cycle",
        remaining=50,
    )


def test_a_task_shows_what_its_layer_tells() -> None:
    check_hover(
        ".aiox-core/development/tasks/build.md",
        "«# Build»\n\n**Acceptance Criteria:**\n- [ ] it works\n",
        "**build** · task",
        "activate it with --task build",
        "The block with this task in MODERATE: MODERATE",
        "[TASK CONTEXT]\n  Active Task: build",
    )


def test_an_active_story_says_that_its_layer_sleeps() -> None:
    check_hover(
        "docs/stories/s1.md",
        "«# Story 1.2: Login»\n",
        "it is the active story, and L4 is inactive in FRESH",
        story="s1",
    )


def test_a_setting_tells_what_it_is_for() -> None:
    check_hover(
        ".synapse/config.toml",
        "[usage]\n«max_context» = 100\n",
        "**usage.max_context**: Tokens of the window, where none is known.",
        "Default: `200000`",
    )


OWN = "[profiles.lean]\nextends = 'synapse-live'\n[profiles.lean.brackets.FRESH]\nbudget = 1234\n"


def test_a_profile_shows_what_it_comes_to() -> None:
    for text in (
        OWN.replace("profiles.lean]", "«profiles.lean»]", 1),
        OWN.replace("budget", "«budget»"),
    ):
        check_hover(
            ".synapse/config.toml",
            text,
            "- FRESH (60–100%): 1,234 tokens, L0 L1 L2 L3 L4 L5 L6 L7",
            "Goes first: SUMMARY, KEYWORD",
        )


def test_a_profile_shows_what_of_it_cannot_count() -> None:
    text = "[profiles.lean]\n«order» = ['GLOBL']\n"
    check_hover(".synapse/config.toml", text, "⚠️ There is no section `GLOBL`")


def test_a_name_below_a_setting_is_about_the_setting() -> None:
    check_hover(
        ".synapse/config.toml", '[lint.severity]\n«SYN1» = "off"\n', "**lint.severity**", "`error`"
    )


def test_markup_in_rules_stays_text() -> None:
    text = "GLOBAL_RULE_0=Never write ``` fences\n«GLOBAL_RULE_1»=x\n"
    markdown = Asked(MANIFEST, "«GLOBAL_STATE»=active\n", {**TEAM, ".synapse/global": text}).hover()
    assert "````text\n[GLOBAL]" in markdown
    assert "Never write ``` fences\n````\n\n**In" in markdown


@pytest.mark.parametrize("argument", ["", "?zz", "?%5B%7B%22a%22%3A%22b%22%7D%5D", "?%5B%5D"])
def test_a_command_in_the_words_of_a_tree_stays_text_in_every_editor(argument: str) -> None:
    link = f"[whole block](command:synapse.showContext{argument})"
    files = {**TEAM, ".synapse/global": f"GLOBAL_RULE_0=Be short {link} always\n"}
    manifest = f"GLOBAL_STATE=active\nEV_STATE=active\nEV_RECALL={link}\n"
    for path, text in ((".synapse/global", files[".synapse/global"]), (MANIFEST, manifest)):
        view = view_of({**files, path: text, ".synapse/ev": "EV_RULE_0=x\n"})
        found = hover(view, path, text.index(link), runs_links=False)
        assert found is not None
        assert link in found.markdown
        assert "(whole: `synapse context" in found.markdown
        assert link not in CODE_SPAN.sub("", re.sub("(?s)```.*```", "", found.markdown))


LINK = "[x](command:y) ![x](https://example.invalid/x)"


@pytest.mark.parametrize("word", [f"a` {LINK} `b", f"``{LINK}`", f"a``{LINK}", f"{LINK}`` `"])
def test_markup_in_settings_stays_text(word: str) -> None:
    quoted = json.dumps(word)
    for profile in (
        f'[profiles.{quoted}]\n«base» = "synapse-live"',
        f"[profiles.x]\n«drop» = [{quoted}]",
    ):
        markdown = Asked(".synapse/config.toml", f"{profile}\norder = [{quoted}]\n", TEAM).hover()
        assert "[x](" not in CODE_SPAN.sub("", markdown)


@pytest.mark.parametrize("word", LINKED_WORDS)
def test_nothing_in_a_hover_becomes_a_link_by_itself(word: str) -> None:
    manifest = f"GLOBAL_STATE=active\nEV_STATE=active\nEV_RECALL=«see ({word})»\n"
    text = text_outside_code(
        Asked(MANIFEST, manifest, {**TEAM, ".synapse/ev": "EV_RULE_0=x\n"}).hover()
    )
    assert "see (" in text
    assert not re.search(r"(?i)//|www\.|\S@", text)


def test_the_extension_makes_code_of_the_same_words() -> None:
    source = Path(__file__).parents[2] / "clients/vscode/src/text/markdown.ts"
    text = source.read_text("utf-8")
    assert f"const LINKED_WORD = /{LINKED_WORD.pattern}/i;" in text
    assert f"const WORDS = /{WORDS.pattern}/g;" in text


def test_a_file_that_is_not_ours_has_no_hover() -> None:
    assert hover(view_of(TEAM), "src/main.py", 0) is None


def test_a_hover_begins_with_what_is_injected_then_says_why_then_how_much() -> None:
    markdown = Asked(MANIFEST, team_manifest("GLOBAL_STATE=", "«GLOBAL_STATE»=")).hover()
    beginnings = [part.partition("\n")[0] for part in markdown.split("\n\n")]
    assert beginnings[:2] == [
        "```text",
        "**In the block now**: it holds for every prompt (L1 global).",
    ]
    assert beginnings[-1].startswith("The block now: FRESH")


def test_the_part_of_another_block_stands_below_the_line_that_says_of_which() -> None:
    markdown = Asked(MANIFEST, team_manifest("TESTING_STATE=", "«TESTING_STATE»=")).hover()
    first, code, why, *_ = markdown.split("\n\n")
    assert first.startswith("The block for the prompt `unit test`: MODERATE")
    assert code.startswith("```text\n[KEYWORD MATCHES]")
    assert why.startswith("**Not in the block now**: ")


def test_a_rule_shows_its_own_line_of_the_block() -> None:
    text = tree_text(".synapse/global").replace("GLOBAL_RULE_1=", "«GLOBAL_RULE_1»=")
    markdown = Asked(".synapse/global", text).hover()
    _, own, *_ = block_in(markdown).splitlines()
    assert own.strip().partition(". ")[2] in text
    assert len(block_in(markdown).splitlines()) == 2
