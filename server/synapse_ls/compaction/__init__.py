"""Keeping the history of a conversation within a limit: counting, compaction, injection, sections.

The types and rules of neuron-context (revision 0.3.0), except that a tool's call and its result
stay together, a result over the limit is an error, and one counter measures throughout. Nothing
here does IO or reads a clock; only `Provider`, which the caller implements, may call a model. What
a strategy did is logged at INFO below the logger ``synapse_ls.compaction``.

    strategy = SlidingWindowStrategy(window_size=40, max_tokens=100_000)
    if strategy.should_compact(messages, strategy.token_estimate(messages)):
        messages = await strategy.compact(messages)
"""

from synapse_ls.compaction.injected_context import (
    ContextSection,
    EveryNTurns,
    InjectionTrigger,
    OnTokenThreshold,
    PersistentContext,
    SystemInjector,
)
from synapse_ls.compaction.message import (
    Block,
    Compaction,
    CompactionFailedError,
    ContextError,
    Document,
    Image,
    Message,
    Opaque,
    OverLimitError,
    ProviderError,
    RedactedThinking,
    Role,
    ShapeError,
    Text,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.message_lists import (
    Request,
    read_messages,
    read_request,
    write_messages,
    write_request,
)
from synapse_ls.compaction.strategies import (
    CLEARED,
    BoxedStrategy,
    CompositeStrategy,
    ContextStrategy,
    SlidingWindowStrategy,
    ToolResultClearingStrategy,
)
from synapse_ls.compaction.summarization import (
    SUMMARY,
    Completion,
    CompletionRequest,
    Provider,
    SummarizationStrategy,
)
from synapse_ls.compaction.token_counter import Breakdown, EncodingCounter, TokenCounter

__all__ = [
    "CLEARED", "SUMMARY", "Block", "BoxedStrategy", "Breakdown", "Compaction",
    "CompactionFailedError", "Completion",
    "CompletionRequest", "CompositeStrategy", "ContextError", "ContextSection", "ContextStrategy",
    "Document", "EncodingCounter", "EveryNTurns", "Image", "InjectionTrigger", "Message",
    "OnTokenThreshold", "Opaque", "OverLimitError", "PersistentContext", "Provider",
    "ProviderError", "RedactedThinking", "Request", "Role", "ShapeError", "SlidingWindowStrategy",
    "SummarizationStrategy", "SystemInjector", "Text", "Thinking", "TokenCounter", "ToolDefinition",
    "ToolResult", "ToolResultClearingStrategy", "ToolUse", "read_messages", "read_request",
    "write_messages", "write_request",
]  # fmt: skip
