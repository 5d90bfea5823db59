"""Compiling a plan from the files of a tree. Not on the way of a prompt whose plan is cached."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synapse_ls.engine.compile import compile_plan, needed, profile_table
from synapse_ls.engine.last_good import with_last_good
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.profiles.custom import names
from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.service.errors import ServiceError
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.loader import Loaded, LoadNote, Scope, load, read
from synapse_ls.workspace.systems import chati
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.stamps import Stamp

SAVING = 2_000_000_000  # nanoseconds in which an empty file may be one that is being saved
NAMED = 3  # sources or notes of one kind that are told one by one
_YAML = chati.YAML_KINDS | {FileKind.WORKFLOW_STATE}
_BROKEN = {
    "unreadable": "cannot be read",
    "binary": "is not text",
    "too-large": "is too large",
    "not-a-file": "is not a file",
}


@dataclass(frozen=True, slots=True)
class Built:
    """A plan and the stamps it depends on.

    incomplete: a source was late, so the plan must not be kept; it can be finished later.
    """

    plan: Plan
    tree: Tree
    loaded: Loaded
    always: dict[str, Stamp | None]
    content: dict[str, Stamp | None]
    notes: tuple[str, ...]
    incomplete: bool


def find_libraries() -> None:
    """Make installed libraries importable where the hook was started without them (``-S``)."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()


def build(
    root: str,
    profile: str = "",
    *,
    before: Plan | None = None,
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Built:
    """Load the tree at ``root`` as far as a prompt needs it, and compile it.

    before: the last plan, whose knowledge of files that cannot be read now is kept. deadline: in
    seconds of ``clock``, after which only what stands in every prompt is still read.
    """
    find_libraries()
    loaded = load(root, Scope.PROMPT, profile=profile, deadline=deadline, clock=clock)
    tree = Tree(loaded.index.snapshot())
    config = tree.snapshot.config
    if profile and profile_table(config, profile) is None:
        raise ServiceError(
            f"There is no profile {profile!r}.",
            f"Choose one of {', '.join(names(config.profiles))}.",
        )
    if wanted := needed(tree, profile):
        read(loaded, wanted)
        tree = Tree(loaded.index.snapshot())
    broken = _broken(tree, loaded)
    late = {note.path for note in loaded.notes if note.kind == "late"}
    readable = tree.manifest_path not in broken or before is None
    plan = compile_plan(tree, root, profile=profile) if readable else before
    assert plan is not None
    plan = with_last_good(plan, before, broken, late)
    notes = _told(n for n in loaded.notes if n.kind not in _BROKEN and n.kind != "late")
    files = {domain.file for domain in tree.domains if domain.file}
    return Built(
        plan,
        tree,
        loaded,
        {path: stamp for path, stamp in loaded.stamps.items() if path not in files},
        {path: stamp for path, stamp in loaded.stamps.items() if path in files},
        tuple(notes),
        bool(late),
    )


def _broken(tree: Tree, loaded: Loaded) -> dict[str, str]:
    """Path of a source that cannot be believed just now → what is wrong with it."""
    found = {note.path: _BROKEN[note.kind] for note in loaded.notes if note.kind in _BROKEN}
    now = time.time_ns()
    for path in (*tree.snapshot.paths(), *tree.snapshot.above):
        facts = tree.snapshot.facts(path)
        if facts is None or not facts.read or path in found:
            continue
        if isinstance(facts.document, CarlDocument) and facts.document.root is None:
            found[path] = "is no valid JSON"
        if facts.kind in _YAML:
            if any(problem.kind == "invalid-yaml" for problem in facts.problems):
                found[path] = "is no valid YAML"
        elif not facts.text and now - facts.mtime_ns < SAVING and path in tree.served:
            found[path] = "is empty, perhaps because it is being saved"
    return found


def _told(notes: Iterable[LoadNote]) -> list[str]:
    """Notes as sentences that name their file; many of a kind as one."""
    listed = list(notes)
    counts = Counter(note.kind for note in listed)
    told: dict[str, str] = {}
    for note in listed:
        if counts[note.kind] <= NAMED:
            said = f"{note.message} {note.remedy}".rstrip()
            told[note.path + note.message] = f"{note.path}: {said}"
        else:
            others = counts[note.kind] - 1
            told.setdefault(note.kind, f"{note.path} and {others} others: {note.message}")
    return list(told.values())
