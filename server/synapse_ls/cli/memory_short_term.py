"""This module is ``synapse memory short-term show|set|log|clear``: the short-term memory of a
tree of Brainiac.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.shared_options import add_format_option, root_of
from synapse_ls.formats.brainiac.short_term_memory import LISTS, SUMMARY, TITLES
from synapse_ls.memory.brainiac_short_term import (
    ShortTermChange,
    change_short_term,
    number_items,
    read_short_term,
    short_term_report,
)
from synapse_ls.text.decoding import decode_text
from synapse_ls.workspace.systems.brainiac_places import SHORT_TERM

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console
    from synapse_ls.formats.brainiac.short_term_memory import MemoryItem, ShortTermMemory

_MAX_EVENTS = 5  # that are shown unless all are asked for
_NEW_ITEM_OPTIONS = (("goal", "goals"), ("fact", "facts"), ("task", "tasks"))
_ITEM_OPTIONS = (
    ("done", "done", "tick a goal or a task"),
    ("undone", "reopened", "untick a goal or a task"),
    ("drop", "dropped", "leave out an item"),
)


def _add_data_options(parser: Parser) -> None:
    data = parser.add_argument_group("Structured data")
    for name, many in _NEW_ITEM_OPTIONS:
        about = f"add to the {TITLES[many].lower()}; may be given again"
        data.add_argument(
            f"--{name}", metavar="TEXT", action="append", default=[], dest=many, help=about
        )
    for name, many, verb in _ITEM_OPTIONS:
        about = f"{verb}, by its number or words of it; may be given again"
        data.add_argument(
            f"--{name}", metavar="ITEM", action="append", default=[], dest=many, help=about
        )
    add_format_option(parser.add_argument_group("Output"))


def _data_options(options: Namespace) -> dict[str, Any]:
    fields = (many for _, many, *_ in (*_NEW_ITEM_OPTIONS, *_ITEM_OPTIONS))
    return {many: tuple(getattr(options, many)) for many in fields}


def _add_show_arguments(parser: Parser) -> None:
    output = parser.add_argument_group("Output")
    output.add_argument("--all", action="store_true", help="show every event of the log")
    add_format_option(output)


def _run_show(options: Namespace, console: Console) -> int:
    memory = read_short_term(root_of(options))
    if options.format == "json":
        console.json(short_term_report(memory))
        return 0
    _print_memory(memory, console, len(memory.events) if options.all else _MAX_EVENTS)
    return 0


def _print_memory(memory: ShortTermMemory, console: Console, events: int) -> None:
    console.line(Styled(TITLES[SUMMARY], "title"))
    for line in (memory.summary.value if memory.summary else "-").split("\n"):
        console.line(f"  {line}".rstrip())
    items = tuple(number_items(memory))
    for name in LISTS:
        console.line()
        console.line(Styled(TITLES[name], "title"))
        for number, item in items:
            if item.part == name:
                console.line(f"  {number:>2}  {_item_text(item)}")
    console.line()
    console.line(Styled(TITLES["events"], "title"))
    for event in memory.events[:events]:
        said = event.field_value("user") or event.field_value("ai") or event.field_value("thoughts")
        console.line(f"  {event.heading.value}  {' '.join(said.split())}".rstrip())
    if (more := len(memory.events) - events) > 0:
        console.line(Styled(f"  {more} more: --all", "dim"))


def _item_text(item: MemoryItem) -> str:
    text = " ".join(item.text.split())
    return text if item.checked is None else f"[{'x' if item.checked else ' '}] {text}"


def _add_set_arguments(parser: Parser) -> None:
    parser.add_argument(
        "summary", metavar="SUMMARY", nargs="?", default="", help='the new summary; "-" reads it'
    )
    _add_data_options(parser)


def _run_set(options: Namespace, console: Console) -> int:
    return _apply_change(
        options,
        console,
        ShortTermChange(summary=_read_text(options.summary), **_data_options(options)),
    )


def _add_log_arguments(parser: Parser) -> None:
    event = parser.add_argument_group("Event")
    event.add_argument("--user", metavar="TEXT", default="", help="what the user said")
    event.add_argument("--ai", metavar="TEXT", default="", help="what the agent answered")
    event.add_argument("--thoughts", metavar="TEXT", default="", help="what it thought of it")
    _add_data_options(parser)


def _run_log(options: Namespace, console: Console) -> int:
    said: dict[str, Any] = {n: _read_text(getattr(options, n)) for n in ("user", "ai", "thoughts")}
    wanted = ShortTermChange(**said, **_data_options(options))
    if not wanted.is_event:
        raise CliError("An event says something.", "Give --user, --ai or --thoughts.")
    return _apply_change(options, console, wanted)


def _add_clear_arguments(parser: Parser) -> None:
    parser.add_argument(
        "summary",
        metavar="SUMMARY",
        nargs="?",
        default="",
        help='the summary from now on; "-" reads it (default: the one there is)',
    )
    add_format_option(parser.add_argument_group("Output"))


def _run_clear(options: Namespace, console: Console) -> int:
    read_short_term(root_of(options))
    return _apply_change(
        options, console, ShortTermChange(summary=_read_text(options.summary), promoted=True)
    )


def _read_text(text: str) -> str:
    if text == "-" and sys.stdin is not None:
        return decode_text(sys.stdin.buffer.read()).text
    return text


def _apply_change(options: Namespace, console: Console, wanted: ShortTermChange) -> int:
    made = change_short_term(root_of(options), wanted, time.time())
    if options.format == "json":
        console.json({**short_term_report(made.memory), "notes": list(made.notes)})
        return 0
    items = tuple(number_items(made.memory))
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
    arguments=_add_show_arguments,
    run=_run_show,
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
    arguments=_add_set_arguments,
    run=_run_set,
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
    arguments=_add_log_arguments,
    run=_run_log,
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
    arguments=_add_clear_arguments,
    run=_run_clear,
)
