"""This module clears old tool results, while the calls stay (neuron-context,
`ToolResultClearingStrategy`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from synapse_ls.compaction.argument_checks import check_messages, check_number
from synapse_ls.compaction.context_strategy import LimitedStrategy
from synapse_ls.compaction.message import Block, Message, Text, ToolResult
from synapse_ls.compaction.token_counter import TokenCounter

CLEARED = "[tool result cleared]"
"""What stands in the place of a result that was cleared."""


class ToolResultClearingStrategy(LimitedStrategy):
    """A ToolResultClearingStrategy clears all but the last ``keep_recent_n`` tool results,
    counted one by one.

    A result keeps its id, and whether it was an error. Results that are no longer than what would
    take their place stay, and so do those in pinned messages and those whose API has no place for
    other words (`ToolResult.is_fixed`).
    """

    def __init__(
        self, keep_recent_n: int, max_tokens: int, counter: TokenCounter | None = None
    ) -> None:
        super().__init__(max_tokens, counter)
        check_number(keep_recent_n, "the results to keep are a number")
        self.keep_recent_n = keep_recent_n

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Returns the same messages with old results cleared. Raises `OverLimitError` if that is
        not enough.
        """
        check_messages(messages)
        total = sum(isinstance(block, ToolResult) for m in messages for block in m.content)
        old = total - self.keep_recent_n
        cleared: list[Message] = []
        for message in messages:
            content: list[Block] = []
            for block in message.content:
                if isinstance(block, ToolResult):
                    goes = old > 0 and not message.pinned
                    content.append(self._clear_result(block) if goes else block)
                    old -= 1
                else:
                    content.append(block)
            same = all(new is before for new, before in zip(content, message.content, strict=True))
            cleared.append(message if same else replace(message, content=tuple(content)))
        return self.check_limit(cleared)

    def _clear_result(self, result: ToolResult) -> ToolResult:
        tokens = self.counter.estimate_block(result)
        if result.is_fixed or tokens <= self.counter.estimate_text(CLEARED):
            return result
        return replace(result, content=(Text(CLEARED),), cleared=tokens)
