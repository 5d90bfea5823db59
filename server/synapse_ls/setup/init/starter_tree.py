"""This module plans the starter tree of `synapse init`: the files of a template, laid out where
there are none yet.
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

STARTER, AIOX = "starter", "aiox"
TEMPLATES = (STARTER, AIOX)
"""What a first tree can be made of: what the repository shows, or AIOX's constitution, agents and
workflow.
"""

_PACKAGE = "synapse_ls.setup.init"


@dataclass(frozen=True, slots=True)
class InitPlan:
    """An InitPlan says which files of a starter tree would be created, and which are there already
    and stay as they are.
    """

    plan: EditPlan
    kept_paths: tuple[str, ...]


def plan_init(tree: Tree, texts: Mapping[str, str], existing: Collection[str] = ()) -> InitPlan:
    """Plans a starter tree of ``texts``, by path, around what ``tree`` has.

    ``existing`` are further paths at which there is something. No file that exists is touched.
    Where there is a manifest, the rules of domains that it does not have are left out: nothing
    would ever bring them in.
    """
    started = tree.manifest is not None
    created = []
    kept = []
    for path, text in texts.items():
        domain = tree.domains_by_label.get(domain_of_file(path))
        is_rules = "/" not in path.removeprefix(f"{TREE}/") and path not in _NO_RULES
        served = domain.file if domain and is_rules else None
        if path in existing or tree.snapshot.facts(path):
            kept.append(path)
        elif served:
            kept.append(served)
        elif not started or (domain and is_rules) or path in SETTINGS_FILES:
            created.append(create_file(path, text))
    return InitPlan(EditPlan(tuple(created)), tuple(kept))


_NO_RULES = (MANIFEST, *SETTINGS_FILES)


@cache
def settings_files() -> Mapping[str, str]:
    """Returns the texts of a starter tree's settings files by path."""
    folder = files(_PACKAGE) / "templates"
    # A real .gitignore in the package would hide the package's own files from git.
    paths = {CONFIG: "config.toml", GITIGNORE: "gitignore"}
    return {path: (folder / name).read_text("utf-8") for path, name in paths.items()}


@cache
def aiox_files() -> Mapping[str, str]:
    """Returns the starter tree of AIOX without its settings: texts by path relative to the root,
    the manifest first.
    """
    folder = files(_PACKAGE) / "templates" / AIOX
    texts = {
        f"{TREE}/{entry.name}": entry.read_text("utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
    }
    return {MANIFEST: texts[MANIFEST], **texts}
