"""Findings of the file that one types in come first; those of the tree keep their places meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count, groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.lint.incremental_findings import IncrementalFindings, move_findings
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding, Fix, Related
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, minimal_edit
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from tests.lint.clean import CLEAN, INDEXED
from tests.lint.test_incremental import FACTS, STEPS
from tests.workspace.trees import facts_of

MANIFEST = ".synapse/manifest"
LONELY = "LONELY_STATE=active\n"  # a domain without a file: SYN201


class Typing:
    """A clean tree, in whose manifest somebody types."""

    def __init__(self, text: str) -> None:
        self.index = TreeIndex()
        for path, clean in INDEXED.items():
            self.index.put_facts(facts_of(path, clean))
        self.text = CLEAN[MANIFEST] + text
        self.index.put_facts(facts_of(MANIFEST, self.text))
        self.tree = Tree(self.index.snapshot())
        self.results = IncrementalFindings(self.tree)

    def type(self, old: str, new: str) -> frozenset[str]:
        """The first step of an edit."""
        assert old in self.text
        self.text = self.text.replace(old, new, 1)
        changed = self.index.put_facts(facts_of(MANIFEST, self.text))
        self.tree = Tree(self.index.snapshot(), self.tree)
        return self.results.begin_update(self.tree, changed)

    def found(self) -> list[tuple[str, str]]:
        """(code, text) of what is said of the manifest."""
        return [
            (one.code, one.span.cut(self.text)) for one in self.results.by_path.get(MANIFEST, ())
        ]


def after(times: int) -> Callable[[], bool]:
    """Says no so many times, then yes."""
    turns = count()
    return lambda: next(turns) >= times


def test_an_own_finding_is_there_after_the_first_step() -> None:
    typing = Typing("")
    assert typing.type("GLOBAL_STATE=", "GLOBAL_STATE ") == {MANIFEST}
    assert "SYN103" in [code for code, _ in typing.found()]
    assert not typing.results.is_settled


def test_a_finding_of_the_tree_comes_with_the_second_step() -> None:
    typing = Typing("")
    typing.type("GLOBAL_STATE=active\n", f"GLOBAL_STATE=active\n{LONELY}")
    assert typing.found() == []
    assert typing.results.settle() == {MANIFEST}
    assert typing.found() == [("SYN201", "LONELY")]
    assert typing.results.is_settled


def test_a_finding_that_still_holds_keeps_its_place_while_one_types() -> None:
    typing = Typing(LONELY)
    assert typing.found() == [("SYN201", "LONELY")]
    for letter in "# a note":
        typing.type("GLOBAL_STATE=active\n", f"{letter}GLOBAL_STATE=active\n")
        assert ("SYN201", "LONELY") in typing.found()
        typing.results.settle()
        assert ("SYN201", "LONELY") in typing.found()


def test_a_finding_whose_place_is_deleted_is_gone_at_once() -> None:
    typing = Typing(LONELY)
    assert typing.type(LONELY, "") == {MANIFEST}
    assert typing.found() == []


def test_a_place_that_is_written_anew_is_looked_at_again_at_once() -> None:
    typing = Typing("LONELY_STATE=active\n")
    typing.type("LONELY", "OTHER")
    assert typing.found() == [("SYN201", "OTHER")]


def test_what_is_stopped_is_taken_up_again() -> None:
    typing = Typing("")
    typing.type("GLOBAL_STATE=active\n", f"GLOBAL_STATE=active\n{LONELY}")
    assert typing.results.settle(lambda: True) == frozenset()
    assert not typing.results.is_settled
    assert typing.results.settle() == {MANIFEST}


def test_a_whole_update_sees_to_what_was_left_open() -> None:
    typing = Typing("")
    typing.type("GLOBAL_STATE=active\n", f"GLOBAL_STATE=active\n{LONELY}")
    assert typing.results.update(typing.tree, ()) == {MANIFEST}
    assert typing.results.is_settled


@settings(deadline=None)
@given(STEPS, st.lists(st.integers(0, 30), min_size=25, max_size=25))
def test_whatever_was_stopped_the_results_are_those_of_a_fresh_run_in_the_end(
    steps: list[tuple[str, int]], patience: list[int]
) -> None:
    index = TreeIndex()
    tree = Tree(index.snapshot())
    results = IncrementalFindings(tree)
    told = dict(results.by_path)
    for (path, version), rules in zip(steps, patience, strict=False):
        changed = index.drop_file(path) if version < 0 else index.put_facts(FACTS[path][version])
        tree = Tree(index.snapshot(), tree)
        begin, settle = (
            partial(results.begin_update, tree, changed),
            partial(results.settle, after(rules)),
        )
        for step in (begin, settle):
            for one in step():
                assert told.get(one, ()) != results.by_path.get(one, ())
                told[one] = results.by_path.get(one, ())
            assert {p: found for p, found in told.items() if found} == results.by_path
        for one, found in results.by_path.items():
            size = len(facts.text) if (facts := tree.snapshot.facts(one)) else 0
            assert all(0 <= d.span.start <= d.span.end <= size for d in found)
    results.settle()
    by_path = groupby(lint_tree(tree), key=lambda diagnostic: diagnostic.path)
    assert results.by_path == {path: tuple(found) for path, found in by_path}


def diagnostic(span: Span, fix: Fix | None = None, related: tuple[Related, ...] = ()) -> Finding:
    return Finding(span, "It is.", "", fix, related, path="a", code="SYN201", name="x")


def test_a_fix_moves_with_its_finding() -> None:
    fix = Fix("Mend it", True, (("a", TextEdit(Span(4, 5), "x")), ("b", TextEdit(Span(4, 5), "y"))))
    (kept,) = (
        move_findings([diagnostic(Span(4, 6), fix)], "a", minimal_edit("01234567", "__01234567"))
        or ()
    )
    assert kept.fix
    assert kept.fix.edits == (("a", TextEdit(Span(6, 7), "x")), ("b", TextEdit(Span(4, 5), "y")))


def test_a_fix_is_not_offered_where_one_has_typed_since() -> None:
    fix = Fix("Mend it", True, (("a", TextEdit(Span(4, 5), "x")),))
    (kept,) = (
        move_findings([diagnostic(Span(3, 6), fix)], "a", minimal_edit("01234567", "01234_567"))
        or ()
    )
    assert kept.span == Span(3, 7)
    assert kept.fix is None


def test_related_places_move_in_the_same_file_only() -> None:
    related = (Related("a", Span(5, 6), "Here."), Related("b", Span(5, 6), "There."))
    edit = minimal_edit("01234567", "_01234567")
    (kept,) = move_findings([diagnostic(Span(1, 2), None, related)], "a", edit) or ()
    assert [one.span for one in kept.related] == [Span(6, 7), Span(5, 6)]
