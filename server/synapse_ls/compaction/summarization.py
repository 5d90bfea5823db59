"""Compact a history by having a model summarize its older part (neuron-context).

The model gets the conversation as one text. Sent as messages, it would be a conversation to
continue, and the API would require the definitions of its tools.
"""

from collections.abc import Awaitable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from synapse_ls.compaction.message import (
    Block,
    Compaction,
    CompactionFailedError,
    Document,
    Image,
    Message,
    Opaque,
    OverLimitError,
    Role,
    Text,
    ToolDefinition,
    ToolResult,
    ToolUse,
    check_at_least,
    spoken_texts,
)
from synapse_ls.compaction.strategies import (
    LimitedStrategy,
    split_history,
    split_pinned,
    turn_starts,
)
from synapse_ls.compaction.token_counter import PER_MESSAGE, TokenCounter, compact_json

# Reasons to stop, as makers of models call them, that mean an answer has no end.
CUT_REASONS = ("max_tokens", "length", "max_output_tokens", "MAX_TOKENS")


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What a provider's model is asked. system: its instructions. max_tokens: how long the answer
    may be. summed: the messages that are to be summed up; what is asked has them as a text.
    """

    messages: tuple[Message, ...]
    system: str
    max_tokens: int
    model: str = ""
    temperature: float = 0.0
    tools: Sequence[ToolDefinition] = ()
    summed: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """What the provider's model answered, and why it stopped, in its maker's word.

    Raises TypeError where ``content`` is something else than blocks.
    """

    content: tuple[Block, ...]
    stop_reason: str = "end_turn"

    def __post_init__(self) -> None:
        blocks = self.content
        if not (isinstance(blocks, tuple | list) and all(isinstance(b, Block) for b in blocks)):
            raise TypeError('the content of a Completion is a tuple of blocks: (Text("…"),)')

    @property
    def text(self) -> str:
        """The words of the answer; its blocks a line apart."""
        return "\n".join(block.text for block in self.content if isinstance(block, Text))

    @property
    def is_cut(self) -> bool:
        """Whether the answer ended because it became too long."""
        return self.stop_reason in CUT_REASONS


@runtime_checkable
class Provider(Protocol):
    """A Provider asks a model for a summary. How, and which, is the caller's affair: nothing here
    needs a network.
    """

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the answer. Raises `ProviderError` where there is none; other errors pass through
        too.
        """


_END = "</conversation>"


def render_messages(messages: Iterable[Message]) -> Iterator[str]:
    """Render messages of a conversation as pieces of text: who said what, a piece for each block;
    reasoning is left out.
    """
    names: dict[str, str] = {}
    for message in messages:
        speaker = "instructions" if message.role is Role.SYSTEM else message.role.value
        for block in message.content:
            if isinstance(block, ToolUse):
                names[block.id] = block.name
                given = block.input if isinstance(block.input, str) else compact_json(block.input)
                yield f"[{message.role.value} calls {block.name}]\n{given}"
            elif isinstance(block, ToolResult):
                name = names.get(block.tool_use_id, "a tool")
                failed = " with an error" if block.is_error else ""
                yield f"[{name} answers{failed}]\n" + "\n".join(map(_block_text, block.content))
            elif words := _block_text(block):
                yield f"[{speaker}]\n{words}"


def _block_text(block: Block) -> str:
    if isinstance(block, Image):
        return "(a picture)"
    if isinstance(block, Document):
        return "(a document)"
    if isinstance(block, Opaque):
        return block.data if isinstance(block.data, str) else compact_json(block.data)
    return "\n".join(spoken_texts((block,)))


# The line that a summary begins with.
SUMMARY = "[Summary of earlier conversation]"

# Tokens that a summary may take unless something else is said.
SUMMARY_TOKENS = 1024

INSTRUCTIONS = (
    "Summarize the conversation that you are given, briefly and in the third person. Keep what a "
    "reader needs to go on with it: the key information, the decisions, and what calls of tools "
    "resulted in."
)

P = TypeVar("P", bound=Provider)


class _SummaryCut(NamedTuple):
    """What is summed up, what stays, and how many tokens that leaves for the summary."""

    old: list[Message]
    before: list[Message]
    after: list[Message]
    room: int


class SummarizationStrategy(LimitedStrategy, Generic[P]):
    """A model summarizes all but at most the last ``preserve_recent`` messages; instructions come
    first and stay.

    * The model is given what is old as a text, in one message of the user.
    * A call and its results go together: what would be cut through stays.
    * Where there is nothing old, the model is not asked.
    * Earlier summaries stay as they are, so that none is a summary of a summary, for as long as
      there is room; then they are summed up along with the rest, and `Compaction.generation`
      says so.
    * Where the last messages leave no room for a summary, the oldest of them are summed up too; the
      newest unit always stays, unless ``preserve_recent`` is 0.
    * Pinned messages stay, with their calls, results and prompts, and count as none of the
      ``preserve_recent``.

    summary_tokens: how long a summary may be. Room is made for that, or for a quarter of the limit
    where that is less. Raises TypeError for a provider without ``complete``.
    """

    def __init__(
        self,
        provider: P,
        preserve_recent: int,
        max_tokens: int,
        counter: TokenCounter | None = None,
        *,
        summary_tokens: int = SUMMARY_TOKENS,
    ) -> None:
        super().__init__(max_tokens, counter)
        check_at_least(0, preserve_recent, "the number of messages to preserve")
        check_at_least(1, summary_tokens, "the length of a summary in tokens")
        if isinstance(provider, type):
            raise TypeError(f"a provider is an object, and {provider.__name__} is a class")
        if not callable(getattr(provider, "complete", None)):
            kind = type(provider).__name__
            raise TypeError(f"a provider has the method complete, and a {kind} has no complete")
        self.provider = provider
        self.preserve_recent = preserve_recent
        self.summary_tokens = summary_tokens

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Return the history with a summary, in one message of the user, in the place of what is
        old.

        Raises what the provider raises, `CompactionFailedError` for a summary that is empty or
        breaks off, TypeError for an answer that is no `Completion`, and `OverLimitError` where even
        the shortest history is too long. That is found out before the model is asked, and the
        messages stay, unless its summary is longer than was allowed.
        """
        cut = self._choose_cut(messages)
        if not cut.old:
            return self.check_limit([*cut.before, *cut.after])
        if cut.room < 1:
            whole = list(chain(*split_history(messages)))
            if (tokens := self.token_estimate(whole)) <= self.max_tokens:
                return whole
            raise OverLimitError(whole, tokens, self.max_tokens, self.max_tokens - cut.room + 1)
        pieces = (piece.replace(_END, "</ conversation>") for piece in render_messages(cut.old))
        answer = await self._ask(
            CompletionRequest(
                (Message.user("\n\n".join(("<conversation>", *pieces, _END))),),
                INSTRUCTIONS,
                min(cut.room, self.summary_tokens),
                summed=tuple(cut.old),
            )
        )
        if answer.is_cut:
            raise CompactionFailedError(
                f"the summary breaks off: the model stopped at {answer.stop_reason}"
            )
        if not answer.text.strip():
            raise CompactionFailedError("the model answered with no words, so there is no summary")
        blocks = (block for message in cut.old for block in message.content)
        summaries = (block.generation for block in blocks if isinstance(block, Compaction))
        summary = Compaction(f"{SUMMARY}\n{answer.text}", 1 + max(summaries, default=0))
        shape = next((message.shape for message in cut.old if message.shape), "")
        message = Message(Role.USER, (summary,), shape=shape)
        shorter = [*cut.before, message, *cut.after]
        if (tokens := self.token_estimate(shorter)) > self.max_tokens:
            length = self.counter.estimate_text(answer.text)
            reason = (
                f"the summary is too long: it has {length:,} tokens, and the limit of "
                f"{self.max_tokens:,} leaves room for {cut.room:,}"
            )
            raise OverLimitError(shorter, tokens, self.max_tokens, reason=reason)
        return self.check_limit(shorter)

    async def _ask(self, request: CompletionRequest) -> Completion:
        kind = type(self.provider).__name__
        pending: object = self.provider.complete(request)
        if not isinstance(pending, Awaitable):
            raise TypeError(f"complete of a {kind} is not asynchronous (async def)")
        answer: object = await pending
        if not isinstance(answer, Completion):
            raise TypeError(
                f"complete of a {kind} returned a {type(answer).__name__}, not a Completion"
            )
        return answer

    def _choose_cut(self, messages: Sequence[Message]) -> _SummaryCut:
        system, rest = split_history(messages)
        # An earlier summary is not what a pinned message answers, so it need not stay with it.
        starts = [-1 if rest[start].is_summary else start for start in turn_starts(rest)]
        pinned, units = split_pinned(rest, starts)
        earlier = [i for unit in units if rest[unit.start].is_summary for i in unit]
        free = [unit for unit in units if not rest[unit.start].is_summary]
        cost = list(map(self.counter.estimate_message, rest))
        behind = list(accumulate((sum(cost[i] for i in u) for u in reversed(free)), initial=0))
        behind.reverse()
        base = self.counter.estimate_messages(system) + sum(cost[i] for i in pinned)
        summaries = sum(cost[i] for i in earlier)
        frame = PER_MESSAGE + self.counter.estimate_text(f"{SUMMARY}\n")

        def cut_at(number: int, fold: bool) -> _SummaryCut:
            kept_earlier = () if fold else earlier
            chosen = set(chain(*free[:number], earlier if fold else ()))
            taken = base + behind[number] + (0 if fold else summaries)
            if not chosen:
                return _SummaryCut([], system, rest, self.max_tokens - taken)
            old = [message for index, message in enumerate(rest) if index in chosen]
            before = [*system, *(rest[index] for index in kept_earlier)]
            chosen.update(kept_earlier)
            after = [message for index, message in enumerate(rest) if index not in chosen]
            return _SummaryCut(old, before, after, self.max_tokens - taken - frame)

        # The number of the first unit that is recent.
        size, begin = 0, len(free)
        while begin and size < self.preserve_recent:
            begin -= 1
            size += len(free[begin])
        enough = min(self.summary_tokens, max(1, self.max_tokens // 4))
        first = cut_at(begin, False)
        if first.room >= (enough if first.old else 0):
            return first
        last = max(begin, len(free) - 1) if self.preserve_recent else len(free)
        room = self.max_tokens - base - frame
        fitting = (number for number in range(begin, last) if room - behind[number] >= enough)
        return cut_at(next(fitting, last), True)
