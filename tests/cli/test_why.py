from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.trees import write_tree


def test_a_rule_that_is_in(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "GLOBAL_RULE_1")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "GLOBAL_RULE_1 is in: it holds for every prompt.\n  .synapse/global:2: Name things well (6 tokens)\n"
    )


def test_a_rule_that_is_out_has_a_remedy(synapse: Synapse, team: Path) -> None:
    assert synapse("why", "AGENT_QA_RULE_0").out == (
        "AGENT_QA_RULE_0 is out: no agent is active, not @qa.\n"
        "  remedy: activate @qa\n"
        "  .synapse/agent-qa:2: Check every acceptance criterion (10 tokens)\n"
    )


@pytest.mark.parametrize(
    "wanted",
    [
        "TESTING_RULE_0",
        "testing_rule_0",
        ".synapse/testing:1",
        "./.synapse/testing:1",
        "testing:1",
        "arrange,  ACT",
    ],
)
def test_a_rule_is_found_by(synapse: Synapse, team: Path, wanted: str) -> None:
    [found] = synapse("why", wanted, "--format", "json").json
    assert found["name"] == "TESTING_RULE_0"


def test_a_rule_of_a_squad_is_found_by_the_name_of_its_domain(synapse: Synapse, team: Path) -> None:
    write_tree(
        team,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Idempotent steps\n",
        },
    )
    assert "ETL_PIPELINE" in synapse("domains").out
    [found] = synapse("why", "ETL_PIPELINE_RULE_0", "--format", "json").json
    assert (found["name"], found["domain"]) == ("PIPELINE_RULE_0", "ETL_PIPELINE")


def test_a_rule_is_found_by_an_absolute_path(synapse: Synapse, team: Path) -> None:
    [found] = synapse("why", f"{team}/.synapse/testing:2", "--format", "json").json
    assert found["name"] == "TESTING_RULE_1"


@pytest.mark.parametrize("wanted", ["AGENT_DEV", "agent-dev", ".synapse/manifest:5"])
def test_a_domain_is_found_by(synapse: Synapse, team: Path, wanted: str) -> None:
    [found] = synapse("why", wanted, "--agent", "dev", "--format", "json").json
    assert found == {
        "name": "AGENT_DEV",
        "domain": "AGENT_DEV",
        "rendered": True,
        "reason": "agent @dev is active",
        "because": [{"code": "agent", "values": ["dev"]}],
        "remedy": "",
        "change": None,
        "attempt": None,
        "file": ".synapse/agent-dev",
        "line": None,
        "text": None,
        "memory": None,
    }


def test_a_star_command_is_all_of_its_rules(synapse: Synapse, team: Path) -> None:
    assert synapse("why", "*brief", "please *brief").out == (
        "COMMANDS_RULE_BRIEF_0–1 are in: the prompt asks for the command.\n"
        "  .synapse/commands:2: Use bullet points only (8 tokens)\n"
        "  .synapse/commands:3: Five items at most (7 tokens)\n"
    )


def test_several_hits_are_all_listed(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "BLOCKED", "--agent", "dev")
    assert "AGENT_DEV_AUTH_0 is in: " in done.out
    assert "\n\nAGENT_QA_AUTH_0 is out: " in done.out


def test_nothing_that_fits_has_near_misses(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "TESTING_RULE_O")
    assert (done.code, done.out) == (2, "")
    assert "Did you mean TESTING_RULE_0" in done.err


def test_a_line_without_a_rule_names_the_nearest(synapse: Synapse, team: Path) -> None:
    done = synapse("why", ".synapse/commands:1")
    assert done.err == (
        "error: There is no rule on line 1 of .synapse/commands.\n"
        "  remedy: The nearest is COMMANDS_RULE_BRIEF_0 on line 2.\n"
    )


def test_a_domain_that_sleeps_says_until_when(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "TESTING", "more coverage")
    assert done.out.startswith("TESTING is out: L6 is inactive in FRESH until MODERATE")


def test_a_bracket_rule_names_its_bracket(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "CONTEXT_RULE_CRITICAL_0")
    assert "it is for CRITICAL; the bracket is FRESH" in done.out
    assert synapse("why", "CONTEXT_RULE_CRITICAL_0", "--bracket", "critical").out.startswith(
        "CONTEXT_RULE_CRITICAL_0 is in"
    )


def test_one_key_on_two_lines_is_one_rule(synapse: Synapse, team: Path) -> None:
    with (team / ".synapse/docs").open("a") as file:
        file.write("DOCS_RULE_0=Twice\n")
    assert synapse("why", "DOCS_RULE_0").out.startswith("DOCS_RULE_0 is out: ")


def remembered(synapse: Synapse, *arguments: str) -> str:
    """The id of a new memory."""
    id: str = synapse("memory", "add", *arguments, "--format", "json").json["id"]
    return id


def test_a_memory_that_is_told_says_what_it_is_worth(synapse: Synapse, team: Path) -> None:
    id = remembered(synapse, "--correction", "Use tabs.", "--tag", "style")
    assert synapse("why", id).out == (
        f"{id} is in: it is remembered: HOT with a score of 0.75; a person said so: the floor counts.\n"
        f"  .synapse/memory/shared/durable/{id}.md:17: [correction, procedural, 90%] Use tabs. (11 tokens)\n"
        "  user_correction, procedural; HOT with a score of 0.75, 90% sure; shared\n"
    )


@pytest.mark.parametrize("wanted", ["use  TABS", ".synapse/memory/shared/durable/{0}.md:1", "{0}"])
def test_a_memory_is_found_by(synapse: Synapse, team: Path, wanted: str) -> None:
    id = remembered(synapse, "--correction", "Use tabs.")
    [found] = synapse("why", wanted.format(id), "--format", "json").json
    assert (found["name"], found["rendered"], found["because"][0]["code"]) == (
        id,
        True,
        "remembered",
    )
    assert (found["memory"]["tier"], found["memory"]["scope"]) == ("hot", "shared")


def test_the_remedy_of_a_workflow_whose_layer_sleeps_is_both(synapse: Synapse, team: Path) -> None:
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("\nSHIP_STATE=active\nSHIP_WORKFLOW_TRIGGER=shipping\n")
    (team / ".synapse/ship").write_text("SHIP_RULE_0=Tag before you ship\n")
    (team / ".synapse/config.toml").write_text('profile = "synapse"\n')
    wanted = "start workflow shipping, and run `synapse profile use synapse-live`"
    assert f"remedy: {wanted}\n" in synapse("why", "SHIP").out


def test_a_memory_that_is_out_has_a_remedy_that_brings_it_in(synapse: Synapse, team: Path) -> None:
    id = remembered(synapse, "Deploys wait for QA.", "--tag", "deploy", "--inferred")
    cold = synapse("why", id, "--bracket", "depleted").out
    file = team / f".synapse/memory/shared/durable/{id}.md"
    assert "is out: its score of 0.03 is COLD, which only a search finds." in cold
    assert "remedy: if you confirm it, set `explicit: true` in .synapse/memory/shared" in cold
    file.write_text(file.read_text().replace("evidence: 1", "evidence: 3"))
    begins = synapse("why", id, "deploy now").out
    assert (
        "is out: this bracket wants no memories; a new window begins with a person's corrections "
        "and, in some profiles, with HOT ones (a person confirmed them, or they have proved "
        "themselves)." in begins
    )
    assert "remedy: try --bracket DEPLETED" in begins
    unmatched = synapse("why", id, "--bracket", "depleted").out
    assert "is out: nothing in the prompt or the work matches it." in unmatched
    assert 'remedy: say "deploy" in the prompt' in unmatched
    assert f"{id} is in: " in synapse("why", id, "deploy now", "--bracket", "depleted").out
    file.write_text(file.read_text().replace("evidence: 3", "evidence: 3\nexplicit: true"))
    assert f"{id} is in: " in synapse("why", id).out


def test_a_memory_of_another_agent_says_whose_it_is(synapse: Synapse, team: Path) -> None:
    id = remembered(synapse, "--correction", "Mine.", "--agent", "dev", "--private")
    nobody = synapse("why", id).out
    assert f"{id} is out: it is private to @dev; no agent is active, not @dev.\n" in nobody
    assert "remedy: activate @dev\n" in nobody
    assert "only @dev gets it" in nobody
    assert "@qa is active, not @dev" in synapse("why", id, "--agent", "qa").out
    assert f"{id} is in: " in synapse("why", id, "--agent", "dev").out


def test_a_memory_that_expired_or_was_forgotten_says_how_it_comes_back(
    synapse: Synapse, team: Path
) -> None:
    id = remembered(synapse, "--correction", "Over.", "--expires", "2020-01-01")
    expired = synapse("why", id).out
    assert "is out: it expired on 2020-01-01." in expired
    assert "remedy: if it still holds, give it a later `expires` in .synapse/memory" in expired
    synapse("memory", "forget", id)
    [found] = synapse("why", id, "--format", "json").json
    assert found["reason"] == "it lies in the archive"
    assert found["remedy"] == f"restore it with `synapse memory restore {id}`"
    assert found["memory"]["archived"] is True


def test_a_memory_that_an_agents_window_holds_says_so(synapse: Synapse, team: Path) -> None:
    id = remembered(synapse, "--correction", "Use tabs.")
    assert "Use tabs." in Claude(team).prompt("hello")
    assert f"{id} is in: it is in context already.\n" in (
        synapse("why", id, "--session", "current").out
    )


def test_a_memory_that_the_last_block_had_no_room_for_comes_with_one_that_has(
    synapse: Synapse, team: Path
) -> None:
    rules = "".join(f"AGENT_DEV_AUTH_{n}=Never do {n} {'so long ' * 8}\n" for n in range(60))
    (team / ".synapse/agent-dev").write_text(rules)
    id = remembered(synapse, "--correction", "Use tabs.")
    client = Claude(team)
    assert "Use tabs." not in client.prompt("@dev hello")
    why = synapse("why", id, "--session", "current").out
    is_next = "Use tabs." in client.prompt("go on")
    assert f"is {'in' if is_next else 'out'}: " in why
    assert is_next or "Use tabs." in "".join(client.prompt("go on") for _ in range(12))


def test_memories_that_are_switched_off_say_so(synapse: Synapse, team: Path) -> None:
    id = remembered(synapse, "--correction", "Use tabs.")
    (team / ".synapse/config.toml").write_text("[memory]\nenabled = false\n")
    off = synapse("why", id).out
    assert "is out: no memories are injected: [memory] enabled is false." in off
    assert "remedy: set enabled = true under [memory] in .synapse/config.toml" in off


def test_a_memory_that_the_budget_cuts_says_so(synapse: Synapse, team: Path) -> None:
    id = remembered(synapse, "--correction", "Use tabs.")
    (team / ".synapse/config.toml").write_text(
        'profile = "tight"\n[profiles.tight]\nextends = "synapse"\ndrop = ["CORRECTION"]\n'
        "[profiles.tight.brackets.FRESH]\nbudget = 120\n"
    )
    assert "is out: it does not fit into the budget of FRESH (" in synapse("why", id).out


def test_whoever_writes_the_rules_is_told_where_the_keywords_are(
    synapse: Synapse, team: Path
) -> None:
    said = synapse("why", "TESTING_RULE_0", "go on").out
    line = next(
        number
        for number, text in enumerate((team / ".synapse/manifest").read_text().splitlines(), 1)
        if text.startswith("TESTING_")
    )
    assert f"or add a word of such prompts to its keywords (.synapse/manifest:{line})" in said


def test_a_cut_rule_names_what_takes_the_room(synapse: Synapse, team: Path) -> None:
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60))
    (team / ".synapse/global").write_text(rules)
    told = synapse("why", "GLOBAL_RULE_59", "--profile", "synapse").out
    remedy = (
        "run `synapse profile use synapse-live`, in which a first block is whole; or shorten "
        r"what is kept: section GLOBAL takes \d+ tokens, and the budget is 800\n"
    )
    assert re.search(remedy, told)
    assert "is in:" in synapse("why", "GLOBAL_RULE_59", "--profile", "synapse-live").out


def test_where_another_profile_helps_nothing_none_is_proposed(synapse: Synapse, team: Path) -> None:
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60))
    bound = '[profiles.own]\nextends = "synapse-live"\nwhole_first_block = false\n'
    write_tree(team, {".synapse/global": rules, ".synapse/config.toml": bound})
    told = synapse("why", "GLOBAL_RULE_59", "--profile", "own").out
    assert "remedy: shorten what is kept: section GLOBAL takes" in told


def crowd_the_agent(team: Path) -> None:
    """Have rules of @dev that the budget cuts, after a boundary that it does not."""
    rules = "".join(f"AGENT_DEV_RULE_{n}=Rule {n} {'x' * 90}\n" for n in range(60))
    boundary = "AGENT_DEV_AUTH_0=BLOCKED: git push\n"
    write_tree(team, {".synapse/agent-dev": boundary + rules})


def test_a_domain_that_is_partly_in_says_what_is_cut_and_why(synapse: Synapse, team: Path) -> None:
    crowd_the_agent(team)
    lines = synapse("why", "AGENT_DEV", "--agent", "dev", "--profile", "synapse").out.splitlines()
    assert lines[0] == "AGENT_DEV is partly in: agent @dev is active."
    [cut] = [line for line in lines if " are out: " in line]
    assert re.match(
        r"AGENT_DEV_RULE_\d+–59 are out: it does not fit into the budget of FRESH \(800", cut
    )
    remedy = lines[lines.index(cut) + 1]
    assert remedy.startswith("  remedy: run `synapse profile use synapse-live`")
    whole = synapse("why", "AGENT_DEV", "--agent", "dev", "--profile", "synapse-live").out
    assert whole.startswith("AGENT_DEV is in: agent @dev is active.\n")
    assert "out:" not in whole


def test_json_of_a_domain_that_is_partly_in_has_the_rules_that_are_out(
    synapse: Synapse, team: Path
) -> None:
    crowd_the_agent(team)
    options = ("--agent", "dev", "--profile", "synapse", "--format", "json")
    domain, *rules = synapse("why", "AGENT_DEV", *options).json
    assert (domain["name"], domain["rendered"]) == ("AGENT_DEV", True)
    assert rules[-1]["name"] == "AGENT_DEV_RULE_59"
    assert not any(rule["rendered"] for rule in rules)
