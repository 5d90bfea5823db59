"""This module plans a first tree (`synapse init`): the starter files that ship with the package,
laid out where there are none yet.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from synapse_ls.workspace.edit_plan import EditPlan, create_file
from synapse_ls.workspace.naming_conventions import domain_of_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG, MANIFEST, TREE

GITIGNORE = f"{TREE}/.gitignore"
SETTINGS_FILES = (CONFIG, GITIGNORE)
"""The files of a tree that hold neither domains nor rules."""

_PACKAGE = "synapse_ls.setup.init"


@dataclass(frozen=True, slots=True)
class InitPlan:
    """An InitPlan says what would be created, and which files are there already and stay as they
    are.
    """

    plan: EditPlan
    kept_paths: tuple[str, ...]


def plan_init(tree: Tree, existing: Collection[str] = ()) -> InitPlan:
    """Plans the starter around what ``tree`` has.

    ``existing`` are further paths at which there is something. No file that exists is touched.
    Where there is a manifest, the rules of domains that it does not have are left out: nothing
    would ever bring them in.
    """
    started = tree.manifest is not None
    created = []
    kept = []
    for path, text in starter_files().items():
        domain = tree.domains_by_label.get(domain_of_file(path))
        served = domain.file if domain and path not in (MANIFEST, *SETTINGS_FILES) else None
        if path in existing or tree.snapshot.facts(path):
            kept.append(path)
        elif served:
            kept.append(served)
        elif not started or domain or path in SETTINGS_FILES:
            created.append(create_file(path, text))
    return InitPlan(EditPlan(tuple(created)), tuple(kept))


@cache
def starter_files() -> Mapping[str, str]:
    """Returns the starter tree: texts by path relative to the root, the manifest first."""
    folder = files(_PACKAGE) / "starter"
    names = sorted(entry.name for entry in folder.iterdir())
    # A real .gitignore in the package would hide the package's own files from git.
    paths = {name: GITIGNORE if name == "gitignore" else f"{TREE}/{name}" for name in names}
    texts = {path: (folder / name).read_text("utf-8") for name, path in paths.items()}
    return {MANIFEST: texts[MANIFEST], **texts}
