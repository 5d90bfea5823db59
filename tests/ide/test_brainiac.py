"""What an editor offers in the files of Brainiac."""

from __future__ import annotations

from typing import Any

import pytest

from synapse_ls.ide.code_action import code_actions
from synapse_ls.ide.completion import complete_at
from synapse_ls.ide.document_link import document_links
from synapse_ls.ide.hover import hover
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import apply_edits
from tests.engine.test_profile import FILES, SHORT_TERM
from tests.ide.views import view_of

MACHINES = "memory/long_term/concrete/ticket-machines.md"
OUTAGE = "memory/long_term/events/2025-08-outage.md"
MIGRATIONS = "memory/long_term/skills/migrations.md"
INDEX = "memory/long_term/skills/_index.md"


def hovered(path: str, words: str, **request: Any) -> str:
    found = hover(view_of(FILES, **request), path, FILES[path].index(words))
    assert found
    assert found.span.cut(FILES[path]).find(words) >= 0
    return found.markdown


def test_a_memory_says_whether_and_why_it_is_told() -> None:
    told = hovered(MACHINES, "There are 31", prompt="ticket machines")
    assert "**concrete/ticket-machines.md**" in told
    assert "**In the block now**: found with a score of " in told
    assert "the prompt says" in told
    assert "**Reinforcement Count:** 6" in told


def test_a_memory_that_is_not_told_says_what_would_bring_it_in() -> None:
    told = hovered("memory/long_term/concrete/team.md", "Ana owns")
    assert "**Not in the block now**" in told
    assert "To inject it: name it in the prompt" in told


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("We are moving", "summary of SHORT\\_TERM"),
        ("Switch reads", "goals_1 of"),
        ("and roll it out", "tasks_1 of"),
        ("reached MySQL only", "2026-03-12T16:40:00Z of"),
        ("Ticket machines in Port Vell", "other of"),
    ],
)
def test_each_part_of_the_short_term_memory_speaks_for_itself(words: str, name: str) -> None:
    assert name.replace("\\_", "_") in hovered(SHORT_TERM, words).replace("\\_", "_")


def test_links_lead_to_memories_by_path_and_by_id() -> None:
    assert [(link.path, link.is_in_tree) for link in document_links(view_of(FILES), INDEX)] == [
        (MIGRATIONS, True),
        ("memory/long_term/skills/passenger-texts.md", True),
        (MACHINES, True),
    ]
    assert [link.path for link in document_links(view_of(FILES), MIGRATIONS)] == [OUTAGE]


def test_a_goal_is_ticked_and_nothing_else_changes() -> None:
    text = FILES[SHORT_TERM]
    at = text.index("Switch reads")
    view: View = view_of(FILES)
    offered = {action.title: action for action in code_actions(view, SHORT_TERM, Span(at, at))}
    (change,) = offered["Tick it"].plan().edits
    assert apply_edits(text, change.edits) == text.replace("- [ ] Switch", "- [x] Switch")
    (change,) = offered["Take it out"].plan().edits
    assert "Switch reads" not in apply_edits(text, change.edits)


def test_a_fact_has_no_box() -> None:
    at = FILES[SHORT_TERM].index("Reservation ids")
    titles = {action.title for action in code_actions(view_of(FILES), SHORT_TERM, Span(at, at))}
    assert "Take it out" in titles
    assert "Tick it" not in titles


@pytest.mark.parametrize(
    ("written", "offered"),
    [
        ("[[", {"section"}),
        ("[[section]]\n", {"label", "content", "file", "priority", "every_n_turns", "on_tokens"}),
        ('[[section]]\nlabel = "a"\nfi', {"content", "file", "priority"}),
        ("[brainiac]\n", {"budget", "memories"}),
    ],
)
def test_sections_are_completed_in_the_configuration(written: str, offered: set[str]) -> None:
    view = view_of({".synapse/config.toml": written})
    found = complete_at(view, ".synapse/config.toml", len(written))
    assert found
    assert offered <= {item.label for item in found.items}


def test_a_misspelt_part_is_mended() -> None:
    text = FILES[SHORT_TERM].replace("### Tasks", "### Taks")
    files = {**FILES, SHORT_TERM: text}
    at = text.index("Taks")
    offered = {a.title: a for a in code_actions(view_of(files), SHORT_TERM, Span(at, at))}
    (change,) = offered["Write `Tasks`"].plan().edits
    assert apply_edits(text, change.edits) == FILES[SHORT_TERM]
