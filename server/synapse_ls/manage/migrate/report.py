"""Everything there is to say of a migration, and the same as plain data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synapse_ls.manage.clients.client import USER
from synapse_ls.manage.migrate.change import Change
from synapse_ls.manage.migrate.journal import Chapter
from synapse_ls.manage.migrate.parity import FORM, Parity
from synapse_ls.manage.migrate.plan import Migration
from synapse_ls.manage.migrate.rollback import Rollback
from synapse_ls.manage.migrate.wording import Mention
from synapse_ls.service import trust


@dataclass(slots=True)
class Told:
    """What was done, or would be done.

    ``pending``: what was interrupted and waits; ``resumed``: whether it was finished first. ``plan``:
    what was made or would be, None where it is made already; ``chapter``: what made it, ``parity``: what
    the two trees tell differently then. ``reworded``: whether ``texts`` are changed too. ``changed``:
    files of CARL's that changed since. ``removed`` is gone, ``removals`` can go, ``going`` are their files.
    """

    root: Path
    applied: bool
    pending: Chapter | None = None
    resumed: bool = False
    plan: Migration | None = None
    chapter: Chapter | None = None
    parity: Parity | None = None
    texts: Sequence[Change] = ()
    mentions: Sequence[Mention] = ()
    reworded: bool = False
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()
    removals: Sequence[str] = ()
    going: Sequence[Change] = field(default=())

    @property
    def said(self) -> Parity | None:
        """The parity report."""
        return self.plan.parity if self.plan is not None else self.parity

    @property
    def untrusted(self) -> bool:
        """Whether the hook that takes CARL's place in the settings of the user will not serve here."""
        hooks = self.plan.hooks if self.plan is not None else ()
        of_user = any(one.replaced and one.scope == USER for one in hooks)
        return of_user and not trust.is_trusted(str(self.root))

    @property
    def made(self) -> list[Change]:
        """The changes of files that were made, or would be."""
        planned = self.plan.changes if self.plan is not None else ()
        return [*planned, *(self.texts if self.reworded else ())]


def report(told: Told) -> dict[str, Any]:
    """A migration as data."""
    plan, found = told.plan, told.said
    return {
        "root": str(told.root),
        "applied": told.applied,
        "interrupted": told.pending is not None,
        "resumed": told.resumed,
        "migrated": told.chapter.created if told.chapter else None,
        "changes": [_change(change) for change in plan.changes] if plan else [],
        "texts": [_change(change) for change in told.texts],
        "texts_applied": told.applied and told.reworded,
        "mentions": [
            {"path": one.path, "line": one.line, "text": one.text} for one in told.mentions
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
                "replaced": one.replaced,
            }
            for one in (plan.hooks if plan else ())
        ],
        "names": {old: new for old, new in (plan.names if plan else {}).items() if old != new},
        "untrusted": told.untrusted,
        "changed_since": list(told.changed),
        "removed": list(told.removed),
        "removals": list(told.removals),
        "parity": None if found is None else _parity(found),
        "backup": str(told.chapter.folder) if told.chapter else "",
    }


def rollback_report(done: Rollback, *, applied: bool) -> dict[str, Any]:
    """A rollback as data."""
    steps = [{"action": s.action, "path": s.path, "target": s.target} for s in done.steps]
    return {"applied": applied, "steps": steps}


def _change(change: Change) -> dict[str, Any]:
    return {
        "part": change.part,
        "path": change.path,
        "file": str(change.file),
        "action": change.action,
        "why": change.why,
        "diff": change.diff,
    }


def _parity(found: Parity) -> dict[str, Any]:
    return {
        "asked": found.asked,
        "unexplained": len(found.unexplained),
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
            for one in found.differences
        ],
        "form": [{"name": name, "sentence": sentence} for name, sentence in FORM],
    }
