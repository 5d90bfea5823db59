"""What stands above a line."""

from __future__ import annotations

from typing import Any

from synapse_ls.ide.code_lens import code_lenses, resolve_lens
from tests.ide.views import SQUAD, STATE, view_of
from tests.support import mark
from tests.trees import TEAM, Files

MANIFEST = ".synapse/manifest"


def shown(path: str, fixture: str, files: Files = TEAM, **now: Any) -> list[str]:
    """What is said at the mark: title, and the command with its arguments."""
    marked = mark(fixture)
    view = view_of({**files, path: marked.text}, **now)
    said = []
    for lens in code_lenses(view, path):
        if lens.span == marked.spans[0]:
            found = resolve_lens(view, path, lens.provider, lens.subject)
            if found:
                given = (f"{name}={value}" for name, value in found.arguments.items())
                command = ("->", found.command, *given) if found.command else ()
                said.append(" ".join((found.title, *command)))
    return said


def test_a_manifest_tells_of_a_domain_that_sleeps() -> None:
    assert shown(MANIFEST, "«TESTING»_RECALL=unit test\n") == [
        "2 rules · 15 tokens · active in MODERATE DEPLETED CRITICAL -> synapse.open "
        "path=.synapse/testing",
    ]


def test_a_manifest_says_nothing_of_a_domain_that_is_as_one_expects() -> None:
    assert shown(MANIFEST, "«TESTING»_RECALL=unit test\n", remaining=50) == []
    assert shown(MANIFEST, "«GLOBAL»_STATE=active\nGLOBAL_ALWAYS_ON=true\n") == []


def test_a_rule_file_tells_what_it_has_and_leads_back() -> None:
    assert shown(".synapse/global", "«GLOBAL_RULE_0»=Write small functions\n") == [
        "1 rule · 7 tokens · active in every bracket -> synapse.open path=.synapse/manifest",
        "preview -> synapse.preview",
    ]


def test_a_domain_with_a_trigger_is_previewed_with_it() -> None:
    found = shown(".synapse/agent-dev", "«AGENT_DEV_RULE_0»=Ship small steps\n")
    assert found[1] == "preview -> synapse.preview agent=dev"


def test_a_domain_that_is_off_or_has_no_file_cannot_be_previewed() -> None:
    files = {**TEAM, MANIFEST: "SLEEPY_STATE=inactive\n"}
    assert shown(".synapse/sleepy", "«»a\n", files) == [
        "1 rule · 3 tokens · inactive -> synapse.open path=.synapse/manifest"
    ]
    assert shown(MANIFEST, "«LOST»_STATE=active\n") == []


def test_a_domain_that_nothing_wakes_says_so() -> None:
    (found,) = shown(".synapse/lost", "«»a\n", {MANIFEST: "LOST_STATE=active\n"})
    assert "nothing activates it" in found


def test_a_bracket_tells_when_it_holds_and_what_its_block_costs() -> None:
    found = shown(".synapse/context", "«CONTEXT_RULE_FRESH_0=Breathe»\n")
    assert found[0].startswith("60–100% left · ")
    assert found[0].endswith("of 800 tokens · now")
    assert found[1] == "preview FRESH -> synapse.preview bracket=FRESH"


def test_a_star_command_can_be_previewed() -> None:
    text = "# [*«brief»] COMMAND:\nCOMMANDS_RULE_BRIEF_0=Be brief\n"
    assert shown(".synapse/commands", text) == ["preview *brief -> synapse.preview prompt=*brief"]


def test_a_squad_tells_what_its_domains_have() -> None:
    text = "name: «etl-squad»\nversion: 1.0.0\n"
    found = shown("squads/etl-squad/squad.yaml", text, {**TEAM, **SQUAD})
    assert found[0].startswith("1 domain · 1 rule · ")
    assert found[0].endswith("-> synapse.open path=squads/etl-squad/.synapse/manifest")
    assert found[1] == "preview -> synapse.preview squad=etl-squad"


def test_an_agent_tells_how_often_it_is_mentioned() -> None:
    text = "---\nname: «dev»\n---\n"
    assert shown(".claude/agents/dev.md", text) == [
        "used by 1 -> synapse.references offset=10",
        "preview -> synapse.preview agent=dev",
    ]
    assert shown(".claude/agents/x.md", text.replace("dev", "x"))[0] == "not used"


def test_a_story_is_previewed_in_the_bracket_in_which_its_layer_wakes() -> None:
    path = "docs/stories/s1.md"
    assert shown(path, "«»# Story 1.2: Login\n")[-1] == (
        f"preview in MODERATE -> synapse.preview story={path} bracket=MODERATE"
    )


def test_a_workflow_state_has_no_lens() -> None:
    assert code_lenses(view_of({".aiox/a-state.yaml": STATE}), ".aiox/a-state.yaml") == ()


def test_every_preview_has_what_it_is_about_in_it() -> None:
    view = view_of({**TEAM, **SQUAD})
    seen = 0
    for path in (*TEAM, *SQUAD):
        for lens in code_lenses(view, path):
            found = resolve_lens(view, path, lens.provider, lens.subject)
            if lens.provider == "preview" and found and lens.subject.startswith("domain "):
                label = lens.subject.partition(" ")[2]
                block = view.block(**found.arguments)
                assert label in {e.domain for s in block.sent_sections for e in s.entries}, label
                seen += 1
    assert seen > 5


def test_no_lens_is_offered_that_has_nothing_to_say() -> None:
    manifest = "LOST_STATE=active\nSLEEPY_STATE=inactive\nIDLE_STATE=active\n"
    files = {**TEAM, **SQUAD, ".synapse/sleepy": "a\n", ".synapse/idle": "a\n"}
    files[MANIFEST] = files[MANIFEST] + manifest
    view = view_of(files)
    offered = [(path, lens) for path in files for lens in code_lenses(view, path)]
    silent = [
        (path, lens.provider, lens.subject)
        for path, lens in offered
        if resolve_lens(view, path, lens.provider, lens.subject) is None
    ]
    assert offered
    assert silent == []


def test_a_lens_about_what_is_gone_says_nothing() -> None:
    view = view_of(TEAM)
    for provider in ("domain", "bracket", "squad", "used", "preview", "unknown"):
        for subject in ("", "GONE", "domain GONE", "agent gone"):
            assert resolve_lens(view, "nowhere", provider, subject) is None
    assert resolve_lens(view, MANIFEST, "domain", "GONE") is None
