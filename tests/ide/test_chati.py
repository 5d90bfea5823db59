"""Editor features in the files of Chati.dev."""

from __future__ import annotations

import pytest

from synapse_ls.ide.completion import complete_at
from synapse_ls.ide.document_link import document_links
from synapse_ls.ide.hover import hover
from synapse_ls.ide.navigation import find_definitions
from synapse_ls.ide.position_lookup import accounts_at
from tests.chati_trees import BOARD, DOCUMENT, SAME
from tests.ide.views import block_in, view_of
from tests.support import mark

SESSION = ".chati/session.yaml"
DEV = "chati.dev/agents/build/dev.md"
DEV_DOMAIN = "chati.dev/domains/agents/dev.yaml"
GLOBAL = "chati.dev/domains/global.yaml"


def said(path: str, needle: str, *, remaining: float = 80) -> str:
    view = view_of(BOARD, remaining=remaining)
    found = hover(view, path, BOARD[path].index(needle))
    return found.markdown if found else ""


@pytest.mark.parametrize(
    ("path", "needle", "parts"),
    [
        (DEV, "## Mission", ("AGENT_DEV_MISSION", "**In the block now**: agent @dev is active")),
        (DEV, "Implement each", ("AGENT_DEV_MISSION", 'mission="Implement each task"')),
        (DEV, "2. No placeholders", ("AGENT_DEV_CRITERIA", "<criteria>Tests: all tests pass")),
        (DEV, "# Dev Agent", ("**AGENT_DEV** · 3 of 3 rules",)),
        (DEV_DOMAIN, '    text: "Leave', ("AGENT_DEV_RULES_DEV_LINT", '<rule id="dev-lint">')),
        (DEV_DOMAIN, "- qa_verdict", ("AGENT_DEV_RULES_BLOCKED", "deployment; qa_verdict")),
        (DEV_DOMAIN, "mission:", ("**Not in the block now**", f"{DEV} says it instead")),
        (GLOBAL, "blockedActions: [modify", ("MODE_PLANNING_BLOCKED", "the mode is build")),
        (GLOBAL, "- deploy_to", ("MODE_BUILD_BLOCKED", "<blocked>deploy_to_production")),
        (SESSION, "  dev: {", ("PIPELINE", "Dev(in_progress, 60%)")),
        (SESSION, "  - {id: BL-002", ("BACKLOG_BL_002", "Limit uploads")),
        (SESSION, "  state: build", ("**MODE**", "<mode>build</mode>")),
        ("chati.dev/constitution.md", "## Article II", ("ARTICLE_II", "constitution holds always")),
        (
            "chati.dev/artifacts/handoffs/qa-planning-handoff.md",
            "- No staging",
            ("HANDOFF_2", "Blocker: No staging account"),
        ),
    ],
)
def test_a_hover_shows_what_is_injected(path: str, needle: str, parts: tuple[str, ...]) -> None:
    markdown = said(path, needle).replace("\\", "")
    for part in parts:
        assert part in markdown


@pytest.mark.parametrize(
    ("path", "needle"), [(SESSION, "execution_mode"), (DEV, "## Identity"), (GLOBAL, "modes:")]
)
def test_what_is_never_injected_has_no_hover(path: str, needle: str) -> None:
    assert said(path, needle) == ""


def test_what_sleeps_is_shown_where_it_wakes() -> None:
    markdown = said(SESSION, "  dev: {", remaining=30)
    assert "**Not in the block now**: L3 is inactive in DEPLETED" in markdown
    assert "The block in FRESH" in markdown


def test_another_agents_file_shows_the_block_with_that_agent() -> None:
    markdown = said("chati.dev/agents/planning/brief.md", "Extract")
    assert "@dev is active, not @brief" in markdown
    assert "The block with @brief" in markdown
    assert '<agent name="brief" mission="Extract requirements.">' in markdown


def test_a_hover_shows_its_bytes_of_the_block() -> None:
    view = view_of(SAME, remaining=50)
    found = hover(view, SESSION, SAME[SESSION].index("state:"))
    assert found is not None
    without_memory = DOCUMENT[: DOCUMENT.index("\n\n  <memory")] + "\n</chati-context>"
    assert view.assembly.text == without_memory
    assert block_in(found.markdown) == "  <mode>planning</mode>"


def test_why_answers_for_the_row_at_a_place() -> None:
    view = view_of(BOARD)
    facts = view.tree.snapshot.facts(DEV_DOMAIN)
    assert facts is not None
    found = accounts_at(view, view.assembly, facts, facts.text.index("dev-lint"))
    assert [rule.key for _, rule in found if rule] == ["AGENT_DEV_RULES_DEV_LINT"]


def offered(path: str, fixture: str) -> list[str]:
    marked = mark(fixture)
    found = complete_at(view_of({**BOARD, path: marked.text}), path, marked.spans[0].end)
    return [item.label for item in found.items] if found else []


@pytest.mark.parametrize(
    ("path", "fixture", "labels"),
    [
        (SESSION, "project:\n  state: «»\n", ["discover", "plan", "planning", "build"]),
        (SESSION, "project:\n  type: «g»\n", ["greenfield", "brownfield"]),
        (SESSION, "current_agent: «»\n", ["brief", "dev", "qa-implementation", "qa-planning"]),
        (SESSION, "workflow: «»\n", ["greenfield-fullstack"]),
        (SESSION, "agents:\n  «b»\n", ["brief", "dev"]),
        (SESSION, "agents:\n  dev:\n    «s»\n", ["status", "score", "criteria_count"]),
        (SESSION, "agents:\n  dev:\n    status: «»\n", ["pending", "in_progress", "completed"]),
        (SESSION, "backlog:\n  - «»\n", ["id", "title", "priority", "status"]),
        (SESSION, "backlog:\n  - priority: «»\n", ["high", "medium", "low"]),
        (GLOBAL, "rules:\n  - id: a\n    «t»\n", ["text", "priority"]),
        (GLOBAL, "rules:\n  - priority: «»\n", ["critical", "high", "normal"]),
        (GLOBAL, "modes:\n  «p»\n", ["planning", "build", "deploy"]),
        (
            "chati.dev/domains/workflows/greenfield-fullstack.yaml",
            "steps:\n  - brief\n  - «»\n",
            ["dev", "qa-implementation"],
        ),
        (
            "chati.dev/workflows/greenfield-fullstack.yaml",
            "phases:\n  - category: «»\n",
            ["PLANNING", "BUILD", "DEPLOY"],
        ),
        ("chati.dev/artifacts/6-Tasks/tasks.yaml", "tasks:\n  - size: «»\n", ["XS", "S", "M"]),
        ("chati.dev/config.yaml", "language: «»\n", ["en", "pt", "es", "fr"]),
    ],
)
def test_fields_words_and_names_are_offered(path: str, fixture: str, labels: list[str]) -> None:
    assert offered(path, fixture)[: len(labels)] == labels


def test_a_hand_off_is_offered_by_its_path() -> None:
    assert offered(SESSION, "last_handoff: «»\n") == [
        "chati.dev/artifacts/handoffs/qa-planning-handoff.md"
    ]


def test_what_a_session_names_leads_to_its_file() -> None:
    view = view_of(BOARD)
    found = {link.span.cut(BOARD[SESSION]): link.path for link in document_links(view, SESSION)}
    assert found["dev"] == DEV
    assert found["chati.dev/artifacts/handoffs/qa-planning-handoff.md"] == (
        "chati.dev/artifacts/handoffs/qa-planning-handoff.md"
    )
    (target,) = find_definitions(view, SESSION, BOARD[SESSION].index("dev\ncurrent_task"))
    assert target.path == DEV


def test_steps_lead_to_their_agents() -> None:
    path = "chati.dev/workflows/greenfield-fullstack.yaml"
    found = [
        (link.span.cut(BOARD[path]), link.path) for link in document_links(view_of(BOARD), path)
    ]
    assert found[2] == ("dev", DEV)
