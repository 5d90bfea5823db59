"""VS Code's chat in a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.place import DEADLINE, Hooked
from tests.clients.vscode import VsCode
from tests.clients.walks.player import MAIN, Player


class VsCodePlayer(Player):
    client: VsCode
    moves: ClassVar = frozenset({"cancel", "interrupt", "rewind", "resume", "clear", "delegate"})
    lacks: ClassVar = frozenset({"beside", "one-shot"})
    prompt_events: ClassVar = frozenset({"userPromptSubmitted"})
    tool_events: ClassVar = frozenset({"postToolUse"})
    shows_rewind: ClassVar = False  # the chat's file is written when one leaves the window

    @contextmanager
    def open(self) -> Iterator[None]:
        self._replaced = ""  # the request in whose place the next prompt is sent
        self._rewinds = 0
        self.client.open()
        try:
            yield
        finally:
            self.client.close()

    def is_of_main_agent(self, hooked: Hooked) -> bool:
        return not (hooked.event.get("agentId") or hooked.event.get("agent_id"))

    def say(self, window: str, prompt: str) -> None:
        self._type(prompt)
        self.client.act("answered")
        self._leave(prompt)

    def cancel(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(prompt)
            self.client.act("cancel")
        self._leave(prompt)

    def interrupt(self, prompt: str) -> None:
        begun = self.model.begun
        with self.model.speaking():
            self._type(prompt)
            self._wait_until(lambda: self.model.begun > begun)
            self.client.act("cancel")
        self._leave(prompt)

    def rewind(self, prompts: Sequence[str]) -> int:
        """Restores a checkpoint or, every other time, has the next prompt replace a request."""
        self._rewinds += 1
        if self._rewinds % 2:
            self.client.act("restore", old=prompts[0])
        else:
            self._replaced = prompts[0]
        return len(prompts)

    def resume(self) -> None:
        self.client.act("reload")

    def clear(self) -> None:
        self._replaced = ""
        self.client.act("clear")

    def delegate(self, prompt: str, task: str) -> None:
        self.model.will_call("runSubagent", prompt=task, description="Look")
        self.say(MAIN, prompt)

    def _type(self, prompt: str) -> None:
        """A prompt, until the model is asked."""
        hooked, asked = len(self.place.hooked), len(self.model.turns)
        if self._replaced:
            self.client.act("replace", old=self._replaced, text=prompt)
        else:
            self.client.act("ask", text=prompt)
        self._replaced = ""
        self._wait_until(lambda: len(self.model.turns) > asked)
        for call in self.place.hooked[hooked:]:
            if self.is_of_main_agent(call):
                self.sessions[MAIN] = call.session

    def _leave(self, prompt: str) -> None:
        """Looks at another window once the turn is over: then the chat's file is written."""
        self.client.act("idle")
        self.client.act("written", text=prompt)

    def _wait_until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE
        while not is_so():
            assert time.monotonic() < deadline, "the model was not asked"
            time.sleep(0.05)
