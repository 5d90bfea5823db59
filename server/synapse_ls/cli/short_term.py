"""``synapse memory short-term``: the short-term memory of a tree of Brainiac."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.formats.brainiac.short_term_model import LISTS, SUMMARY, TITLES
from synapse_ls.service.short_term import Change, change, numbered, report, shown
from synapse_ls.text.decode import decode
from synapse_ls.workspace.systems.brainiac import SHORT_TERM

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.formats.brainiac.short_term_model import Item, ShortTermMemory

_EVENTS = 5  # that are shown unless all are asked for
_ADDED = (("goal", "goals"), ("fact", "facts"), ("task", "tasks"))
_ITEMS = (
    ("done", "done", "tick a goal or a task"),
    ("undone", "reopened", "untick a goal or a task"),
    ("drop", "dropped", "leave out an item"),
)


def _add_data(parser: Parser) -> None:
    data = parser.add_argument_group("Structured data")
    for name, many in _ADDED:
        about = f"add to the {TITLES[many].lower()}; may be given again"
        data.add_argument(
            f"--{name}", metavar="TEXT", action="append", default=[], dest=many, help=about
        )
    for name, many, verb in _ITEMS:
        about = f"{verb}, by its number or words of it; may be given again"
        data.add_argument(
            f"--{name}", metavar="ITEM", action="append", default=[], dest=many, help=about
        )
    add_format(parser.add_argument_group("Output"))


def _data(options: Namespace) -> dict[str, Any]:
    fields = (many for _, many, *_ in (*_ADDED, *_ITEMS))
    return {many: tuple(getattr(options, many)) for many in fields}


def _show_arguments(parser: Parser) -> None:
    output = parser.add_argument_group("Output")
    output.add_argument("--all", action="store_true", help="show every event of the log")
    add_format(output)


def _show(options: Namespace, console: Console) -> int:
    memory = shown(root_of(options))
    if options.format == "json":
        console.json(report(memory))
        return 0
    _tell(memory, console, len(memory.events) if options.all else _EVENTS)
    return 0


def _tell(memory: ShortTermMemory, console: Console, events: int) -> None:
    console.line(Styled(TITLES[SUMMARY], "title"))
    for line in (memory.summary.value if memory.summary else "-").split("\n"):
        console.line(f"  {line}".rstrip())
    items = tuple(numbered(memory))
    for name in LISTS:
        console.line()
        console.line(Styled(TITLES[name], "title"))
        for number, item in items:
            if item.part == name:
                console.line(f"  {number:>2}  {_boxed(item)}")
    console.line()
    console.line(Styled(TITLES["events"], "title"))
    for event in memory.events[:events]:
        said = event.field("user") or event.field("ai") or event.field("thoughts")
        console.line(f"  {event.heading.value}  {' '.join(said.split())}".rstrip())
    if (more := len(memory.events) - events) > 0:
        console.line(Styled(f"  {more} more: --all", "dim"))


def _boxed(item: Item) -> str:
    text = " ".join(item.text.split())
    return text if item.checked is None else f"[{'x' if item.checked else ' '}] {text}"


def _set_arguments(parser: Parser) -> None:
    parser.add_argument(
        "summary", metavar="SUMMARY", nargs="?", default="", help='the new summary; "-" reads it'
    )
    _add_data(parser)


def _set(options: Namespace, console: Console) -> int:
    return _change(options, console, Change(summary=_said(options.summary), **_data(options)))


def _log_arguments(parser: Parser) -> None:
    event = parser.add_argument_group("Event")
    event.add_argument("--user", metavar="TEXT", default="", help="what the user said")
    event.add_argument("--ai", metavar="TEXT", default="", help="what the agent answered")
    event.add_argument("--thoughts", metavar="TEXT", default="", help="what it thought of it")
    _add_data(parser)


def _log(options: Namespace, console: Console) -> int:
    said: dict[str, Any] = {n: _said(getattr(options, n)) for n in ("user", "ai", "thoughts")}
    wanted = Change(**said, **_data(options))
    if not wanted.is_event:
        raise CliError("An event says something.", "Give --user, --ai or --thoughts.")
    return _change(options, console, wanted)


def _clear_arguments(parser: Parser) -> None:
    parser.add_argument(
        "summary",
        metavar="SUMMARY",
        nargs="?",
        default="",
        help='the summary from now on; "-" reads it (default: the one there is)',
    )
    add_format(parser.add_argument_group("Output"))


def _clear(options: Namespace, console: Console) -> int:
    shown(root_of(options))
    return _change(options, console, Change(summary=_said(options.summary), promoted=True))


def _said(text: str) -> str:
    if text == "-" and sys.stdin is not None:
        return decode(sys.stdin.buffer.read()).text
    return text


def _change(options: Namespace, console: Console, wanted: Change) -> int:
    made = change(root_of(options), wanted, time.time())
    if options.format == "json":
        console.json({**report(made.memory), "notes": list(made.notes)})
        return 0
    items = tuple(numbered(made.memory))
    open_ = sum(item.checked is False for _, item in items)
    events = len(made.memory.events)
    console.line(f"{SHORT_TERM}: {len(items)} items, {open_} open · {events} events")
    for note in made.notes:
        console.note(note)
    return 0


SHOW = Command(
    description="""\
The summary, the goals, facts and tasks with the numbers that they go by, and the newest events. It is
told with every prompt; what it costs there, `synapse explain` says.""",
    examples=(
        ("What is the work at hand?", "synapse memory short-term show"),
        ("For a script", "synapse memory short-term show --format json"),
    ),
    arguments=_show_arguments,
    run=_show,
)

SET = Command(
    description="""\
Changes the summary and the structured data: adds goals, facts and tasks, ticks them, leaves them out. All
of it is done at once or not at all; everything else in the file stays byte for byte, and so does what
somebody saves in the meantime.""",
    examples=(
        ("A new summary", 'synapse memory short-term set "Reads come from PostgreSQL now."'),
        ("A task more, and one that is done",
         'synapse memory short-term set --task "Tell Ana" --done "read switch"'),
        ("Leave out item 3", "synapse memory short-term set --drop 3"),
    ),
    arguments=_set_arguments,
    run=_set,
)  # fmt: skip

LOG = Command(
    description="""\
Puts an event on top of the log, with the time. As in Brainiac's reflection, the same call may add goals,
facts and tasks and tick them; the summary stays.""",
    examples=(
        ("What was said",
         'synapse memory short-term log --user "Did it work?" --ai "Yes, since Monday."'),
        ("With what it means",
         'synapse memory short-term log --thoughts "The cache is stale." --task "Flush the cache"'),
    ),
    arguments=_log_arguments,
    run=_log,
)  # fmt: skip

CLEAR = Command(
    description="""\
What Brainiac's promotion leaves: a summary, goals and tasks that are open, and what has another name.
Events, facts, and what is done go: `synapse context --process promotion` says which of them belong in the
long-term memory, so look there first.""",
    examples=(
        ("What would be worth keeping?", "synapse context --process promotion"),
        ("Then begin anew", 'synapse memory short-term clear "The switch is done."'),
    ),
    arguments=_clear_arguments,
    run=_clear,
)
