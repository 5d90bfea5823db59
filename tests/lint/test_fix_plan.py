from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.rule_tree import Tree
from tests.trees import tree_of

PATH = ".synapse/global"


def finding(*edits: tuple[str, int, int, str], safe: bool = True) -> Finding:
    fix = Fix("Mend it", safe, tuple((p, TextEdit(Span(a, b), new)) for p, a, b, new in edits))
    return Finding(Span(0, 0), "x", fix=fix, path=PATH, code="SYN999", name="test")


def text_of(tree: Tree, path: str = PATH) -> str:
    facts = tree.snapshot.facts(path)
    return facts.text if facts else ""


def once(*findings: Finding) -> Iterator[tuple[Finding, ...]]:
    yield findings
    while True:
        yield ()


def test_every_safe_fix_is_applied() -> None:
    rounds = once(finding((PATH, 0, 1, "A")), finding((PATH, 3, 4, "D")))
    mended = plan_fixes(tree_of({PATH: "abcdef"}), lambda _: next(rounds))
    assert (text_of(mended.tree), mended.count) == ("AbcDef", 2)


def test_a_fix_that_needs_eyes_is_not() -> None:
    rounds = once(finding((PATH, 0, 1, "A"), safe=False))
    mended = plan_fixes(tree_of({PATH: "abc"}), lambda _: next(rounds))
    assert (mended.count, bool(mended.plan)) == (0, False)


def test_of_two_that_touch_the_second_waits_for_the_next_look() -> None:
    def check(tree: Tree) -> Iterator[Finding]:
        for at, character in enumerate(text_of(tree)):
            if character == "x":
                yield finding((PATH, at, at + 1, ""))

    mended = plan_fixes(tree_of({PATH: "axxxxb"}), check)
    assert (text_of(mended.tree), mended.count) == ("ab", 4)


def test_a_fix_of_several_files_is_applied_whole_or_not() -> None:
    other = ".synapse/docs"
    rounds = once(finding((PATH, 0, 1, "A")), finding((other, 0, 1, "Z"), (PATH, 0, 1, "B")))
    mended = plan_fixes(tree_of({PATH: "abc", other: "xyz"}), lambda _: next(rounds))
    assert (text_of(mended.tree), text_of(mended.tree, other)) == ("Abc", "xyz")


def test_a_file_can_be_created() -> None:
    rounds = once(finding((".synapse/docs", 0, 0, "DOCS_RULE_0=x\n")))
    mended = plan_fixes(tree_of({PATH: "abc"}), lambda _: next(rounds))
    [change] = mended.plan.edits
    assert (change.action, change.path, change.after) == (
        "create",
        ".synapse/docs",
        "DOCS_RULE_0=x\n",
    )


def test_a_fix_that_leaves_its_finding_is_taken_back_and_the_others_stay() -> None:
    def check(tree: Tree) -> Iterator[Finding]:
        yield finding((PATH, 0, 0, "a"))
        if text_of(tree).endswith("x"):
            at = len(text_of(tree)) - 1
            yield finding((PATH, at, at + 1, "y"))._replace(message="ends in x")

    mended = plan_fixes(tree_of({PATH: "bx"}), check)
    assert (text_of(mended.tree), mended.count) == ("by", 1)


def test_fixes_that_undo_each_other_end_where_they_began_and_count_nothing() -> None:
    def check(tree: Tree) -> Iterator[Finding]:
        now = text_of(tree)
        new = {"a": "b", "b": "a"}[now]
        yield finding((PATH, 0, 1, new))._replace(message=f"{now} is wrong")

    mended = plan_fixes(tree_of({PATH: "a"}), check)
    assert (text_of(mended.tree), mended.count, bool(mended.plan)) == ("a", 0, False)


def test_fixes_before_a_cycle_stay_and_count() -> None:
    def check(tree: Tree) -> Iterator[Finding]:
        now = text_of(tree)
        new = {"start": "a", "a": "b", "b": "a"}[now]
        yield finding((PATH, 0, len(now), new))._replace(message=f"{now} is wrong")

    mended = plan_fixes(tree_of({PATH: "start"}), check)
    assert (text_of(mended.tree), mended.count) == ("a", 1)


def test_a_fix_that_was_of_no_use_is_tried_again_in_the_text_of_others() -> None:
    def check(tree: Tree) -> Iterator[Finding]:
        now = text_of(tree)
        if "x" in now:
            yield finding((PATH, 0, 1, "a" if now.endswith("z") else "x"))
        if now.endswith("y"):
            yield finding((PATH, len(now) - 1, len(now), "z"))._replace(message="ends in y")

    mended = plan_fixes(tree_of({PATH: "x--y"}), check)
    assert (text_of(mended.tree), mended.count) == ("a--z", 2)
