"""Views of small trees: a fixture marks with «» the place that is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import Usage, measure_usage
from synapse_ls.engine.situation import Request
from synapse_ls.ide.hover import hover
from synapse_ls.ide.navigation import find_definitions
from synapse_ls.ide.tree_view import CompiledTree, View
from synapse_ls.text.span import Span
from tests.support import mark
from tests.trees import TEAM, Files, tree_of


def view_of(files: Files, *, remaining: float = 100, **request: Any) -> View:
    """A view of ``files`` with so much of the window left."""

    def now(_: Plan) -> tuple[Request, Usage]:
        return Request(**request), measure_usage(reported=remaining)

    return View(CompiledTree(tree_of(files), "root"), now)


class Asked:
    """A tree in which one place of one file is marked."""

    def __init__(self, path: str, fixture: str, files: Files = TEAM, **now: Any) -> None:
        marked = mark(fixture)
        self.path = path
        self.text = marked.text
        self.span = marked.spans[0]
        self.view = view_of({**files, path: self.text}, **now)

    def hover(self) -> str:
        """The hover at the mark, which covers just what is marked."""
        found = hover(self.view, self.path, self.span.start)
        assert found is not None
        assert found.span == self.span, found.span.cut(self.text)
        return found.markdown

    def targets(self) -> list[tuple[str, str]]:
        """(path, selected text) of the definitions of what is marked."""
        found = find_definitions(self.view, self.path, self.span.start)
        assert all(target.origin == self.span for target in found)
        return [(target.path, self._selected(target.path, target.selection)) for target in found]

    def _selected(self, path: str, span: Span) -> str:
        facts = self.view.tree.snapshot.facts(path)
        return span.cut(facts.text) if facts else ""


def check_hover(path: str, fixture: str, *says: str, files: Files = TEAM, **now: Any) -> None:
    """The hover at the mark says all of ``says``."""
    markdown = Asked(path, fixture, files, **now).hover()
    assert not [part for part in says if part not in markdown], markdown


def check_targets(
    path: str, fixture: str, *expected: tuple[str, str], files: Files = TEAM, **now: Any
) -> None:
    """The definitions of the mark are just these: path and selected text."""
    assert Asked(path, fixture, files, **now).targets() == list(expected)


def block_in(markdown: str) -> str:
    """The block that a hover shows, "" where it shows none."""
    head, fence, rest = markdown.partition("```text\n")
    ticks = head[len(head.rstrip("`")) :] + "```" if fence else "```"
    return rest.rpartition(f"\n{ticks}")[0]


STATE = """\
workflow_id: story-development-cycle
workflow_name: Story Development Cycle
instance_id: story-development-cycle-1
target_context: core
started_at: '2026-01-02T10:00:00.000Z'
updated_at: '2026-01-02T11:00:00.000Z'
status: active
current_phase: 'dev: in_development'
current_step_index: 0
steps:
  - {step_index: 0, phase: in_development, agent: dev, action: build, status: pending}
  - {step_index: 1, phase: qa_review, agent: qa, action: check, status: pending}
"""

SQUAD: Mapping[str, str] = {
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl-squad/.synapse/pipeline": "PIPELINE_RULE_0=Validate on both sides\n",
}
"""A squad of one domain."""
