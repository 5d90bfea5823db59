"""What ADR-001 decides, from A1 to E7 and through the migration, as somebody sees it who has a tree, the
command line and the hook.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.activation.crew import CREW, STATE, crew, repository, state
from tests.carl_trees import BAND
from tests.cli.conftest import Synapse
from tests.cli.documents.conftest import MakePlace, sections_of
from tests.hooks.hook_clients import Claude
from tests.setup.migrate.trees import project
from tests.trees import TEAM, Files

LIVE: Files = {".synapse/config.toml": 'profile = "synapse-live"\n'}
TASK: Files = {
    ".aios-core/development/tasks/implement-user-auth.md": """\
        ---
        id: implement-user-auth
        agent: dev
        responsavel_type: Agente
        ---
        # Log in

        ## Pre-conditions

        - [x] Story validated by @po
        """,
    "docs/stories/STORY-42.md": """\
        # STORY-42: Log in

        ## Status

        In Progress

        ## Acceptance Criteria

        - [ ] Refresh token rotation implemented
        - [x] Rate limiting on auth endpoints

        ## File List

        - src/auth/login.ts (new)
        """,
}


def squad(folder: str, mode: str, manifest: str, file: str, rule: str) -> Files:
    """A squad with one domain."""
    base = f"squads/{folder}"
    return {
        f"{base}/squad.yaml": f"name: {folder}\nversion: 1.0.0\nconfig:\n  extends: {mode}\n",
        f"{base}/.synapse/manifest": manifest,
        f"{base}/.synapse/{file}": rule,
    }


ETL = squad(
    "etl-squad",
    "extend",
    "ETL_PIPELINE_STATE=active\nETL_PIPELINE_RECALL=etl,pipeline\nETL_PIPELINE_EXCLUDE=frontend,ui\n",
    "etl-pipeline",
    "ETL_PIPELINE_RULE_0=Validate data schema before and after transformation\n",
)


BOUNDARIES: Files = {
    ".synapse/config.toml": "[guard]\nmode = 'enforce'\n",
    ".synapse/manifest": "".join(
        f"AGENT_{name}_STATE=active\nAGENT_{name}_AGENT_TRIGGER={name.lower()}\n"
        for name in ("DEV", "QA", "DEVOPS")
    ),
    ".synapse/agent-dev": """\
        DEV_RULE_AUTH_0=NEVER execute git push — delegate to @devops
        DEV_RULE_AUTH_1=NEVER create or modify stories — delegate to @po/@sm
        DEV_RULE_AUTH_3=Commits are LOCAL only — never push to remote
        """,
    ".synapse/agent-qa": """\
        QA_RULE_AUTH_0=ONLY modify "QA Results" section in stories
        QA_RULE_AUTH_1=NEVER commit code directly
        """,
    ".synapse/agent-devops": """\
        DEVOPS_RULE_AUTH_0=EXCLUSIVE authority for git push to remote
        DEVOPS_RULE_AUTH_1=EXCLUSIVE authority for PR creation and merge
        DEVOPS_RULE_AUTH_2=EXCLUSIVE authority for releases and tags
        """,
}
"""The boundaries of the document ("Per-Agent Authority Rules"), in its words."""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that CARL serves, with its hook, its block in ``CLAUDE.md`` and a session."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    root = project(tmp_path / "shop")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def team_of_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with agents, a workflow in its second step and patterns."""
    root = repository(crew(tmp_path / "crew", **{STATE: state(2)}), "feat/login")
    monkeypatch.chdir(root)
    return root


# A: what CARL has.


def test_a1_each_prompt_gets_its_rules(place: MakePlace) -> None:
    client = Claude(place(TEAM, LIVE))
    assert "Arrange, act, assert" not in client.prompt("hello")
    assert "Arrange, act, assert" in client.prompt("a unit test")


@pytest.mark.parametrize(
    ("remaining", "bracket"),
    [("60", "FRESH"), ("59", "MODERATE"), ("39", "DEPLETED"), ("24", "CRITICAL")],
)
@pytest.mark.parametrize("files", [TEAM, BAND], ids=["synapse", "carl"])
def test_a2_brackets_are_those_of_carl(
    synapse: Synapse, place: MakePlace, files: Files, remaining: str, bracket: str
) -> None:
    place(files)
    assert (
        synapse("context", "--remaining", remaining, "--format", "json").json["bracket"] == bracket
    )


def test_a3_a_star_command_is_answered(place: MakePlace) -> None:
    client = Claude(place(TEAM))
    assert "1. Use bullet points only" in client.prompt("*brief tell me")
    assert "*synapse" in client.prompt("*synapse help")


def test_a3_in_a_tree_of_carl_too(place: MakePlace) -> None:
    assert "Play one more" in Claude(place(BAND)).prompt("*encore")


def test_a4_recall_brings_a_domain_in_as_whole_words(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM, LIVE)
    assert "Arrange, act, assert" in synapse("context", "A UNIT TEST, please").out
    assert "Arrange, act, assert" not in synapse("context", "my unit tester").out


def test_a4_in_a_tree_of_carl_inside_of_words_as_carl_does(
    synapse: Synapse, place: MakePlace
) -> None:
    place(BAND)
    assert "Cut before you boost" in synapse("context", "a remixed song").out


def test_a4_whole_words_are_chosen_and_reported_one_by_one(synapse: Synapse, shop: Path) -> None:
    assert synapse("migrate", "--words").code == 0
    assert "Version every route" in synapse("context", "a test", "--bracket", "DEPLETED").out
    assert "Version every route" not in synapse("context", "a contest", "--bracket", "DEPLETED").out


@pytest.mark.parametrize("files", [TEAM, BAND], ids=["synapse", "carl"])
def test_a5_rules_are_lines_with_a_key(synapse: Synapse, place: MakePlace, files: Files) -> None:
    place(files)
    found = synapse("domain", "show", "GLOBAL", "--format", "json")
    texts = [line.partition("=")[2] for path in files if path.endswith("/global")
             for line in files[path].splitlines() if "_RULE_" in line]  # fmt: skip
    assert [rule["text"] for rule in found.json["rules"]] == texts


def test_a5_a6_a_migration_keeps_every_rule_setting_and_comment(
    synapse: Synapse, shop: Path
) -> None:
    assert synapse("migrate").code == 0
    api = (shop / ".synapse/api").read_text()
    assert [line.partition("=")[2] for line in api.splitlines() if "_RULE_" in line] == [
        "Version every route", "Errors are problem+json",
    ]  # fmt: skip
    assert "# In between" in api
    manifest = (shop / ".synapse/manifest").read_text()
    assert "# For the API" in manifest and "API_EXCLUDE=frontend" in manifest


@pytest.mark.parametrize(("state", "told"), [("active", True), ("inactive", False)])
def test_a6_a_state_of_the_manifest_switches_a_domain(
    synapse: Synapse, place: MakePlace, state: str, told: bool
) -> None:
    text = TEAM[".synapse/manifest"].replace("DOCS_STATE=active", f"DOCS_STATE={state}")
    place(TEAM, LIVE, {".synapse/manifest": text})
    assert ("Every feature has an example" in synapse("context", "the readme").out) is told


def test_a6_in_a_tree_of_carl_what_has_no_state_and_waits_for_words_is_off(
    synapse: Synapse, place: MakePlace
) -> None:
    place(BAND)
    assert "Never released" not in synapse("context", "a demo").out
    assert "Leave no cable" in synapse("context", "hello").out


@pytest.mark.parametrize("files", [TEAM, BAND], ids=["synapse", "carl"])
def test_a7_an_exclusion_for_all_stops_keywords_and_nothing_else(
    synapse: Synapse, place: MakePlace, files: Files
) -> None:
    place(files)
    if files is TEAM:
        place(
            LIVE,
            {".synapse/manifest": f"{TEAM['.synapse/manifest']}GLOBAL_EXCLUDE=off the record\n"},
        )
    prompt = "off the record: a unit test at the venue"
    assert synapse("context", prompt).out == synapse("context", "hello").out or files is BAND
    assert "Arrange, act" not in synapse("context", prompt).out
    assert "Load in by four" not in synapse("context", prompt).out


@pytest.mark.parametrize(
    ("files", "word", "stopped", "rule"),
    [
        (TEAM, "coverage", "manual", "Arrange, act, assert"),
        (BAND, "mix", "mixtape", "Cut before you boost"),
    ],
    ids=["synapse", "carl"],
)
def test_a7_an_exclusion_of_a_domain_stops_that_domain(
    synapse: Synapse, place: MakePlace, files: Files, word: str, stopped: str, rule: str
) -> None:
    place(files, LIVE if files is TEAM else {})
    assert rule in synapse("context", word).out
    assert rule not in synapse("context", f"{word} {stopped}").out


def test_a_the_sections_of_carl_stand_in_carls_order(synapse: Synapse, place: MakePlace) -> None:
    place(BAND)
    out = synapse("context", "--remaining", "10", "*encore mix").out
    order = ("CONTEXT CRITICAL", "CONTEXT BRACKET", "CONTEXT RULES:", "ACTIVE COMMANDS",
             "DEVMODE=false", "LOADED DOMAINS:", "[GLOBAL] RULES:", "[MIX] RULES:")  # fmt: skip
    places = [out.find(heading) for heading in order]
    assert -1 not in places and places == sorted(places)


# B: what MIS has.


def test_b1_memories_are_kept_and_a_tree_does_without_them(
    synapse: Synapse, place: MakePlace
) -> None:
    root = place(TEAM)
    synapse("memory", "add", "--correction", "Use tabs in makefiles.")
    ask = ("context", "--bracket", "CRITICAL", "the makefiles")
    assert "Use tabs" in synapse(*ask).out
    (root / ".synapse/config.toml").write_text("[memory]\nenabled = false\n")
    off = synapse(*ask).out
    assert "Use tabs" not in off and "Write small functions" in off


def test_b1_a_store_that_is_broken_takes_no_rule_away(synapse: Synapse, place: MakePlace) -> None:
    root = place(TEAM)
    (root / ".synapse/memory").write_text("no folder")
    done = synapse("context", "--bracket", "CRITICAL", "go on")
    assert done.code == 0 and "Write small functions" in done.out


def test_b2_memories_are_told_by_their_score(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM)
    synapse("memory", "add", "Deploys wait for the green light.", "--inferred")
    (told,) = synapse("memory", "list", "--format", "json").json
    assert 0 <= told["score"] <= 1
    said = synapse("explain", "--bracket", "DEPLETED", "the deploys").out
    assert "score" in said or told["tier"] in said


def test_b3_a_memory_is_told_in_more_words_where_less_is_left(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM)
    levels = [
        synapse("context", "--bracket", bracket, "--format", "json").json["memory"]["level"]
        for bracket in ("DEPLETED", "CRITICAL")
    ]
    assert levels == ["summary", "full"]


def test_b4_what_an_agent_keeps_for_itself_is_told_to_no_other(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM)
    synapse("memory", "add", "--correction", "Mine alone.", "--agent", "@dev", "--private")
    for agent, told in (("dev", True), ("qa", False)):
        out = synapse("context", "--bracket", "CRITICAL", "--agent", agent, "what is mine").out
        assert ("Mine alone" in out) is told


def test_b5_what_was_learned_is_applied_by_a_person_and_taken_back_to_the_byte(
    synapse: Synapse, place: MakePlace
) -> None:
    root = place(TEAM, {".synapse/config.toml": "[learning]\nenabled = true\n"})
    for _ in range(8):
        synapse("memory", "add", "--correction", "Use pnpm, never npm.")
    before = (root / ".synapse/global").read_bytes()
    (one,) = synapse("learn", "list", "--format", "json").json
    assert (root / ".synapse/global").read_bytes() == before
    assert synapse("learn", "accept", one["id"]).code == 0
    assert b"Use pnpm, never npm." in (root / ".synapse/global").read_bytes()
    assert synapse("learn", "revert", one["id"]).code == 0
    assert (root / ".synapse/global").read_bytes() == before


# C: what UAP has.


def test_c1_an_agent_is_brought_up_by_loaders_in_tiers(
    synapse: Synapse, team_of_agents: Path
) -> None:
    found = synapse("activate", "dev", "--format", "json").json
    assert len(found["loaders"]) > 3
    assert {loader["tier"] for loader in found["loaders"]} >= {"critical", "high"}
    assert all(loader["state"] == "loaded" for loader in found["loaders"])


def test_c2_a_loader_that_fails_is_named_and_the_rest_is_told(
    synapse: Synapse, team_of_agents: Path
) -> None:
    (team_of_agents / STATE).write_text("workflow: [\n")
    done = synapse("activate", "dev")
    assert done.code == 0 and "Ines the Builder is ready" in done.out
    assert STATE in done.out + done.err


def test_c3_a_definition_greets_and_has_its_commands(
    synapse: Synapse, team_of_agents: Path
) -> None:
    out = synapse("activate", "dev").out
    assert "**Role:** Writes code and tests" in out
    assert "*develop" in out and "Implement a story" in out


def test_c4_the_repository_is_told(synapse: Synapse, team_of_agents: Path) -> None:
    (team_of_agents / "new.txt").write_text("x")
    out = synapse("activate", "dev").out
    assert "on branch `feat/login`, with 1 changed file" in out and "Last commit" in out


@pytest.mark.parametrize(
    ("mode", "badge"), [("auto", "Auto"), ("explore", "Explore"), ("ask", "Ask")]
)
def test_c5_the_permission_mode_is_a_badge(
    synapse: Synapse, team_of_agents: Path, mode: str, badge: str
) -> None:
    folder = team_of_agents / ".aiox"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(f"permissions:\n  mode: {mode}\n")
    assert f"{badge}]" in synapse("activate", "dev").out.splitlines()[0]


def test_c6_a_greeting_says_where_the_work_is_in_its_sections(
    synapse: Synapse, team_of_agents: Path
) -> None:
    out = synapse("activate", "dev").out
    places = [out.find(said) for said in ("is ready", "**Role:**", "feat/login", "*", "— Ines")]
    assert -1 not in places and places[0] < places[1] < places[2] < places[4]


def test_c8_a_workflow_is_known_by_its_state_file(synapse: Synapse, team_of_agents: Path) -> None:
    assert "story-cycle" in synapse("status").out or "Story cycle" in synapse("status").out


def test_c8_and_by_the_commands_of_the_session(place: MakePlace) -> None:
    client = Claude(place(CREW, LIVE))
    client.prompt("@po *validate-story-draft")
    client.prompt("@dev *develop")
    assert "story_development" in client.prompt("*synapse status")


# D: what is one from now on.


def test_d1_there_is_one_store_of_sessions(synapse: Synapse, place: MakePlace) -> None:
    client = Claude(place(TEAM))
    client.prompt("begin")
    assert (client.root / ".synapse/sessions/session-1.json").is_file()
    carl = client.root / ".carl/sessions"
    carl.mkdir(parents=True)
    started = "2026-01-02T03:04:05"
    old = {"uuid": "c-1", "started": started, "last_activity": started, "prompt_count": 3,
           "overrides": {"TESTING_STATE": "inactive", "DOCS_STATE": None}}  # fmt: skip
    (carl / "c-1.json").write_text(json.dumps({**old, "cwd": str(client.root)}))
    assert synapse("session", "migrate").code == 0
    made = json.loads((client.root / ".synapse/sessions/c-1.json").read_text())
    assert (made["prompt_count"], made["overrides"]["TESTING_STATE"]) == (3, False)


def test_d1_two_terminals_do_not_meet(place: MakePlace) -> None:
    root = place(TEAM)
    one, other = Claude(root, "one"), Claude(root, "other")
    one.prompt("@dev begin")
    assert "[ACTIVE AGENT" not in other.prompt("begin")
    assert (one.document()["active_agent"] or {}) != (other.document()["active_agent"] or {})


def test_d2_the_hook_is_a_program_of_python_alone(place: MakePlace) -> None:
    event = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}
    done = subprocess.run(
        [sys.executable, "-m", "synapse_ls", "hook", "--client", "claude"],
        input=json.dumps({**event, "cwd": str(place(TEAM))}).encode(),
        capture_output=True,
        env={"PATH": "", "HOME": str(place()), "SYNAPSE_LS_CACHE": str(place() / "cache")},
    )
    assert b"<synapse-rules>" in done.stdout


def test_d3_the_debug_view_has_domains_metrics_and_memories(place: MakePlace) -> None:
    told = Claude(place(TEAM)).prompt("*synapse debug")
    assert all(word in told for word in ("domains", "rules", "block: ", "L6 ", "Memories: "))


def test_d3_the_report_has_every_part(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM)
    out = synapse("diagnose").out
    assert all(
        word in out.lower() for word in ("hooks", "domains", "layers for", "timing", "memory")
    )


def test_d3_devmode_of_carl_asks_for_an_account(synapse: Synapse, place: MakePlace) -> None:
    text = BAND[".carl/manifest"].replace("DEVMODE=false", "DEVMODE=true")
    place(BAND, {".carl/manifest": text})
    out = synapse("context", "mix").out
    assert "DEVMODE=true" in out and "CARL DEVMODE" in out


# E: what is new.


def test_e1_the_constitution_cannot_be_switched_off(synapse: Synapse, place: MakePlace) -> None:
    off = TEAM[".synapse/manifest"].replace(
        "CONSTITUTION_STATE=active", "CONSTITUTION_STATE=inactive"
    )
    client = Claude(place(TEAM, {".synapse/manifest": off}))
    assert "CLI First (NON-NEGOTIABLE)" in client.prompt("begin")
    refused = synapse("session", "set", client.session, "CONSTITUTION_STATE=off")
    assert refused.code != 0
    assert "CLI First (NON-NEGOTIABLE)" in synapse("context", "--session", client.session).out


def test_e2_the_domain_of_the_active_agent_is_awake(place: MakePlace) -> None:
    client = Claude(place(TEAM))
    told = client.prompt("@dev go on")
    assert "Implement, test, tick the box" in told and "Check every" not in told
    assert "Check every acceptance criterion" in client.prompt("@qa your turn")


def test_e3_a_squad_is_found_and_adds_its_domains_under_its_name(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM, LIVE, ETL)
    assert "ETL_PIPELINE" in synapse("domains").out
    out = synapse("context", "the pipeline and its coverage").out
    assert "[SQUAD: etl-squad]" in out and 'ETL_PIPELINE (matched "pipeline")' in out
    assert "Arrange, act, assert" in out
    assert "[SQUAD" not in synapse("context", "the pipeline of the frontend").out


def test_e3_override_replaces_what_has_the_same_name(synapse: Synapse, place: MakePlace) -> None:
    strict = squad("strict", "override", "TESTING_STATE=active\nTESTING_RECALL=fuzzing\n",
                   "testing", "TESTING_RULE_0=Fuzz everything\n")  # fmt: skip
    place(TEAM, LIVE, strict)
    out = synapse("context", "fuzzing and coverage").out
    assert "Fuzz everything" in out and "Arrange, act, assert" not in out


def test_e3_none_stands_alone(synapse: Synapse, place: MakePlace) -> None:
    loner = squad("loner", "none", "ALONE_STATE=active\nALONE_ALWAYS_ON=true\n",
                  "alone", "ALONE_RULE_0=For loners\n")  # fmt: skip
    place(TEAM, LIVE, loner)
    assert "For loners" not in synapse("context", "hello").out
    assert "For loners" in synapse("context", "--squad", "loner", "hello").out


def test_e4_the_task_is_told_in_the_format_of_the_document(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM, LIVE, TASK)
    work = ("--agent", "dev", "--task", "implement-user-auth", "--story", "STORY-42")
    lines = synapse("context", *work).out.partition("[TASK CONTEXT]\n")[2].partition("\n\n")[0]
    for said in ("  Active Task: implement-user-auth", "  Story: STORY-42", "  Executor: @dev",
                 "  Pre-conditions:", "Story validated by @po", "  Acceptance Criteria:",
                 "    - [ ] Refresh token rotation implemented", "  File List:",
                 "    - src/auth/login.ts (new)"):  # fmt: skip
        assert said in lines


def test_e6_a_boundary_is_told_and_guarded(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM, {".synapse/config.toml": "[guard]\nmode = 'enforce'\n"})
    client = Claude(place())
    assert "BLOCKED: git push — delegate to @devops" in client.prompt("@dev go on")
    reply = client.send("PreToolUse", tool_name="Bash", tool_input={"command": "git push"})
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("agent", "tool", "given", "decision"),
    [
        ("dev", "Bash", {"command": "git push origin main"}, "deny"),
        ("dev", "Bash", {"command": "git commit -m x"}, ""),
        ("qa", "Bash", {"command": "git commit -m x"}, "deny"),
        ("devops", "Bash", {"command": "git push origin main"}, ""),
        ("qa", "Bash", {"command": "gh pr create"}, "deny"),
        ("devops", "Bash", {"command": "gh pr create"}, ""),
    ],
)
def test_e6_the_boundaries_of_the_document_are_guarded_as_they_are_written(
    place: MakePlace, agent: str, tool: str, given: dict[str, str], decision: str
) -> None:
    root = place(BOUNDARIES)
    client = Claude(root)
    client.prompt(f"@{agent} go on")
    reply = client.send("PreToolUse", tool_name=tool, tool_input=given)
    assert reply.get("hookSpecificOutput", {}).get("permissionDecision", "") == decision


@pytest.mark.parametrize(
    ("executor", "layers"),
    [
        ("Agente", {"L0", "L1", "L2", "L4", "L6"}),
        ("Worker", {"L0", "L1"}),
        ("Humano", {"L0", "L1", "L4"}),
        ("Clone", {"L0", "L1", "L2", "L4"}),
    ],
)
def test_e7_an_executor_has_the_layers_of_its_row(
    synapse: Synapse, place: MakePlace, executor: str, layers: set[str]
) -> None:
    text = {path: text.replace("Agente", executor) for path, text in TASK.items()}
    place(TEAM, LIVE, text)
    work = ("--agent", "dev", "--task", "implement-user-auth", "a unit test")
    found = synapse("context", *work, "--format", "json").json["sections"]
    assert {one["layer"] for one in found if one["layer"][1:].isdigit()} == layers


@pytest.mark.parametrize(
    ("executor", "told"), [("Agente", True), ("Worker", False), ("Humano", False), ("Clone", True)]
)
def test_e7_workers_and_people_have_no_memory(
    synapse: Synapse, place: MakePlace, executor: str, told: bool
) -> None:
    text = {path: text.replace("Agente", executor) for path, text in TASK.items()}
    place(TEAM, LIVE, text)
    synapse("memory", "add", "--correction", "Use tabs.", "--agent", "@dev", "--private")
    work = ("--agent", "dev", "--task", "implement-user-auth", "--bracket", "CRITICAL", "use tabs")
    assert ("Use tabs." in synapse("context", *work).out) is told


@pytest.mark.parametrize(
    ("executor", "said"),
    [
        ("Agente", ["**Role:**", "**Available Commands:**"]),
        ("Worker", []),
        ("Humano", ["**Task:** `build-login`"]),
        ("Clone", ["**Tone:**", "— Ines"]),
    ],
)
def test_e7_an_executor_is_greeted_in_its_own_way(
    synapse: Synapse, team_of_agents: Path, executor: str, said: list[str]
) -> None:
    out = synapse("activate", "dev", "--executor", executor).out
    assert [words for words in said if words not in out] == []
    assert ("**Available Commands:**" in out) is (executor == "Agente")
    assert (out == "") is (executor == "Worker")


# The six articles.


def test_compliance_each_article_is_told_where_the_table_says(
    synapse: Synapse, place: MakePlace
) -> None:
    articles = """\
        CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_1=All new functionality MUST work 100% via CLI before any UI
        CONSTITUTION_RULE_ART4_0=No Invention (MUST)
        CONSTITUTION_RULE_ART4_1=Every spec MUST trace to FR-*, NFR-*, CON-*, or research
        """
    story = {
        ".synapse/manifest": TEAM[".synapse/manifest"]
        + "        STORY_STATE=active\n        STORY_RECALL=story\n",
        ".synapse/story": "STORY_RULE_0=No code without a story\n",
        ".synapse/global": "GLOBAL_RULE_0=Use absolute imports @/ — never relative ../\n",
    }
    place(TEAM, LIVE, story, {".synapse/constitution": articles})
    found = synapse("context", "the next story", "--format", "json").json["sections"]
    told = {entry["text"]: section["layer"] for section in found for entry in section["entries"]}
    assert told["All new functionality MUST work 100% via CLI before any UI"] == "L0"
    assert told["Every spec MUST trace to FR-*, NFR-*, CON-*, or research"] == "L0"
    assert told["Use absolute imports @/ — never relative ../"] == "L1"
    assert told["No code without a story"] == "L6"


def test_compliance_the_conditions_of_the_task_are_checked(
    synapse: Synapse, place: MakePlace
) -> None:
    text = {path: text.replace("[x] Story val", "[ ] Story val") for path, text in TASK.items()}
    place(TEAM, LIVE, text)
    said = synapse("diagnose", "--task", "implement-user-auth", "--agent", "dev").out
    assert "Story validated by @po" in said.partition("Conditions of the task")[2]


# The migration, and the risks.


def test_phase_1_and_2_a_migrated_tree_tells_what_carls_told(synapse: Synapse, shop: Path) -> None:
    def rules(*arguments: str) -> set[str]:
        found = synapse("context", "--format", "json", *arguments).json
        wanted = ("_RULE_",)
        return {e["text"] for s in found["sections"] for e in s["entries"]
                if any(mark in e["key"] for mark in wanted)}  # fmt: skip

    prompts = ("hello", "an endpoint", "an endpoint of the frontend", "just chatting, endpoint")
    cases = [
        (b, p) for b in ("FRESH", "MODERATE", "DEPLETED", "CRITICAL") for p in (*prompts, "*brief")
    ]
    before = [rules("--bracket", bracket, prompt) for bracket, prompt in cases]
    assert synapse("migrate").code == 0
    assert [rules("--bracket", bracket, prompt) for bracket, prompt in cases] == before


def test_phase_2_the_tree_of_synapse_comes_before_that_of_carl(
    synapse: Synapse, place: MakePlace
) -> None:
    place(BAND)
    assert synapse("context").out.startswith("<carl-rules>")
    place(TEAM)
    assert synapse("context").out.startswith("<synapse-rules>")


def test_phase_2_and_3_hook_and_guide_are_ours(synapse: Synapse, shop: Path) -> None:
    assert synapse("migrate").code == 0
    settings = (shop / ".claude/settings.json").read_text()
    assert "carl-hook.py" not in settings and "say done" in settings and "hook" in settings
    guide = (shop / "CLAUDE.md").read_text()
    assert "<synapse-rules>" in guide and "<carl-rules>" not in guide


def test_r2_a_layer_that_sleeps_adds_nothing_and_says_so(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM, {".synapse/config.toml": 'profile = "synapse"\n'})
    said = synapse("explain", "--bracket", "FRESH", "a unit test").out
    assert "L6 keyword · inactive in FRESH" in said


def test_r3_a_squad_that_changes_counts_with_the_next_prompt(place: MakePlace) -> None:
    client = Claude(place(TEAM, LIVE, ETL))
    assert "Validate data schema" in client.prompt("the pipeline")
    place({"squads/etl-squad/.synapse/etl-pipeline": "ETL_PIPELINE_RULE_0=Log metrics\n"})
    assert "Log metrics" in client.prompt("the pipeline")


def test_r4_severities_are_told_with_what_they_do(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM)
    out = synapse("context").out
    assert "CLI First (NON-NEGOTIABLE)" in out and "Absolute Imports (SHOULD)" in out
    assert "NON-NEGOTIABLE" in synapse("diagnose").out


def test_r5_a_name_of_a_squad_carries_its_prefix_once(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM, ETL)
    names = synapse("domains", "--format", "json").out
    assert '"ETL_PIPELINE"' in names and "ETL_SQUAD_ETL" not in names and "ETL_ETL" not in names


def test_r6_a_migration_is_backed_up_and_taken_back_to_the_byte(
    synapse: Synapse, shop: Path
) -> None:
    def files() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in sorted(shop.rglob("*"))
                if p.is_file() and "backup" not in str(p)}  # fmt: skip

    before = files()
    assert synapse("migrate").code == 0
    assert files() != before
    assert synapse("migrate", "--rollback").code == 0
    assert files() == before


def test_r8_no_block_is_over_its_budget(synapse: Synapse, place: MakePlace) -> None:
    many = "".join(f"GLOBAL_RULE_{n}=Rule number {n} says what to do with it\n" for n in range(400))
    place(TEAM, {".synapse/global": many})
    for bracket in ("FRESH", "MODERATE", "DEPLETED", "CRITICAL"):
        found: Any = synapse("context", "--bracket", bracket, "--format", "json").json
        assert found["tokens"] <= found["budget"] and "GLOBAL" in sections_of(found["block"])
