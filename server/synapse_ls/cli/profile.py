"""``synapse profile list|show|diff|use``: which profile a tree is served with, and what it says."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from synapse_ls.cli import file_changes, shared_options, tree_options
from synapse_ls.cli.command_table import command, option, option_group
from synapse_ls.cli.console import Console, Part, Row, Styled
from synapse_ls.edits.config_edits import choose_profile
from synapse_ls.queries.profile_report import (
    active_profile,
    compare_profiles,
    list_profiles,
    profile_report,
)

_SHORT_LIST = 8  # words that are shown all
_FIRST_BLOCK = ("within the budget", "whole: the budgets are for what comes after it")


def _print_faults(profiles: list[dict[str, Any]], console: Console) -> None:
    for profile in profiles:
        for fault in profile["faults"]:
            console.note(f"{fault} `synapse check` says where.")


def _difference_texts(differences: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield place, before and after; a bracket that is gone is one line, and of long lists only
    what differs is shown.
    """
    gone = {
        each["at"].removesuffix(".floor")
        for each in differences
        if each["at"].endswith(".floor") and each["after"] is None
    }
    for each in differences:
        at, before, after = each["at"], each["before"], each["after"]
        bracket, _, field = at.rpartition(".")
        if bracket in gone:
            if field == "floor":
                yield bracket, f"from {before}%", "–"
        elif isinstance(before, list) and isinstance(after, list) and len(before) > _SHORT_LIST:
            yield at, *_list_texts(before, after)
        else:
            yield at, _value_text(before), _value_text(after)


def _list_texts(before: list[str], after: list[str]) -> tuple[str, str]:
    """Return two lists without what they have in common at their ends, where that is long."""
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    tail = next(
        (i for i in range(shorter - head) if before[-1 - i] != after[-1 - i]), shorter - head
    )
    head, tail = (count if count > 2 else 0 for count in (head, tail))

    def text(words: list[str]) -> str:
        middle = words[head : len(words) - tail]
        return " ".join((*(["…"] if head else []), *middle, *(["…"] if tail else []))) or "none"

    return text(before), text(after)


def _value_text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return repr(value)[1:-1] if isinstance(value, str) else f"{value:,}"


@command(option_group("Output", shared_options.FORMAT_OPTION))
def run_list(options: Namespace, console: Console) -> None:
    """The profiles that this tree can be served with; * marks the one in force.

    Examples:

    # Which are there?
    $ synapse profile list

    # The same, as data
    $ synapse profile list --format json
    """
    _, tree = tree_options.load_options_tree(options)
    profiles = list_profiles(tree)
    if options.format == "json":
        console.json(profiles)
        return
    rows: list[list[Part]] = [
        [
            Styled("*" if profile["in_force"] else " ", "good"),
            Styled(profile["name"], "name"),
            profile["reads"],
            " ".join(profile["first_layers"]),
            profile["extends"],
        ]
        for profile in profiles
    ]
    console.table(rows, ("", "profile", "reads", "active at first", "extends"))
    _print_faults(profiles, console)


@command(
    option("name NAME", "a profile (default: the one in force)", nargs="?", default=""),
    option_group("Output", shared_options.FORMAT_OPTION),
)
def run_show(options: Namespace, console: Console) -> None:
    """Shows what a profile says: which files it reads, which layers are active in which bracket,
    the order of sections, and what is cut first.

    Examples:

    # The one in force
    $ synapse profile show

    # Another, as data
    $ synapse profile show chati --format json
    """
    _, tree = tree_options.load_options_tree(options)
    report = profile_report(tree, options.name)
    if options.format == "json":
        console.json(report)
        return
    note = " · in force" if report["in_force"] else ""
    rows: list[Row] = [
        ("profile", [Styled(report["name"], "title"), Styled(note, "dim")]),
        ("reads", [f"{report['reads']} files"]),
    ]
    if report["own"]:
        rows.insert(1, ("extends", [report["extends"]]))
    if report["headings"]:
        headings = (f"{name}: {text}" for name, text in report["headings"].items())
        rows.append(("headings", ["; ".join(headings)]))
    rows += [
        ("layers", [" ".join(layer["id"] for layer in report["layers"])]),
        ("sections", [", ".join(report["sections"])]),
        ("goes first", [", ".join(report["drop"])]),
        ("protected", [", ".join(report["protected"])]),
        ("a match lasts", [f"{report['recall_prompts']} prompts"]),
        ("first block", [_FIRST_BLOCK[report["whole_first_block"]]]),
    ]
    console.rows(rows)
    console.line()
    table: list[list[Part]] = []
    for row in report["brackets"]:
        tokens = f", {row['memory_tokens']} tokens" if row["memory_tokens"] else ""
        table.append(
            [
                Styled(row["name"], "name"),
                row["label"],
                f"{row['budget']:,}",
                f"{row['memory']}{tokens}",
                "yes" if row["handoff"] else "no",
                f"every {row['refresh']} prompts",
                " ".join(row["layers"]),
            ]
        )
    header = ("bracket", "left", "budget", "memory", "hand-off", "injected again", "active layers")
    console.table(table, header, right_aligned={2})
    _print_faults([report], console)


@command(
    option("one ONE", "a profile"),
    option("other OTHER", "another (default: the one in force)", nargs="?", default=""),
    option_group("Output", shared_options.FORMAT_OPTION),
)
def run_diff(options: Namespace, console: Console) -> None:
    """Where two profiles differ.

    Examples:

    # What would change with synapse-live?
    $ synapse profile diff synapse synapse-live
    """
    _, tree = tree_options.load_options_tree(options)
    other = options.other or active_profile(tree)
    comparison = compare_profiles(tree, options.one, other)
    if options.format == "json":
        console.json({"one": options.one, "other": other, "differences": comparison})
        return
    if not comparison:
        console.line(f"{options.one} and {other} say the same.")
        return
    rows: list[list[Part]] = [
        [Styled(at, "name"), Styled(before, "bad"), Styled(after, "good")]
        for at, before, after in _difference_texts(comparison)
    ]
    console.table(rows, ("", options.one, other))


@command(option("name NAME", "a profile"), file_changes.DRY_RUN_OPTION)
def run_use(options: Namespace, console: Console) -> None:
    """Names the profile in .synapse/config.toml, which is created if need be.

    Examples:

    # Activate every layer in every bracket
    $ synapse profile use synapse-live

    # What would be written?
    $ synapse profile use carl --dry-run
    """
    root, tree = tree_options.load_options_tree(options)
    file_changes.apply_or_show(root, choose_profile(tree, options.name), options, console)
