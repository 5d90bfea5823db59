"""What stands between the words."""

from __future__ import annotations

from typing import Any

from synapse_ls.ide.inlay_hint import HINT_SORTS, Hint, hint_tooltip, inlay_hints
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from tests.ide.views import SQUAD, STATE, view_of
from tests.trees import TEAM, Files

MANIFEST = ".synapse/manifest"
LONG = ("Say why, and for whom. " * 10).strip()
"""A rule of 229 characters."""


def shown(path: str, text: str, files: Files = TEAM, **now: Any) -> list[str]:
    """The file's lines that have hints, with the hints in brackets where they stand."""
    view = view_of({**files, path: text}, **now)
    found = inlay_hints(view, path)
    return with_hints(view, path, found)


def with_hints(view: View, path: str, found: tuple[Hint, ...]) -> list[str]:
    facts = view.tree.snapshot.facts(path)
    assert facts is not None
    text = facts.text
    for hint in reversed(found):
        text = f"{text[: hint.offset]} [{hint.label}]{text[hint.offset :]}"
    return [line for line in text.splitlines() if "[" in line]


def test_a_rule_that_is_long_has_its_cost() -> None:
    assert shown(".synapse/global", f"GLOBAL_RULE_0={LONG}\n# note\nGLOBAL_RULE_1=short\n") == [
        f"GLOBAL_RULE_0={LONG} [59 tokens]"
    ]


def test_plain_rules_have_their_cost_too() -> None:
    assert shown(".synapse/guardrails", f"- Be kind\n- {LONG}\n") == [f"- {LONG} [60 tokens]"]


def test_a_file_that_serves_no_domain_has_no_costs() -> None:
    assert shown(".synapse/orphan", f"ORPHAN_RULE_0={LONG}\n") == []


def test_a_domain_has_its_share_of_the_budget_where_that_is_large() -> None:
    files = {**TEAM, ".synapse/guardrails": f"- {LONG}\n- {LONG}!\n"}
    assert shown(MANIFEST, "GUARDRAILS_ALWAYS_ON=true\nGUARDRAILS_STATE=active\n", files) == [
        "GUARDRAILS_ALWAYS_ON=true [15% of the FRESH budget]"
    ]


def test_a_domain_that_names_no_state_has_it_shown() -> None:
    assert shown(MANIFEST, "GUARDRAILS_ALWAYS_ON=true\n") == [
        "GUARDRAILS_ALWAYS_ON=true [GUARDRAILS_STATE=active]"
    ]


def test_the_share_is_that_of_the_current_bracket() -> None:
    files = {**TEAM, ".synapse/global": f"GLOBAL_RULE_0={LONG * 12}\n"}
    (line,) = shown(MANIFEST, "GLOBAL_STATE=active\n", files, remaining=10)
    assert line == "GLOBAL_STATE=active [28% of the CRITICAL budget]"


def test_a_domain_that_is_off_has_no_share() -> None:
    assert shown(MANIFEST, "SLEEPY_STATE=inactive\n") == []


def test_brackets_say_when_they_hold_and_which_one_is_next() -> None:
    text = "CONTEXT_RULE_FRESH_0=a\nCONTEXT_RULE_MODERATE_0=b\nCONTEXT_RULE_DEPLETED_0=c\n"
    view = view_of({**TEAM, ".synapse/context": text}, remaining=50)
    assert with_hints(
        view, ".synapse/context", inlay_hints(view, ".synapse/context", None, ["bracket"])
    ) == [
        "CONTEXT_RULE_FRESH_0=a [60–100%]",
        "CONTEXT_RULE_MODERATE_0=b [40–60%, now]",
        "CONTEXT_RULE_DEPLETED_0=c [25–40%, next]",
    ]


def test_a_squad_that_does_not_say_how_it_extends_the_root() -> None:
    path = "squads/etl-squad/squad.yaml"
    files = {**TEAM, **SQUAD}
    assert shown(path, "name: etl-squad\nversion: 1.0.0\n", files) == [
        "name: etl-squad [config.extends: extend]"
    ]
    assert shown(path, "name: etl-squad\nconfig:\n  x: 1\n", files) == ["config: [extends: extend]"]
    assert shown(path, "name: etl-squad\nconfig:\n  extends: none\n", files) == []


def test_a_workflow_state_names_the_step_that_its_number_means() -> None:
    assert shown(".aiox/a-state.yaml", STATE) == ["current_step_index: 0 [in_development · @dev]"]


def test_a_story_says_how_its_status_is_understood() -> None:
    path = "docs/stories/s.md"
    assert shown(path, "# Story 1.1: A\n\n**Status:** Ready for Review\n") == [
        "**Status:** Ready for Review [in review]"
    ]
    assert shown(path, "# Story 1.1: A\n\n**Status:** In Progress\n") == []


def test_sorts_can_be_left_out_and_a_part_asked_for() -> None:
    text = "GUARDRAILS_ALWAYS_ON=true\nDOCS_RECALL=x\n"
    view = view_of({**TEAM, MANIFEST: text})
    assert {hint.sort for hint in inlay_hints(view, MANIFEST, None, ["implied"])} == {"implied"}
    assert inlay_hints(view, MANIFEST, None, []) == ()
    part = inlay_hints(view, MANIFEST, Span(26, len(text)), ["implied"])
    assert [hint.label for hint in part] == ["DOCS_STATE=active"]


def test_every_hint_has_a_tooltip() -> None:
    files = {
        **TEAM,
        **SQUAD,
        ".aiox/a-state.yaml": STATE,
        MANIFEST: "DOCS_ALWAYS_ON=true\n",
        ".synapse/docs": f"DOCS_RULE_0={LONG}\nDOCS_RULE_1={LONG}!\n",
    }
    view = view_of(files)
    seen = set()
    for path in files:
        for hint in inlay_hints(view, path):
            seen.add(hint.sort)
            assert hint_tooltip(view, path, hint), hint
    assert seen == set(HINT_SORTS)


def test_a_tooltip_tells_what_becomes_of_a_rule() -> None:
    view = view_of({**TEAM, ".synapse/testing": f"TESTING_RULE_0={LONG}\n"})
    (hint, *_) = inlay_hints(view, ".synapse/testing", None, ["tokens"])
    told = hint_tooltip(view, ".synapse/testing", hint)
    assert "costs" in told
    assert "**Not in the block now**" in told


def test_a_tooltip_of_what_is_gone_is_empty() -> None:
    view = view_of(TEAM)
    assert hint_tooltip(view, "nowhere", Hint(0, "", "tokens")) == ""
    assert hint_tooltip(view, MANIFEST, Hint(0, "", "share", "GONE")) == ""
    assert hint_tooltip(view, MANIFEST, Hint(0, "", "bracket", "GONE")) == ""


def test_a_share_is_told_sooner_of_what_stands_in_every_block() -> None:
    rules = "".join(f"DOCS_RULE_{i}={LONG}{i}\n" for i in range(2))

    def shares(trigger: str) -> list[str]:
        view = view_of({**TEAM, MANIFEST: f"DOCS_{trigger}\n", ".synapse/docs": rules})
        return [one.label for one in inlay_hints(view, MANIFEST) if one.sort == "share"]

    assert len(shares("ALWAYS_ON=true")) == 1
    assert shares("RECALL=readme") == []
