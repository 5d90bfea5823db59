"""``synapse diff``: what a change to the tree does to the blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_prompt, add_situation, prompt_of, root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.engine.render import named
from synapse_ls.engine.situation import Request
from synapse_ls.ide.view import Compiled, asking
from synapse_ls.service.compare import Change, Comparison, Delta, Met, Name, compare
from synapse_ls.service.revision import tree_at
from synapse_ls.text.counted import counted
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

FORMATS = ("text", "markdown", "json")
_AGENT = re.compile(r"@[\w\\-]+")
_ESCAPE = "\\"
_NAMED = 4  # questions of one kind that are named one by one
_RULES = 10  # rules of one kind that text and Markdown show


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "revision",
        metavar="REV",
        nargs="?",
        default="HEAD",
        help="a commit, or two as A..B (default: HEAD, against the working tree)",
    )
    parser.add_argument(
        "--block",
        action="store_true",
        help="the difference of one block, for the prompt and the situation below",
    )
    add_prompt(parser, positional=False)
    add_situation(parser, session=False)
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--format",
        metavar="FORMAT",
        type=one_of(FORMATS),
        default="text",
        help="text, markdown (for a pull request) or json",
    )


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    old, dots, new = options.revision.partition("..")
    if not old or (dots and not new):
        raise CliError(f"{options.revision} names no two revisions.", "Write them as A..B.")
    before = Compiled(tree_at(root, old), root)
    after = Compiled(
        tree_at(root, new) if new else Tree(load(root, Scope.ALL).index.snapshot()), root
    )
    names = (old, new or "working tree")
    if options.block:
        _show_block(before, after, names, options, console)
        return 0
    comparison = compare(before, after)
    _WRITERS[options.format](comparison, names, console)
    return 0


def _show_block(
    before: Compiled, after: Compiled, names: tuple[str, str], options: Namespace, console: Console
) -> None:
    given = ("agent", "workflow", "phase", "task", "story", "squad", "bracket")
    request = Request(
        prompt_of(options),
        **{name: getattr(options, name) for name in given},
        files=tuple(options.files),
    )
    old, new = (
        asking(compiled, request, options.remaining).assembly.text.splitlines()
        for compiled in (before, after)
    )
    for line in unified_diff(old, new, *names, lineterm=""):
        style = {"+": "good", "-": "bad", "@": "dim"}.get(line[:1], "")
        console.line(Styled(line, style) if style else line)


def _text(comparison: Comparison, names: tuple[str, str], console: Console) -> None:
    for number, change in enumerate(comparison.changes):
        if number:
            console.line()
        console.line(Styled(where(change, comparison), "title"), f": {sentence(change)}")
        for line in _lines(change.delta):
            console.line("  ", *line)
    if not comparison.changes:
        console.line(f"No block differs between {' and '.join(names)}.")
    console.note(f"{counted(comparison.asked, 'block')} compared")


def _lines(delta: Delta) -> Iterator[tuple[Part, ...]]:
    for name, text in delta.added[:_RULES]:
        yield Styled("+", "good"), f" {_called(name)}{text}"
    yield from _more(delta.added)
    for name, text in delta.removed[:_RULES]:
        yield Styled("-", "bad"), f" {_called(name)}{text}"
    yield from _more(delta.removed)
    for name, old, new in delta.changed[:_RULES]:
        yield Styled("-", "bad"), f" {_called(name)}{old}"
        yield Styled("+", "good"), f" {_called(name)}{new}"
    yield from _more(delta.changed)


def _more(items: tuple[object, ...]) -> Iterator[tuple[Part, ...]]:
    if len(items) > _RULES:
        yield (Styled(f"… {len(items) - _RULES} more", "dim"),)


def _called(name: Name) -> str:
    """How a rule is called before its text; one without a key goes by its text alone."""
    key = name[1]
    return f"{key}  " if key.isascii() and " " not in key else ""


def where(change: Change, comparison: Comparison) -> str:
    """The prompts that meet a change: "Every prompt", "@dev's first prompt"."""
    brackets: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for met in change.met:
        brackets.setdefault(met.asked.label, []).append(met.bracket)
        kinds[met.asked.label] = met.asked.kind
    groups: dict[tuple[str, ...], list[str]] = {}
    for label, found in brackets.items():
        groups.setdefault((kinds[label], *found), []).append(label)
    parts = (
        _told(kind, labels, tuple(found), comparison.brackets)
        for (kind, *found), labels in groups.items()
    )
    told = "; ".join(parts)
    return told[:1].upper() + told[1:]


def _told(kind: str, labels: list[str], found: tuple[str, ...], every: tuple[str, ...]) -> str:
    """Questions of one kind, and in which brackets; in the first one a session begins."""
    who = _listing(kind, labels)
    if found == every:
        return who
    if found == every[:1] and kind == "agent":
        return f"{who}'s first prompt" if len(labels) == 1 else f"the first prompt of {who}"
    return f"{who} in {', '.join(found)}"


def _listing(kind: str, labels: list[str]) -> str:
    if len(labels) <= _NAMED:
        return ", ".join(labels)
    plural = "prompts with a keyword" if kind == "keyword" else f"{kind}s"
    return f"{len(labels)} {plural} ({', '.join(labels[:_NAMED])} …)"


def sentence(change: Change) -> str:
    """What a change does: "adds 3 rules, +120 tokens; GLOBAL_RULE_9 no longer fits"."""
    delta = change.delta
    does = [
        f"{verb} {counted(len(items), 'rule')}"
        for verb, items in (
            ("adds", delta.added),
            ("removes", delta.removed),
            ("changes", delta.changed),
        )
        if items
    ]
    parts = [", ".join((*does, _tokens(change.met)))]
    parts += [
        f"{named(name[1] for name in names)} {verb if len(names) == 1 else verbs}"
        for names, verb, verbs in (
            (delta.crowded, "no longer fits", "no longer fit"),
            (delta.fitting, "fits now", "fit now"),
            (delta.cut, "does not fit", "do not fit"),
        )
        if names
    ]
    return "; ".join(parts)


def _tokens(met: Iterable[Met]) -> str:
    changes = sorted({one.after - one.before for one in met})
    if len(changes) == 1:
        return f"{_signed(changes[0])} tokens"
    return f"{_signed(changes[0])} to {_signed(changes[-1])} tokens"


def _signed(number: int) -> str:
    return f"{number:+}" if number else "±0"


def _markdown(comparison: Comparison, names: tuple[str, str], console: Console) -> None:
    console.line(f"### What agents are told: {names[0]} → {names[1]}")
    console.line()
    for change in comparison.changes:
        console.line(f"- **{_escaped(where(change, comparison))}**: {_escaped(sentence(change))}")
        lines = list(_lines(change.delta))
        if lines:
            fence = "`" * max(3, *(_ticks("".join(map(_plain, line))) + 1 for line in lines))
            console.line()
            console.line(f"  {fence}diff")
            for line in lines:
                console.line(f"  {''.join(map(_plain, line))}")
            console.line(f"  {fence}")
            console.line()
    if not comparison.changes:
        console.line("No block differs.")


def _plain(part: Part) -> str:
    return part if isinstance(part, str) else part.text


def _ticks(text: str) -> int:
    """The longest run of back-ticks."""
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def _escaped(text: str) -> str:
    """Text as Markdown shows it. As code, because GitHub would take @dev for a person."""
    marked = "".join(f"\\{c}" if c in "\\`*_[]<>" else c for c in text)
    return _AGENT.sub(lambda found: f"`{found[0].replace(_ESCAPE, '')}`", marked)


def _json(comparison: Comparison, names: tuple[str, str], console: Console) -> None:
    console.json(
        {
            "before": names[0],
            "after": names[1],
            "compared": comparison.asked,
            "changes": [_report(change, comparison) for change in comparison.changes],
        }
    )


def _report(change: Change, comparison: Comparison) -> dict[str, Any]:
    delta = change.delta
    return {
        "where": where(change, comparison),
        "summary": sentence(change),
        "added": [{**_name(name), "text": text} for name, text in delta.added],
        "removed": [{**_name(name), "text": text} for name, text in delta.removed],
        "changed": [
            {**_name(name), "before": old, "after": new} for name, old, new in delta.changed
        ],
        "no_longer_fits": [_name(name) for name in delta.crowded],
        "fits_now": [_name(name) for name in delta.fitting],
        "does_not_fit": [_name(name) for name in delta.cut],
        "met": [
            {
                "kind": met.asked.kind,
                "label": met.asked.label,
                "bracket": met.bracket,
                "tokens_before": met.before,
                "tokens_after": met.after,
                "budget": met.budget,
            }
            for met in change.met
        ],
    }


def _name(name: Name) -> dict[str, str]:
    return {"domain": name[0], "rule": name[1]}


_WRITERS = {"text": _text, "markdown": _markdown, "json": _json}

DIFF = Command(
    description="""\
Assembles the blocks of two states of the tree, for every agent, workflow, squad, keyword, command and
test in every bracket, and says which of them differ and how: which rules came and went, what it
costs, and what no longer fits.""",
    examples=(
        ("What do my changes do to the blocks?", "synapse diff"),
        ("What does this branch do?", "synapse diff main..HEAD"),
        ("A comment for a pull request", "synapse diff origin/main --format markdown"),
        ("Line by line, for one situation", "synapse diff --block --agent dev --remaining 50"),
    ),
    arguments=_arguments,
    run=_run,
)
