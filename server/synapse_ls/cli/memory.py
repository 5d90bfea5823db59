"""``synapse memory list|show|search|stats``: show memories."""

from argparse import Namespace
from collections.abc import Sequence

from synapse_ls.cli.command_table import command, option, option_group, repeated_option, switch
from synapse_ls.cli.console import Console, Part, Row, Styled, shorten_text
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.formats.memory_file import SECTORS, STORAGES, TIERS, parse_day
from synapse_ls.memory.memory_record import PERSON, reader_name
from synapse_ls.memory.memory_selection import preferred_sectors
from synapse_ls.queries.memory_report import (
    MemoryFilter,
    ScoredMemory,
    count_memories,
    find_memory,
    list_memories,
    memory_report,
    memory_settings,
    open_store,
    search_memories,
)
from synapse_ls.text.iso_time import format_day
from synapse_ls.text.phrases import format_count as number_of

_STYLES = {"hot": "bad", "warm": "warn", "cold": "dim"}
_MAX_TITLE_WIDTH = 60
_EXPIRED_NOTE = ", so no agent gets it"


READER_OPTION = option_group(
    "Reader",
    option(
        "--agent ID",
        "as this agent sees it: what is shared, and its own (default: everything)",
        default=None,
    ),
)


def reader_of(options: Namespace) -> str:
    """Return who looks at memories by the option ``--agent``, as the store knows it."""
    return PERSON if options.agent is None else reader_name(options.agent)


_FILTER_OPTIONS = option_group(
    "Filters",
    repeated_option("--tag TAG", "with this tag; may be given again"),
    *(
        option(f"--{name} {name.upper()}", "{}", choices=words)
        for name, words in (("sector", SECTORS), ("storage", STORAGES), ("tier", TIERS))
    ),
    option("--type TYPE", "of this type, such as decision"),
    option("--of ID", "that this agent has learned"),
)


def _filter_option(options: Namespace) -> MemoryFilter:
    return MemoryFilter(
        tags=tuple(options.tag),
        sector=options.sector or "",
        storage=options.storage or "",
        tier=options.tier or "",
        type=options.type,
        agent=options.of,
    )


_OUTPUT_OPTIONS = option_group(
    "Output", switch("--explain", "show what each score is made of"), FORMAT_OPTION
)


def _print_memories(
    memories: Sequence[ScoredMemory], options: Namespace, console: Console, root: str
) -> None:
    if options.explain:
        for position, memory in enumerate(memories):
            if position:
                console.line()
            console.line(Styled(memory.record.id, "name"), f"  {memory.record.title}")
            console.rows(_factor_rows(memory, root, options.agent or ""), indent="  ")
        return
    rows: list[list[Part]] = [
        [
            Styled(memory.record.id, "name"),
            Styled("expired", "dim")
            if memory.has_expired
            else Styled(memory.score.tier, _STYLES[memory.score.tier]),
            f"{memory.score.value:.2f}",
            memory.record.sector,
            _owner_text(memory),
            shorten_text(memory.record.title, _MAX_TITLE_WIDTH),
        ]
        for memory in memories
    ]
    if memories:
        console.table(rows, ("id", "tier", "score", "sector", "owner", "title"), right_aligned={2})


def _owner_text(memory: ScoredMemory) -> str:
    record = memory.record
    return f"@{record.agent} only" if record.is_private else "shared"


def _row(name: str, value: Part, about: str) -> Row:
    return name, [value, Styled(f"  {about}", "dim")]


def _factor_rows(memory: ScoredMemory, root: str, agent: str) -> list[Row]:
    """Return what a score is made of, each factor with the figure it comes from."""
    record, score = memory.record, memory.score
    full = memory_settings(root).get("full_evidence", 10)
    days = filter(None, map(parse_day, (record.accessed, record.updated, record.created)))
    last = max(days, default=0)
    last_used = format_day(last) if last else "nobody knows when"
    sources = {
        "evidence": f"seen {number_of(record.evidence, 'time')}, {full} are full evidence",
        "recency": f"a {record.storage} memory, last used {last_used}",
        "access": f"used {number_of(record.access_count, 'time')}",
        "confidence": "as it is written, growing with each evidence",
    }
    rows = [_row(name, f"{value:.2f}", sources[name]) for name, value in score.factors]
    floor = "the floor of what a person said" if record.explicit else "what its file says"
    floor = floor if score.uses_floor else "their product, at most 1"
    rows.append(_row("score", Styled(f"{score.value:.2f}", "title"), floor))
    rows.append(("tier", [Styled(score.tier.upper(), _STYLES[score.tier])]))
    if memory.match.matches:
        rows.append(_row("relevance", f"{memory.match.relevance:.2f}", memory.match.description))
    if agent:
        sectors = preferred_sectors(reader_name(agent), memory_settings(root).get("sectors", {}))
        says = "prefers" if record.sector in sectors else "prefers other sectors than"
        rows.append(_row("sector", record.sector, f"@{reader_name(agent)} {says} it"))
    return rows


def _counts_text(counts: dict[str, int]) -> str:
    return " · ".join(f"{name} {count}" for name, count in counts.items())


@command(
    switch("--archived", "what was forgotten or has expired instead"),
    _FILTER_OPTIONS,
    READER_OPTION,
    _OUTPUT_OPTIONS,
)
def run_list(options: Namespace, console: Console) -> None:
    """One line for each memory, the one with the highest score first. HOT memories are injected
    unasked, WARM ones when they match the prompt, COLD ones are found by a search only.

    Examples:

    # What is remembered?
    $ synapse memory list

    # What does @qa remember about payments?
    $ synapse memory list --agent qa --tag payments

    # What was forgotten?
    $ synapse memory list --archived
    """
    root = root_of(options)
    memories = list_memories(
        root, reader_of(options), _filter_option(options), archived=options.archived
    )
    if options.format == "json":
        console.json([memory_report(memory, archived=options.archived) for memory in memories])
        return
    _print_memories(memories, options, console, root)
    if not memories and options.archived:
        console.line("The archive is empty.")
    elif not memories:
        console.line('There are no such memories: `synapse memory add "…"` makes one.')
    console.notes(open_store(root).index().notes)


@command(
    option("id ID", "the id of a memory, such as mem-2026-11-22-001"),
    READER_OPTION,
    _OUTPUT_OPTIONS,
)
def run_show(options: Namespace, console: Console) -> None:
    """One memory: what it says, who may see it, how sure it is, and how long it is kept.

    Examples:

    # One memory
    $ synapse memory show mem-2026-11-22-001

    # With what its score is made of
    $ synapse memory show mem-2026-11-22-001 --explain
    """
    root = root_of(options)
    memory, archived = find_memory(root, options.id, reader_of(options))
    if options.format == "json":
        console.json(memory_report(memory, archived=archived))
        return
    report, record = memory_report(memory, archived=archived), memory.record
    rows: list[Row] = [
        ("memory", [Styled(record.id, "title"), "  in the archive" if archived else ""]),
        ("title", [record.title]),
        ("type", [f"{record.type}, {record.sector}, {record.storage}"]),
        ("owner", [_owner_text(memory)]),
        ("tags", [", ".join(record.tags) or "-"]),
        ("confidence", [f"{record.confidence:.0%}, seen {number_of(record.evidence, 'time')}"]),
        ("tier", [f"{memory.score.tier} ({memory.score.value:.2f})"]),
        ("expires", [str(report.expires or "never"), _EXPIRED_NOTE if memory.has_expired else ""]),
        ("file", [f"{record.path}:{record.line + 1}"]),
    ]
    if record.explicit:
        rows.insert(3, ("said", ["by a person, so it is not forgotten by itself"]))
    console.rows(rows)
    if options.explain:
        console.line()
        console.rows(_factor_rows(memory, root, options.agent or ""))
    if record.text:
        console.line()
        console.lines([text] for text in record.text.split("\n"))


@command(
    option("words WORD", "what it is about", nargs="+"),
    _FILTER_OPTIONS,
    READER_OPTION,
    _OUTPUT_OPTIONS,
)
def run_search(options: Namespace, console: Console) -> None:
    """The memories that have at least half of the words, whatever their case, accents or plural.
    Those that have them as tags or in the title come first. Synonyms are not found.

    Examples:

    # What do we know about migrations?
    $ synapse memory search database migration

    # What each result is worth, and why
    $ synapse memory search deploy --explain

    # As @dev sees it, for a script
    $ synapse memory search deploy --agent dev --format json
    """
    root = root_of(options)
    text = " ".join(options.words)
    memories = search_memories(root, text, reader_of(options), _filter_option(options))
    if options.format == "json":
        console.json([memory_report(memory) for memory in memories])
        return
    _print_memories(memories, options, console, root)
    if not memories:
        console.line(f'No memory is about "{text}".')
    console.notes(open_store(root).index().notes)


@command(READER_OPTION, option_group("Output", FORMAT_OPTION))
def run_stats(options: Namespace, console: Console) -> None:
    """How many memories there are, by tier, sector, storage and owner.

    Examples:

    # How much is remembered?
    $ synapse memory stats

    # How much does @dev see?
    $ synapse memory stats --agent dev
    """
    counts = count_memories(root_of(options), reader_of(options))
    if options.format == "json":
        console.json(counts)
        return
    rows: list[Row] = [
        ("memories", [Styled(str(counts.total), "title")]),
        ("tiers", [_counts_text(counts.tiers)]),
        ("sectors", [_counts_text(counts.sectors)]),
        ("storage", [_counts_text(counts.storage)]),
        ("shared", [str(counts.shared)]),
        ("private", [_counts_text({f"@{a}": n for a, n in counts.agents.items()}) or "none"]),
        ("said by a person", [str(counts.explicit)]),
        ("expired", [str(counts.expired)]),
        ("archived", [str(counts.archived)]),
    ]
    console.rows(rows)
