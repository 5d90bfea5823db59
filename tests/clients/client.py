"""What the tests ask of an agent client, whichever it is."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, NamedTuple

from tests.clients.model import Asked
from tests.clients.place import Hooked, Place


class Turn(NamedTuple):
    """What one prompt led to: calls of the hook, and requests to the model."""

    hooked: tuple[Hooked, ...]
    asked: tuple[Asked, ...]

    @property
    def told(self) -> str:
        """What the hook had to say in this turn; most often it speaks once or not at all."""
        return "\n".join(call.told for call in self.hooked if call.told)

    @property
    def read(self) -> str:
        """All that the model read for its answer."""
        return self.asked[-1].text


class Client(ABC):
    """A client that is installed as ``program`` and has only ever seen ``place``."""

    name: ClassVar[str]
    """As ``synapse install --client`` spells it."""
    prompt_event: ClassVar[str] = "UserPromptSubmit"
    idle: ClassVar[frozenset[str]] = frozenset()
    """Events that are registered and most often mean nothing."""
    compacts: ClassVar[bool] = True
    """Whether `renew` compacts the session; else it begins another one."""
    resumes: ClassVar[bool] = True
    """Whether a session goes on with the next prompt; else each prompt has one of its own."""
    waits: ClassVar[bool] = True
    """Whether it waits for a hook as long as a busy machine takes; else the prompt goes without its rules."""
    has_transcript: ClassVar[bool] = True
    """Whether it writes its sessions into files that the hook reads."""

    def __init__(self, program: Path, place: Place) -> None:
        self.program = program
        self.place = place
        self.session = ""
        self.approved = False
        for path, text in self.settings().items():
            file = place.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def settings(self) -> dict[str, str]:
        """The person's own files, below the home folder: who the model is, what is trusted."""
        return {}

    def trust(self) -> None:
        """What a person at a terminal does once: agree to the hooks that were found."""
        self.approved = True

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """The client's variables."""

    @abstractmethod
    def line(self, prompt: str) -> list[str]:
        """The command line for a prompt, in the session that is there."""

    @abstractmethod
    def tool(self) -> tuple[str, dict[str, object]]:
        """A tool that reads a file of the project, and its arguments."""

    @abstractmethod
    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        """A tool that runs a command line, and its arguments."""

    @property
    def transcript(self) -> Path:
        """What the client writes of the session: where its hooks were told that it is."""
        return Path(self.place.hooked[-1].event["transcript_path"])

    def shown(self, text: str) -> str:
        """How a text of the hook stands in a request to the model."""
        return text

    def ask(self, prompt: str) -> Turn:
        """One prompt, until the client has done what it led to."""
        return self._observe(self.send, prompt)

    def start(self, prompt: str) -> Turn:
        """The same, where a person types it and the client is started for it."""
        return self._observe(self.run, prompt)

    def _observe(self, give: Callable[[str], None], prompt: str) -> Turn:
        hooked, asked = len(self.place.hooked), len(self.place.model.requests)
        give(prompt)
        turn = Turn(self.place.hooked[hooked:], self.place.model.requests[asked:])
        if not self.session and turn.hooked:
            self.session = turn.hooked[0].session
        return Turn(turn.hooked, tuple(request for request in turn.asked if request.of_a_turn))

    def send(self, prompt: str) -> None:
        """Has the client do one prompt, in the way that costs least."""
        self.run(prompt)

    def run(self, prompt: str) -> None:
        """Has the client do one prompt, from its start to its end."""
        self.place.run(*self.line(prompt), **self.environment())

    def renew(self, prompt: str) -> Turn:
        """The prompt in a window that has just been emptied, with all that led there."""
        self.session = ""
        return self.ask(prompt)


def program(name: str) -> Path | None:
    """The client ``name`` in the folder that ``SYNAPSE_LS_CLIENTS`` gives."""
    found = Path(os.environ.get("SYNAPSE_LS_CLIENTS", os.devnull)) / name
    return found if found.exists() else None
