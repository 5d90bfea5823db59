"""OpenCode, whose server is asked for what its terminal asks for: it starts in no time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from threading import Thread
from typing import ClassVar

from tests.clients.model import Usage
from tests.clients.opencode import WINDOW, OpenCode
from tests.clients.place import DEADLINE, Hooked
from tests.clients.walks.player import MAIN, Player


class OpenCodePlayer(Player):
    client: OpenCode
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "compact", "fill", "resume", "clear", "fork", "delegate",
    })  # fmt: skip
    tool_events: ClassVar = frozenset({"PostToolUse", "PreToolUse"})
    tells_one_shots: ClassVar = True

    def say(self, window: str, prompt: str) -> None:
        # The end of a turn elsewhere may be told after a prompt has begun.
        self.client.session = self.sessions.get(window) or self.client.begin()
        self.sessions[window] = self.client.session
        give = self.client.start if window.startswith("one-shot") else self.client.ask
        give(prompt)  # ``opencode run``, or what its terminal asks for

    def cancel(self, prompt: str) -> None:
        self._stop(prompt, self.model.thinking(), lambda: True)

    def interrupt(self, prompt: str) -> None:
        begun = self.model.begun
        self._stop(prompt, self.model.speaking(), lambda: self.model.begun > begun)

    def _stop(
        self, prompt: str, pause: AbstractContextManager[None], is_time: Callable[[], bool]
    ) -> None:
        self.client.session = self.sessions.get(MAIN) or self.client.begin()
        self.sessions[MAIN] = self.client.session
        with pause:
            asked = len(self.model.turns)
            turn = Thread(target=self.client.send, args=(prompt,), daemon=True)
            turn.start()
            deadline = time.monotonic() + DEADLINE
            while len(self.model.turns) == asked or not is_time():
                assert time.monotonic() < deadline, "the model was not asked"
                turn.join(0.1)
            self.client.change("abort")
        turn.join(DEADLINE)
        assert not turn.is_alive(), "the turn that was stopped has not ended"

    def rewind(self, prompts: Sequence[str]) -> int:
        self._open_main()
        self.client.change("revert", messageID=self.client.message_of(prompts[0]))
        return len(prompts)

    def compact(self) -> None:
        self._open_main()
        self.client.change("summarize", providerID="stand-in", modelID="stand-in")

    def fill(self, prompt: str) -> None:
        self.model.will_claim(Usage(WINDOW - 1000))
        self.will_use_tools(1)
        self.say(MAIN, prompt)

    def resume(self) -> None:
        """The plugin begins anew, as with the program."""
        self.client.leave()

    def clear(self) -> None:
        self.sessions.pop(MAIN, None)

    def fork(self) -> None:
        self._open_main()
        self.sessions[MAIN] = self.client.change("fork")["id"]

    def delegate(self, prompt: str, task: str) -> None:
        arguments = {"description": "Look", "prompt": task, "subagent_type": "general"}
        self.model.will_call("task", **arguments)
        self.say(MAIN, prompt)

    def has_compacted(self, calls: Sequence[Hooked], text: str) -> bool:
        return any(call.name == "PreCompact" for call in calls)

    def _open_main(self) -> None:
        self.client.session = self.sessions[MAIN]
