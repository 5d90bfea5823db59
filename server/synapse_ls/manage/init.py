"""A first tree: the starter files that ship with the package, laid out where there are none yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from synapse_ls.manage.plan import Plan, create
from synapse_ls.workspace.folders import CONFIG, MANIFEST, TREE
from synapse_ls.workspace.naming import domain_of_file
from synapse_ls.workspace.tree import Tree

GITIGNORE = f"{TREE}/.gitignore"
SETTINGS = (CONFIG, GITIGNORE)
"""The files of a tree that hold neither domains nor rules."""

_PACKAGE = "synapse_ls.manage"


@dataclass(frozen=True, slots=True)
class InitPlan:
    """What would be created, and which files are there already and stay as they are."""

    plan: Plan
    kept: tuple[str, ...]


def plan_init(tree: Tree, existing: Collection[str] = ()) -> InitPlan:
    """Plan the starter around what ``tree`` has.

    ``existing`` are further paths at which there is something. No file that exists is touched.
    Where there is a manifest, the rules of domains that it does not have are left out: nothing
    would ever bring them in.
    """
    started = tree.manifest is not None
    created = []
    kept = []
    for path, text in starter().items():
        domain = tree.labels.get(domain_of_file(path))
        served = domain.file if domain and path not in (MANIFEST, *SETTINGS) else None
        if path in existing or tree.snapshot.facts(path):
            kept.append(path)
        elif served:
            kept.append(served)
        elif not started or domain or path in SETTINGS:
            created.append(create(path, text))
    return InitPlan(Plan(tuple(created)), tuple(kept))


@cache
def starter() -> Mapping[str, str]:
    """The starter tree: texts by path relative to the root, the manifest first."""
    folder = files(_PACKAGE) / "starter"
    names = sorted(entry.name for entry in folder.iterdir())
    # A real .gitignore in the package would hide the package's own files from git.
    paths = {name: GITIGNORE if name == "gitignore" else f"{TREE}/{name}" for name in names}
    texts = {path: (folder / name).read_text("utf-8") for name, path in paths.items()}
    return {MANIFEST: texts[MANIFEST], **texts}
