"""Compiling a plan from the files of a tree. Not on the way of a prompt whose plan is cached."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synapse_ls.engine.compile import compile_plan, profile_table
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.profiles.registry import MODULES
from synapse_ls.service.errors import ServiceError
from synapse_ls.workspace.loader import Loaded, Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.stamps import Stamp

DEADLINE = 0.3  # seconds for all sources of a prompt where inputs have changed


@dataclass(frozen=True, slots=True)
class Built:
    """A plan and the stamps it depends on. incomplete: a source was late, so it must not be kept."""

    plan: Plan
    tree: Tree
    loaded: Loaded
    always: dict[str, Stamp | None]
    content: dict[str, Stamp | None]
    notes: tuple[str, ...]
    incomplete: bool


def _find_libraries() -> None:
    """Make installed libraries importable where the hook was started without them (``-S``)."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()


def build(root: str, profile: str = "", *, deadline: float | None = DEADLINE) -> Built:
    """Load the tree at ``root`` as far as a prompt needs it, and compile it."""
    _find_libraries()
    loaded = load(root, Scope.PROMPT, deadline=deadline)
    tree = Tree(loaded.index.snapshot())
    config = tree.snapshot.config
    if profile and profile_table(config, profile) is None:
        raise ServiceError(
            f"There is no profile {profile!r}.", f"Choose one of {', '.join(sorted(MODULES))}."
        )
    plan = compile_plan(tree, root, profile=profile)
    notes = [note.message for note in loaded.notes]
    if config.profile and profile_table(config) is None:
        notes.append(f"config.toml names the profile {config.profile!r}, which does not exist")
    files = {domain.file for domain in tree.domains if domain.file}
    return Built(
        plan,
        tree,
        loaded,
        {path: stamp for path, stamp in loaded.stamps.items() if path not in files},
        {path: stamp for path, stamp in loaded.stamps.items() if path in files},
        tuple(notes),
        any(note.kind == "late" for note in loaded.notes),
    )
