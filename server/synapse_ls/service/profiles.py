"""What a profile is, as plain values, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from synapse_ls.engine.compile import table_of
from synapse_ls.engine.profiles import custom
from synapse_ls.service.errors import ServiceError
from synapse_ls.text.near import nearest
from synapse_ls.workspace.tree import Tree

_BRACKET = ("floor", "budget", "layers", "memory", "memory_tokens", "handoff", "refresh")


def listed(tree: Tree) -> list[dict[str, Any]]:
    """Every profile that the tree can be served with, in one line each."""
    return [_summary(tree, name) for name in custom.names(tree.snapshot.config.profiles)]


def profile_report(tree: Tree, name: str = "") -> dict[str, Any]:
    """A profile in full; the one that the tree is served with where none is named.

    Raises ServiceError where there is no profile of that name.
    """
    name = name or in_force(tree)
    table = _made(tree, name).table
    return {
        **_summary(tree, name),
        "frame": {"open": table["layout"]["open"], "close": table["layout"]["close"]},
        "layers": [{"id": layer, "module": module} for layer, module in table["layers"]],
        "brackets": [_bracket(row) for row in table["brackets"]],
        "sections": list(table["sections"]),
        "drop": list(table["drop"]),
        "protected": list(table["protected"]),
        "recall_prompts": table["recall_prompts"],
        "handoff_below": table["handoff_below"],
    }


def differences(tree: Tree, one: str, other: str) -> list[dict[str, Any]]:
    """Where two profiles differ: a dotted place and both values, None for one that is not there."""
    before, after = (dict(_flat(profile_report(tree, name))) for name in (one, other))
    return [
        {"at": at, "before": before.get(at), "after": after.get(at)}
        for at in dict.fromkeys((*before, *after))
        if before.get(at) != after.get(at)
    ]


def in_force(tree: Tree) -> str:
    """The name of the profile that the tree is served with."""
    name: str = table_of(tree)["name"]
    return name


def _summary(tree: Tree, name: str) -> dict[str, Any]:
    written = tree.snapshot.config.profiles
    made = _made(tree, name)
    own = name not in custom.BUILT_IN
    return {
        "name": name,
        "in_force": name == in_force(tree),
        "own": own,
        "extends": written[name].get("extends", "synapse") if own else "",
        "reads": made.table["source"],
        "faults": [fault.sentence for fault in made.faults],
    }


def _made(tree: Tree, name: str) -> custom.Made:
    written = tree.snapshot.config.profiles
    made = custom.make(name, written)
    if made is None:
        known = custom.names(written)
        near = nearest(name, known)
        raise ServiceError(
            f"There is no profile {name!r}.",
            f"Did you mean {near}?" if near else f"Choose one of {', '.join(known)}.",
        )
    return made


def _bracket(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: list(v) if isinstance(v := row[key], tuple) else v for key in _BRACKET}
    return {"name": row["name"], "label": row["label"], **plain}


def _flat(report: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values of a report that say what a profile does, by dotted place."""
    yield "reads", report["reads"]
    for name, text in report["frame"].items():
        yield f"frame.{name}", text
    yield "layers", [layer["id"] for layer in report["layers"]]
    for bracket in report["brackets"]:
        for key in _BRACKET:
            yield f"brackets.{bracket['name']}.{key}", bracket[key]
    for name in ("sections", "drop", "protected", "recall_prompts", "handoff_below"):
        yield name, report[name]
