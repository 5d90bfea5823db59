"""``synapse memory migrate``: bringing what other tools remember here."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.table import columns, header, shortened

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

_WIDEST = 56


def _arguments(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only say what would be brought")
    parser.add_argument(
        "--rollback", action="store_true", help="take back what was brought and not changed since"
    )
    add_format(parser.add_argument_group("Output"))


def _run(options: Namespace, console: Console) -> int:
    from synapse_ls.memory.migrate import carry_out, moves

    root = root_of(options)
    if options.rollback:
        return _rollback(root, options, console)
    found = moves(root)
    brought = [] if options.dry_run else carry_out(root, found, now=time.time())
    if options.format == "json":
        new = iter(brought)
        console.json(
            [
                {
                    "source": move.source,
                    "title": move.record.title,
                    "agent": move.record.agent or None,
                    "there": move.there or None,
                    "file": None if move.there or options.dry_run else next(new).path,
                }
                for move in found
            ]
        )
        return 0
    rows: list[list[Part]] = [header("from", "owner", "title", "")]
    for move in found:
        record = move.record
        rows.append(
            [
                Styled(move.source, "name"),
                f"@{record.agent} only" if record.is_private else "shared",
                shortened(record.title, _WIDEST),
                Styled(f"is here as {move.there}", "dim") if move.there else "",
            ]
        )
    for line in columns(rows) if found else ():
        console.line(*line)
    count = sum(not move.there for move in found)
    if not found:
        console.line("There are no memories of other tools: no .chati/memories, no gotchas.")
    elif options.dry_run:
        console.line(f"{count} of {len(found)} would be brought; their files stay as they are.")
    else:
        console.line(f"{len(brought)} of {len(found)} were brought; --rollback takes them back.")
    return 0


def _rollback(root: str, options: Namespace, console: Console) -> int:
    from synapse_ls.memory.migrate import take_back

    removed, kept = take_back(root)
    if options.format == "json":
        console.json({"removed": [one.path for one in removed], "kept": kept})
        return 0
    for one in removed:
        console.line("removed ", Styled(one.path, "name"), f", which came from {one.source}")
    for path in kept:
        console.note(f"{path} was changed since, so it stays")
    if not (removed or kept):
        console.line("Nothing was brought that could be taken back.")
    return 0


MIGRATE = Command(
    description="""\
Brings the memories of a Chati tree (.chati/memories, the MEMORY.md of each agent) and the gotchas
of Chati and AIOX here. Nothing of theirs is changed. What is here already is not brought again.""",
    examples=(
        ("What is there to bring?", "synapse memory migrate --dry-run"),
        ("Bring it", "synapse memory migrate"),
        ("And take it back", "synapse memory migrate --rollback"),
    ),
    arguments=_arguments,
    run=_run,
)
