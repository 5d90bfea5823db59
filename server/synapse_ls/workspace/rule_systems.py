"""Find the rule systems that have rules in a folder, and the one that is served.

It reads the disk, since files of the other systems are in no snapshot.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.config_settings import Config
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace import file_reader, outside_links
from synapse_ls.workspace.tree_folders import (
    CARL,
    CARL_FILE,
    CHATI,
    CONFIG,
    MANIFEST,
    ROOT_MARKS,
    TREE,
    base_profile,
)

NOTE_KIND = "two-systems"

_CARL_EXAMPLE = "example-custom-domain"  # what CARL's installer leaves in every tree
_RULE_ENDINGS = ("", ".md", ".txt", ".env")
_NO_RULES = (".gitignore", ".gitkeep", "README", "README.md", "LICENSE")


class FoundSystem(NamedTuple):
    """A rule system that has files in a folder.

    name: that of its family of profiles. place: its folder or file, as people know it. path: the
    file that speaks for it, relative to the root.
    """

    name: str
    place: str
    path: str

    @property
    def title(self) -> str:
        """The system as sentences name it."""
        return _TITLES[self.name]


def find_systems(root: str) -> list[FoundSystem]:
    """Return the systems that have rules in the folder ``root``, in the order in which they are
    looked for.
    """
    systems: dict[str, FoundSystem] = {}
    for mark, profile, _ in ROOT_MARKS:
        name = family_name(profile)
        full = os.path.join(root, mark)
        has_rules = (
            os.path.isfile(full)
            if "/" in mark
            else any(
                mark != TREE or _may_hold_rules(full, entry)
                for entry in outside_links.list_names(root, mark)
            )
        )
        if name in systems or not has_rules:
            continue
        place = mark if name == "brainiac" else f"{mark.partition('/')[0]}/"
        path = {TREE: MANIFEST, CHATI: f"{CHATI}/config.yaml"}.get(mark, mark)
        systems[name] = FoundSystem(name, place, path)
    return list(systems.values())


def rule_less_note(root: str) -> str:
    """Return what is said about a folder that has no rules for the profile in use: rules of another
    system there are named, since a first tree would be served in their place.
    """
    for system in find_systems(root):
        if system.name != "synapse":
            return (
                f"{system.place} belongs to {system.title}, and the profile in use has no rule of "
                "it"
            )
    return "the tree is empty: run `synapse init`"


def is_chati_tree(root: str) -> bool:
    """Return whether the first system that has rules in a folder is Chati.dev's, whose memories and
    continuation are kept where its documents say.
    """
    return next((system.name for system in find_systems(root)), "") == "chati"


def consulted_paths(root: str) -> Iterator[str]:
    """Yield the files and folders that say which systems there are, relative to ``root``, whether
    they are there or not.
    """
    for mark, _, _ in ROOT_MARKS:
        yield mark
    for name in outside_links.list_names(root, CARL):
        if _may_hold_rules(os.path.join(root, CARL), name):
            yield f"{CARL}/{name}"


def family_name(profile: str) -> str:
    """Return the rule system that is served where a built-in profile is used."""
    return {"carl-v2": "carl", "synapse-live": "synapse"}.get(profile, profile)


_TITLES = {family_name(profile): title for _, profile, title in ROOT_MARKS}


def unserved_systems(root: str, chosen: str = "") -> Iterator[tuple[FoundSystem, FoundSystem]]:
    """Yield the system that is served with each one beside it that is not.

    chosen: the name of the former, whether it has rules there or not; "" for the first that has.
    """
    systems = find_systems(root)
    default = FoundSystem(chosen, "", CONFIG) if chosen in _TITLES else next(iter(systems), None)
    served = next((system for system in systems if system.name == chosen), default)
    for other in systems:
        if served is None or other is served:
            continue
        if (other.name, served.name) == ("carl", "synapse") and other.path != CARL_FILE:
            # Where `synapse migrate` has made the tree that is served of the other one, it has
            # every rule of that, and nothing that stands there is lost.
            rules, copied = (_rule_texts(root, folder) for folder in (CARL, TREE))
            if rules and rules <= copied:
                continue
        yield served, other


def _rule_texts(root: str, place: str) -> set[str]:
    """Return what stands behind the keys of rules in the files of a folder."""
    texts: set[str] = set()
    folder = os.path.join(root, place)
    for name in outside_links.list_names(root, place):
        if _may_hold_rules(folder, name) and name != _CARL_EXAMPLE:
            try:
                content = file_reader.read_inside(root, f"{place}/{name}")
            except file_reader.RefusedError:
                continue
            lines = content.decoded.text.splitlines() if content else ()
            # What `*carl` explains is CARL, which a migration leaves behind.
            rules = (line for line in lines if "_RULE_" in line and "CARL_RULE_" not in line)
            texts.update(line.partition("=")[2].strip() for line in rules)
    return texts


def _may_hold_rules(folder: str, name: str) -> bool:
    return (
        name not in _NO_RULES
        and not name.startswith(".")
        and os.path.splitext(name)[1] in _RULE_ENDINGS
        and os.path.isfile(os.path.join(folder, name))
    )


def system_notes(root: str, config: Config) -> Iterator[Finding]:
    """Yield a note for each system beside the one that is served."""
    for served, other in unserved_systems(root, chosen_system(config)):
        if served.place:
            message = (
                f"{other.place} has rules of {other.title} beside these: a folder serves one "
                f"system, here {served.title}, and what is in it is not injected."
            )
        else:
            message = (
                f"The profile {config.profile} serves {served.title}, of which there is nothing "
                f"here; {other.place} has rules of {other.title}, which are not injected."
            )
        yield Finding(Span(0, 0), message, _remedy(other), kind="two-systems", path=served.path)


def chosen_system(config: Config) -> str:
    """Return the system that is to be served as the configuration has chosen it by its profile, ""
    for none.
    """
    return family_name(base_profile(config.profile, config.profiles))


def _remedy(other: FoundSystem) -> str:
    if other.name == "carl":
        profile = "carl-v2" if other.path == CARL_FILE else "carl"
        return (
            f'Run `synapse migrate`, which makes a tree of it, or write `profile = "{profile}"` '
            f"into {CONFIG} to have them served."
        )
    return f'Take one of the two away, or write `profile = "{other.name}"` into {CONFIG}.'
