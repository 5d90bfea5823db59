"""``synapse migrate``: a CARL tree becomes one of ``.synapse/``, with a way back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli import migrate_show as show
from synapse_ls.cli.commands import Command
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format
from synapse_ls.manage.migrate.plan import Options
from synapse_ls.manage.migrate.reading import CARL
from synapse_ls.manage.migrate.report import report, rollback_report
from synapse_ls.manage.migrate.rollback import roll_back
from synapse_ls.manage.migrate.run import Wish, perform, preview
from synapse_ls.workspace.discover import find_root

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", help="the project (default: the working directory's)"
    )
    what = parser.add_argument_group("What is done")
    what.add_argument(
        "--words",
        action="store_true",
        help="match whole words from now on; without it keywords match inside words, as they did",
    )
    what.add_argument(
        "--user",
        action="store_true",
        help="replace CARL's hook in the settings of the user, too, which hold for all projects",
    )
    what.add_argument(
        "--apply-text",
        action="store_true",
        help="replace `*carl`, `<carl-rules>` and the like in texts for agents, too",
    )
    what.add_argument(
        "--finish", action="store_true", help="remove .carl/ and what CARL installed in the project"
    )
    what.add_argument(
        "--rollback", action="store_true", help="take everything back that was migrated"
    )
    what.add_argument(
        "--force",
        action="store_true",
        help="finish though .carl/ has changed since; roll back though a file has, which then stays",
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--dry-run", action="store_true", help="show the changes as a diff and write nothing"
    )
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    root = _root(options)
    if options.rollback:
        if options.finish or options.apply_text:
            raise CliError("--rollback takes everything back.", "Leave the other options out.")
        done = roll_back(root, force=options.force, dry_run=options.dry_run)
        if options.format == "json":
            console.json(rollback_report(done, applied=not options.dry_run))
        else:
            show.rollback(done, console, dry_run=options.dry_run)
        return 0
    wish = Wish(
        Options(words=options.words, user=options.user),
        texts=options.apply_text,
        finish=options.finish,
        force=options.force,
    )
    told = (preview if options.dry_run else perform)(root, wish, time.time())
    if options.format == "json":
        console.json(report(told))
    elif told.applied:
        show.done(told, console)
    else:
        show.preview(told, console)
    return 0


def _root(options: Namespace) -> Path:
    """The project: the folder that is named, else the nearest one with a tree."""
    named = options.folder or getattr(options, "root", "")
    start = Path(named or ".").absolute()
    if not start.is_dir():
        raise CliError(f"There is no folder {named}.", f"Name the folder that {CARL}/ is in.")
    if named or (start / CARL).is_dir():
        return start
    return Path(find_root(str(start)) or start)


MIGRATE = Command(
    description="""\
Converts the tree of CARL in .carl/ to one in .synapse/: the manifest, the rules of every domain, the
brackets, the star-commands and the sessions, of CARL v1 and of v2 (carl.json). In the same step our
hook takes the place of CARL's in the project's settings of Claude Code, and so does our part of
CLAUDE.md. .carl/ itself is only read. All of it is done or nothing, after a backup in the user's
configuration folder.

Then it says what an agent is told differently: both trees are asked for every keyword, exclusion,
star-command and bracket. The differences are listed with the reason, and those without one as such.

Texts for agents that speak of `*carl` or `<carl-rules>` are named, and changed with --apply-text. When
the new tree has proven itself, --finish removes .carl/ and CARL's own files. --rollback undoes all of
it, to the byte; what was changed in the meantime is merged where it is about other lines, moved to
.synapse-kept/ where it is in the tree, and otherwise a reason to refuse.""",
    examples=(
        ("What would become of my tree?", "synapse migrate --dry-run"),
        ("Convert it, and the texts that name CARL", "synapse migrate --apply-text"),
        ("Take it back", "synapse migrate --rollback"),
        ("A week later", "synapse migrate --finish"),
    ),
    arguments=_arguments,
    run=_run,
)
