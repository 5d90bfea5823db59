"""Read the history of a conversation, from wherever it is stored, and compact it."""

import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from synapse_ls.compaction import message_reader, strategies, summarization
from synapse_ls.compaction.message import (
    ContextError,
    Message,
    OverLimitError,
    ProviderError,
    ShapeError,
    Text,
    ToolDefinition,
    ToolResult,
)
from synapse_ls.compaction.message_lists import read_request, write_messages, write_request
from synapse_ls.compaction.token_counter import Breakdown, Ratio, TokenCounter, Unit
from synapse_ls.integrations import transcript_formats, transcript_turns
from synapse_ls.queries.report_model import JSON_ONLY, LEFT_OUT
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.phrases import format_count, shorten_text
from synapse_ls.text.user_error import UserError

MAX_LINE_BYTES = 268_435_456  # bytes of a line that is read: pictures are written into it
HISTORY_REMEDY = (
    "Give a transcript of Claude Code, Codex or Gemini CLI, or messages as JSON or JSON lines."
)

SUMMARY_TIMEOUT = 600.0  # seconds that a command has for a summary
_CHARS_PER_TOKEN = 4

ProgressCallback = Callable[[int], None]


class MessageHistory(NamedTuple):
    """The messages of a conversation, and where they are from.

    kind: the client that wrote the transcript, else "json" or "json-lines". body: the request that
    the messages stood in, None for a list or a transcript.
    """

    messages: list[Message]
    tools: list[ToolDefinition]
    kind: str
    body: Mapping[str, Any] | None = None

    def to_json(self, messages: list[Message], shape: str = "") -> str:
        """Return other messages in the place of these, as JSON in the manner of what was read."""
        if self.kind == "json-lines":
            return "".join(dumps(item, None) + "\n" for item in write_messages(messages, shape))
        return dumps(write_request(messages, self.body, shape)) + "\n"


class Summarizer:
    """A command, given as for the shell, that is asked for summaries: the conversation on its
    standard input, the summary on its output. It reads UTF-8 and writes UTF-8.
    """

    def __init__(self, command: str, timeout: float = SUMMARY_TIMEOUT) -> None:
        self.command = command
        self.timeout = timeout

    async def complete(self, request: summarization.CompletionRequest) -> summarization.Completion:
        """Return what the command writes. Raises ProviderError where it fails or takes too long."""
        try:
            longest = _CHARS_PER_TOKEN * request.max_tokens
            done = subprocess.run(
                self.command,
                shell=True,
                input=(
                    f"{request.system} Write no more than {longest:,} characters, and nothing but "
                    "the summary.\n\n"
                    + "\n\n".join(message.text for message in request.messages)
                    + "\n"
                ).encode("utf-8", "replace"),
                capture_output=True,
                check=False,
                timeout=self.timeout,
            )
        except subprocess.TimeoutExpired as error:
            raise ProviderError(
                f"`{self.command}` took more than {self.timeout:.0f} seconds"
            ) from error
        except OSError as error:
            raise ProviderError(f"`{self.command}` cannot be run: {error.strerror}") from error
        if done.returncode:
            error_lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            why = f": {error_lines[-1]}" if error_lines else ""
            raise ProviderError(f"`{self.command}` ended with exit code {done.returncode}{why}")
        return summarization.Completion((Text(done.stdout.decode("utf-8", "replace").strip()),))


def read_history(
    stream: BinaryIO, name: str, on_progress: ProgressCallback = lambda _: None
) -> MessageHistory:
    """Return the message history in a stream of bytes, called ``name`` where something is wrong
    with it.

    It is read line by line; ``on_progress`` is given the bytes of each. Raises UserError.
    """
    lines = _count_lines(transcript_turns.read_lines(stream, MAX_LINE_BYTES), on_progress)
    reader, every = transcript_formats.recognise_lines(lines)
    if reader is None:
        return _read_messages(every, name)
    if reader.read_messages is None:
        raise UserError(
            f"{name} is a transcript of {reader.client}, which has no whole messages.",
            HISTORY_REMEDY,
        )
    return MessageHistory(reader.read_messages(every), [], reader.client)


def history_from_json(data: object, name: str) -> MessageHistory:
    """Return the message history in decoded JSON. Raises UserError."""
    try:
        messages, tools, body = read_request(data)
    except ShapeError as error:
        raise _no_history_error(name, str(error)) from error
    return MessageHistory(messages, tools, "json", body)


def _count_lines(lines: Iterable[bytes], on_progress: ProgressCallback) -> Iterator[bytes]:
    for line in lines:
        on_progress(len(line))
        yield line


def _read_messages(lines: Iterable[bytes], name: str) -> MessageHistory:
    """Read messages a line each where the first line is one, else the whole as one document.

    Gemini CLI once wrote a session as such a document.
    """
    rows = iter(lines)
    before: list[bytes] = []
    for line in rows:
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            first = _decode_line(line)
            if isinstance(first, dict) and ("role" in first or "type" in first):
                return MessageHistory(
                    _read_json_lines(chain([line], rows), len(before), name), [], "json-lines"
                )
            data = b"".join((line, *rows))
            text = data.decode("utf-8-sig", "replace")
            try:
                document = loads(text)
            except JsonError as error:
                number = len(before) + text.count("\n", 0, error.offset) + 1
                raise _no_history_error(f"{name}:{number}", "this is no JSON") from error
            except RecursionError as error:
                raise _no_history_error(name, "it is nested too deeply") from error
            if isinstance(document, dict):
                record = b" ".join(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
                reader = transcript_formats.find_reader(record)
                if reader is not None and reader.read_messages is not None:
                    return MessageHistory(reader.read_messages([record]), [], reader.client)
            return history_from_json(document, name)
        before.append(line)
    raise UserError(f"There is nothing in {name}.", HISTORY_REMEDY)


def _read_json_lines(lines: Iterable[bytes], before: int, name: str) -> list[Message]:
    messages: list[Message] = []
    for number, line in enumerate(lines, before + 1):
        if not line.strip():
            continue
        if (item := _decode_line(line)) is None:
            raise _no_history_error(f"{name}:{number}", "the line is no JSON object")
        try:
            messages.append(message_reader.read_message(item, len(messages) + 1))
        except ShapeError as error:
            raise _no_history_error(f"{name}:{number}", str(error)) from error
    return messages


def _decode_line(line: bytes) -> object:
    try:
        return loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _no_history_error(place: str, what: str) -> UserError:
    return UserError(f"There is no history in {place}: {what}.", HISTORY_REMEDY)


SLIDING_WINDOW, SUMMARIZE, CLEAR_RESULTS, COMPOSITE = (
    "sliding-window", "summarize", "clear-tool-results", "composite",
)  # fmt: skip
STRATEGIES = (SLIDING_WINDOW, SUMMARIZE, CLEAR_RESULTS, COMPOSITE)
# Tokens that a history may take unless something else is said.
DEFAULT_LIMIT = 100_000

# Tool results that are not cleared and messages that are not summed up, unless something else is
# said.
DEFAULT_KEPT_RESULTS, DEFAULT_PRESERVED = 3, 10

_MAX_QUOTE = 60  # characters of a message that an account quotes


@dataclass(frozen=True, slots=True)
class CompactionRequest:
    """What is wanted of the compaction of a history.

    limit: tokens for all that the model is sent, tools included. keep_last: messages that stay (of
    "clear-tool-results": results); None is as many as fit, for a summary `DEFAULT_PRESERVED`.
    keep_results: results that are not cleared. keep_first: messages, instructions aside, that stay
    in any case. force: even where the history is not too long. ratio, unit: how tokens are
    estimated.
    """

    strategy: str = SLIDING_WINDOW
    limit: int = DEFAULT_LIMIT
    keep_last: int | None = None
    keep_results: int | None = None
    keep_first: int = 0
    force: bool = False
    ratio: Ratio = 4
    unit: Unit = "characters"


@dataclass(frozen=True, kw_only=True)
class HistorySize:
    """How long a conversation's history is."""

    messages: int
    tokens: int
    parts: Breakdown

    @property
    def description(self) -> str:
        """How many messages it has, and of how many tokens."""
        return f"{format_count(self.messages, 'message')} of {format_count(self.tokens, 'token')}"


@dataclass(frozen=True, kw_only=True)
class DroppedMessage:
    """A message that was removed from the history; `number` counts from 1."""

    number: int | None
    role: str
    tokens: int
    words: str
    summarized: bool


@dataclass(frozen=True, kw_only=True)
class ClearedResult:
    """A tool result that the compaction of a history has cleared, in the message of this number,
    and its tokens before.
    """

    number: int | None
    id: str
    tokens: int


@dataclass(frozen=True, kw_only=True)
class CompactionReport:
    """What was removed from a message history, and `messages`, the history that is left."""

    history: str = field(default=LEFT_OUT, metadata=JSON_ONLY)
    kind: str = LEFT_OUT
    strategy: str
    limit: int
    before: HistorySize
    after: HistorySize
    dropped: list[DroppedMessage]
    cleared: list[ClearedResult]
    summary: str | None = field(metadata=JSON_ONLY)
    messages: list[Any] = LEFT_OUT


class CompactionResult(NamedTuple):
    """The history as it is afterwards, and the report (see docs/compaction.md)."""

    messages: list[Message]
    report: CompactionReport


class _RecordingProvider:
    """A provider that records which messages it was asked to sum up."""

    def __init__(self, provider: summarization.Provider) -> None:
        self._provider = provider
        self.summarized_numbers: set[int | None] = set()

    async def complete(self, request: summarization.CompletionRequest) -> summarization.Completion:
        self.summarized_numbers.update(message.number for message in request.summed)
        return await self._provider.complete(request)


async def compact_history(
    messages: Sequence[Message],
    tools: Sequence[ToolDefinition],
    request: CompactionRequest,
    provider: summarization.Provider | None = None,
) -> CompactionResult:
    """Compacts a conversation's history. Raises UserError where it cannot be, or not within its
    limit.
    """
    if request.strategy not in STRATEGIES:
        raise UserError(
            f'There is no strategy "{request.strategy}".', f"Choose one of {', '.join(STRATEGIES)}."
        )
    if request.strategy == SUMMARIZE and provider is None:
        raise UserError(
            "A summary needs somebody who writes it.",
            "Name a command with `synapse compact --summarizer`, or choose another strategy.",
        )
    for name in ("limit", "keep_last", "keep_results", "keep_first"):
        if (value := getattr(request, name)) is not None and value < 0:
            option = name.replace("_", "-")
            raise UserError(f"{option} is {value}, which is below 0.", "Give 0 or more.")
    try:
        counter = TokenCounter(request.ratio, unit=request.unit)
    except ValueError as error:
        raise UserError(
            f"Tokens cannot be counted so: {error}.", "The usual ratio is 4."
        ) from error
    # The messages with numbers, the `first` of them pinned.
    first = request.keep_first
    history = list(messages)
    if any(message.number is None for message in history):
        history = [replace(message, number=number) for number, message in enumerate(history, 1)]
    for index, message in enumerate(history):
        if first > 0 and not message.stays:
            history[index] = replace(message, pinned=True)
            first -= 1
    if (around := counter.estimate_tools(tools)) > request.limit:
        raise UserError(
            f"The tools alone take {around:,} tokens, more than the limit of {request.limit:,}.",
            f"Give a limit of at least {around:,} tokens, or fewer tools.",
        )
    listening = _RecordingProvider(provider) if provider else None
    strategy = _build_strategy(request, len(history), request.limit - around, counter, listening)
    after = list(history)
    if request.force or strategy.should_compact(history, strategy.token_estimate(history)):
        try:
            after = await strategy.compact(history)
        except OverLimitError as error:
            if error.reason:
                raise UserError(f"The history was not compacted: {error.reason}.", "") from error
            least = error.least + around
            alternative = "" if request.strategy == COMPOSITE else f', try "{COMPOSITE}"'
            raise UserError(
                f"{request.strategy} leaves {least:,} tokens at least, more than the limit of "
                f"{request.limit:,}.",
                f"Give a limit of {least:,} or more{alternative}, or let less stay.",
            ) from error
        except ContextError as error:
            raise UserError(f"The history was not compacted: {error}.", "") from error
    summed = listening.summarized_numbers if listening else set()
    kept_messages = {message.number: message for message in after}
    report = CompactionReport(
        strategy=request.strategy,
        limit=request.limit,
        before=_history_size(history, tools, counter),
        after=_history_size(after, tools, counter),
        dropped=[
            DroppedMessage(
                number=message.number,
                role=message.role.value,
                tokens=counter.estimate_message(message),
                words=shorten_text(" ".join(message.text[: 4 * _MAX_QUOTE].split()), _MAX_QUOTE),
                summarized=message.number in summed,
            )
            for message in history
            if message.number not in kept_messages
        ],
        cleared=[
            ClearedResult(number=message.number, id=now.tool_use_id, tokens=now.cleared)
            for message in history
            if message.number in kept_messages
            for now, then in zip(
                kept_messages[message.number].content, message.content, strict=True
            )
            if isinstance(now, ToolResult) and now is not then
        ],
        summary=next((m.text for m in after if m.number is None), None),
    )
    return CompactionResult(after, report)


def _build_strategy(
    request: CompactionRequest,
    length: int,
    limit: int,
    counter: TokenCounter,
    provider: summarization.Provider | None,
) -> strategies.ContextStrategy:
    last = length if request.keep_last is None else request.keep_last
    results = DEFAULT_KEPT_RESULTS if request.keep_results is None else request.keep_results
    window = strategies.SlidingWindowStrategy(last, limit, counter)
    if request.strategy == SLIDING_WINDOW:
        return window
    if request.strategy == CLEAR_RESULTS:
        chosen = results if request.keep_results is not None or request.keep_last is None else last
        return strategies.ToolResultClearingStrategy(chosen, limit, counter)
    preserved = DEFAULT_PRESERVED if request.keep_last is None else request.keep_last
    summing = (
        summarization.SummarizationStrategy(provider, preserved, limit, counter)
        if provider
        else None
    )
    if request.strategy == SUMMARIZE and summing:
        return summing
    clearing = strategies.ToolResultClearingStrategy(results, limit, counter)
    return strategies.CompositeStrategy([clearing, summing or window, window], limit, counter)


def _history_size(
    messages: Sequence[Message], tools: Sequence[ToolDefinition], counter: TokenCounter
) -> HistorySize:
    parts = counter.breakdown(messages, tools)
    return HistorySize(messages=len(messages), tokens=parts.total, parts=parts)
