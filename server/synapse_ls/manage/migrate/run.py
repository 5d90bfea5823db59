"""A migration from beginning to end: what is done already, what comes next, and doing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from synapse_ls.manage.clients.client import Surroundings
from synapse_ls.manage.migrate import disk, hooks
from synapse_ls.manage.migrate.change import Change
from synapse_ls.manage.migrate.journal import (
    DONE,
    FINISH,
    MIGRATE,
    TEXTS,
    UNDOING,
    Chapter,
    alone,
    chapters,
    digest,
    interrupted,
    prepare,
)
from synapse_ls.manage.migrate.old import read_old
from synapse_ls.manage.migrate.parity import Parity
from synapse_ls.manage.migrate.plan import (
    Migration,
    Options,
    compare_old,
    old_tree,
    plan_migration,
    removals,
    shown_removals,
    sources,
)
from synapse_ls.manage.migrate.reading import CARL, V2
from synapse_ls.manage.migrate.reading import MANIFEST as CARL_MANIFEST
from synapse_ls.manage.migrate.report import Told
from synapse_ls.manage.migrate.rollback import complete
from synapse_ls.manage.migrate.wording import Mention, text_changes
from synapse_ls.manage.plan import ManageError
from synapse_ls.workspace.folders import MANIFEST
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class State:
    """How far a project is.

    ``migrated``: there is a tree of ``.synapse/``. ``chapter`` is the one that made it, None where
    somebody else did. ``pending`` was interrupted. ``changed`` are files of CARL's that are not as
    they were migrated, ``removals`` what CARL brought and is there still.
    """

    migrated: bool
    chapter: Chapter | None
    pending: Chapter | None
    changed: tuple[str, ...]
    removals: tuple[str, ...]


def state_of(root: Path) -> State:
    """How far the project in ``root`` is."""
    found = chapters(root)
    made = next((c for c in found if c.kind == MIGRATE and c.state == DONE), None)
    now = {path: digest(disk.read(root / path)) for path in sources(root)} if made else {}
    changed = sorted(p for p, was in now.items() if made and made.sources.get(p) != was)
    return State(
        (root / MANIFEST).is_file(),
        made,
        interrupted(root),
        tuple(changed),
        tuple(removals(root)),
    )


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: how to migrate, whether to change texts, whether to finish. ``force``: finish
    though files of CARL's have changed since."""

    options: Options = field(default_factory=Options)
    texts: bool = False
    finish: bool = False
    force: bool = False


def preview(root: Path, wish: Wish, now: float) -> Told:
    """What ``perform`` would do; writes nothing."""
    state = state_of(root)
    told = Told(root, applied=False, pending=state.pending, reworded=wish.texts)
    if state.pending is not None:
        return told
    if state.migrated:
        told.chapter, told.changed = state.chapter, state.changed
        told.texts, told.mentions = text_changes(root, {})
        told.parity = parity_now(root)
        if wish.finish:
            check_finish(root, state, force=wish.force)
    else:
        told.plan = plan_migration(root, wish.options, now)
        told.texts, told.mentions = told.plan.texts, told.plan.mentions
    told.removals = state.removals
    told.going = shown_removals(root) if wish.finish else ()
    return told


def perform(root: Path, wish: Wish, now: float) -> Told:
    """Migrate what is not migrated, after finishing what was interrupted, and do what else is wished."""
    with alone(root):
        return _perform(root, wish, now)


def _perform(root: Path, wish: Wish, now: float) -> Told:
    told = Told(root, applied=True, resumed=resume(root) is not None, reworded=wish.texts)
    state = state_of(root)
    if state.migrated and (state.chapter or wish.texts or wish.finish):
        told.chapter, told.changed = state.chapter, state.changed
    else:
        told.plan, told.chapter = migrate(root, wish.options, now)
    if wish.texts:
        told.texts, told.mentions = reword(root, now)
    elif told.plan is not None:
        told.texts, told.mentions = told.plan.texts, told.plan.mentions
    else:
        told.texts, told.mentions = text_changes(root, {})
    if told.plan is None:
        told.parity = parity_now(root)
    if wish.finish:
        told.removed = finish(root, now, force=wish.force)
    told.removals = state_of(root).removals
    return told


def resume(root: Path) -> Chapter | None:
    """Finish what was interrupted; the chapter, None where nothing was."""
    pending = interrupted(root)
    if pending is None:
        return None
    if pending.state == UNDOING:
        raise ManageError(
            "A rollback was interrupted, so the project is neither here nor there.",
            "Run `synapse migrate --rollback` to finish it.",
        )
    chapter = complete(pending)
    hooks.remember(Surroundings.here(str(root)), chapter)
    return chapter


def migrate(root: Path, options: Options, now: float) -> tuple[Migration, Chapter]:
    """Make the tree, all of it or nothing."""
    planned = plan_migration(root, options, now)
    chapter = prepare(root, MIGRATE, planned.changes, now, sources=sources(root))
    return planned, _complete(root, chapter)


def reword(root: Path, now: float) -> tuple[list[Change], list[Mention]]:
    """Replace the mentions of CARL in texts for agents."""
    changes, mentions = text_changes(root, {})
    if changes:
        complete(prepare(root, TEXTS, changes, now))
    return changes, mentions


def finish(root: Path, now: float, *, force: bool = False) -> Sequence[str]:
    """Remove what CARL brought; the paths. Raises ManageError where something still needs it."""
    state = state_of(root)
    check_finish(root, state, force=force)
    if state.removals:
        complete(prepare(root, FINISH, (), now, gone=state.removals))
    return state.removals


def check_finish(root: Path, state: State, *, force: bool) -> None:
    """Raise ManageError where ``finish`` would take away what something still needs."""
    if not state.migrated:
        raise ManageError(
            f"There is no tree in .synapse/ yet, so {CARL}/ stays.", "Run `synapse migrate` first."
        )
    _, registered = hooks.hook_changes(Surroundings.here(str(root)), user=False)
    still = [one for one in registered if one.replaced]
    if still:
        raise ManageError(
            f"{still[0].path}:{still[0].line} still runs CARL's hook, which needs its files.",
            "Take that entry out, or roll back and migrate again.",
        )
    if state.changed and not force:
        raise ManageError(
            f"{state.changed[0]} has changed since it was migrated, so .synapse/ does not have all of "
            "it.",
            "Take the change over, or roll back and migrate again; --force removes it all the same.",
        )


def parity_now(root: Path) -> Parity | None:
    """What the two trees of a project tell differently today; None where CARL's is gone."""
    if not any((root / path).is_file() for path in (CARL_MANIFEST, V2)):
        return None
    after = Tree(load(str(root), Scope.PROMPT).index.snapshot())
    return compare_old(root, old_tree(root), after, read_old(root))


def _complete(root: Path, chapter: Chapter) -> Chapter:
    done = complete(chapter)
    hooks.remember(Surroundings.here(str(root)), done)
    return done
