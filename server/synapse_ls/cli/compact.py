"""``synapse compact``: make the history of a conversation fit a limit of tokens.

A command of the user may write summaries.
"""

import asyncio
import os
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Progress, Styled, escape_json_controls
from synapse_ls.cli.file_changes import write_named_file
from synapse_ls.cli.shared_options import STANDARD_INPUT
from synapse_ls.compaction.message_lists import WRITERS
from synapse_ls.integrations.transcript_formats import HEAD_BYTES, find_reader
from synapse_ls.queries import history_compaction
from synapse_ls.queries.history_compaction import COMPOSITE, SLIDING_WINDOW, SUMMARIZE
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import open_named_stream, read_beginning

TEXT, JSON, MESSAGES = "text", "json", "messages"
FORMATS = (TEXT, JSON, MESSAGES)

_MAX_RANGES = 8  # ranges of messages that a report names

_PART_LABELS = {
    "system": "instructions", "overhead": "roles and format", "text": "text",
    "thinking": "reasoning", "summaries": "summaries", "tool_calls": "tool calls",
    "tool_results": "tool results", "media": "pictures, documents", "other": "other",
    "tools": "tools",
}  # fmt: skip


def _read_history(source: str, name: str, progress: Progress) -> history_compaction.MessageHistory:
    tell = progress.counter(f"read {name}, bytes")
    done = 0
    is_piped = source == STANDARD_INPUT
    if is_piped and sys.stdin is None:
        raise UserError("There is no standard input.", "Name a file of messages.")
    try:
        with nullcontext(sys.stdin.buffer) if is_piped else open_named_stream(source) as stream:
            try:
                total = os.fstat(stream.fileno()).st_size
            except (OSError, ValueError):
                total = 0  # what is read is not behind a file

            def count_bytes(length: int) -> None:
                nonlocal done
                done += length
                tell(done, max(done, total))

            history = history_compaction.read_history(stream, name, count_bytes)
    except OSError as error:
        raise UserError.of_failure(f"read {name}", error, "Name a file of messages.") from error
    progress.end()
    return history


def _refuse_overwriting(options: Namespace) -> None:
    """Raise UserError where the output is what is read, by whatever name, or a client's record of a
    session.
    """
    out = Path(options.out)
    remedy = "Name another file: a history is never written over what it was made from."
    try:
        if options.history != STANDARD_INPUT and out.exists() and out.samefile(options.history):
            raise UserError(f"{options.out} is the history itself.", remedy)
        if out.is_file() and (reader := find_reader(read_beginning(out, HEAD_BYTES))) is not None:
            raise UserError(f"{options.out} is a transcript of {reader.client}.", remedy)
    except OSError as error:
        raise UserError.of_failure(f"write {options.out}", error, "Name another file.") from error


def _print_report(report: history_compaction.CompactionReport, console: Console) -> None:
    console.line(Styled(report.history, "title"), f" · {report.kind} · {report.strategy}")
    before, after = report.before, report.after
    console.line(Styled(f"{'':<22}{'before':>12}{'after':>12}", "dim"))
    _print_row(console, "messages", before.messages, after.messages)
    _print_row(console, "tokens", before.tokens, after.tokens)
    for part, label in _PART_LABELS.items():
        was, now = getattr(before.parts, part), getattr(after.parts, part)
        if was or now:
            _print_row(console, f"  {label}", was, now)
    for summed, verb in ((True, "summed up"), (False, "dropped")):
        if lines := [line for line in report.dropped if line.summarized is summed]:
            _print_messages(console, verb, "message", lines)
    if report.cleared:
        _print_messages(console, "cleared", "tool result", report.cleared)
    if before == after:
        within = before.tokens <= report.limit
        why = f"it is within the limit of {report.limit:,}" if within else "nothing may go"
        console.line("nothing changed: ", Styled(why, "good"))


def _print_row(console: Console, label: str, before: int, after: int) -> None:
    changed = "good" if after < before else "dim"
    console.line(f"{label:<22}{before:>12,}", Styled(f"{after:>12,}", changed))


def _print_messages(
    console: Console,
    verb: str,
    noun: str,
    lines: Sequence[history_compaction.DroppedMessage | history_compaction.ClearedResult],
) -> None:
    tokens = sum(line.tokens for line in lines)
    # `1–4, 7`.
    numbers = sorted({line.number for line in lines if line.number})
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [f"{a}" if a == b else f"{a}–{b}" for a, b in ranges]
    if len(texts) > _MAX_RANGES:
        texts[_MAX_RANGES - 2 : -1] = ["…"]
    console.line(
        Styled(verb, "warn"),
        f" {format_count(len(lines), noun)}, {format_count(tokens, 'token')}: {', '.join(texts)}",
    )


def _parse_number(value: str) -> int:
    try:
        number = int(value.replace(",", "").replace("_", ""))
    except ValueError:
        number = -1
    if number < 0:
        raise ArgumentTypeError(f'takes a whole number from 0, not "{value}"')
    return number


@command(
    option(
        "history HISTORY",
        'a transcript or a list of messages; "-", or nothing, reads standard input',
        nargs="?",
        default=STANDARD_INPUT,
    ),
    option_group(
        "Strategy",
        option(
            "--strategy NAME",
            f"{{}} (default: {SLIDING_WINDOW}, with --summarizer {SUMMARIZE})",
            choices=history_compaction.STRATEGIES,
        ),
        option(
            "--limit TOKENS",
            "what the history may take, tools included (default: "
            f"{history_compaction.DEFAULT_LIMIT:,})",
            type=_parse_number,
            default=history_compaction.DEFAULT_LIMIT,
        ),
        option(
            "--keep-last NUMBER",
            "messages that stay at the end (default: as many as fit; "
            f"{history_compaction.DEFAULT_PRESERVED} beside a summary)",
            type=_parse_number,
        ),
        option(
            "--keep-first NUMBER",
            "messages that stay at the beginning, instructions aside (default: 0)",
            type=_parse_number,
            default=0,
        ),
        option(
            "--keep-results NUMBER",
            "tool results that are not cleared (default: "
            f"{history_compaction.DEFAULT_KEPT_RESULTS})",
            type=_parse_number,
        ),
        option("--summarizer CMD", "a command that reads a conversation and writes its summary"),
        switch("--force", "compact a history that is within the limit, too"),
    ),
    option_group(
        "Tokens",
        option("--ratio NUMBER", "units of text to a token (default: 4)", default="4"),
        option(
            "--unit UNIT",
            "what the ratio counts: characters (the default) or bytes of UTF-8",
            choices=("characters", "bytes"),
            default="characters",
        ),
    ),
    option_group(
        "Output",
        option(
            "--format FORMAT",
            "text (the default) or json: the report; messages: the history that is left",
            choices=FORMATS,
            default=TEXT,
        ),
        option("--out FILE", "write the history that is left to this file"),
        option(
            "--shape NAME", "write messages as {} (default: as they were read)", choices=WRITERS
        ),
    ),
)
def run(options: Namespace, console: Console) -> None:
    """Makes the history of a conversation short enough for a limit, and says what became of it.
    Transcripts of Claude Code, Codex and Gemini CLI are recognised by what is in them. They count
    as far as they are in the model's window. Messages as Anthropic or OpenAI have them are read as
    JSON or as JSON lines.

    sliding-window drops the oldest messages, and clear-tool-results empties old tool results.
    summarize has a command of yours sum up what is old. composite does one after the other until it
    fits. Instructions stay, and so do messages with "pinned": true. A call and its result are never
    parted. What is left is verified against the limit; where it cannot be reached, nothing is
    written and the exit code is 2.

    No transcript changes: what is left goes to standard output or to --out, never over what it
    came from.

    Examples:

    # What would have to go?
    $ synapse compact session.jsonl --limit 50000

    # The history that is left, in a file
    $ synapse compact session.jsonl --limit 50000 --out shorter.json

    # Clear tool results first, then drop what is oldest
    $ synapse compact messages.json --strategy composite --format messages

    # Have what is old summed up
    $ synapse compact messages.json --summarizer 'claude -p' --keep-last 20 --out shorter.json

    # In a pipe
    $ jq .messages request.json | synapse compact --limit 8000 --format messages --quiet
    """
    name = "standard input" if options.history == STANDARD_INPUT else options.history
    progress = Progress(console)
    history = _read_history(options.history, name, progress)
    if options.out:
        _refuse_overwriting(options)
    request = history_compaction.CompactionRequest(
        options.strategy or (SUMMARIZE if options.summarizer else SLIDING_WINDOW),
        options.limit,
        options.keep_last,
        options.keep_results,
        options.keep_first,
        options.force,
        options.ratio,
        options.unit,
    )
    provider = history_compaction.Summarizer(options.summarizer) if options.summarizer else None
    if provider and request.strategy not in (SUMMARIZE, COMPOSITE):
        raise UserError(
            f"{request.strategy} sums nothing up, so --summarizer is of no use.",
            f"Choose --strategy {SUMMARIZE} or {COMPOSITE}.",
        )
    if provider:
        console.show_progress(f"{options.summarizer} …")
    outcome = asyncio.run(
        history_compaction.compact_history(history.messages, history.tools, request, provider)
    )
    progress.end()
    wanted = options.out or options.format == MESSAGES
    written = history.to_json(outcome.messages, options.shape or "") if wanted else ""
    if options.out:
        write_named_file(options.out, written.encode("utf-8"), options, durable=True)
    report = replace(outcome.report, history=name, kind=history.kind)
    if options.format == JSON:
        console.json(report)
    elif options.format == MESSAGES:
        if not options.out:
            console.write(escape_json_controls(written) if console.is_for_people else written)
        console.note(f"{report.before.description} became {report.after.description}")
    else:
        _print_report(report, console)
        if options.out:
            console.note(f"the history that is left is in {options.out}")
