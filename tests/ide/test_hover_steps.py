"""Hovers on the steps of workflows: where the work is, what comes next, and who does it."""

from __future__ import annotations

from textwrap import dedent

from synapse_ls.engine.situation import Request
from synapse_ls.ide.hover import hover
from synapse_ls.ide.tree_view import CompiledTree, view_for_request
from tests.activation.crew import CORE, CREW, STATE, state
from tests.trees import tree_of

WORKFLOW = f"{CORE}/workflows/story-cycle.yaml"
OTHERS = (".aiox-core/data/",)


def shown(path: str, at: str, step: int | None = 2) -> str:
    files = {**CREW, **({STATE: state(step)} if step is not None else {})}
    text = dedent(files[path])
    found = hover(
        view_for_request(CompiledTree(tree_of(files), "root"), Request()), path, text.index(at)
    )
    assert found is not None
    return found.markdown


def test_a_step_of_a_definition_says_what_follows() -> None:
    markdown = shown(WORKFLOW, "check_story", None)
    assert markdown == "**Step 1 of 4** · `check` · @po\n\n**Next**: build (@dev)."


def test_it_says_what_it_needs_and_where_failure_leads() -> None:
    assert "Needs `check`. **Next**: review (@qa)." in shown(WORKFLOW, "build_story", None)
    assert "optional" in shown(WORKFLOW, "polish", None)
    assert "**The last step.**" in shown(WORKFLOW, "review_story", None)


def test_it_says_whether_the_work_is_here() -> None:
    assert f"**The work is here now** (`{STATE}`)." in shown(WORKFLOW, "build_story")
    elsewhere = "The work is elsewhere: story-cycle: step 2 of 4, build, @dev: Build it"
    assert elsewhere in shown(WORKFLOW, "review_story")


def test_a_heading_is_nobodys_step() -> None:
    assert "**A heading, nobody's step**" in shown(WORKFLOW, "phase: 1")


def test_a_step_of_an_instance_says_what_follows() -> None:
    markdown = shown(STATE, "{step_index: 2")
    assert "**The current step.**\n\n**Next**: review (@qa)." in markdown
    other = shown(STATE, "{step_index: 4")
    assert "The work is at story-cycle: step 2 of 4, build, @dev: Build it." in other


def test_a_step_of_a_chain_says_who_does_it_when_and_what_follows() -> None:
    text = """\
        workflows:
          - id: cycle
            chain:
              - {agent: "@po", command: "*check"}
              - agent: "@dev"
                command: "*build {id}"
                task: build.md
                output: Code
                condition: Story status is Approved
                alternatives: [{agent: "@dev", command: "*hack"}]
              - {agent: "@qa", command: "*judge"}
        """
    path = ".aiox-core/data/workflow-chains.yaml"
    told = hover(
        view_for_request(CompiledTree(tree_of({**CREW, path: text}), "root"), Request()),
        path,
        dedent(text).index("*build"),
    )
    assert told is not None
    assert "**Step 2 of 3** · `*build` · @dev · task `build.md`" in told.markdown
    assert "Gives: Code." in told.markdown
    assert "Only if `Story status is Approved`. **Next**: \\*judge (@qa)." in told.markdown
    assert "Or `*hack`." in told.markdown
