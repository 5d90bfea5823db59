"""VS Code's chat in a window; the other one beside it is a chat in an editor.

It has no prompt of one process: ``code chat`` asks in a window. Hooks in a fork name the session of the
original. Once the window is loaded anew, the last chat is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.model import Usage
from tests.clients.place import DEADLINE, Hooked
from tests.clients.vscode import VsCode
from tests.clients.walks.player import MAIN, Player

WINDOW = 128_000  # tokens that the model takes in, by standInChat.ts
_SUMMARY = "<summary>{}</summary>"


class VsCodePlayer(Player):
    client: VsCode
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "retry", "compact", "fill", "resume", "clear", "fork",
        "delegate",
    })  # fmt: skip
    lacks: ClassVar = frozenset({"one-shot"})
    prompt_events: ClassVar = frozenset({"userPromptSubmitted"})
    tool_events: ClassVar = frozenset({"postToolUse"})
    late_events: ClassVar = tool_events  # nobody waits for the hook before the model is asked
    forks_before_last: ClassVar = True
    shows_rewind: ClassVar = False  # the chat's file is written when one leaves the window

    @contextmanager
    def open(self) -> Iterator[None]:
        self._replaced = ""  # the request in whose place the next prompt is sent
        self._prompt = ""  # the last one of the main window
        self._turns = 0
        self._rewinds = 0
        self._is_fork = False
        self.client.open()
        try:
            yield
        finally:
            self.client.close()

    def is_of_main_agent(self, hooked: Hooked) -> bool:
        # A sub-agent's prompt, which is its task, names the session of the main agent.
        is_task = str(hooked.event.get("prompt")).startswith("task-")
        return not (is_task or hooked.event.get("agent_id"))

    def say(self, window: str, prompt: str) -> None:
        self._number_turn()
        if window == MAIN:
            self._type(prompt)
            self.client.act("answered")
        else:
            with self._asking(window):
                self.client.act("beside", text=prompt)
        self._leave(self._figures())

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
        """Restores a checkpoint or, every other time and in a fork, has the next prompt replace a
        request: a fork goes on showing a cancelled one whose checkpoint was restored.
        """
        self._rewinds += 1
        if self._rewinds % 2 and not self._is_fork:
            self.client.act("restore", old=prompts[0])
        else:
            self._replaced = prompts[0]
        return len(prompts)

    def fork(self) -> None:
        """A copy of what came before the last prompt."""
        self._replaced = ""
        self.client.act("fork", old=self._prompt)
        self._is_fork = True

    def retry(self) -> None:
        self._number_turn()
        with self._asking(MAIN):
            self.client.act("retry")
        self.client.act("answered")
        self._leave(self._figures())

    def compact(self) -> None:
        self.number_summary(_SUMMARY)
        self.client.act("compact")
        self._leave(f"summed up {self._summaries}.")

    def fill(self, prompt: str) -> None:
        """It begins a summary with the next prompt, and has it stand for the rest from the one after
        that on, if the window is still full.
        """
        self.number_summary(_SUMMARY)
        full = WINDOW * 95 // 100
        self.model.will_claim(Usage(full + self._turns), Usage(full + 1000 + self._turns))
        self.say(MAIN, prompt)

    def has_compacted(self, calls: Sequence[Hooked], text: str) -> bool:
        return self.has_later_summary(text)

    def resume(self) -> None:
        self.client.act("reload")

    def clear(self) -> None:
        self._replaced, self._is_fork = "", False
        self.client.act("clear")

    def delegate(self, prompt: str, task: str) -> None:
        self.model.will_call("runSubagent", prompt=task, description="Look")
        self.say(MAIN, prompt)

    def _type(self, prompt: str) -> None:
        """A prompt in the main window, until the model is asked."""
        with self._asking(MAIN):
            if self._replaced:
                self.client.act("replace", old=self._replaced, text=prompt)
            else:
                self.client.act("ask", text=prompt)
        self._replaced, self._prompt = "", prompt

    @contextmanager
    def _asking(self, window: str) -> Iterator[None]:
        """Waits until the model is asked, and notes in which session the window is."""
        hooked, asked = len(self.place.hooked), len(self.model.turns)
        yield
        self._wait_until(lambda: len(self.model.turns) > asked)
        for call in self.place.hooked[hooked:]:
            if self.is_of_main_agent(call):
                self.sessions[window] = call.session

    def _number_turn(self) -> None:
        """Has the answers of a turn claim what those of no other do."""
        self._turns += 1
        self.model.usage = Usage(1000 + self._turns)

    def _figures(self) -> str:
        """What the chat's file has once the last answer is written."""
        return f'"promptTokens":{self.model.claimed.sent}'

    def _leave(self, words: str) -> None:
        """Looks at another window once the turn is over: then the chat's file is written, with
        ``words``.
        """
        self.client.act("idle")
        self.client.act("written", text=words)

    def _wait_until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE
        while not is_so():
            assert time.monotonic() < deadline, "the model was not asked"
            time.sleep(0.05)
