"""``synapse memory add``, ``confirm``, ``forget``, ``restore`` and ``gc``: changing what is remembered."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.memory import add_reader, reader
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.formats.memory_fields import CORRECTION, DEFAULT_TYPE, SECTORS, STORAGES, TYPES
from synapse_ls.memory.places import reader_of
from synapse_ls.service.memories import Seen, memory_report, shown, store_of
from synapse_ls.text.counted import counted
from synapse_ls.text.decode import decode
from synapse_ls.text.secrets import secrets

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

_ID = "the id of a memory; `synapse memory list` shows it"


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", help='what to remember; "-" reads standard input')
    about = parser.add_argument_group("About it")
    about.add_argument("--title", metavar="TEXT", default="", help="a line that names it")
    about.add_argument(
        "--tag",
        metavar="TAG",
        action="append",
        default=[],
        help="what it is about; may be given again",
    )
    about.add_argument(
        "--type",
        metavar="TYPE",
        type=one_of(tuple(TYPES)),
        default=DEFAULT_TYPE,
        help=f"{', '.join(TYPES)} (default: {DEFAULT_TYPE})",
    )
    about.add_argument(
        "--correction",
        action="store_const",
        const=CORRECTION,
        dest="type",
        help=f"the same as --type {CORRECTION}",
    )
    for name, known in (("sector", SECTORS), ("storage", STORAGES)):
        about.add_argument(
            f"--{name}",
            metavar=name.upper(),
            type=one_of(known),
            help=f"{', '.join(known[:-1])} or {known[-1]} (default: follows from the type)",
        )
    about.add_argument("--expires", metavar="DATE", default="", help="the day it is no longer true")
    about.add_argument(
        "--inferred",
        action="store_true",
        help="nobody has said so outright: it has to earn its place by evidence",
    )
    owner = parser.add_argument_group("Owner")
    owner.add_argument("--agent", metavar="ID", default="", help="the agent that it comes from")
    owner.add_argument(
        "--private", action="store_true", help="no other agent is to see it; needs --agent"
    )
    add_format(parser.add_argument_group("Output"))


def _add(options: Namespace, console: Console) -> int:
    root = root_of(options)
    text = options.text
    if text == "-" and sys.stdin is not None:
        text = decode(sys.stdin.buffer.read()).text
    if options.private and not options.agent:
        raise CliError("A private memory belongs to an agent.", "Name it with --agent ID.")
    more = {name: value for name in ("sector", "storage") if (value := getattr(options, name))}
    record = store_of(root).remember(
        text,
        now=time.time(),
        title=options.title,
        type=options.type,
        tags=tuple(options.tag),
        agent=reader_of(options.agent),
        scope="private" if options.private else "shared",
        explicit=not options.inferred,
        expires=options.expires,
        source="command line",
        **more,
    )
    for secret in secrets(record.text):
        console.note(
            f"{secret.named} seems to stand in it, and memories are told and committed: "
            f"`synapse memory forget {record.id}`, and name where it is kept instead"
        )
    return _done(
        root, record.id, "added" if record.evidence == 1 else "confirmed", options, console
    )


def _done(root: str, id: str, verb: str, options: Namespace, console: Console) -> int:
    """Tell what became of a memory."""
    seen, archived = shown(root, id)
    if options.format == "json":
        console.json(memory_report(seen, root, archived=archived))
        return 0
    console.line(f"{verb} ", Styled(seen.record.id, "name"), f": {seen.record.title}")
    console.line(Styled(f"  {_told(seen)}", "dim"))
    return 0


def _told(seen: Seen) -> str:
    record, tier = seen.record, seen.score.tier.upper()
    return f"{record.path}, {record.sector}, {record.storage}, {tier} ({seen.score.value:.2f})"


def _id_arguments(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", nargs="+", help=_ID)
    add_reader(parser)
    add_format(parser.add_argument_group("Output"))


def _confirm(options: Namespace, console: Console) -> int:
    root = root_of(options)
    store, who = store_of(root), reader(options)
    found = [store.confirm(id, now=time.time(), reader=who) for id in options.id]
    if options.format == "json":
        console.json([memory_report(shown(root, record.id)[0], root) for record in found])
        return 0
    for record in found:
        seen, _ = shown(root, record.id)
        console.line("confirmed ", Styled(record.id, "name"), f": {record.title}")
        more = f"seen {counted(record.evidence, 'time')}, confidence {record.confidence:.0%}"
        console.line(Styled(f"  {more}, {seen.score.tier.upper()} ({seen.score.value:.2f})", "dim"))
    return 0


def _forget(options: Namespace, console: Console) -> int:
    root = root_of(options)
    store = store_of(root)
    found = [store.forget(id, reader=reader(options)) for id in options.id]
    if options.format == "json":
        console.json([memory_report(shown(root, r.id)[0], root, archived=True) for r in found])
        return 0
    for record in found:
        console.line("forgotten ", Styled(record.id, "name"), f": {record.title}")
        console.line(
            Styled(f"  kept as {record.path}; `synapse memory restore` brings it back", "dim")
        )
    return 0


def _restore(options: Namespace, console: Console) -> int:
    root = root_of(options)
    store = store_of(root)
    found = [store.restore(id, reader=reader(options)) for id in options.id]
    if options.format == "json":
        console.json([memory_report(shown(root, record.id)[0], root) for record in found])
        return 0
    for record in found:
        console.line("restored ", Styled(record.id, "name"), f": {record.title}")
        console.line(Styled(f"  {record.path}", "dim"))
    return 0


def _gc_arguments(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only say what would be put away")
    add_format(parser.add_argument_group("Output"))


def _gc(options: Namespace, console: Console) -> int:
    root = root_of(options)
    swept = store_of(root).sweep(now=time.time(), dry_run=options.dry_run)
    if options.format == "json":
        console.json(
            [
                {"id": record.id, "title": record.title, "file": record.path, "reason": reason}
                for record, reason in swept
            ]
        )
        return 0
    for record, reason in swept:
        console.line(Styled(record.id, "name"), f": {record.title}")
        console.line(Styled(f"  {reason}", "dim"))
    count = f"{len(swept):,} {'memory' if len(swept) == 1 else 'memories'}"
    if not swept:
        console.line("Nothing has expired, and nothing has been idle for too long.")
    elif options.dry_run:
        console.line(f"{count} would go to the archive.")
    else:
        console.line(f"{count} went to the archive: `synapse memory restore ID` brings one back.")
    return 0


ADD = Command(
    description="""\
Remembers a text. What you say so is HOT from the start: agents are told it when their window
begins, and it is never forgotten by itself. What somebody has merely noticed (--inferred) begins
COLD and rises with evidence. The same text again is one more piece of evidence.""",
    examples=(
        ("A correction that must not be needed twice",
         'synapse memory add --correction "Use the staging database in tests, never production."'),
        ("With tags, so that it is found",
         'synapse memory add "Deploys wait for QA." --tag deploy --type decision'),
        ("For one agent only",
         'synapse memory add "Ana prefers short summaries." --agent pm --private'),
    ),
    arguments=_add_arguments,
    run=_add,
)  # fmt: skip

CONFIRM = Command(
    description="""\
One more piece of evidence for a memory: its confidence grows by three tenths of what is missing.""",
    examples=(("It was right again", "synapse memory confirm mem-2026-11-22-001"),),
    arguments=_id_arguments,
    run=_confirm,
)

FORGET = Command(
    description="""\
Puts memories away, so that no agent is told them any more. An agent that has been told is told that
it no longer applies. Nothing is deleted.""",
    examples=(
        ("That was wrong", "synapse memory forget mem-2026-11-22-001"),
        ("And back again", "synapse memory restore mem-2026-11-22-001"),
    ),
    arguments=_id_arguments,
    run=_forget,
)

RESTORE = Command(
    description="Brings memories back from the archive, byte for byte, to where they were.",
    examples=(
        ("What is there to bring back?", "synapse memory list --archived"),
        ("Bring one back", "synapse memory restore mem-2026-11-22-001"),
    ),
    arguments=_id_arguments,
    run=_restore,
)

GC = Command(
    description="""\
Puts away what has expired, and what nobody has used for 90 days and scores below 0.1. What a person
said stays, unless it has a date.""",
    examples=(
        ("What would go?", "synapse memory gc --dry-run"),
        ("Put it away", "synapse memory gc"),
    ),
    arguments=_gc_arguments,
    run=_gc,
)
