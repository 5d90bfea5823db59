"""``synapse memory list``, ``show``, ``search`` and ``stats``: looking at what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.header import aligned
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.cli.table import columns, header, shortened
from synapse_ls.formats.memory_fields import SECTORS, STORAGES, TIERS, date_of, day_of
from synapse_ls.memory.places import PERSON, reader_of
from synapse_ls.service.memories import (
    Filter,
    Seen,
    counted,
    is_over,
    listed,
    memory_report,
    preference,
    searched,
    settings_of,
    shown,
)
from synapse_ls.text.counted import counted as number_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

_STYLES = {"hot": "bad", "warm": "warn", "cold": "dim"}
_WIDEST = 60
_OVER = ", so no agent is told it"


def add_reader(parser: Parser) -> None:
    """``--agent``: who looks."""
    parser.add_argument_group("Reader").add_argument(
        "--agent",
        metavar="ID",
        default=None,
        help="as this agent sees it: what is shared, and its own (default: everything)",
    )


def reader(options: Namespace) -> str:
    """Who looks, as the store knows it."""
    return PERSON if options.agent is None else reader_of(options.agent)


def _add_filters(parser: Parser) -> None:
    group = parser.add_argument_group("Filters")
    group.add_argument(
        "--tag",
        metavar="TAG",
        action="append",
        default=[],
        help="with this tag; may be given again",
    )
    for name, known in (("sector", SECTORS), ("storage", STORAGES), ("tier", TIERS)):
        group.add_argument(
            f"--{name}",
            metavar=name.upper(),
            type=one_of(known),
            help=f"{', '.join(known[:-1])} or {known[-1]}",
        )
    group.add_argument("--type", metavar="TYPE", default="", help="of this type, such as decision")
    group.add_argument("--of", metavar="ID", default="", help="that this agent has learned")


def _filter(options: Namespace) -> Filter:
    return Filter(
        tags=tuple(options.tag),
        sector=options.sector or "",
        storage=options.storage or "",
        tier=options.tier or "",
        type=options.type,
        agent=options.of,
    )


def _add_output(parser: Parser) -> None:
    group = parser.add_argument_group("Output")
    group.add_argument("--explain", action="store_true", help="show what each score is made of")
    add_format(group)


def _list_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--archived", action="store_true", help="what was forgotten or has expired instead"
    )
    _add_filters(parser)
    add_reader(parser)
    _add_output(parser)


def _list(options: Namespace, console: Console) -> int:
    root = root_of(options)
    found = listed(root, reader(options), _filter(options), archived=options.archived)
    if options.format == "json":
        console.json([memory_report(seen, root, archived=options.archived) for seen in found])
        return 0
    _told(found, options, console, root)
    if not found:
        console.line(_nothing(options))
    return 0


def _nothing(options: Namespace) -> str:
    if options.archived:
        return "The archive is empty."
    return 'There are no such memories: `synapse memory add "…"` makes one.'


def _search_arguments(parser: Parser) -> None:
    parser.add_argument("words", metavar="WORD", nargs="+", help="what it is about")
    _add_filters(parser)
    add_reader(parser)
    _add_output(parser)


def _search(options: Namespace, console: Console) -> int:
    root = root_of(options)
    text = " ".join(options.words)
    found = searched(root, text, reader(options), _filter(options))
    if options.format == "json":
        console.json([memory_report(seen, root) for seen in found])
        return 0
    _told(found, options, console, root)
    if not found:
        console.line(f'No memory is about "{text}".')
    return 0


def _told(found: Sequence[Seen], options: Namespace, console: Console, root: str) -> None:
    if options.explain:
        for position, seen in enumerate(found):
            if position:
                console.line()
            console.line(Styled(seen.record.id, "name"), f"  {seen.record.title}")
            for line in aligned(
                _factors(seen, root, "" if options.agent is None else options.agent)
            ):
                console.line("  ", *line)
        return
    rows: list[list[Part]] = [header("id", "tier", "score", "sector", "owner", "title")]
    rows += [
        [
            Styled(seen.record.id, "name"),
            Styled("expired", "dim")
            if is_over(seen, root)
            else Styled(seen.score.tier, _STYLES[seen.score.tier]),
            f"{seen.score.value:.2f}",
            seen.record.sector,
            _owner(seen),
            shortened(seen.record.title, _WIDEST),
        ]
        for seen in found
    ]
    for line in columns(rows, right={2}) if found else ():
        console.line(*line)


def _owner(seen: Seen) -> str:
    record = seen.record
    return f"@{record.agent} only" if record.is_private else "shared"


def _factors(seen: Seen, root: str, agent: str) -> list[tuple[str, list[Part]]]:
    """What a score is made of, each factor with the figure it comes from."""
    record, score = seen.record, seen.score
    full = settings_of(root).get("full_evidence", 10)
    told = {
        "evidence": f"seen {number_of(record.evidence, 'time')}, {full} are full evidence",
        "recency": f"a {record.storage} memory, last used {_last(seen)}",
        "access": f"used {number_of(record.access_count, 'time')}",
        "confidence": "as it is written, growing with each evidence",
    }
    rows: list[tuple[str, list[Part]]] = [
        (name, [f"{value:.2f}", Styled(f"  {told[name]}", "dim")]) for name, value in score.factors
    ]
    floor = "  the floor of what a person said" if record.explicit else "  what its file says"
    floor = floor if score.lifted else "  their product, at most 1"
    rows.append(("score", [Styled(f"{score.value:.2f}", "title"), Styled(floor, "dim")]))
    rows.append(("tier", [Styled(score.tier.upper(), _STYLES[score.tier])]))
    if seen.match.found:
        rows.append(
            ("relevance", [f"{seen.match.relevance:.2f}", Styled(f"  {seen.match.told}", "dim")])
        )
    if agent:
        sectors = preference(root, agent)
        says = "prefers" if record.sector in sectors else "prefers other sectors than"
        rows.append(("sector", [record.sector, Styled(f"  @{reader_of(agent)} {says} it", "dim")]))
    return rows


def _last(seen: Seen) -> str:
    record = seen.record
    days = filter(None, map(day_of, (record.accessed, record.updated, record.created)))
    last = max(days, default=0)
    return date_of(last) if last else "nobody knows when"


def _show_arguments(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", help="the id of a memory, such as mem-2026-11-22-001")
    add_reader(parser)
    _add_output(parser)


def _show(options: Namespace, console: Console) -> int:
    root = root_of(options)
    seen, archived = shown(root, options.id, reader(options))
    if options.format == "json":
        console.json(memory_report(seen, root, archived=archived))
        return 0
    report, record = memory_report(seen, root, archived=archived), seen.record
    rows: list[tuple[str, list[Part]]] = [
        ("memory", [Styled(record.id, "title"), "  in the archive" if archived else ""]),
        ("title", [record.title]),
        ("type", [f"{record.type}, {record.sector}, {record.storage}"]),
        ("owner", [_owner(seen)]),
        ("tags", [", ".join(record.tags) or "-"]),
        ("confidence", [f"{record.confidence:.0%}, seen {number_of(record.evidence, 'time')}"]),
        ("tier", [f"{seen.score.tier} ({seen.score.value:.2f})"]),
        ("expires", [str(report["expires"] or "never"), _OVER if is_over(seen, root) else ""]),
        ("file", [f"{record.path}:{record.line + 1}"]),
    ]
    if record.explicit:
        rows.insert(3, ("said", ["by a person, so it is not forgotten by itself"]))
    for line in aligned(rows):
        console.line(*line)
    if options.explain:
        console.line()
        for line in aligned(_factors(seen, root, "" if options.agent is None else options.agent)):
            console.line(*line)
    if record.text:
        console.line()
        for text in record.text.split("\n"):
            console.line(text)
    return 0


def _stats_arguments(parser: Parser) -> None:
    add_reader(parser)
    add_format(parser.add_argument_group("Output"))


def _stats(options: Namespace, console: Console) -> int:
    root = root_of(options)
    counts = counted(root, reader(options))
    if options.format == "json":
        console.json(counts)
        return 0
    rows: list[tuple[str, list[Part]]] = [
        ("memories", [Styled(str(counts["total"]), "title")]),
        ("tiers", [_parts(counts["tiers"])]),
        ("sectors", [_parts(counts["sectors"])]),
        ("storage", [_parts(counts["storage"])]),
        ("shared", [str(counts["shared"])]),
        ("private", [_parts({f"@{a}": n for a, n in counts["agents"].items()}) or "none"]),
        ("said by a person", [str(counts["explicit"])]),
        ("expired", [str(counts["expired"])]),
        ("archived", [str(counts["archived"])]),
    ]
    for line in aligned(rows):
        console.line(*line)
    return 0


def _parts(counts: dict[str, int]) -> str:
    return " · ".join(f"{name} {count}" for name, count in counts.items())


LIST = Command(
    description="""\
One line for each memory, the one with the highest score first. HOT memories are told to agents
unasked, WARM ones when they match the prompt, COLD ones are found by a search only.""",
    examples=(
        ("What is remembered?", "synapse memory list"),
        ("What does @qa remember about payments?", "synapse memory list --agent qa --tag payments"),
        ("What was forgotten?", "synapse memory list --archived"),
    ),
    arguments=_list_arguments,
    run=_list,
)

SHOW = Command(
    description="""\
One memory: what it says, who may see it, how sure it is, and how long it is kept.""",
    examples=(
        ("One memory", "synapse memory show mem-2026-11-22-001"),
        ("With what its score is made of", "synapse memory show mem-2026-11-22-001 --explain"),
    ),
    arguments=_show_arguments,
    run=_show,
)

SEARCH = Command(
    description="""\
The memories that have at least half of the words, whatever their case, accents or plural, those
first that have them as tags or in the title. What is about something else is not found.""",
    examples=(
        ("What do we know about migrations?", "synapse memory search database migration"),
        ("What each result is worth, and why", "synapse memory search deploy --explain"),
        ("As @dev sees it, for a script", "synapse memory search deploy --agent dev --format json"),
    ),
    arguments=_search_arguments,
    run=_search,
)

STATS = Command(
    description="How many memories there are, by tier, sector, storage and owner.",
    examples=(
        ("How much is remembered?", "synapse memory stats"),
        ("How much does @dev see?", "synapse memory stats --agent dev"),
    ),
    arguments=_stats_arguments,
    run=_stats,
)
