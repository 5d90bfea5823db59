"""References both ways: wherever one asks, just the marked places of all files are found."""

from __future__ import annotations

import pytest

from synapse_ls.ide.navigation import find_highlights, find_references
from synapse_ls.text.span import Span
from tests.ide.views import view_of
from tests.support import mark

DOMAIN = {
    ".synapse/manifest": """\
        «TESTING»_STATE=active
        «TESTING»_RECALL=unit test
        DOCS_STATE=active
        """,
    ".synapse/testing": "# How we test\n«TESTING»_RULE_0=One behaviour\n«TESTING»_AUTH_0=b\n",
    ".synapse/docs": "DOCS_RULE_0=Not TESTING_RULE_0\n",
    "squads/web-squad/squad.yaml": "name: web-squad\nversion: 1.0.0\nconfig: {extends: override}\n",
    "squads/web-squad/.synapse/manifest": "«TESTING»_STATE=active\n",
    "squads/web-squad/.synapse/testing": "«TESTING»_RULE_0=In two browsers\n",
}
AGENT = {
    ".synapse/manifest": "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=«dev»\n",
    ".synapse/agent-dev": "# Of @«dev», not me@dev.io nor @dev/tools\nAGENT_DEV_RULE_0=Tests\n",
    ".synapse/global": "GLOBAL_RULE_0=Ask @po/@«dev» first. @devops pushes\n",
    ".claude/agents/dev.md": "---\nname: «dev»\n---\n",
    ".aiox-core/development/workflows/w.yaml": """\
        workflow:
          id: w
          sequence:
            - {step: build, agent: "@«dev»"}
            - {step: check, agent: qa}
        """,
    ".aiox-core/data/workflow-patterns.yaml": "workflows:\n  w2:\n    agent_sequence: [po, «dev»]\n",
    ".aiox-core/data/workflow-chains.yaml": (
        "workflows:\n  - id: w3\n    chain:\n      - agent: '@«dev»'\n        command: a\n"
        "        alternatives: [{agent: «dev», command: b}]\n"
    ),
    ".aiox-core/development/tasks/build.md": "---\ntask: Build\nresponsavel: '@«dev»'\n---\n",
    "docs/stories/1.1.md": "# Story 1.1: Login\n\n**Executor:** @«dev»\n",
    "squads/web-squad/squad.yaml": """\
        name: web-squad
        version: 1.0.0
        components:
          agents: [«dev».md, designer.md]
        """,
}
WORKFLOW = {
    ".synapse/manifest": "W_STATE=active\nW_WORKFLOW_TRIGGER=«ship_it»\n",
    ".aiox-core/development/workflows/ship-it.yaml": "workflow:\n  id: «ship-it»\n  sequence: []\n",
    ".aiox/one-state.yaml": "workflow_id: '«ship-it»'\nstatus: active\nsteps: []\n",
    ".aiox-core/data/workflow-chains.yaml": "workflows: [{id: «ship_it», chain: []}]\n",
}
SQUAD = {
    "squads/web-squad/squad.yaml": "name: «web-squad»\nversion: 1.0.0\n",
    "squads/web-squad/.synapse/manifest": "«WEB»_EXTENDS=none\nPAGES_STATE=active\n",
    "squads/api-squad/squad.yaml": (
        "name: api-squad\nversion: 1.0.0\ndependencies:\n  squads: [«web-squad»]\n"
    ),
    ".aiox/one-state.yaml": (
        "workflow_id: w\nstatus: active\nsquad_name: «web-squad»\nsteps: []\n"
    ),
}
COMMAND = {
    ".synapse/commands": """\
        # [*«brief»] COMMAND: see *«brief» below
        COMMANDS_RULE_«BRIEF»_0=Use bullet points
        COMMANDS_RULE_«BRIEF»_1=Five at most
        COMMANDS_RULE_LONG_0=Not *briefly, **brief** or *brief*
        """,
    ".synapse/global": "GLOBAL_RULE_0=Say *«brief» in long sessions\n",
}
TASK = {
    ".aiox-core/development/tasks/qa-gate.md": "# Gate\n",
    ".aiox-core/development/workflows/w.yaml": (
        "workflow:\n  id: w\n  sequence:\n    - {step: a, agent: qa, task: «qa-gate».md}\n"
    ),
    ".claude/agents/qa.md": (
        "```yaml\nagent:\n  id: qa\ndependencies:\n  tasks:\n    - «qa-gate».md # the gate\n```\n"
    ),
}
STORY = {
    "docs/stories/login.md": "# Login\n",
    ".aiox-core/development/tasks/build.md": "---\ntask: Build\nstory: «login»\n---\n",
}


@pytest.mark.parametrize(
    "files", [DOMAIN, AGENT, WORKFLOW, SQUAD, COMMAND, TASK, STORY],
    ids=["domain", "agent", "workflow", "squad", "command", "task", "story"],
)  # fmt: skip
def test_every_mention_leads_to_all_of_them(files: dict[str, str]) -> None:
    marked = {path: mark(text) for path, text in files.items()}
    view = view_of({path: one.text for path, one in marked.items()})
    expected = {(path, span) for path, one in marked.items() for span in one.spans}
    for path, span in expected:
        found = {(one.path, one.span) for one in find_references(view, path, span.start)}
        whole = {(other, place) for other, place in found if not place.length}
        assert found - whole == expected, f"asked at {path}: {span}"


def test_the_definition_is_left_out_on_demand() -> None:
    marked = mark("«TESTING»_STATE=active\n«TESTING»_RECALL=a\n")
    files = {".synapse/manifest": marked.text, ".synapse/testing": "TESTING_RULE_0=x\n"}
    found = find_references(view_of(files), ".synapse/manifest", 0, include_declaration=False)
    places = [(one.path, one.span) for one in found]
    assert (".synapse/manifest", marked.spans[0]) not in places
    assert (".synapse/manifest", marked.spans[1]) in places


def test_a_domain_of_plain_text_is_mentioned_by_its_file_as_a_whole() -> None:
    files = {".synapse/manifest": "TESTING_STATE=active\n", ".synapse/testing": "Test it.\n"}
    found = find_references(view_of(files), ".synapse/manifest", 0)
    assert (".synapse/testing", Span(0, 0)) in [(one.path, one.span) for one in found]


def test_a_component_leads_to_the_agent_whose_file_it_names() -> None:
    files = {
        "squads/web-squad/squad.yaml": (
            "name: web-squad\nversion: 1.0.0\ncomponents:\n  agents: [lead.md]\n"
        ),
        "squads/web-squad/agents/lead.md": "```yaml\nagent:\n  id: team-lead\n```\n",
        ".synapse/global": "GLOBAL_RULE_0=Ask @team-lead\n",
    }
    text = files["squads/web-squad/squad.yaml"]
    found = find_references(view_of(files), "squads/web-squad/squad.yaml", text.index("lead.md"))
    assert {one.path for one in found} == set(files)


def test_an_agent_that_only_shares_a_name_with_a_squads_file_is_another() -> None:
    files = {
        ".claude/agents/lead.md": "---\nname: lead\n---\n",
        "squads/web-squad/squad.yaml": (
            "name: web-squad\nversion: 1.0.0\ncomponents:\n  agents: [lead.md]\n"
        ),
        "squads/web-squad/agents/lead.md": "```yaml\nagent:\n  id: team-lead\n```\n",
    }
    found = find_references(view_of(files), ".claude/agents/lead.md", 11)
    assert {one.path for one in found} == {".claude/agents/lead.md"}


def test_a_workflow_is_found_under_the_names_that_stand_for_it() -> None:
    files = {
        ".synapse/manifest": "W_STATE=active\nW_WORKFLOW_TRIGGER=story_development\n",
        ".aiox/one-state.yaml": "workflow_id: story-development-cycle\nstatus: active\nsteps: []\n",
    }
    found = find_references(view_of(files), ".aiox/one-state.yaml", 15)
    assert {one.path for one in found} == set(files)


def test_a_keyword_is_found_in_the_other_domains_that_have_it() -> None:
    marked = mark("A_STATE=active\nA_RECALL=x,«unit test»\nB_STATE=active\nB_RECALL=«Unit  Test»\n")
    found = find_references(
        view_of({".synapse/manifest": marked.text}), ".synapse/manifest", marked.spans[0].start
    )
    assert [one.span for one in found] == list(marked.spans)


def test_highlights_are_those_of_the_file_and_tell_the_definition() -> None:
    marked = mark(DOMAIN[".synapse/manifest"])
    files = {**{path: mark(text).text for path, text in DOMAIN.items()}}
    found = find_highlights(view_of(files), ".synapse/manifest", marked.spans[1].start)
    assert [one.span for one in found] == list(marked.spans)
    assert [one.defines for one in found] == [True, False]


def test_a_name_that_nothing_knows_has_no_references() -> None:
    files = {".synapse/global": "GLOBAL_RULE_0=Use @types/node and @nobody\n"}
    view = view_of(files)
    for offset in (files[".synapse/global"].index("@types"), files[".synapse/global"].index("@no")):
        assert not find_references(view, ".synapse/global", offset + 1)
