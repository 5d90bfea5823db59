"""Load the current plan of a tree: from the cache while valid, else compiled from the files."""

from __future__ import annotations

import os
from time import monotonic, process_time

from synapse_ls.storage import plan_cache, program_start
from synapse_ls.storage.atomic_files import ANYWHERE, FileLock, StorageError
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.engine.compiled_plan import Plan

PROMPT_PATIENCE: Final = 0.3  # seconds that a prompt waits for sources that have changed
SHARED_PATIENCE: Final = 4.0  # seconds that it waits for the plan that another prompt compiles
READING_SHARE: Final = 0.6  # the part of them in which files are read; the rest is for what follows
LEAST_READING: Final = 0.5  # the part that reading gets however long it took to begin
BUSY_FACTOR: Final = 3  # seconds in which a machine that has more to do does one second of work


class CurrentPlan(Record):
    """A plan in use; ``cached`` is None where it was compiled just now, so that it is current.

    incomplete: some sources were late; ``finish_later`` makes the whole plan without anybody
    waiting. read: rule files that were read just now, and so are current. unread: files of
    instructions whose rules it lacks, because nobody needed them.
    """

    plan: Plan
    cached: plan_cache.CachedPlan | None
    notes: tuple[str, ...]
    profile: str
    patience: float | None
    incomplete: bool = False
    read: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    @property
    def is_for_prompt(self) -> bool:
        """Whether a prompt waits for it."""
        return self.patience is not None

    def is_current_for(self, files: Iterable[str]) -> bool:
        """Return whether the plan says what these rule files say now."""
        if self.cached is None:
            return not self.unread or self.unread.isdisjoint(files)
        return self.cached.is_current_for(path for path in files if path not in self.read)

    def with_all_files(self) -> CurrentPlan:
        """Return the plan that says of every rule file what it says now, also of those out of the
        block; while an agent waits, of those of the tree itself.

        A stat for each file: for who asks about the whole tree, not for a prompt.
        """
        if self.cached is not None and self.patience is not None:
            adopted = self.plan.settings.get("adopted", ())
            files = [path for path in self.cached.all_content() if path not in adopted]
            return self if self.cached.is_current_for(files) else self.follow_files(files)
        is_current = not self.unread if self.cached is None else self.cached.is_current_for(None)
        return self if is_current else self.follow_files(None)

    def follow_files(self, files: Iterable[str] | None) -> CurrentPlan:
        """Return the plan that says of these rule files what they say now, of which some have
        changed; None stands for all of them. Only what has changed is read, where that is enough.
        """
        if self.cached is None:
            return self.recompile(files)
        updated = _update_plan(self.cached, self.profile, files, self.notes, self.patience)
        if updated is None:
            return self.recompile(files)
        updated.read |= self.read
        return updated

    def recompile(
        self, needed: Iterable[str] | None = (), *, is_whole: bool = False
    ) -> CurrentPlan:
        """Return the same plan, compiled from the files as they are now. needed: the files of
        instructions that have to be read, None for all. is_whole: no source may be missing, however
        long that takes.
        """
        patience = None if is_whole else self.patience
        return _compile_plan(self.plan.root, self.profile, self.plan, patience, needed)

    def finish_later(self) -> None:
        """Have an incomplete plan made whole by a process of its own."""
        program_start.start_process(__name__, self.plan.root, self.profile)


def prepare_plan(root: str, files: Iterable[str] = ()) -> bool:
    """Have the plan made by a process of its own if sources have changed since it was made, so that
    the next prompt finds it; return whether there was need.

    files: the rule files of the last block, which are looked at as well. A tree that nobody has a
    plan of is left alone.
    """
    stamped = plan_cache.read_stamps(root)
    if stamped is None or (stamped.is_current() and stamped.is_current_for(files)):
        return False
    return make_plan(root)


def make_plan(root: str) -> bool:
    """Have the plan of a tree made by a process of its own; return whether that has begun."""
    return program_start.start_process(__name__, root, "")


def load_plan(
    root: str,
    profile: str = "",
    *,
    patience: float | None = None,
    stamped: plan_cache.PlanStamps | None = None,
) -> CurrentPlan:
    """Return the current plan of the tree at ``root``.

    profile: a profile's name in place of the one the configuration names. patience: seconds to
    wait for sources that have changed, None for as long as it takes; with it, a large plan may
    raise DamagedPlanError when it is used. stamped: a plan that is known to be current. Raises
    UserError where there is no profile of that name.
    """
    cached = plan_cache.read_plan(root, profile, whole=patience is None)
    if cached is not None:
        changed = [] if cached is stamped else list(cached.changed_inputs())
        if not changed:
            return CurrentPlan(cached.plan, cached, (), profile=profile, patience=patience)
        if updated := _update_plan(cached, profile, (), (), patience, changed):
            return updated
    if cached is not None or patience is None:
        return _compile_plan(root, profile, cached.plan if cached else None, patience)
    # Of many prompts in a tree without a plan one compiles it, or none would be done in time.
    try:
        with _build_lock(root, profile, SHARED_PATIENCE):
            cached = plan_cache.read_plan(root, profile, whole=False)
            if cached is None or not cached.is_current():
                return _compile_plan(root, profile, None, patience)
            return CurrentPlan(cached.plan, cached, (), profile=profile, patience=patience)
    except (OSError, StorageError):
        return _compile_plan(root, profile, None, patience)


def _build_lock(root: str, profile: str, timeout: float, name: str = "build") -> FileLock:
    """Return the lock under which the plan of a tree is made. Raises OSError where there is no
    cache.
    """
    if not (folder := plan_cache.prepare_cache_folder()):
        raise FileNotFoundError(root)
    path = os.path.join(folder, plan_cache.cache_file_name(root, profile, name))
    return FileLock(path, timeout, within=ANYWHERE, keep=False)


def _update_plan(
    cached: plan_cache.CachedPlan,
    profile: str,
    files: Iterable[str] | None,
    notes: tuple[str, ...],
    patience: float | None,
    changed: list[str] | None = None,
) -> CurrentPlan | None:
    """Return the plan that says what these rule files, and workflow states, say now; None where it
    has to be made anew. changed: as in `plan_writer.update_plan`.
    """
    from synapse_ls.storage.plan_writer import update_plan

    if (updated := update_plan(cached, profile, files, changed)) is None:
        return None
    newer, read, is_kept = updated
    plan = CurrentPlan(
        newer.plan, newer, notes, profile=profile, patience=patience, read=frozenset(read)
    )
    # A question of the command line makes no other process work.
    if plan.is_for_prompt and not is_kept:
        plan.finish_later()
    return plan


def _compile_plan(
    root: str,
    profile: str,
    before: Plan | None,
    patience: float | None,
    needed: Iterable[str] | None = (),
) -> CurrentPlan:
    # On a busy machine the seconds of work are less than those that go by. Rules that come later
    # are worse than a prompt that takes somewhat longer. What waits for a slow disk does no work,
    # so the time that goes by counts as well.
    began, worked = monotonic(), process_time()

    def clock() -> float:
        return max(process_time() - worked, (monotonic() - began) / BUSY_FACTOR)

    from synapse_ls.storage import plan_writer, tree_compilation

    program_start.enable_site_packages()
    deadline = None
    if patience is not None:
        deadline = max(patience * LEAST_READING, patience * READING_SHARE - clock())
    names = plan_cache.tree_identity(root)
    compiled = tree_compilation.compile_tree(
        root,
        profile,
        previous=before,
        deadline=deadline,
        clock=clock,
        needed=None if patience is None or needed is None else frozenset(needed),
    )
    if not compiled.incomplete:
        plan_writer.write_plan(compiled.plan, profile, compiled.always, compiled.content, names)
    return CurrentPlan(
        compiled.plan,
        None,
        compiled.notes,
        profile=profile,
        patience=patience,
        incomplete=compiled.incomplete,
        unread=compiled.unread,
    )


def main(root: str, profile: str) -> None:
    """Make the current plan of a tree and cache it, unless another process is at it."""
    try:
        # A lock of its own: no prompt waits for a tree that takes long to read.
        with _build_lock(root, profile, 0.0, "finish"):
            cached = plan_cache.read_plan(root, profile)
            if cached is None or not (cached.is_current() and cached.is_current_for(None)):
                _compile_plan(root, profile, cached.plan if cached else None, None, None)
    except (OSError, StorageError):
        return
