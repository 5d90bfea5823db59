"""``synapse diff``: show what a change to the tree between two revisions does to the blocks."""

import re
from argparse import Namespace
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from synapse_ls.cli import shared_options, tree_options
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Styled, part_text
from synapse_ls.engine.situation import Request
from synapse_ls.ide.hover_markdown import escape_posted
from synapse_ls.ide.tree_view import CompiledTree, view_for_request
from synapse_ls.queries import tree_comparison
from synapse_ls.queries.git_revision import tree_at
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree

_MAX_RULES = 10  # rules of one kind that text and Markdown show


def _write_text(
    comparison: tree_comparison.Comparison, names: tuple[str, str], console: Console
) -> None:
    for number, change in enumerate(comparison.changes):
        if number:
            console.line()
        console.line(
            Styled(tree_comparison.describe_prompts(change, comparison), "title"),
            f": {tree_comparison.describe_change(change)}",
        )
        console.lines(("  ", *line) for line in _delta_lines(change.delta))
    if not comparison.changes:
        console.line(f"Each compared block has the same rules in {' and '.join(names)}.")
    console.note(f"{format_count(comparison.question_count, 'block')} compared")


def _delta_lines(delta: tree_comparison.RuleDifference) -> Iterator[tuple[Part, ...]]:
    for sign, items in ((Styled("+", "good"), delta.added), (Styled("-", "bad"), delta.removed)):
        for name, text in items[:_MAX_RULES]:
            yield sign, f" {_key_prefix(name)}{text}"
        yield from _more_line(items)
    for name, old, new in delta.changed[:_MAX_RULES]:
        yield Styled("-", "bad"), f" {_key_prefix(name)}{old}"
        yield Styled("+", "good"), f" {_key_prefix(name)}{new}"
    yield from _more_line(delta.changed)


def _more_line(items: tuple[object, ...]) -> Iterator[tuple[Part, ...]]:
    if len(items) > _MAX_RULES:
        yield (Styled(f"… {len(items) - _MAX_RULES} more", "dim"),)


def _key_prefix(name: tree_comparison.RuleName) -> str:
    """Return the key of a rule and two spaces; "" for one without a key."""
    key = name[1]
    return f"{key}  " if key.isascii() and " " not in key else ""


def _write_markdown(
    comparison: tree_comparison.Comparison, names: tuple[str, str], console: Console
) -> None:
    console.line(f"### What agents get: {escape_posted(' → '.join(names))}")
    console.line()
    for change in comparison.changes:
        console.line(
            f"- **{escape_posted(tree_comparison.describe_prompts(change, comparison))}**: "
            f"{escape_posted(tree_comparison.describe_change(change))}"
        )
        if lines := list(_delta_lines(change.delta)):
            texts = ["".join(map(part_text, line)) for line in lines]
            ticks = re.findall("`+", "\n".join(texts))
            fence = "`" * max([3, *(len(run) + 1 for run in ticks)])
            console.line()
            console.line(f"  {fence}diff")
            console.lines([f"  {text}"] for text in texts)
            console.line(f"  {fence}")
            console.line()
    if not comparison.changes:
        console.line("Each compared block has the same rules.")
    console.line()
    console.line("Headings and memories are not compared.")


def _write_json(
    comparison: tree_comparison.Comparison, names: tuple[str, str], console: Console
) -> None:
    console.json(
        {
            "before": names[0],
            "after": names[1],
            "compared": comparison.question_count,
            "changes": [_change_report(change, comparison) for change in comparison.changes],
        }
    )


def _change_report(
    change: tree_comparison.TreeDifference, comparison: tree_comparison.Comparison
) -> dict[str, Any]:
    delta = change.delta
    return {
        "where": tree_comparison.describe_prompts(change, comparison),
        "summary": tree_comparison.describe_change(change),
        "added": [{**_name_report(name), "text": text} for name, text in delta.added],
        "removed": [{**_name_report(name), "text": text} for name, text in delta.removed],
        "changed": [
            {**_name_report(name), "before": old, "after": new} for name, old, new in delta.changed
        ],
        "no_longer_fits": [_name_report(name) for name in delta.crowded],
        "fits_now": [_name_report(name) for name in delta.fitting],
        "does_not_fit": [_name_report(name) for name in delta.cut],
        "met": [
            {
                "kind": met.question.kind,
                "label": met.question.label,
                "bracket": met.bracket,
                "tokens_before": met.before,
                "tokens_after": met.after,
                "budget": met.budget,
            }
            for met in change.blocks
        ],
    }


def _name_report(name: tree_comparison.RuleName) -> dict[str, str]:
    return {"domain": name[0], "rule": name[1]}


_WRITERS = {"text": _write_text, "markdown": _write_markdown, "json": _write_json}


@command(
    option(
        "revision REV",
        "a commit, or two as A..B (default: HEAD, against the working tree)",
        nargs="?",
        default="HEAD",
    ),
    switch("--block", "the difference of one block, for the prompt and the situation below"),
    *tree_options.prompt_options(positional=False),
    tree_options.situation_options(session=False),
    option_group(
        "Output",
        option(
            "--format FORMAT",
            "text, markdown (for a pull request) or json",
            choices=_WRITERS,
            default="text",
        ),
    ),
)
def run(options: Namespace, console: Console) -> None:
    """Assembles the blocks of two states of the tree, for every agent, workflow, squad, keyword,
    path, command and test in every bracket. It shows which of them differ and how: which rules came
    and went, what it costs, and what no longer fits.

    Examples:

    # What do my changes do to the blocks?
    $ synapse diff

    # What does this branch do?
    $ synapse diff main..HEAD

    # A comment for a pull request
    $ synapse diff origin/main --format markdown

    # Line by line, for one situation
    $ synapse diff --block --agent dev --remaining 50
    """
    root = shared_options.root_of(options)
    old, dots, new = options.revision.partition("..")
    if not old or (dots and not new):
        raise UserError(f"{options.revision} names no two revisions.", "Write them as A..B.")
    before = CompiledTree(tree_at(root, old), root)
    after = CompiledTree(tree_at(root, new) if new else load_tree(root, LoadScope.ALL).tree, root)
    names = (old, new or "working tree")
    if options.block:
        state_names = ("agent", "workflow", "phase", "task", "story", "squad", "bracket")
        request = Request(
            tree_options.prompt_of(options),
            **{name: getattr(options, name) for name in state_names},
            files=tuple(options.files),
        )
        diff_old, diff_new = (
            view_for_request(compiled, request, options.remaining).assembly.text.splitlines()
            for compiled in (before, after)
        )
        for line in unified_diff(diff_old, diff_new, *names, lineterm=""):
            style = {"+": "good", "-": "bad", "@": "dim"}.get(line[:1], "")
            console.line(Styled(line, style) if style else line)
        return
    _WRITERS[options.format](tree_comparison.compare_trees(before, after), names, console)
