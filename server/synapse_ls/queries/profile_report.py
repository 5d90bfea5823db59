"""Report profiles as plain values: the list, one profile in full, and how two of them differ."""

from collections.abc import Iterator, Mapping
from typing import Any

from synapse_ls.engine import profiles
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names
from synapse_ls.workspace.rule_tree import Tree

_BRACKET_FIELDS = ("floor", "budget", "layers", "memory", "memory_tokens", "handoff", "refresh")


def list_profiles(tree: Tree) -> list[dict[str, Any]]:
    """Return a list for the report of profiles: every one that the tree can be served with, in one
    line each, with the layers that are active in its first bracket.
    """
    return [
        {
            **_profile_summary(tree, name),
            "first_layers": list(_build_profile(tree, name).table["brackets"][0]["layers"]),
        }
        for name in profiles.profile_names(tree.snapshot.config.profiles)
    ]


def profile_report(tree: Tree, name: str = "") -> dict[str, Any]:
    """Return the report of a profile in full; the one that the tree is served with where none is
    named.

    Raises UserError where there is no profile of that name.
    """
    name = name or active_profile(tree)
    table = _build_profile(tree, name).table
    return {
        **_profile_summary(tree, name),
        "headings": dict(table.get("headings", {})),
        "frame": {"open": table["layout"]["open"], "close": table["layout"]["close"]},
        "layers": [
            {"id": layer, "module": module.rpartition(".")[2].removesuffix("_sections")}
            for layer, module in table["layers"]
        ],
        "brackets": [
            {
                key: list(value) if isinstance(value := row[key], tuple) else value
                for key in ("name", "label", *_BRACKET_FIELDS)
            }
            for row in table["brackets"]
        ],
        "sections": list(table["sections"]),
        "drop": list(table["drop"]),
        "protected": list(table["protected"]),
        "recall_prompts": table["recall_prompts"],
        "whole_first_block": table.get("whole_first_block", False),
        "handoff_below": table["handoff_below"],
    }


def compare_profiles(tree: Tree, one: str, other: str) -> list[dict[str, Any]]:
    """Return where two profiles differ: a dotted place and both values, None for one that is not
    there.
    """
    before, after = (dict(_flatten_report(profile_report(tree, name))) for name in (one, other))
    return [
        {"at": at, "before": before.get(at), "after": after.get(at)}
        for at in dict.fromkeys((*before, *after))
        if before.get(at) != after.get(at)
    ]


def active_profile(tree: Tree) -> str:
    """Return the name of the profile that is reported as the one the tree is served with."""
    name: str = profiles.profile_table_of(tree)["name"]
    return name


def _profile_summary(tree: Tree, name: str) -> dict[str, Any]:
    written = tree.snapshot.config.profiles
    profile = _build_profile(tree, name)
    own = name not in profiles.BUILT_IN
    return {
        "name": name,
        "in_force": name == active_profile(tree),
        "own": own,
        "extends": written[name].get("extends", "synapse") if own else "",
        "reads": profile.table["source"],
        "faults": [fault.sentence for fault in profile.faults],
    }


def _build_profile(tree: Tree, name: str) -> profiles.BuiltProfile:
    written = tree.snapshot.config.profiles
    if (profile := profiles.build_profile(name, written)) is None:
        names = profiles.profile_names(written)
        raise UserError(
            f'There is no profile "{name}".',
            suggest_names(name, names, f"Choose one of {', '.join(names)}."),
        )
    return profile


def _flatten_report(report: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a report that say what a profile does, by dotted place."""
    yield "reads", report["reads"]
    for part in ("frame", "headings"):
        yield from ((f"{part}.{name}", text) for name, text in report[part].items())
    yield "layers", [layer["id"] for layer in report["layers"]]
    for bracket in report["brackets"]:
        start = f"brackets.{bracket['name']}"
        yield from ((f"{start}.{key}", bracket[key]) for key in _BRACKET_FIELDS)
    rest = ("whole_first_block", "sections", "drop", "protected", "recall_prompts", "handoff_below")
    yield from ((name, report[name]) for name in rest)
