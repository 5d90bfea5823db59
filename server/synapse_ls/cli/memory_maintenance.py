"""``synapse memory add|confirm|forget|restore|gc|migrate|short-term``: change memories."""

import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from synapse_ls.cli.command_table import command, option, option_group, repeated_option, switch
from synapse_ls.cli.console import Console, Part, Styled, shorten_text
from synapse_ls.cli.memory import READER_OPTION, reader_of
from synapse_ls.cli.shared_options import FORMAT_OPTION, STANDARD_INPUT, read_stdin, root_of
from synapse_ls.formats.brainiac import short_term_memory
from synapse_ls.formats.memory_file import CORRECTION_TYPE, DEFAULT_TYPE, SECTORS, STORAGES, TYPES
from synapse_ls.memory import brainiac_short_term
from synapse_ls.memory.memory_record import Record, reader_name
from synapse_ls.queries.memory_report import (
    ScoredMemory,
    find_memory,
    memory_report,
    open_store,
    secret_notes,
)
from synapse_ls.setup.install.engine_takeover import plan_moves, undo_migration, write_moves
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.path_classification import SHORT_TERM


def _read_text(text: str) -> str:
    return read_stdin() if text == STANDARD_INPUT else text


def _print_changed(
    records: list[Record],
    options: Namespace,
    console: Console,
    verb: str,
    describe: Callable[[Record, ScoredMemory], str],
    *,
    archived: bool = False,
) -> None:
    """Print what became of memories."""
    root = root_of(options)
    memories = [find_memory(root, record.id)[0] for record in records]
    if options.format == "json":
        console.json([memory_report(memory, archived=archived) for memory in memories])
        return
    for record, memory in zip(records, memories, strict=True):
        console.line(f"{verb} ", Styled(record.id, "name"), f": {record.title}")
        console.line(Styled(f"  {describe(record, memory)}", "dim"))


_ID_OPTIONS = (
    option("id ID", "the id of a memory; `synapse memory list` shows it", nargs="+"),
    READER_OPTION,
    option_group("Output", FORMAT_OPTION),
)


@command(
    option("text TEXT", 'what to remember; "-" reads standard input'),
    option_group(
        "About it",
        option("--title TEXT", "a line that names it"),
        repeated_option("--tag TAG", "what it is about; may be given again"),
        option(
            "--type TYPE", f"{{}} (default: {DEFAULT_TYPE})", choices=TYPES, default=DEFAULT_TYPE
        ),
        switch(
            "--correction",
            f"the same as --type {CORRECTION_TYPE}",
            action="store_const",
            const=CORRECTION_TYPE,
            dest="type",
        ),
        *(
            option(f"--{name} {name.upper()}", "{} (default: follows from the type)", choices=words)
            for name, words in (("sector", SECTORS), ("storage", STORAGES))
        ),
        option("--expires DATE", "the day it is no longer true"),
        switch("--inferred", "nobody has said so outright: it has to earn its place by evidence"),
    ),
    option_group(
        "Owner",
        option("--agent ID", "the agent that it comes from"),
        switch("--private", "no other agent is to see it; needs --agent"),
    ),
    option_group("Output", FORMAT_OPTION),
)
def run_add(options: Namespace, console: Console) -> None:
    """Remembers a text. What you say so is HOT from the start: agents get it when their window
    begins, and it is never forgotten by itself. What somebody has merely noticed (--inferred)
    begins COLD and rises with evidence. The same text again is one more piece of evidence.

    Examples:

    # A correction that must not be needed twice
    $ synapse memory add --correction "Use the staging database in tests, never production."

    # With tags, so that it is found
    $ synapse memory add "Deploys wait for QA." --tag deploy --type decision

    # For one agent only
    $ synapse memory add "Ana prefers short summaries." --agent pm --private
    """
    root = root_of(options)
    if options.private and not options.agent:
        raise UserError("A private memory belongs to an agent.", "Name it with --agent ID.")
    record = open_store(root).remember(
        _read_text(options.text),
        now=time.time(),
        title=options.title,
        type=options.type,
        tags=tuple(options.tag),
        agent=reader_name(options.agent),
        scope="private" if options.private else "shared",
        explicit=not options.inferred,
        expires=options.expires,
        source="command line",
        **{name: value for name in ("sector", "storage") if (value := getattr(options, name))},
    )
    console.notes(secret_notes(record))
    verb = "added" if record.evidence == 1 else "confirmed"
    memory, archived = find_memory(root, record.id)
    if options.format == "json":
        console.json(memory_report(memory, archived=archived))
        return
    console.line(f"{verb} ", Styled(memory.record.id, "name"), f": {memory.record.title}")
    worth = f"{memory.score.tier.upper()} ({memory.score.value:.2f})"
    about = f"{memory.record.path}, {memory.record.sector}, {memory.record.storage}, {worth}"
    console.line(Styled(f"  {about}", "dim"))


@command(*_ID_OPTIONS)
def run_confirm(options: Namespace, console: Console) -> None:
    """One more piece of evidence for a memory: its confidence grows by three tenths of what is
    missing.

    Examples:

    # It was right again
    $ synapse memory confirm mem-2026-11-22-001
    """
    store, reader = open_store(root_of(options)), reader_of(options)
    records = [store.confirm(id, now=time.time(), reader=reader) for id in options.id]

    def describe(record: Record, memory: ScoredMemory) -> str:
        more = f"seen {format_count(record.evidence, 'time')}, confidence {record.confidence:.0%}"
        return f"{more}, {memory.score.tier.upper()} ({memory.score.value:.2f})"

    _print_changed(records, options, console, "confirmed", describe)


@command(*_ID_OPTIONS)
def run_forget(options: Namespace, console: Console) -> None:
    """Puts memories away, so that no agent gets them any more. One that is in context is revoked.
    Nothing is deleted.

    Examples:

    # That was wrong
    $ synapse memory forget mem-2026-11-22-001

    # And back again
    $ synapse memory restore mem-2026-11-22-001
    """
    store, reader = open_store(root_of(options)), reader_of(options)
    records = [store.forget(id, reader=reader) for id in options.id]

    def describe(record: Record, _: ScoredMemory) -> str:
        return f"kept as {record.path}; `synapse memory restore` restores it"

    _print_changed(records, options, console, "forgotten", describe, archived=True)


@command(*_ID_OPTIONS)
def run_restore(options: Namespace, console: Console) -> None:
    """Restores memories from the archive, byte for byte, to where they were.

    Examples:

    # What is there to restore?
    $ synapse memory list --archived

    # Restore one
    $ synapse memory restore mem-2026-11-22-001
    """
    store, reader = open_store(root_of(options)), reader_of(options)
    records = [store.restore(id, reader=reader) for id in options.id]
    _print_changed(records, options, console, "restored", lambda record, _: record.path)


@command(
    switch("--dry-run", "only say what would be put away"), option_group("Output", FORMAT_OPTION)
)
def run_gc(options: Namespace, console: Console) -> None:
    """Puts away what has expired, and what nobody has used for 90 days and scores below 0.1. What a
    person said stays, unless it has a date.

    Examples:

    # What would go?
    $ synapse memory gc --dry-run

    # Put it away
    $ synapse memory gc
    """
    swept = open_store(root_of(options)).sweep(now=time.time(), dry_run=options.dry_run)
    if options.format == "json":
        console.json(
            [
                {"id": record.id, "title": record.title, "file": record.path, "reason": reason}
                for record, reason in swept
            ]
        )
        return
    for record, reason in swept:
        console.line(Styled(record.id, "name"), f": {record.title}")
        console.line(Styled(f"  {reason}", "dim"))
    count = f"{len(swept):,} {'memory' if len(swept) == 1 else 'memories'}"
    if not swept:
        console.line("Nothing has expired, and nothing has been idle for too long.")
    elif options.dry_run:
        console.line(f"{count} would go to the archive.")
    else:
        console.line(f"{count} went to the archive: `synapse memory restore ID` restores one.")


_MAX_TITLE_WIDTH = 56


@command(
    switch("--dry-run", "only show what would be imported"),
    switch("--rollback", "remove what was imported and has not changed since"),
    option_group("Output", FORMAT_OPTION),
)
def run_migrate(options: Namespace, console: Console) -> None:
    """Imports the memories of a Chati tree (.chati/memories, the MEMORY.md of each agent) and the
    gotchas of Chati and AIOX. Nothing of theirs is changed. What is here already is not imported
    again.

    Examples:

    # What is there to import?
    $ synapse memory migrate --dry-run

    # Import it
    $ synapse memory migrate

    # And remove it again
    $ synapse memory migrate --rollback
    """
    root = root_of(options)
    if options.rollback:
        removed, changed = undo_migration(root)
        if options.format == "json":
            console.json({"removed": [memory.path for memory in removed], "kept": changed})
            return
        console.lines(
            ("removed ", Styled(memory.path, "name"), f", which came from {memory.source}")
            for memory in removed
        )
        console.notes(f"{path} was changed since, so it stays" for path in changed)
        if not (removed or changed):
            console.line("Nothing was imported that could be removed.")
        return
    moves = plan_moves(root)
    brought = [] if options.dry_run else write_moves(root, moves, now=time.time())
    if options.format == "json":
        new = iter(brought)
        console.json(
            [
                {
                    "source": move.source,
                    "title": move.record.title,
                    "agent": move.record.agent or None,
                    "there": move.existing or None,
                    "file": None if move.existing or options.dry_run else next(new).path,
                }
                for move in moves
            ]
        )
        return
    rows: list[list[Part]] = [
        [
            Styled(move.source, "name"),
            f"@{move.record.agent} only" if move.record.is_private else "shared",
            shorten_text(move.record.title, _MAX_TITLE_WIDTH),
            Styled(f"is here as {move.existing}", "dim") if move.existing else "",
        ]
        for move in moves
    ]
    if moves:
        console.table(rows, ("from", "owner", "title", ""))
    count = sum(not move.existing for move in moves)
    if not moves:
        console.line("There are no memories of other tools: no .chati/memories, no gotchas.")
    elif options.dry_run:
        console.line(f"{count} of {len(moves)} would be imported; their files stay as they are.")
    else:
        console.line(
            f"{len(brought)} of {len(moves)} were imported; --rollback removes them again."
        )


_MAX_EVENTS = 5  # that are shown unless all are asked for
_NEW_ITEM_OPTIONS = (("goal", "goals"), ("fact", "facts"), ("task", "tasks"))
_ITEM_OPTIONS = (
    ("done", "done", "tick a goal or a task"),
    ("undone", "reopened", "untick a goal or a task"),
    ("drop", "dropped", "leave out an item"),
)


_DATA_OPTIONS = (
    option_group(
        "Structured data",
        *(
            repeated_option(
                f"--{name} TEXT",
                f"add to the {short_term_memory.TITLES[many].lower()}; may be given again",
                dest=many,
            )
            for name, many in _NEW_ITEM_OPTIONS
        ),
        *(
            repeated_option(
                f"--{name} ITEM",
                f"{verb}, by its number or words of it; may be given again",
                dest=many,
            )
            for name, many, verb in _ITEM_OPTIONS
        ),
    ),
    option_group("Output", FORMAT_OPTION),
)


def _data_options(options: Namespace) -> dict[str, Any]:
    fields = (many for _, many, *_ in (*_NEW_ITEM_OPTIONS, *_ITEM_OPTIONS))
    return {many: tuple(getattr(options, many)) for many in fields}


def _item_text(item: short_term_memory.MemoryItem) -> str:
    text = " ".join(item.text.split())
    return text if item.checked is None else f"[{'x' if item.checked else ' '}] {text}"


def _apply_change(options: Namespace, console: Console, **changes: Any) -> None:
    wanted = brainiac_short_term.ShortTermChange(**changes)
    outcome = brainiac_short_term.change_short_term(root_of(options), wanted, time.time())
    if options.format == "json":
        console.json(
            {**brainiac_short_term.short_term_report(outcome.memory), "notes": list(outcome.notes)}
        )
        return
    items = tuple(brainiac_short_term.number_items(outcome.memory))
    open_ = sum(item.checked is False for _, item in items)
    events = len(outcome.memory.events)
    console.line(f"{SHORT_TERM}: {len(items)} items, {open_} open · {events} events")
    console.notes(outcome.notes)


@command(option_group("Output", switch("--all", "show every event of the log"), FORMAT_OPTION))
def run_show(options: Namespace, console: Console) -> None:
    """The summary, the goals, facts and tasks with the numbers that they go by, and the newest
    events. It is injected with every prompt; `synapse explain` says what it costs there.

    Examples:

    # What is the work at hand?
    $ synapse memory short-term show

    # For a script
    $ synapse memory short-term show --format json
    """
    memory = brainiac_short_term.read_short_term(root_of(options))
    if options.format == "json":
        console.json(brainiac_short_term.short_term_report(memory))
        return
    events = len(memory.events) if options.all else _MAX_EVENTS
    console.line(Styled(short_term_memory.TITLES[short_term_memory.SUMMARY], "title"))
    for line in (memory.summary.value if memory.summary else "-").split("\n"):
        console.line(f"  {line}".rstrip())
    items = tuple(brainiac_short_term.number_items(memory))
    for name in short_term_memory.LISTS:
        console.line()
        console.line(Styled(short_term_memory.TITLES[name], "title"))
        console.lines(
            [f"  {number:>2}  {_item_text(item)}"] for number, item in items if item.part == name
        )
    console.line()
    console.line(Styled(short_term_memory.TITLES["events"], "title"))
    for event in memory.events[:events]:
        words = (
            event.field_value("user") or event.field_value("ai") or event.field_value("thoughts")
        ) or memory.text_at(event.body)
        heading = event.heading.value if event.level or event.time is not None else "-"
        console.line(f"  {heading}  {' '.join(words.split())}".rstrip())
    if (more := len(memory.events) - events) > 0:
        console.line(Styled(f"  {more} more: --all", "dim"))


@command(
    option("summary SUMMARY", 'the new summary; "-" reads it', nargs="?", default=""),
    *_DATA_OPTIONS,
)
def run_set(options: Namespace, console: Console) -> None:
    """Changes the summary and the structured data: adds goals, facts and tasks, ticks them, leaves
    them out. All of it is done at once or not at all; everything else in the file stays byte for
    byte, and so does what somebody saves in the meantime.

    Examples:

    # A new summary
    $ synapse memory short-term set "Reads come from PostgreSQL now."

    # A task more, and one that is done
    $ synapse memory short-term set --task "Tell Ana" --done "read switch"

    # Leave out item 3
    $ synapse memory short-term set --drop 3
    """
    _apply_change(options, console, summary=_read_text(options.summary), **_data_options(options))


@command(
    option_group(
        "Event",
        option("--user TEXT", "what the user said"),
        option("--ai TEXT", "what the agent answered"),
        option("--thoughts TEXT", "what it thought of it"),
    ),
    *_DATA_OPTIONS,
)
def run_log(options: Namespace, console: Console) -> None:
    """Puts an event on top of the log, with the time. As in Brainiac's reflection, the same call
    may add goals, facts and tasks and tick them; the summary stays.

    Examples:

    # What was said
    $ synapse memory short-term log --user "Did it work?" --ai "Yes, since Monday."

    # With what it means
    $ synapse memory short-term log --thoughts "The cache is stale." --task "Flush the cache"
    """
    texts: dict[str, Any] = {n: _read_text(getattr(options, n)) for n in ("user", "ai", "thoughts")}
    if not any(text.strip() for text in texts.values()):
        raise UserError("An event says something.", "Give --user, --ai or --thoughts.")
    _apply_change(options, console, **texts, **_data_options(options))


@command(
    option(
        "summary SUMMARY",
        'the summary from now on; "-" reads it (default: the one there is)',
        nargs="?",
        default="",
    ),
    option_group("Output", FORMAT_OPTION),
)
def run_clear(options: Namespace, console: Console) -> None:
    """What Brainiac's promotion leaves: a summary, goals and tasks that are open, and what has
    another name. Events, facts, and what is done go: `synapse context --process promotion` says
    which of them belong in the long-term memory, so look there first.

    Examples:

    # What would be worth keeping?
    $ synapse context --process promotion

    # Then begin anew
    $ synapse memory short-term clear "The switch is done."
    """
    brainiac_short_term.read_short_term(root_of(options))
    _apply_change(options, console, summary=_read_text(options.summary), promoted=True)
