"""What is offered to change at a place, which is marked, and what comes of it."""

from __future__ import annotations

import pytest

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.ide.code_action import FIX_ALL, QUICK_FIX, REWRITE, Action, code_actions
from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.span import Span
from synapse_ls.workspace.edit_plan import EditPlan
from tests.ide.views import view_of
from tests.support import mark
from tests.trees import TEAM, Files

CONFIG = ".synapse/config.toml"
MANIFEST = ".synapse/manifest"


class At:
    """The actions for the mark in one file of a tree."""

    def __init__(
        self, path: str, fixture: str, files: Files = TEAM, only: tuple[str, ...] = ()
    ) -> None:
        marked = mark(fixture)
        self.path = path
        self.text = marked.text
        self.view = view_of({**files, path: self.text})
        self.found = code_actions(self.view, path, marked.spans[0], only)

    def titles(self, kind: str) -> list[str]:
        """The titles of the actions of a kind."""
        return [action.title for action in self.found if action.kind == kind]

    def action(self, title: str) -> Action:
        """The action whose title begins so."""
        return next(action for action in self.found if action.title.startswith(title))

    def text_after(self, title: str, path: str = "") -> str:
        """A file's text once an action is carried out."""
        plan: EditPlan = self.action(title).plan()
        facts = tree_after(self.view.tree, plan).snapshot.facts(path or self.path)
        assert facts is not None
        return facts.text


def test_a_safe_fix_is_the_preferred_action() -> None:
    at = At(".synapse/docs", "«DOCS_RULE_0 »= Every feature has an example\n")
    action = at.action("Delete the white space")
    assert (action.kind, action.is_preferred) == (QUICK_FIX, True)
    assert [found.code for found in action.solves] == ["SYN113"]
    assert at.text_after("Delete").startswith("DOCS_RULE_0=")


def test_the_only_fix_is_preferred_even_if_it_may_change_the_meaning() -> None:
    at = At(MANIFEST, "GLOBAL_STATE=active\n«DOCS_RECAL»=readme\n")
    assert at.action("Write `DOCS_RECALL`").is_preferred
    assert [action.title for action in at.found if action.is_preferred] == ["Write `DOCS_RECALL`"]
    assert "DOCS_RECALL=readme" in at.text_after("Write `DOCS_RECALL`")


def test_all_of_a_kind_in_the_file_and_in_the_workspace() -> None:
    files = {**TEAM, ".synapse/testing": "TESTING_RULE_0 =a\n"}
    at = At(".synapse/docs", "«DOCS_RULE_0 »=a\nDOCS_RULE_1 =b\n", files)
    assert (
        at.text_after("Fix all SYN113 (spaces-around-equals) in this file")
        == "DOCS_RULE_0=a\nDOCS_RULE_1=b\n"
    )
    title = "Fix all SYN113 (spaces-around-equals) in the workspace"
    assert at.text_after(title) == "DOCS_RULE_0=a\nDOCS_RULE_1=b\n"
    assert at.text_after(title, ".synapse/testing") == "TESTING_RULE_0=a\n"


def test_one_finding_of_a_kind_has_no_action_for_all_of_the_file() -> None:
    at = At(".synapse/docs", "«DOCS_RULE_0 »=a\n")
    assert not [
        title for title in at.titles(QUICK_FIX) if "in this file" in title and "Fix" in title
    ]


def test_fixing_everything_is_what_the_one_fixer_does() -> None:
    at = At(
        MANIFEST,
        "«»GLOBAL_STATE=Actve\nDOCS_RECALL=readme,,x\nDOCS_RECALL=readme\n",
        only=("source.fixAll",),
    )
    assert at.titles(FIX_ALL) == ["Fix all that Synapse can fix safely"]
    assert not at.titles(QUICK_FIX)
    tree = at.view.tree
    mended = plan_fixes(tree, lint_tree, accepts=lambda found: found.path == MANIFEST)
    expected = mended.tree.snapshot.facts(MANIFEST)
    assert expected is not None
    assert at.text_after("Fix all") == expected.text


def test_what_an_editor_does_not_show_is_not_fixed() -> None:
    at = At(".synapse/docs", "«DOCS_RULE_0 »=a\nDOCS_RULE_1 =b\nDOCS_RULE_2=b\n")
    found = code_actions(at.view, at.path, Span(0, 0), is_shown=lambda one: one.code != "SYN113")
    assert not [action.title for action in found if "SYN113" in action.title]
    assert not [action for action in found if action.kind == FIX_ALL]


def test_silence_for_a_line_and_for_the_file() -> None:
    at = At(MANIFEST, "GLOBAL_STATE=active\n«DOCS_RECAL»=readme\n")
    assert at.text_after("Ignore SYN104 (unknown-key) here") == (
        "GLOBAL_STATE=active\n# synapse: ignore-next-line[SYN104]\nDOCS_RECAL=readme\n"
    )
    assert at.text_after("Ignore SYN104 (unknown-key) in this file").startswith(
        "# synapse: ignore-file[SYN104]\nGLOBAL"
    )


def test_the_file_that_a_domain_lacks_is_created() -> None:
    at = At(MANIFEST, "GLOBAL_STATE=active\n«NEW_AREA»_STATE=active\nNEW_AREA_ALWAYS_ON=true\n")
    action = at.action("Create `.synapse/new-area`")
    assert (action.is_preferred, action.operations) == (True, frozenset(("create",)))
    assert "Domain NEW_AREA" in at.text_after("Create", ".synapse/new-area")


def test_the_misnamed_file_of_a_domain_is_renamed() -> None:
    files = {**TEAM, ".synapse/new-areas": "NEW_AREA_RULE_0=x\n"}
    at = At(
        MANIFEST, "GLOBAL_STATE=active\n«NEW_AREA»_STATE=active\nNEW_AREA_ALWAYS_ON=true\n", files
    )
    action = at.action("Rename the file `.synapse/new-areas` to `.synapse/new-area`")
    assert (action.is_preferred, action.operations) == (True, frozenset(("rename",)))
    assert at.text_after("Rename", ".synapse/new-area") == "NEW_AREA_RULE_0=x\n"


def test_a_trigger_that_names_no_agent_is_taken_for_words() -> None:
    at = At(MANIFEST, "GLOBAL_STATE=active\nDOCS_STATE=active\n«DOCS_TRIGGER»=deploy\n")
    title = "Write `DOCS_RECALL`, because no agent or workflow is called `deploy`"
    titles = [title for title in at.titles("quickfix") if "Write `DOCS" in title]
    assert (titles[0], len(titles)) == (title, 3)
    assert at.text_after(title).endswith("\nDOCS_RECALL=deploy\n")


def test_an_orphan_is_declared_where_its_manifest_is() -> None:
    at = At(".synapse/house-style", "«HOUSE»_STYLE_RULE_0=x\n")
    assert at.text_after("Declare HOUSE_STYLE", MANIFEST).endswith("HOUSE_STYLE_STATE=active\n")


def test_a_second_file_of_a_domain_is_not_declared() -> None:
    at = At(".synapse/docs.md", "«DOCS»_RULE_0=x\n")
    assert "SYN202" in [found.code for action in at.found for found in action.solves]
    assert not [action.title for action in at.found if action.title.startswith("Declare")]


def test_a_misspelt_name_can_be_written_and_no_file_is_preferred() -> None:
    at = At(MANIFEST, "DOCS_STATE=active\n«DOSC»_PATHS=docs/**\n")
    assert at.text_after("Write `DOCS`").endswith("\nDOCS_PATHS=docs/**\n")
    assert not at.action("Create `.synapse/dosc`").is_preferred


def test_rule_files_without_a_manifest_get_one() -> None:
    at = At(".synapse/alpha", "«ALPHA»_RULE_0=x\n", {".synapse/beta": "BETA_RULE_0=x\n"})
    created = at.text_after("Create `.synapse/manifest`", MANIFEST)
    assert created == "ALPHA_STATE=active\nBETA_STATE=active\n"


def test_agents_that_one_trigger_lists_get_a_domain_each_with_the_same_rules() -> None:
    manifest = "API_STATE=active\r\nAPI_AGENT_TRIGGER=«dev, qa»\r\n"
    rules = "# API_\r\nAPI_RULE_0=Name the API_KEY\r\nAPI_AUTH_0=BLOCKED: push\r\n"
    agents = {f".claude/agents/{name}.md": f"---\nname: {name}\n---\n" for name in ("dev", "qa")}
    at = At(MANIFEST, manifest, {".synapse/api": rules, **agents})
    title = "Keep `dev`, and add a domain with these rules for `qa`"
    after = tree_after(at.view.tree, at.action(title).plan())
    assert at.text_after(title).splitlines() == [
        "API_STATE=active",
        "API_AGENT_TRIGGER=dev",
        "API_QA_STATE=active",
        "API_QA_AGENT_TRIGGER=qa",
    ]
    assert at.text_after(title, ".synapse/api-qa") == (
        "# API_\r\nAPI_QA_RULE_0=Name the API_KEY\r\nAPI_QA_AUTH_0=BLOCKED: push\r\n"
    )
    assert not lint_tree(after, select=("SYN2", "SYN3"))
    assert at.action("Keep `dev`").operations == {"create"}


def test_a_domain_is_not_copied_over_a_file() -> None:
    files = {".synapse/api": "API_RULE_0=a\n", ".synapse/api-qa": "API_QA_RULE_0=b\n"}
    at = At(MANIFEST, "API_STATE=active\nAPI_AGENT_TRIGGER=«dev,qa»\n", files)
    assert [title for title in at.titles(QUICK_FIX) if title.startswith("Keep")] == [
        "Keep only `dev`: `qa` will not activate API",
        "Keep only `qa`: `dev` will not activate API",
    ]


def test_a_domain_is_switched_off_and_on() -> None:
    at = At(MANIFEST, "DOCS_STATE=«active»\nDOCS_RECALL=x\n")
    assert at.text_after("Switch DOCS off").startswith("DOCS_STATE=inactive\n")
    at = At(MANIFEST, "DOCS_STATE=inactive\nDOCS_«RECALL»=x\n")
    assert at.text_after("Switch DOCS on").startswith("DOCS_STATE=active\n")


def test_the_constitution_cannot_be_switched() -> None:
    assert not At(MANIFEST, "CONSTITUTION_STATE=«active»\n").titles(REWRITE)


def test_missing_states_are_written_down() -> None:
    at = At(MANIFEST, "DOCS_«RECALL»=x\nTESTING_RECALL=y\n")
    assert (
        at.text_after("Write DOCS_STATE=active")
        == "DOCS_STATE=active\nDOCS_RECALL=x\nTESTING_RECALL=y\n"
    )
    assert at.text_after("Write the missing _STATE of 2 domains").count("_STATE=active") == 2


def test_the_profile_that_keeps_all_layers_awake() -> None:
    config = ".synapse/config.toml"
    at = At(config, 'matching = "word"\nprofile = "«synapse»"\n')
    assert at.text_after("Use the profile") == 'matching = "word"\nprofile = "synapse-live"\n'
    assert (
        At(config, "«»[lint]\n")
        .text_after("Use the profile")
        .startswith('profile = "synapse-live"\n[lint]')
    )
    assert not At(config, 'profile = "«synapse-live»"\n').titles(REWRITE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, 'profile = "synapse-live"\n'),
        ("# ours\r\n[paths]\r\n", 'profile = "synapse-live"\r\n# ours\r\n[paths]\r\n'),
        ("profile = 'synapse' # why\n", 'profile = "synapse-live" # why\n'),
    ],
)
def test_where_triggers_sleep_the_profile_that_wakes_them_is_offered(
    before: str | None, after: str
) -> None:
    config = {} if before is None else {CONFIG: before}
    files = {MANIFEST: "DOCS_RECALL=x\n", ".synapse/docs": "DOCS_RULE_0=a\n", **config}
    (offered,) = (
        action
        for action in code_actions(view_of(files), MANIFEST, Span(0, 0))
        if action.title == "Use the profile synapse-live"
    )
    assert [finding.code for finding in offered.solves] == ["SYN404"]
    assert offered.operations == (frozenset() if config else {"create"})
    (change,) = offered.plan().edits
    assert change.path == CONFIG
    assert change.after == after


def test_a_finding_that_is_named_is_meant_wherever_the_caret_is() -> None:
    view = view_of({**TEAM, ".synapse/docs": "DOCS_RULE_0 =a\n"})
    assert not code_actions(view, ".synapse/docs", Span(0, 0))[:-1]
    found = code_actions(view, ".synapse/docs", Span(0, 0), named_findings=[("SYN113", 11, 12)])
    assert found[0].title == "Delete the white space"


def test_only_the_kinds_that_are_asked_for() -> None:
    text = "GLOBAL_STATE=active\n«DOCS_RECAL»=readme\nDOCS_STATE=active\n"
    assert not At(MANIFEST, text, only=("refactor",)).titles(QUICK_FIX)
    assert not At(MANIFEST, text, only=("quickfix",)).titles(REWRITE)
    assert At(MANIFEST, text, only=("quickfix",)).titles(QUICK_FIX)
    assert not At(MANIFEST, text, only=("source.organizeImports",)).found
