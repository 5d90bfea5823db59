"""This module reports everything there is to say of a migration, and the same as plain data for
programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_definition import USER
from synapse_ls.setup.migrate.carl_mentions import Mention
from synapse_ls.setup.migrate.migration_change import MigrationChange
from synapse_ls.setup.migrate.migration_journal import Chapter
from synapse_ls.setup.migrate.migration_plan import MigrationPlan
from synapse_ls.setup.migrate.migration_rollback import RollbackResult
from synapse_ls.setup.migrate.tree_parity import FORM_DIFFERENCES, Parity
from synapse_ls.storage import trusted_trees


@dataclass(slots=True)
class MigrationOutcome:
    """A MigrationOutcome is what a migration did, or would do.

    ``pending``: what was interrupted and waits; ``resumed``: whether it was finished first.
    ``plan``: what was made or would be, None where it is made already; ``chapter``: what made it,
    ``parity``: what the two trees tell differently then. ``texts_included``: whether
    ``text_changes`` are made too. ``changed_files``: files of CARL's that changed since.
    ``removed_paths`` is gone, ``removals`` can go, ``removal_changes`` are their files.
    """

    root: Path
    applied: bool
    pending: Chapter | None = None
    resumed: bool = False
    plan: MigrationPlan | None = None
    chapter: Chapter | None = None
    parity: Parity | None = None
    text_changes: Sequence[MigrationChange] = ()
    mentions: Sequence[Mention] = ()
    texts_included: bool = False
    changed_files: Sequence[str] = ()
    removed_paths: Sequence[str] = ()
    removals: Sequence[str] = ()
    removal_changes: Sequence[MigrationChange] = field(default=())

    @property
    def effective_parity(self) -> Parity | None:
        """Returns the parity report."""
        return self.plan.parity if self.plan is not None else self.parity

    @property
    def is_untrusted(self) -> bool:
        """Tells whether the hook that takes CARL's place in the settings of the user will not serve
        here.
        """
        hooks = self.plan.hooks if self.plan is not None else ()
        of_user = any(one.is_replaced and one.scope == USER for one in hooks)
        return of_user and not trusted_trees.is_trusted(str(self.root))

    @property
    def file_changes(self) -> list[MigrationChange]:
        """Returns the changes of files that were made, or would be."""
        planned = self.plan.changes if self.plan is not None else ()
        return [*planned, *(self.text_changes if self.texts_included else ())]


def migration_data(outcome: MigrationOutcome) -> dict[str, Any]:
    """Returns a migration as data."""
    plan, found = outcome.plan, outcome.effective_parity
    return {
        "root": str(outcome.root),
        "applied": outcome.applied,
        "interrupted": outcome.pending is not None,
        "resumed": outcome.resumed,
        "migrated": outcome.chapter.created if outcome.chapter else None,
        "changes": [_change_data(change) for change in plan.changes] if plan else [],
        "texts": [_change_data(change) for change in outcome.text_changes],
        "texts_applied": outcome.applied and outcome.texts_included,
        "mentions": [
            {"path": one.path, "line": one.line, "text": one.text} for one in outcome.mentions
        ],
        "remarks": [
            {"path": one.path, "line": one.line, "sentence": one.sentence}
            for one in (plan.remarks if plan else ())
        ],
        "left": [{"path": path, "why": why} for path, why in (plan.left if plan else ())],
        "hooks": [
            {
                "path": one.path,
                "line": one.line,
                "scope": one.scope,
                "command": one.command,
                "replaced": one.is_replaced,
            }
            for one in (plan.hooks if plan else ())
        ],
        "names": {old: new for old, new in (plan.names if plan else {}).items() if old != new},
        "untrusted": outcome.is_untrusted,
        "changed_since": list(outcome.changed_files),
        "removed": list(outcome.removed_paths),
        "removals": list(outcome.removals),
        "parity": None if found is None else _parity_data(found),
        "backup": str(outcome.chapter.folder) if outcome.chapter else "",
    }


def rollback_data(rollback: RollbackResult, *, applied: bool) -> dict[str, Any]:
    """Returns a rollback as data."""
    steps = [{"action": s.action, "path": s.path, "target": s.target} for s in rollback.steps]
    return {"applied": applied, "steps": steps}


def _change_data(change: MigrationChange) -> dict[str, Any]:
    return {
        "part": change.part,
        "path": change.path,
        "file": str(change.file),
        "action": change.action,
        "why": change.why,
        "diff": change.diff,
    }


def _parity_data(parity: Parity) -> dict[str, Any]:
    return {
        "asked": parity.question_count,
        "unexplained": len(parity.unexplained),
        "differences": [
            {
                "about": one.question.about,
                "subject": one.question.subject,
                "domain": one.question.domain,
                "way": one.question.way,
                "prompt": one.question.prompt,
                "brackets": list(one.brackets),
                "code": one.code,
                "carl": list(one.carl),
                "synapse": list(one.synapse),
                "why": one.why,
            }
            for one in parity.differences
        ],
        "form": [{"name": name, "sentence": sentence} for name, sentence in FORM_DIFFERENCES],
    }
