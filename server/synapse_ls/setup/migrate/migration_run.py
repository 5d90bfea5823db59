"""Runs of a migration from CARL, from beginning to end, and their report."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_settings import USER, Surroundings
from synapse_ls.setup.install.settings_backup import content_digest
from synapse_ls.setup.migrate import (
    carl_conversion,
    carl_installation,
    migration_journal,
    migration_plan,
    migration_rollback,
)
from synapse_ls.setup.migrate.parity_report import FORM_DIFFERENCES, Parity, compare_trees
from synapse_ls.storage import trusted_trees
from synapse_ls.text.fast_json import JsonError
from synapse_ls.text.jsonc_tree import parse_jsonc
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import outside_links, tree_search_upward
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.tree_folders import MANIFEST, TREE
from synapse_ls.workspace.tree_loader import load_tree


@dataclass(slots=True)
class MigrationOutcome:
    """What a migration did, or would do.

    ``pending``: what was interrupted and waits; ``resumed``: whether it was finished first.
    ``plan``: what was made or would be, None where it is made already; ``chapter``: what made it,
    ``parity``: what the two trees tell differently then. ``texts_included``: whether
    ``text_changes`` are made too. ``changed_files``: files of CARL's that changed since.
    ``removed_paths`` is gone, ``removals`` can go, ``removal_changes`` are their files.
    """

    root: Path
    applied: bool
    pending: migration_journal.Chapter | None = None
    resumed: bool = False
    plan: migration_plan.MigrationPlan | None = None
    chapter: migration_journal.Chapter | None = None
    parity: Parity | None = None
    text_changes: Sequence[migration_journal.MigrationChange] = ()
    mentions: Sequence[carl_installation.Mention] = ()
    texts_included: bool = False
    changed_files: Sequence[str] = ()
    removed_paths: Sequence[str] = ()
    removals: Sequence[str] = ()
    removal_changes: Sequence[migration_journal.MigrationChange] = ()

    @property
    def is_untrusted(self) -> bool:
        """Whether the hook that takes CARL's place in the settings of the user will not serve
        here.
        """
        hooks = self.plan.hooks if self.plan is not None else ()
        of_user = any(hook.replaced and hook.scope == USER for hook in hooks)
        return of_user and not trusted_trees.is_trusted(str(self.root))

    @property
    def file_changes(self) -> list[migration_journal.MigrationChange]:
        """The changes of files that were made, or would be."""
        planned = self.plan.changes if self.plan is not None else ()
        return [*planned, *(self.text_changes if self.texts_included else ())]


def quiet_projects(around: Surroundings) -> list[str]:
    """Return the projects of which Claude Code knows, beside this one, whose tree is not trusted: a
    hook in the settings of the user does not serve them.
    """
    try:
        settings = parse_jsonc(read_whole(around.home / ".claude.json").decode()).root.value
    except (OSError, ValueError, JsonError, RecursionError):
        return []
    projects = settings.get("projects") if isinstance(settings, dict) else None
    return [
        path
        for path in (projects if isinstance(projects, dict) else ())
        if Path(path).is_absolute()
        and Path(path).resolve() != around.root.resolve()
        and tree_search_upward.holds_tree(path)
        and not trusted_trees.is_trusted(path)
    ]


def migration_data(outcome: MigrationOutcome) -> dict[str, Any]:
    """Return a migration as data."""
    plan, parity = outcome.plan, outcome.parity
    differences = map(asdict, parity.differences if parity else ())
    return {
        "root": str(outcome.root),
        "applied": outcome.applied,
        "interrupted": outcome.pending is not None,
        "resumed": outcome.resumed,
        "migrated": outcome.chapter.created if outcome.chapter else None,
        "changes": [_change_data(change) for change in plan.changes] if plan else [],
        "texts": [_change_data(change) for change in outcome.text_changes],
        "texts_applied": outcome.applied and outcome.texts_included,
        "mentions": list(map(asdict, outcome.mentions)),
        "remarks": list(map(asdict, plan.remarks)) if plan else [],
        "left": [{"path": path, "why": why} for path, why in (plan.left if plan else ())],
        "hooks": list(map(asdict, plan.hooks)) if plan else [],
        "names": {old: new for old, new in (plan.names if plan else {}).items() if old != new},
        "untrusted": outcome.is_untrusted,
        "changed_since": list(outcome.changed_files),
        "removed": list(outcome.removed_paths),
        "removals": list(outcome.removals),
        "parity": None
        if parity is None
        else {
            "asked": parity.question_count,
            "unexplained": len(parity.unexplained),
            "differences": [{**fields.pop("question"), **fields} for fields in differences],
            "form": [{"name": name, "sentence": sentence} for name, sentence in FORM_DIFFERENCES],
        },
        "backup": str(outcome.chapter.folder) if outcome.chapter else "",
    }


def rollback_data(
    steps: Sequence[migration_rollback.RollbackStep], *, applied: bool
) -> dict[str, Any]:
    """Return a rollback as data."""
    return {"applied": applied, "steps": list(map(asdict, steps))}


def _change_data(change: migration_journal.MigrationChange) -> dict[str, Any]:
    return {
        "part": change.part,
        "path": change.path,
        "file": str(change.file),
        "action": change.action,
        "why": change.why,
        "diff": change.diff,
    }


@dataclass(frozen=True, slots=True)
class MigrationState:
    """How far the migration of a project is.

    ``is_migrated``: there is a tree of ``.synapse/``. ``chapter`` is the one that made it, None
    where somebody else did. ``pending`` was interrupted. ``changed_files`` are files of CARL's that
    are not as they were migrated, ``removals`` what CARL brought and is there still.
    """

    is_migrated: bool
    chapter: migration_journal.Chapter | None
    pending: migration_journal.Chapter | None
    changed_files: tuple[str, ...]
    removals: tuple[str, ...]


def read_state(root: Path) -> MigrationState:
    """Return how far the migration of the project in ``root`` is."""
    done = (migration_journal.MIGRATE, migration_journal.DONE)
    chapters = migration_rollback.read_own_chapters(root)
    migration = next((c for c in chapters if (c.kind, c.state) == done), None)
    changed = sorted(
        path
        for path in (migration_plan.source_files(root) if migration else ())
        if migration
        and migration.sources.get(path) != content_digest(migration_journal.read_file(root / path))
    )
    return MigrationState(
        (root / MANIFEST).is_file(),
        migration,
        migration_rollback.interrupted_chapter(root),
        tuple(changed),
        tuple(carl_installation.existing_removals(root)),
    )


@dataclass(frozen=True, slots=True)
class MigrationRequest:
    """What the run of a migration is asked for. ``words``: whole words match from now on.
    ``user``: CARL's hook is replaced in the settings of the user as well, which hold for all
    projects. ``texts``: mentions are replaced, too. ``force``: finish though files of CARL's have
    changed since.
    """

    words: bool = False
    user: bool = False
    texts: bool = False
    finish: bool = False
    force: bool = False


def preview_migration(root: Path, request: MigrationRequest) -> MigrationOutcome:
    """Return what ``perform_migration`` would do; write nothing."""
    state = read_state(root)
    outcome = MigrationOutcome(root, False, state.pending, texts_included=request.texts)
    if state.pending is not None:
        return outcome
    if _is_over(state, request):
        outcome.chapter, outcome.changed_files = state.chapter, state.changed_files
        outcome.text_changes, outcome.mentions = carl_installation.text_changes(root, {})
        outcome.parity = parity_now(root)
        if request.finish:
            _check_finish(root, state, force=request.force)
    else:
        outcome.plan = migration_plan.plan_migration(root, words=request.words, user=request.user)
        outcome.text_changes, outcome.mentions = outcome.plan.text_changes, outcome.plan.mentions
        outcome.parity = outcome.plan.parity
    outcome.removals = state.removals
    outcome.removal_changes = migration_plan.removal_changes(root) if request.finish else ()
    return outcome


def _is_over(state: MigrationState, request: MigrationRequest) -> bool:
    """Return whether nothing of CARL's is to be converted; a tree that somebody else made is left
    alone where no more than that is asked for, which ``plan_migration`` then refuses.
    """
    return state.is_migrated and bool(state.chapter or request.texts or request.finish)


def perform_migration(root: Path, request: MigrationRequest, now: float) -> MigrationOutcome:
    """Run a migration: migrate what is not migrated, after finishing what was interrupted, and do
    what else is asked for.
    """
    with migration_journal.lock_chapters(root):
        resumed = resume_migration(root) is not None
        outcome = MigrationOutcome(root, True, resumed=resumed, texts_included=request.texts)
        state = read_state(root)
        if _is_over(state, request):
            outcome.chapter, outcome.changed_files = state.chapter, state.changed_files
        else:
            outcome.plan, outcome.chapter = migrate_tree(
                root, now, words=request.words, user=request.user
            )
        plan = outcome.plan
        if request.texts:
            outcome.text_changes, outcome.mentions = reword_texts(root, now)
        elif plan:
            outcome.text_changes, outcome.mentions = plan.text_changes, plan.mentions
        else:
            outcome.text_changes, outcome.mentions = carl_installation.text_changes(root, {})
        outcome.parity = plan.parity if plan else parity_now(root)
        if request.finish:
            outcome.removed_paths = finish_migration(root, now, force=request.force)
        outcome.removals = read_state(root).removals
        return outcome


def resume_migration(root: Path) -> migration_journal.Chapter | None:
    """Finish a migration that was interrupted; return the chapter, None where none was."""
    if (pending := migration_rollback.interrupted_chapter(root)) is None:
        return None
    if pending.state == migration_journal.UNDOING:
        raise UserError(
            "A rollback was interrupted, so the project is neither here nor there.",
            "Run `synapse migrate --rollback` to finish it.",
        )
    chapter = migration_rollback.complete_chapter(pending)
    carl_installation.record_backup(Surroundings.of_process(str(root)), chapter)
    return chapter


def migrate_tree(
    root: Path, now: float, *, words: bool = False, user: bool = False
) -> tuple[migration_plan.MigrationPlan, migration_journal.Chapter]:
    """Run the step of a migration that makes the tree, all of it or nothing."""
    planned = migration_plan.plan_migration(root, words=words, user=user)
    chapter = migration_journal.prepare_chapter(
        root,
        migration_journal.MIGRATE,
        planned.changes,
        now,
        sources=migration_plan.source_files(root),
    )
    done = migration_rollback.complete_chapter(chapter)
    carl_installation.record_backup(Surroundings.of_process(str(root)), done)
    return planned, done


def reword_texts(
    root: Path, now: float
) -> tuple[list[migration_journal.MigrationChange], list[carl_installation.Mention]]:
    """Run the step of a migration that replaces the mentions of CARL in texts for agents."""
    changes, mentions = carl_installation.text_changes(root, {})
    if changes:
        migration_rollback.complete_chapter(
            migration_journal.prepare_chapter(root, migration_journal.TEXTS, changes, now)
        )
    return changes, mentions


def finish_migration(root: Path, now: float, *, force: bool = False) -> Sequence[str]:
    """Run the last step of a migration: remove what CARL brought, and return the paths. Raises
    UserError where something still needs it.
    """
    state = read_state(root)
    _check_finish(root, state, force=force)
    if state.removals:
        files = (f"{TREE}/{name}" for name in outside_links.list_names(str(root), TREE))
        tree = [file for file in files if (root / file).is_file()]
        migration_rollback.complete_chapter(
            migration_journal.prepare_chapter(
                root, migration_journal.FINISH, (), now, gone=state.removals, sources=tree
            )
        )
    return state.removals


def _check_finish(root: Path, state: MigrationState, *, force: bool) -> None:
    """Raise UserError where ``finish_migration`` would take away what something still needs."""
    if not state.is_migrated:
        raise UserError(
            f"There is no tree in .synapse/ yet, so {carl_installation.CARL}/ stays.",
            "Run `synapse migrate` first.",
        )
    _, registered = carl_installation.hook_changes(Surroundings.of_process(str(root)), user=False)
    if still := [registration for registration in registered if registration.replaced]:
        raise UserError(
            f"{still[0].path}:{still[0].line} still runs CARL's hook, which needs its files.",
            "Take that entry out, or roll back and migrate again.",
        )
    if state.changed_files and not force:
        raise UserError(
            f"{state.changed_files[0]} has changed since it was migrated, so .synapse/ does not "
            "have all of it.",
            "Take the change over, or roll back and migrate again; --force removes it all the "
            "same.",
        )
    parity = None if state.chapter or force else parity_now(root)
    unexplained = parity.unexplained if parity else ()
    if lost := dict.fromkeys(text for difference in unexplained for text in difference.carl):
        raise UserError(
            f"{carl_installation.CARL}/ was not migrated on this machine, and .synapse/ does not "
            f"inject {format_count(len(lost), 'line')} of it, such as “{next(iter(lost))}”.",
            "Take over what is missing; --force removes it all the same.",
        )


def parity_now(root: Path) -> Parity | None:
    """Return what the two trees of a migration tell differently today; None where CARL's is
    gone.
    """
    if not any(
        (root / path).is_file()
        for path in (carl_installation.CARL_MANIFEST, carl_installation.CARL_JSON)
    ):
        return None
    after = load_tree(str(root), LoadScope.PROMPT).tree
    return compare_trees(
        root, migration_plan.carl_tree(root), after, carl_conversion.convert_tree(root)
    )
