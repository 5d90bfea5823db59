"""What can be renamed from where, under which name, and what is refused."""

from __future__ import annotations

import pytest

from synapse_ls.edits.rename_plans import rename_domain
from synapse_ls.ide.rename import prepare_rename, rename
from synapse_ls.text.user_error import UserError
from tests.ide.views import SQUAD, view_of
from tests.support import mark
from tests.trees import TEAM, Files

FILES: Files = {**TEAM, **SQUAD, ".claude/agents/dev.md": "---\nname: dev\n---\n"}
MANIFEST = ".synapse/manifest"
FLOW = ".aiox-core/development/workflows/ship-it.yaml"


def prepared(path: str, fixture: str, files: Files = FILES) -> str:
    """The name that is offered at the mark, whose place is the mark."""
    marked = mark(fixture)
    view = view_of({**files, path: marked.text})
    found = prepare_rename(view, path, marked.spans[0].start)
    assert found is not None
    assert found[0] == marked.spans[0]
    return found[1]


@pytest.mark.parametrize(
    ("path", "fixture", "name"),
    [
        (MANIFEST, "«TESTING»_RECALL=a\n", "TESTING"),
        (".synapse/testing", "«TESTING»_RULE_0=a\n", "TESTING"),
        (".synapse/agent-dev", "«DEV»_RULE_0=a\n", "AGENT_DEV"),
        ("squads/etl-squad/.synapse/pipeline", "«PIPELINE»_RULE_0=a\n", "PIPELINE"),
        (MANIFEST, "AGENT_DEV_AGENT_TRIGGER=«dev»\n", "dev"),
        (".synapse/global", "GLOBAL_RULE_0=Ask @«dev» first\n", "dev"),
        (".synapse/global", "GLOBAL_RULE_0=Say *«brief»\n", "brief"),
        (".synapse/commands", "COMMANDS_RULE_«BRIEF»_0=a\n", "brief"),
        (".synapse/commands", "# [*«brief»] COMMAND:\nCOMMANDS_RULE_BRIEF_0=a\n", "brief"),
        ("squads/etl-squad/squad.yaml", "name: «etl-squad»\nversion: 1.0.0\n", "etl-squad"),
        ("squads/etl-squad/.synapse/manifest", "«ETL»_EXTENDS=none\n", "etl-squad"),
        (".claude/agents/dev.md", "# «dev»\n\nWrites the code\n", "dev"),
        (".claude/agents/dev.md", "«# Dev»\n\nWrites the code\n", "dev"),
        (".aiox-core/development/tasks/count-rows.md", "«# Count rows»\n", "count-rows"),
        (".aiox-core/development/tasks/a.md", "# A\n\nnext_agent: @«dev»\n", "dev"),
        (FLOW, "workflow:\n  id: '«ship-it»'\n  sequence: []\n", "ship-it"),
    ],
)
def test_the_name_is_offered(path: str, fixture: str, name: str) -> None:
    assert prepared(path, fixture) == name


def test_a_key_as_a_whole_stands_for_the_name_in_it() -> None:
    path = "squads/etl-squad/.synapse/manifest"
    text = "ETL_EXTENDS=none\nLOAD_STATE=active\n"
    view = view_of({**FILES, path: text})
    for word, name in (("EXTENDS", "etl-squad"), ("STATE", "LOAD")):
        found = prepare_rename(view, path, text.index(word) + 1)
        assert found is not None
        assert found[1] == name
        assert found[0].cut(text).endswith(word)


@pytest.mark.parametrize(
    ("path", "fixture"),
    [
        (MANIFEST, "# «note»\nA_STATE=active\n"),
        (MANIFEST, "A_STATE=«active»\n"),
        (MANIFEST, "A_STATE=active\nA_RECALL=«word»\n"),
        (".synapse/testing", "TESTING_RULE_0=«words»\n"),
        (".synapse/testing", "TESTING_RULE_0=@«types»/node\n"),
    ],
)
def test_what_has_no_name_of_its_own_offers_none(path: str, fixture: str) -> None:
    marked = mark(fixture)
    view = view_of({**FILES, path: marked.text})
    assert prepare_rename(view, path, marked.spans[0].start + 1) is None
    with pytest.raises(UserError, match="Nothing here has a name"):
        rename(view, path, marked.spans[0].start + 1, "x")


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        (MANIFEST, "GLOBAL_STATE=active\n", "GLOBAL has a fixed meaning"),
        (".synapse/global", "GLOBAL_RULE_0=a\n", "GLOBAL has a fixed meaning"),
        ("squads/etl-squad/squad.yaml", "name: loaders\n", "folder is called etl-squad"),
    ],
)
def test_what_is_fixed_is_refused_before_a_name_is_asked_for(
    path: str, text: str, says: str
) -> None:
    with pytest.raises(UserError, match=says):
        prepare_rename(
            view_of({**FILES, path: text}), path, text.index(":") + 3 if ":" in text else 2
        )


def test_a_component_that_is_called_otherwise_than_its_agent_is_refused() -> None:
    path = "squads/etl-squad/squad.yaml"
    text = "name: etl-squad\nversion: 1.0.0\ncomponents:\n  agents: [lead.md]\n"
    agent = {"squads/etl-squad/agents/lead.md": "```yaml\nagent:\n  id: team-lead\n```\n"}
    with pytest.raises(UserError, match="lead is the file of the agent team-lead"):
        prepare_rename(view_of({**FILES, **agent, path: text}), path, text.index("lead.md"))


def test_it_is_the_rename_of_the_command_line() -> None:
    view = view_of(FILES)
    at = view.tree.domains_by_label["TESTING"].declaration
    assert at is not None
    assert rename(view, MANIFEST, at.span.start, "checks") == rename_domain(
        view.tree, "TESTING", "checks"
    )


def test_a_squads_domain_that_overrides_takes_the_roots_along() -> None:
    files = {
        **FILES,
        "squads/etl-squad/.synapse/manifest": "ETL_EXTENDS=override\nTESTING_STATE=active\n",
    }
    plan = rename(view_of(files), "squads/etl-squad/.synapse/manifest", 22, "checks")
    changed = {change.path for change in plan.edits}
    assert {MANIFEST, ".synapse/testing", "squads/etl-squad/.synapse/manifest"} <= changed


def test_a_heading_that_is_the_name_follows() -> None:
    text = "# dev\n\n```yaml\nagent:\n  id: dev\n```\n"
    view = view_of({**FILES, ".claude/agents/dev.md": text})
    plan = rename(view, ".claude/agents/dev.md", 3, "coder")
    (changed,) = (change for change in plan.edits if change.path == ".claude/agents/dev.md")
    assert changed.after == text.replace("dev", "coder")


def test_a_heading_that_says_more_stays() -> None:
    text = "# Dev, who writes\n\n```yaml\nagent:\n  id: dev\n```\n"
    view = view_of({**FILES, ".claude/agents/dev.md": text})
    plan = rename(view, ".claude/agents/dev.md", 3, "coder")
    (changed,) = (change for change in plan.edits if change.path == ".claude/agents/dev.md")
    assert changed.after == text.replace("id: dev", "id: coder")


def test_marks_in_the_new_name_are_no_part_of_it() -> None:
    plan = rename(view_of(FILES), ".claude/agents/dev.md", 11, "@builder")
    assert any(change.target == ".claude/agents/builder.md" for change in plan.edits)
