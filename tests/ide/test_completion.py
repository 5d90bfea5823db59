"""What is offered at the caret, which stands at the end of what is marked."""

from __future__ import annotations

from synapse_ls.formats.manifest import GLOBAL_KEYS
from synapse_ls.ide.completion import MOST_ITEMS, complete_at, item_documentation
from synapse_ls.ide.completion_item import CompletionItem, CompletionOffer
from synapse_ls.text.text_edit import TextEdit, apply_edits
from tests.ide.views import SQUAD, STATE, view_of
from tests.support import mark
from tests.trees import TEAM, Files

MANIFEST = ".synapse/manifest"
AGENT = """\
# dev
```yaml
agent:
  id: dev
  name: Dex
  title: Full Stack Developer
commands:
  - name: develop
    description: Implement a story
```
"""
WORKFLOW = """\
workflow:
  id: story-development-cycle
  name: Story Development Cycle
  sequence:
    - {step: implement_story, agent: dev, action: Build}
"""
PATTERNS = """\
workflows:
  story_development:
    description: From a story to a push
"""
FILES: Files = {
    **TEAM,
    **SQUAD,
    ".synapse/house-style": "HOUSE_STYLE_RULE_0=Write British English\n",
    ".aiox-core/development/agents/dev.md": AGENT,
    ".aiox-core/development/agents/qa.md": "# qa\n",
    ".aiox-core/development/workflows/sdc.yaml": WORKFLOW,
    ".aiox-core/data/workflow-patterns.yaml": PATTERNS,
    ".aiox/a-state.yaml": STATE,
    "docs/stories/s1.md": "# Story 1.2: Login\n",
}


class At:
    """The offer at the end of the mark in one file of a tree."""

    def __init__(self, path: str, fixture: str, files: Files = FILES) -> None:
        marked = mark(fixture)
        self.text = marked.text
        self.typed = marked.spans[0]
        self.view = view_of({**files, path: self.text})
        self.offer: CompletionOffer | None = complete_at(self.view, path, self.typed.end)

    @property
    def labels(self) -> list[str]:
        """What is offered, in order, in place of just what is marked."""
        if self.offer is None:
            return []
        assert self.offer.span.start == self.typed.start, self.offer.span.cut(self.text)
        return [item.label for item in self.offer.items]

    def item(self, label: str) -> CompletionItem:
        """One of the items."""
        assert self.offer is not None
        return next(item for item in self.offer.items if item.label == label)

    def written(self, label: str) -> str:
        """The text once an item is taken."""
        assert self.offer is not None
        return apply_edits(self.text, [TextEdit(self.offer.span, self.item(label).text)])

    def about(self, label: str) -> str:
        """What is told of an item."""
        return item_documentation(self.view, self.item(label).topic)


def team(line: str) -> str:
    """The team's manifest with another line at its end."""
    return "GLOBAL_STATE=active\nAGENT_DEV_STATE=active\n" + line


# Manifests


def test_the_missing_settings_of_the_domain_above_come_first() -> None:
    labels = At(MANIFEST, team("«»")).labels
    assert labels[:2] == ["AGENT_DEV_AGENT_TRIGGER", "AGENT_DEV_RECALL"]
    assert "AGENT_DEV_STATE" not in labels
    assert "GLOBAL_STATE" not in labels


def test_a_file_that_no_domain_claims_can_be_declared() -> None:
    at = At(MANIFEST, team("«HOUS»"))
    assert "HOUSE_STYLE_STATE" in at.labels
    assert at.written("HOUSE_STYLE_STATE").endswith("\nHOUSE_STYLE_STATE=active")
    assert at.item("HOUSE_STYLE_STATE").snippet == "HOUSE_STYLE_STATE=${1|active,inactive|}"


def test_a_key_that_has_its_value_is_replaced_up_to_the_equals_sign() -> None:
    at = At(MANIFEST, team("«AGENT_DEV_»RECAL=x"))
    assert at.written("AGENT_DEV_RECALL").endswith("\nAGENT_DEV_RECALL=x")


def test_before_a_setting_that_is_there_only_the_domain_is_named() -> None:
    at = At(MANIFEST, team("«HOU»_STATE=active\nHOU_RECALL=house"))
    assert "HOUSE_STYLE" in at.labels
    assert not [label for label in at.labels if label.startswith("HOU_")]
    assert "GLOBAL" not in at.labels  # it has a state
    assert at.written("HOUSE_STYLE").endswith("\nHOUSE_STYLE_STATE=active\nHOU_RECALL=house")
    assert at.offer is not None and at.offer.is_complete


def test_the_name_of_a_domain_is_replaced_up_to_its_setting() -> None:
    at = At(MANIFEST, team("«HOU»SE_RECALL=x"))
    assert at.written("HOUSE_STYLE").endswith("\nHOUSE_STYLE_RECALL=x")


def test_the_keys_of_the_manifest_itself_are_offered_until_they_are_there() -> None:
    assert {"DEVMODE", "GLOBAL_EXCLUDE"} <= set(At(MANIFEST, team("«D»")).labels)
    assert "DEVMODE" not in At(MANIFEST, "DEVMODE=true\n«D»").labels


def test_a_squad_says_how_it_meets_the_root() -> None:
    at = At("squads/etl-squad/.synapse/manifest", "PIPELINE_STATE=active\n«ETL»")
    assert at.written("ETL_EXTENDS").endswith("\nETL_EXTENDS=extend")


def test_the_trigger_that_a_name_speaks_of_is_filled_in() -> None:
    at = At(MANIFEST, team("«AGENT_DEV_AG»"))
    assert at.item("AGENT_DEV_AGENT_TRIGGER").snippet == "AGENT_DEV_AGENT_TRIGGER=${1:dev}"


def test_of_a_thousand_domains_those_are_offered_that_fit() -> None:
    many = "".join(f"AREA_{n}_STATE=active\n" for n in range(1000))
    at = At(MANIFEST, f"{many}«AREA_99»")
    assert at.offer is not None
    assert not at.offer.is_complete
    assert len(at.offer.items) <= MOST_ITEMS
    assert all("AREA_99" in label for label in at.labels if label not in GLOBAL_KEYS)


def test_states_and_booleans() -> None:
    assert At(MANIFEST, team("X_STATE=«act»")).labels == ["active", "inactive"]
    assert At(MANIFEST, team("X_ALWAYS_ON= «»")).labels == ["true", "false"]
    assert At(MANIFEST, "DEVMODE=«»").labels == ["true", "false"]


def test_a_value_replaces_the_whole_one_that_is_there() -> None:
    assert At(MANIFEST, "X_STATE=«in»active").written("active") == "X_STATE=active"


def test_agents_with_their_titles() -> None:
    at = At(MANIFEST, team("AGENT_QA_AGENT_TRIGGER=«»"))
    assert at.labels == ["qa", "dev"]
    assert at.item("dev").detail == "Full Stack Developer"
    assert "`*develop`" in at.about("dev")


def test_workflows_by_the_ids_that_triggers_use() -> None:
    at = At(MANIFEST, team("X_WORKFLOW_TRIGGER=«story»"))
    assert at.labels == ["story_development", "story-development-cycle"]
    assert "From a story to a push" in at.about("story_development")


def test_keywords_that_other_domains_have_but_not_those_of_the_list() -> None:
    at = At(
        MANIFEST,
        "A_RECALL=unit test, coverage\nB_RECALL=coverage,«cov», x\nREFUND_FLOW_STATE=active\n",
    )
    assert at.labels == ["unit test", "pipeline"]
    assert "Recalls A" in at.about("unit test")


def test_the_words_of_the_domains_own_name_come_first() -> None:
    assert At(MANIFEST, "REFUND_FLOW_RECALL=«»").labels[:2] == ["refund", "flow"]


def test_patterns_for_paths() -> None:
    at = At(MANIFEST, "A_PATHS=lib/**\nB_PATHS=«»")
    assert at.labels[:2] == ["lib/**", "src/**"]


def test_nothing_in_a_comment() -> None:
    assert At(MANIFEST, "# AGENT«»").offer is None


# Rule files


def test_the_next_key_of_each_list_of_an_agent() -> None:
    labels = At(".synapse/agent-dev", TEAM[".synapse/agent-dev"] + "«»").labels
    assert labels == [
        "AGENT_DEV_RULE_1",
        "AGENT_DEV_AUTH_1",
        "AGENT_DEV_DENY_0",
        "AGENT_DEV_ALLOW_0",
    ]


def test_the_next_key_is_spelt_as_its_relatives_are() -> None:
    at = At(".synapse/agent-dev", "DEV_RULE_AUTH_4=BLOCKED: push\nDEV_RULE_7=Test\n«DEV»")
    assert at.labels[:2] == ["DEV_RULE_8", "DEV_RULE_AUTH_5"]
    assert at.written("DEV_RULE_8").endswith("\nDEV_RULE_8=")


def test_before_the_rest_of_a_rules_key_only_its_domain_is_named() -> None:
    at = At(".synapse/testing", "«TES»_RULE_0=a\n")
    assert at.labels == ["TESTING"]
    assert at.written("TESTING") == "TESTING_RULE_0=a\n"
    assert At(".synapse/testing", "TESTING_RU«LE»_0=a\n").labels == []
    assert At(".synapse/context", "FR«ESH»_RULE_0=a\n").labels == []


def test_a_domain_without_an_agent_has_no_authority() -> None:
    assert At(".synapse/testing", "TESTING_RULE_0=a\n«»").labels == ["TESTING_RULE_1"]


def test_a_denial_can_begin_with_files_a_tool_or_a_command() -> None:
    labels = At(".synapse/agent-dev", "AGENT_DEV_DENY_0=«»").labels
    assert labels[:4] == ["write", "read", "delete", "tool"]
    assert "git push" in labels


def test_a_denial_of_files_goes_on_freely() -> None:
    assert At(".synapse/agent-dev", "AGENT_DEV_DENY_0=write docs/«»").labels == []


def test_an_orphan_has_keys_too() -> None:
    assert At(".synapse/house-style", "«»").labels == ["HOUSE_STYLE_RULE_0"]


def test_a_rule_of_each_bracket() -> None:
    at = At(".synapse/context", "CONTEXT_RULE_FRESH_0=a\n«»")
    assert at.labels == [
        "CONTEXT_RULE_FRESH_1",
        "CONTEXT_RULE_MODERATE_0",
        "CONTEXT_RULE_DEPLETED_0",
        "CONTEXT_RULE_CRITICAL_0",
    ]
    assert "Budget" in at.about("CONTEXT_RULE_DEPLETED_0")


def test_the_articles_and_a_new_one() -> None:
    at = At(".synapse/constitution", "CONSTITUTION_RULE_ART1_0=CLI First (MUST)\n«»")
    assert at.labels == ["CONSTITUTION_RULE_ART1_1", "CONSTITUTION_RULE_ART2_0"]
    snippet = at.item("CONSTITUTION_RULE_ART2_0").snippet
    assert snippet == "CONSTITUTION_RULE_ART2_0=${1:Title} (${2|NON-NEGOTIABLE,MUST,SHOULD|})"


def test_the_severity_of_an_article() -> None:
    at = At(".synapse/constitution", "CONSTITUTION_RULE_ART1_0=CLI First «(MU»)")
    assert at.labels == ["(NON-NEGOTIABLE)", "(MUST)", "(SHOULD)"]
    assert at.written("(MUST)") == "CONSTITUTION_RULE_ART1_0=CLI First (MUST)"


def test_the_next_rule_of_a_star_command_and_a_new_command() -> None:
    at = At(".synapse/commands", TEAM[".synapse/commands"] + "«»")
    assert at.labels == ["COMMANDS_RULE_BRIEF_2", "new star-command"]
    assert "COMMANDS_RULE_${2:NAME}_0=" in at.item("new star-command").snippet


def test_the_header_of_an_agents_command() -> None:
    at = At(".synapse/commands", "# «[*de»\n")
    assert at.written("[*develop]") == "# [*develop] COMMAND:\n"


def test_star_commands_and_agents_inside_a_rule() -> None:
    assert At(".synapse/testing", "TESTING_RULE_0=Run «*br» first").labels == ["*brief", "*develop"]
    assert At(".synapse/testing", "TESTING_RULE_0=Ask «@» first").labels == ["@dev", "@qa"]
    assert At(".synapse/testing", "TESTING_RULE_0=2*«3» and a@«»b").offer is None


def test_the_phases_of_the_files_workflow() -> None:
    at = At(".synapse/workflow-story-dev", "WORKFLOW_STORY_DEV_RULE_0=«Phase q»")
    assert {"Phase qa_review", "Phase in_development"} <= set(at.labels)
    assert at.written("Phase qa_review") == "WORKFLOW_STORY_DEV_RULE_0=Phase qa_review: "
    assert "in this phase" in at.about("Phase qa_review")


def test_plain_text_is_offered_mentions_and_openings() -> None:
    assert At(".synapse/testing", "- Write tests.\n- Ask «@q»").labels == ["@dev", "@qa"]
    assert At(".synapse/context", "Be brief.\n\n«When»").labels[0] == "When context is FRESH:"


# squad.yaml


SQUAD_YAML = "squads/etl-squad/squad.yaml"
ETL: Files = {
    **FILES,
    "squads/etl-squad/agents/loader.md": "# loader\n",
    "squads/etl-squad/agents/cleaner.md": "# cleaner\n",
}


def test_the_fields_that_are_missing_the_required_ones_first() -> None:
    at = At(SQUAD_YAML, "name: etl-squad\n«»")
    assert at.labels[0] == "version"
    assert "name" not in at.labels
    assert at.written("components") == "name: etl-squad\ncomponents:\n  "


def test_fields_and_words_below_a_field() -> None:
    assert At(SQUAD_YAML, "config:\n  «ex»").labels == ["extends"]
    assert At(SQUAD_YAML, "config:\n  extends: «»").labels == ["extend", "override", "none"]
    assert At(SQUAD_YAML, "config: {extends: «o»}").labels == ["extend", "override", "none"]
    assert At(SQUAD_YAML, "license: «»").labels[0] == "MIT"


def test_components_are_files_that_exist() -> None:
    assert At(SQUAD_YAML, "components:\n  agents:\n    - «l»", ETL).labels == [
        "cleaner.md",
        "loader.md",
    ]
    listed = At(SQUAD_YAML, "components:\n  agents:\n    - loader.md\n    - «»", ETL)
    assert listed.labels == ["cleaner.md"]
    assert At(SQUAD_YAML, "components:\n  agents: [loader.md, «c»]", ETL).labels == ["cleaner.md"]


# State, tasks, stories


STATE_PATH = ".aiox/a-state.yaml"


def test_the_fields_and_words_of_a_state() -> None:
    assert At(STATE_PATH, "status: «»\nworkflow_id: x\n").labels[0] == "active"
    assert "story-development-cycle" in At(STATE_PATH, "workflow_id: «»\nstatus: active\n").labels
    assert "current_step_index" in At(STATE_PATH, "workflow_id: x\n«cur»").labels


def test_the_fields_and_words_of_a_step() -> None:
    head = "workflow_id: story-development-cycle\nsteps:\n"
    assert At(STATE_PATH, f"{head}  - step_index: 0\n    agent: «»\n").labels == ["dev", "qa"]
    assert At(STATE_PATH, f"{head}  - step_index: 0\n    status: «»\n").labels[0] == "pending"
    labels = At(STATE_PATH, f"{head}  - step_index: 0\n    «s»\n").labels
    assert labels == ["phase", "agent", "action", "task", "status", "step_id"]
    assert "phase" in At(STATE_PATH, f"{head}  - {{step_index: 0, «ph»}}\n").labels
    assert At(STATE_PATH, f"{head}  - phase: «»\n").labels == ["implement_story"]


def test_the_words_of_a_definition() -> None:
    path = ".aiox-core/development/workflows/x.yaml"
    assert At(path, "workflow:\n  id: x\n  sequence:\n    - agent: «»\n").labels == ["dev", "qa"]


def test_executors_agents_and_stories_of_a_task() -> None:
    path = ".aiox-core/development/tasks/build.md"
    body = "# Build\n\n```yaml\n**task:** build()\n{}\n```\n"
    assert At(path, body.format("**responsavel_type:** «»")).labels[0] == "Agente"
    assert At(path, body.format("responsavel: «@d»")).labels == ["@dev", "@qa"]
    assert At(path, body.format("story: «»")).labels == ["1.2"]
    assert "responsavel_type" in At(path, body.format("«resp»")).labels


def test_the_status_of_a_story() -> None:
    path = "docs/stories/s2.md"
    at = At(path, "# Story 1.3: Logout\n\n**Status:** «Dra»ft\n")
    assert at.labels[:2] == ["Draft", "Approved"]
    assert "**Status:** Done\n" in at.written("Done")
    assert At(path, "# Story 1.3\n\n## Status\n\n| Executor | «@» |\n").labels == ["@dev", "@qa"]


# Configuration


CONFIG = ".synapse/config.toml"


def test_tables_and_their_keys() -> None:
    at = At(CONFIG, "[«us»")
    assert "usage" in at.labels
    assert at.written("usage") == "[usage]"
    assert At(CONFIG, "[usage]\n«»").labels == ["avg_tokens_per_prompt", "max_context"]
    assert At(CONFIG, "[usage]\nmax_context = 1\n«»").labels == ["avg_tokens_per_prompt"]
    assert "profile" in At(CONFIG, "«pro»").labels


def test_files_of_instructions_and_their_headings_that_can_be_referred_to() -> None:
    files = {**FILES, "CLAUDE.md": "# Guide\n\n## Testing\n\n- Run it.\n"}
    written = At(CONFIG, '[[adopted]]\npath = "«»"', files)
    assert "CLAUDE.md" in written.labels
    text = '[[adopted]]\npath = "CLAUDE.md"\nheading = «»'
    assert At(CONFIG, text, files).labels[:2] == ["Guide", "Testing"]


def test_values_with_their_quotes() -> None:
    assert At(CONFIG, "profile = «»").written("synapse-live") == 'profile = "synapse-live"'
    assert At(CONFIG, 'profile = "«syn»"').written("synapse-live") == 'profile = "synapse-live"'
    assert At(CONFIG, "devmode = «»").labels == ["true", "false"]
    assert At(CONFIG, 'injection = "«»').written("always") == 'injection = "always"'


def test_rules_of_the_linter_with_their_summaries() -> None:
    at = At(CONFIG, '[lint]\nignore = ["«SYN1»"]')
    assert at.written("SYN104") == '[lint]\nignore = ["SYN104"]'
    assert at.item("SYN104").detail == "unknown-key"
    assert "unknown-key" in at.about("SYN104")
    assert (
        At(CONFIG, '[lint]\nignore = [\n  "SYN101",\n  «»\n]')
        .written("SYN104")
        .endswith('"SYN104"\n]')
    )
    assert At(CONFIG, "[lint.severity]\n«»").written("SYN104") == "[lint.severity]\nSYN104 = "
    assert At(CONFIG, "[lint.severity]\nSYN104 = «»").labels[0] == "error"


# Tests of the tree


CASES = ".synapse/tests/a.toml"


def test_a_case_begins_with_its_header() -> None:
    assert At(CASES, "«»").written("[[case]]") == "[[case]]"
    assert At(CASES, "[[«ca»]]").written("[[case]]") == "[[case]]"
    assert At(CASES, "[«»").written("[[case]]") == "[[case]]"


def test_the_fields_of_a_case_but_for_those_it_has() -> None:
    labels = At(CASES, '[[case]]\nname = "a"\n«»').labels
    assert "name" not in labels
    assert {"prompt", "domains", "no_texts", "max_tokens"} <= set(labels)
    assert "Domains that have none." in At(CASES, "[[case]]\n«no»").about("no_domains")


def test_what_a_case_can_name() -> None:
    assert "TESTING" in At(CASES, '[[case]]\ndomains = ["GLOBAL", "«»"]').labels
    assert "GLOBAL_RULE_0" in At(CASES, "[[case]]\nno_rules = [\n  «»\n]").labels
    assert "FRESH" in At(CASES, '[[case]]\nbracket = "«»"').labels


# Directives


def test_the_codes_that_a_directive_would_silence_come_first() -> None:
    at = At(MANIFEST, "GLOBAL_STATE=active\nX_STATE=of # synapse: ignore[«»]\n")
    assert at.labels[0] == "SYN105"
    below = At(MANIFEST, "# synapse: ignore-next-line[«»]\nX_RECAL=of\n")
    assert below.labels[0] == "SYN104"


def test_the_words_of_a_directive() -> None:
    assert At(MANIFEST, "# «syn»").labels[0] == "synapse: ignore-next-line"
    assert At(MANIFEST, "X_STATE=of # synapse: «»").labels == [
        "ignore",
        "ignore-next-line",
        "ignore-file",
    ]


# Profiles of a tree's own

OWN = '[profiles.lean]\nextends = "synapse-live"\n'


def test_the_keys_of_a_profile_and_of_its_brackets() -> None:
    assert {"tag", "order", "protect"} < set(At(CONFIG, f"{OWN}«»").labels)
    assert "extends" not in At(CONFIG, f"{OWN}«»").labels
    bracket = At(CONFIG, f"{OWN}[profiles.lean.brackets.FRESH]\n«»")
    assert {"floor", "budget", "layers", "memory"} < set(bracket.labels)


def test_the_words_of_a_profile() -> None:
    assert At(CONFIG, f"{OWN}order = [«»]").item("GLOBAL").detail == "rules for everything"
    assert At(CONFIG, f"{OWN}drop = [«»]").item("KEYWORD").detail
    assert At(CONFIG, f'{OWN}layers = ["L0", "«»"]').labels[0] == "L1"
    assert "carl" in At(CONFIG, "[profiles.x]\nextends = «»").labels
    assert At(CONFIG, f"{OWN}[profiles.lean.brackets.FRESH]\nmemory = «»").labels[0] == "none"
