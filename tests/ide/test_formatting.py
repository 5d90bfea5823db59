"""The formatter changes the layout of a file and nothing that is read from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.domain_file import RulesDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.ide.formatting import FORMATTED_KINDS, format_edits, format_text
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.text.text_edit import apply_edits
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import rules_in
from synapse_ls.workspace.tree_loader import load_tree
from tests.support import corpus, examples, mark

PATHS = {
    FileKind.MANIFEST: ".synapse/manifest",
    FileKind.RULES: ".synapse/testing",
    FileKind.COMMANDS: ".synapse/commands",
    FileKind.CONTEXT: ".synapse/context",
    FileKind.CONSTITUTION: ".synapse/constitution",
    FileKind.SQUAD: "squads/etl/squad.yaml",
}


def facts_of(kind: FileKind, text: str) -> FileFacts:
    return analyze_file(PATHS[kind], kind, text)


def check(kind: FileKind, text: str, expected: str) -> None:
    assert format_text(facts_of(kind, text)) == expected
    assert format_text(facts_of(kind, expected)) == expected


def said(facts: FileFacts) -> Any:
    """All that is read from a file, without its places."""
    document = facts.document
    if isinstance(document, Manifest):
        entries = [
            (e.key.value, e.value.value if not e.items else "", [i.value for i in e.items])
            for e in document.entries
        ]
        return entries, document.devmode, document.global_exclude, list(document.domains)
    if isinstance(document, SquadDocument):
        return value(document.root)
    if isinstance(document, StarCommands):
        commands: Any = [(c.name, len(c.rules)) for c in document.commands]
    elif isinstance(document, ConstitutionDocument):
        commands = [(a.number, a.title, a.severity, len(a.rules)) for a in document.articles]
    elif isinstance(document, ContextDocument):
        commands = [(b, len(rules)) for b, rules in document.brackets.items()]
    else:
        assert isinstance(document, RulesDocument)
        commands = (document.mode, dict(document.switches))
    rules = [
        (r.key, r.kind, r.domain, r.qualifier, r.index, r.text, r.phase, r.group)
        for r in rules_in(document)
    ]
    return commands, rules


def value(node: YamlNode | None) -> Any:
    """A YAML node as plain values; an alias is its name."""
    if node is None or node.kind in ("scalar", "alias"):
        return node and (node.kind, node.value)
    return [value(item) for item in node.items] or [(value(k), value(v)) for k, v in node.pairs]


def kept(facts: FileFacts) -> list[str]:
    """The comments and their order, in lines and white space as the formats have them."""
    lines = (facts.text[start:end].strip(WHITE_SPACE) for start, end in iter_lines(facts.text))
    return [line for line in lines if line.startswith("#")]


# What it does


def test_no_white_space_around_a_key_and_its_equals_sign() -> None:
    check(FileKind.MANIFEST, "  A_STATE\t= active \n", "A_STATE=active\n")
    check(FileKind.RULES, "A_RULE_0 =  Test first \n", "A_RULE_0=Test first\n")


def test_no_white_space_around_the_commas_of_a_list() -> None:
    check(FileKind.MANIFEST, "A_RECALL=a, b ,  c d\n", "A_RECALL=a,b,c d\n")
    check(FileKind.MANIFEST, "A_PATHS=src/**, a, , b,\n", "A_PATHS=src/**,a,,b,\n")


def test_commas_in_a_rule_stay_as_they_are() -> None:
    check(FileKind.RULES, "A_RULE_0=a,b ,c\n", "A_RULE_0=a,b ,c\n")


def test_one_blank_line_at_most_and_none_at_the_ends() -> None:
    check(FileKind.MANIFEST, "\n\nA_STATE=active\n \n\n\n# x\n\n\n", "A_STATE=active\n\n# x\n")


def test_a_last_line_break_of_the_files_own_kind() -> None:
    check(
        FileKind.MANIFEST,
        "A_STATE=active\r\nB_STATE=active",
        "A_STATE=active\r\nB_STATE=active\r\n",
    )
    check(FileKind.RULES, "A_RULE_0=x", "A_RULE_0=x\n")
    check(FileKind.RULES, "", "")


def test_a_comment_behind_a_value_keeps_its_place() -> None:
    line = "A_RECALL=a,b  # synapse: ignore[SYN301,SYN302] both,are meant\n"
    check(FileKind.MANIFEST, line.replace("a,b  #", "a, b  #"), line)


def test_plain_text_keeps_its_lines_and_its_fences() -> None:
    text = "Write  tests.  \nEvery  day.\n\n```\n\n\nx = 1\n\n\n```\n\nEnd\n"
    check(FileKind.RULES, text, text)
    check(FileKind.RULES, "One.\n\n\n\nTwo.", "One.\n\nTwo.\n")


def test_front_matter_does_not_come_into_being() -> None:
    check(FileKind.RULES, "\n\n---\na: b\n---\nText\n", "\n---\na: b\n---\nText\n")


def test_a_squads_texts_of_several_lines_stay() -> None:
    text = "name: a  \n\n\ndescription: |+\n  one  \n\n\n  two\n\n\nlicense: MIT"
    expected = "name: a\n\ndescription: |+\n  one  \n\n\n  two\n\n\nlicense: MIT\n"
    check(FileKind.SQUAD, text, expected)
    check(FileKind.SQUAD, "name: a\ndescription: |\n  x", "name: a\ndescription: |\n  x")


def test_a_squad_that_cannot_be_read_and_files_of_others_are_left_alone() -> None:
    assert not format_edits(facts_of(FileKind.SQUAD, "name: [a  \n\n\n\n"))
    assert not format_edits(analyze_file("docs/stories/a.md", FileKind.STORY, "# A  \n\n\n\n"))


def test_a_part_of_a_file_is_formatted_alone() -> None:
    marked = mark("A_STATE = active\n«B_STATE = active\nC_STATE = active\n»D_STATE = active\n")
    facts = facts_of(FileKind.MANIFEST, marked.text)
    text = apply_edits(marked.text, format_edits(facts, marked.spans[0]))
    assert text == "A_STATE = active\nB_STATE=active\nC_STATE=active\nD_STATE = active\n"


# What it never does


PIECES = st.sampled_from(
    [
        "\n", "\n", "\n", "\r\n", "\r", "  ", "\t", " ", "\u00a0", "\u2028", "\ufeff", "=", " = ", ",", " ,",
        "A_STATE", "A_RECALL=", "A_RECALL = a,b , c", "A_RULE_0", "A_RULE_1 = text", "AUTH: ", "# x", "#",
        "COMMANDS_RULE_BRIEF_0=x", "# [*brief] COMMAND:", "[*plan] COMMAND:", "FRESH_RULE_0 = y", "- item",
        "```", "~~~", "---", "<!--", "-->", "CONSTITUTION_RULE_ART1_0 = T (MUST)", "## Heading", "=====",
        "word word", "| a | b |", " # synapse: ignore[SYN101, SYN102] a,b", "name: a", "version: 1.0.0",
        "description: |", "description: >+", "  more", "key: 'a", "'", '"', "agents: [a.md,", "]", "{", "}",
        "- - x", "? ", "*a", "&a ", "\\", "\x00", "\x0b", "\x1c", "\x85", "é",
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=14).map("".join)


@settings(deadline=None, max_examples=examples(400))
@given(st.sampled_from(sorted(FORMATTED_KINDS)), TEXTS)
@example(FileKind.SQUAD, "a: |\n  x")
@example(FileKind.MANIFEST, "\x1f# xA_RECALL = a,b , c")
def test_whatever_the_text_the_same_is_read_and_once_is_enough(kind: FileKind, text: str) -> None:
    before = facts_of(kind, text)
    after = facts_of(kind, format_text(before))
    assert said(after) == said(before)
    assert kept(after) == kept(before)
    assert not format_edits(after), (before.text, after.text)


@settings(deadline=None, max_examples=examples(100))
@given(st.sampled_from(sorted(FORMATTED_KINDS)), TEXTS, st.data())
def test_a_part_never_changes_more_than_the_whole(
    kind: FileKind, text: str, data: st.DataObject
) -> None:
    facts = facts_of(kind, text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    part = format_edits(facts, Span(start, end))
    assert set(part) <= set(format_edits(facts))
    assert said(facts_of(kind, apply_edits(text, part))) == said(facts)


@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_over_real_trees_every_block_stays_what_it_was(name: str) -> None:
    root: Path = corpus() / name
    tree = Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())
    snapshot = tree.snapshot
    for path in snapshot.paths():
        facts = tree.snapshot.facts(path)
        if facts is None or facts.kind not in FORMATTED_KINDS:
            continue
        text = format_text(facts)
        after = analyze_file(path, facts.kind, text)
        assert said(after) == said(facts)
        assert not format_edits(after)
        snapshot = snapshot.with_text(path, text)
    plans = [compile_plan(one, "root") for one in (tree, Tree(snapshot))]
    for remaining in (100, 50, 30, 10):
        blocks = [
            assemble_block(
                plan,
                resolve_situation(
                    plan,
                    Request(prompt="*brief test the database"),
                    measure_usage(reported=remaining),
                ),
            ).text
            for plan in plans
        ]
        assert blocks[0] == blocks[1]
