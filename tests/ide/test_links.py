"""Which files a file names."""

from __future__ import annotations

import pytest

from synapse_ls.ide.document_link import document_links
from tests.ide.views import STATE, view_of
from tests.support import mark
from tests.trees import TEAM, Files

TASK = ".aiox-core/development/tasks/qa-gate.md"
FILES: Files = {
    **TEAM,
    TASK: "# Gate\n",
    ".claude/agents/dev.md": "---\nname: dev\n---\n",
    "docs/stories/login.md": "# Login\n",
    ".aiox-core/constitution.md": "# Constitution\n",
}
SQUAD = "squads/web-squad/squad.yaml"


def check(path: str, fixture: str, *targets: str, known: bool = True) -> None:
    """The marks are just the links, and lead to the targets."""
    marked = mark(fixture)
    found = document_links(view_of({**FILES, path: marked.text}), path)
    assert [link.span for link in found] == list(marked.spans)
    assert [link.path for link in found] == list(targets)
    assert all(link.is_in_tree == known for link in found)


def test_nothing_in_a_manifest_is_underlined_for_a_name() -> None:
    text = "TESTING_STATE=active\nTESTING_RECALL=a\nAGENT_DEV_AGENT_TRIGGER=dev\n"
    check(".synapse/manifest", text)


def test_the_steps_of_a_chain_lead_to_their_tasks() -> None:
    text = (
        "workflows:\n  - id: w\n    chain:\n      - {agent: dev, command: x, task: «qa-gate.md»}\n"
    )
    check(".aiox-core/data/workflow-chains.yaml", text, TASK)


def test_rules_lead_to_the_files_that_they_speak_of() -> None:
    check(
        ".synapse/constitution",
        "# Source: «.aiox-core/constitution.md».\nCONSTITUTION_RULE_0=Run «qa-gate.md» (not qa-gat.md)\n",
        *(".aiox-core/constitution.md", TASK),
    )


def test_what_is_no_file_of_the_tree_may_be_on_disk() -> None:
    text = "GLOBAL_RULE_0=See «docs/guide.md», and «./docs/b.md»\n"
    check(".synapse/global", text, "docs/guide.md", "docs/b.md", known=False)


@pytest.mark.parametrize(
    "text", ["https://example.com/a.md", "../../etc/passwd", "/etc/passwd", "me@a.io/b", "a:b/c"]
)
def test_what_leaves_the_root_is_no_link(text: str) -> None:
    check(".synapse/global", f"GLOBAL_RULE_0=See {text}\n")


def test_a_squad_leads_to_its_components() -> None:
    text = """\
        name: web-squad
        version: 1.0.0
        components:
          agents: ["«a.md»", «./b.md»]
          tasks: [../../x.md]
        """
    files = {f"squads/web-squad/agents/{name}.md": "# A\n" for name in "ab"}
    marked = mark(text)
    found = document_links(view_of({**FILES, **files, SQUAD: marked.text}), SQUAD)
    assert [(link.span, link.path, link.is_in_tree) for link in found] == [
        (span, path, True) for span, path in zip(marked.spans, files, strict=True)
    ]


def test_steps_and_agents_lead_to_tasks() -> None:
    check(
        ".aiox-core/development/workflows/w.yaml",
        "workflow:\n  id: w\n  sequence:\n    - {step: a, agent: qa, task: «qa-gate.md»}\n",
        TASK,
    )
    check(".aiox/a-state.yaml", STATE.replace("agent: qa,", "agent: qa, task: «qa-gate»,"), TASK)
    check(
        ".claude/agents/qa.md",
        "```yaml\nagent:\n  id: qa\ndependencies:\n  tasks:\n    - «qa-gate.md»\n    - other.md\n```\n",
        TASK,
    )


def test_a_task_leads_to_its_story_and_a_story_to_its_files() -> None:
    check(TASK, "---\ntask: Gate\nstory: «login»\n---\n", "docs/stories/login.md")
    check(
        "docs/stories/login.md",
        "# Login\n\n## File List\n\n- `«src/login.ts»` new\n- `«./notes.md»`\n",
        *("src/login.ts", "docs/stories/notes.md"),
        known=False,
    )


def test_the_configuration_leads_to_its_paths() -> None:
    check(
        ".synapse/config.toml",
        '[paths]\nagents = ["«.claude/agents/»"]\nconstitution = ["«.aiox-core/constitution.md»"]\n',
        *(".claude/agents", ".aiox-core/constitution.md"),
    )


def test_the_configuration_leads_to_the_files_that_it_refers_to() -> None:
    check(
        ".synapse/config.toml",
        '[[adopted]]\npath = "«docs/guide.md»"\n',
        "docs/guide.md",
        known=False,
    )
