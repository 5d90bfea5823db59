"""``synapse compact``: the history of a conversation, made to fit a limit."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentTypeError
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.parser import one_of
from synapse_ls.cli.progress import Progress
from synapse_ls.cli.summarizer import Summarizer
from synapse_ls.compaction.shapes.adapter import WRITERS
from synapse_ls.service import compacting, histories
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from typing import Any, BinaryIO

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.service.compacting import Outcome
    from synapse_ls.service.histories import History

TEXT, JSON, MESSAGES = "text", "json", "messages"
FORMATS = (TEXT, JSON, MESSAGES)
STDIN = "-"

_RANGES = 8  # ranges of messages that a report names

_PARTS = {
    "system": "instructions",
    "overhead": "roles and format",
    "text": "text",
    "thinking": "reasoning",
    "summaries": "summaries",
    "tool_calls": "tool calls",
    "tool_results": "tool results",
    "media": "pictures, documents",
    "other": "other",
    "tools": "tools",
}


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "history",
        metavar="HISTORY",
        nargs="?",
        default=STDIN,
        help='a transcript or a list of messages; "-", or nothing, reads standard input',
    )
    how = parser.add_argument_group("Strategy")
    how.add_argument(
        "--strategy",
        metavar="NAME",
        type=one_of(compacting.STRATEGIES),
        help=f"{', '.join(compacting.STRATEGIES)} (default: {compacting.WINDOW}, "
        f"with --summarizer {compacting.SUMMARIZE})",
    )
    how.add_argument(
        "--limit",
        metavar="TOKENS",
        type=_number,
        default=compacting.LIMIT,
        help=f"what the history may take, tools included (default: {compacting.LIMIT:,})",
    )
    how.add_argument(
        "--keep-last",
        metavar="NUMBER",
        type=_number,
        help="messages that stay at the end (default: as many as fit; "
        f"{compacting.PRESERVED} beside a summary)",
    )
    how.add_argument(
        "--keep-first",
        metavar="NUMBER",
        type=_number,
        default=0,
        help="messages that stay at the beginning, instructions aside (default: 0)",
    )
    how.add_argument(
        "--keep-results",
        metavar="NUMBER",
        type=_number,
        help=f"tool results that are not cleared (default: {compacting.KEPT_RESULTS})",
    )
    how.add_argument(
        "--summarizer",
        metavar="CMD",
        default="",
        help="a command that reads a conversation and writes its summary",
    )
    how.add_argument(
        "--force", action="store_true", help="compact a history that is within the limit, too"
    )
    counting = parser.add_argument_group("Tokens")
    counting.add_argument(
        "--ratio", metavar="NUMBER", default="4", help="units of text to a token (default: 4)"
    )
    counting.add_argument(
        "--unit",
        metavar="UNIT",
        type=one_of(("characters", "bytes")),
        default="characters",
        help="what the ratio counts: characters (the default) or bytes of UTF-8",
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--format",
        metavar="FORMAT",
        type=one_of(FORMATS),
        default=TEXT,
        help="text (the default) or json: the report; messages: the history that is left",
    )
    output.add_argument(
        "--out", metavar="FILE", default="", help="write the history that is left to this file"
    )
    output.add_argument(
        "--shape",
        metavar="NAME",
        type=one_of(tuple(WRITERS)),
        help=f"write messages as {' or '.join(WRITERS)} (default: as they were read)",
    )


def _run(options: Namespace, console: Console) -> int:
    name = "standard input" if options.history == STDIN else options.history
    progress = Progress(console)
    history = _read(options.history, name, progress)
    if options.out:
        _refuse_to_overwrite(options)
    wish = compacting.Wish(
        options.strategy or (compacting.SUMMARIZE if options.summarizer else compacting.WINDOW),
        options.limit,
        options.keep_last,
        options.keep_results,
        options.keep_first,
        options.force,
        options.ratio,
        options.unit,
    )
    provider = Summarizer(options.summarizer) if options.summarizer else None
    if provider and wish.strategy not in (compacting.SUMMARIZE, compacting.COMPOSITE):
        raise CliError(
            f"{wish.strategy} sums nothing up, so --summarizer is of no use.",
            f"Choose --strategy {compacting.SUMMARIZE} or {compacting.COMPOSITE}.",
        )
    if provider:
        console.passing(f"{options.summarizer} …")
    outcome = asyncio.run(compacting.compacted(history.messages, history.tools, wish, provider))
    progress.end()
    _tell(name, history, outcome, options, console)
    return 0


def _read(given: str, name: str, progress: Progress) -> History:
    tell = progress.of(f"read {name}, bytes")
    done = 0
    try:
        with _opened(given) as stream:
            total = _size(stream)

            def on(length: int) -> None:
                nonlocal done
                done += length
                tell(done, max(done, total))

            found = histories.read(stream, name, on)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CliError(f"Cannot read {name}: {reason}.", "Name a file of messages.") from error
    progress.end()
    return found


def _opened(given: str) -> AbstractContextManager[BinaryIO]:
    if given != STDIN:
        return Path(given).open("rb")
    if sys.stdin is None:
        raise CliError("There is no standard input.", "Name a file of messages.")
    return nullcontext(sys.stdin.buffer)


def _size(stream: BinaryIO) -> int:
    try:
        return os.fstat(stream.fileno()).st_size
    except (OSError, ValueError):
        return 0  # what is read is not behind a file


def _refuse_to_overwrite(options: Namespace) -> None:
    """Not what is read, by whatever name, and not a client's record of a session."""
    from synapse_ls.hosts.transcripts.registry import HEAD, recognise

    out = Path(options.out)
    remedy = "Name another file: a history is never written over what it was made from."
    try:
        if options.history != STDIN and out.exists() and out.samefile(options.history):
            raise CliError(f"{options.out} is the history itself.", remedy)
        if out.is_file():
            with out.open("rb") as stream:
                known = recognise(stream.read(HEAD))
            if known is not None:
                raise CliError(f"{options.out} is a transcript of {known.NAME}.", remedy)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CliError(f"Cannot write {options.out}: {reason}.", "Name another file.") from error


def _tell(
    name: str, history: History, outcome: Outcome, options: Namespace, console: Console
) -> None:
    wanted = options.out or options.format == MESSAGES
    written = history.written(outcome.messages, options.shape or "") if wanted else ""
    if options.out:
        from synapse_ls.sessions.files import atomic_write

        atomic_write(os.fspath(options.out), written.encode("utf-8"), durable=True)
    report: dict[str, Any] = {"history": name, "kind": history.kind, **outcome.report}
    if options.format == JSON:
        console.json(report)
    elif options.format == MESSAGES:
        if not options.out:
            console.write(written)
        before, after = report["before"], report["after"]
        console.note(
            f"{counted(before['messages'], 'message')} of {counted(before['tokens'], 'token')} "
            f"became {counted(after['messages'], 'message')} of {counted(after['tokens'], 'token')}"
        )
    else:
        _text(report, console)
        if options.out:
            console.note(f"the history that is left is in {options.out}")


def _text(report: dict[str, Any], console: Console) -> None:
    console.line(Styled(report["history"], "title"), f" · {report['kind']} · {report['strategy']}")
    before, after = report["before"], report["after"]
    console.line(Styled(f"{'':<22}{'before':>12}{'after':>12}", "dim"))
    _row(console, "messages", before["messages"], after["messages"])
    _row(console, "tokens", before["tokens"], after["tokens"])
    for part, label in _PARTS.items():
        if before["parts"][part] or after["parts"][part]:
            _row(console, f"  {label}", before["parts"][part], after["parts"][part])
    gone, cleared = report["dropped"], report["cleared"]
    for summed, verb in ((True, "summed up"), (False, "dropped")):
        lines = [line for line in gone if line["summarized"] is summed]
        if lines:
            _what(console, verb, "message", lines)
    if cleared:
        _what(console, "cleared", "tool result", cleared)
    if before == after:
        within = before["tokens"] <= report["limit"]
        why = f"it is within the limit of {report['limit']:,}" if within else "nothing may go"
        console.line("nothing changed: ", Styled(why, "good"))


def _row(console: Console, label: str, before: int, after: int) -> None:
    changed = "good" if after < before else "dim"
    console.line(f"{label:<22}{before:>12,}", Styled(f"{after:>12,}", changed))


def _what(console: Console, verb: str, noun: str, lines: Sequence[dict[str, Any]]) -> None:
    tokens = sum(line["tokens"] for line in lines)
    places = _ranges(sorted({line["number"] for line in lines}))
    console.line(
        Styled(verb, "warn"),
        f" {counted(len(lines), noun)}, {counted(tokens, 'token')}: {places}",
    )


def _ranges(numbers: Sequence[int]) -> str:
    """``1–4, 7``; of many the first and the last, since ``--format json`` has them all."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    told = [f"{a}" if a == b else f"{a}–{b}" for a, b in found]
    if len(told) > _RANGES:
        told[_RANGES - 2 : -1] = ["…"]
    return ", ".join(told)


def _number(value: str) -> int:
    try:
        number = int(value.replace(",", "").replace("_", ""))
    except ValueError:
        number = -1
    if number < 0:
        raise ArgumentTypeError(f'takes a whole number from 0, not "{value}"')
    return number


COMPACT = Command(
    description="""\
Makes the history of a conversation short enough for a limit, and says what became of it. Transcripts of
Claude Code, Codex and Gemini CLI are recognised by what is in them, and count as far as they stand in
the model's window; messages as Anthropic or OpenAI have them are read as JSON or as JSON lines.

sliding-window drops the oldest messages, clear-tool-results empties old tool results, summarize has a
command of yours sum up what is old, and composite does the one after the other until it fits. Instructions
stay, and so do messages with "pinned": true. A call and its result are never parted. What is left is
verified against the limit; where it cannot be reached, nothing is written and the exit code is 2.

No transcript changes: what is left goes to standard output or to --out, never over what it came from.""",
    examples=(
        ("What would have to go?", "synapse compact session.jsonl --limit 50000"),
        ("The history that is left, in a file", "synapse compact session.jsonl --limit 50000 --out shorter.json"),
        ("Clear tool results first, then drop what is oldest", "synapse compact messages.json --strategy composite --format messages"),
        ("Have what is old summed up", "synapse compact messages.json --summarizer 'claude -p' --keep-last 20 --out shorter.json"),
        ("In a pipe", "jq .messages request.json | synapse compact --limit 8000 --format messages --quiet"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
