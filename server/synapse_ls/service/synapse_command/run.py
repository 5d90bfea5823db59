"""Carrying out ``*synapse …``: what a prompt asks Synapse LS itself, and not the agent.

The answer is a section of the block for this prompt, so that whoever composes a block gives the
same one. Nothing here changes a session: what a command switches is left in the situation, and
only a hook's event keeps it.
"""

from __future__ import annotations

from synapse_ls.engine.parts.standard import ANSWERS_HEADING, TO_SHOW
from synapse_ls.engine.prompt import EXECUTED, is_executed
from synapse_ls.engine.tokens import CHARS_PER_TOKEN
from synapse_ls.formats.switches import switch
from synapse_ls.service import log
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from synapse_ls.engine.prompt import Prompt
    from synapse_ls.service.compose import Composed

    Lines = list[str]

TOKENS: Final = 500  # what all answers to one prompt may take
INDENT: Final = 5  # code points of a line beside its text: four spaces and a break
NAME_LENGTH: Final = 40  # code points of a word that is no command of ours


class SubCommand:
    """``*synapse NAME``. module: who answers. more: the command line that shows all there is."""

    __slots__ = ("module", "more", "summary")

    def __init__(self, summary: str, module: str, more: str) -> None:
        self.summary = summary
        self.module = module
        self.more = more


SUB_COMMANDS: Final = {
    "help": SubCommand("what can be asked", "run", "synapse --help"),
    "status": SubCommand(
        "what prompts are answered with now", "state", "synapse status --session current"
    ),
    "session": SubCommand(
        "this session, and what its agent was told", "state", "synapse session show current"
    ),
    "domains": SubCommand("every domain, and what wakes it", "domains", "synapse domains"),
    "explain": SubCommand(
        "what is in the block, what is not, and why", "domains", "synapse explain"
    ),
    "debug": SubCommand(
        "the block layer by layer; switches the debug view on or off", "layers", "synapse explain"
    ),
    "diagnose": SubCommand("whether everything is in place", "layers", "synapse status"),
    "manifest": SubCommand("problems of the manifests", "files", "synapse check"),
    "reload": SubCommand("reads the whole tree anew", "files", "synapse status"),
}
BARE: Final = ("help", "status")


class Asked:
    """A sub-command to be answered. found: the block of this prompt without any answer in it.

    session: the session's document, empty for a new one.
    """

    __slots__ = ("found", "session")

    def __init__(self, found: Composed, session: Mapping[str, Any]) -> None:
        self.found = found
        self.session = session


def reloads(prompt: Prompt, called: Sequence[str]) -> bool:
    """Whether the prompt wants the tree to be read anew."""
    return "reload" in _requested(prompt, called)


def execute(found: Composed, session: Mapping[str, Any]) -> None:
    """Answer the ``*synapse …`` commands of a prompt in the situation of ``found``.

    What they switch is in effect for this prompt at once.
    """
    situation = found.assembly.situation
    asked = Asked(found, session)
    requested = _requested(situation.prompt, found.plan.profile.called)
    if "debug" in requested:
        wanted = switch(requested["debug"].partition(" ")[0])
        situation.devmode = not situation.devmode if wanted is None else wanted
        situation.switched["DEVMODE"] = situation.devmode
    room = TOKENS * CHARS_PER_TOKEN - len(ANSWERS_HEADING) - len(TO_SHOW) - 3
    answers: list[tuple[str, str]] = []
    for position, name in enumerate(requested):
        known = name if name in SUB_COMMANDS else "help"
        command = f"*{EXECUTED} {known}"
        lines: Lines = [] if known == name else [_unknown(name)]
        lines += _answer(known, asked)
        room -= len(command) + 4
        share = room // (len(requested) - position)
        for line in _within(lines, share, SUB_COMMANDS[known].more):
            answers.append((command, line))
            room -= len(line) + INDENT
    situation.answers = tuple(answers)


def _answer(name: str, asked: Asked) -> Lines:
    try:
        lines: Lines = getattr(load(f"{__package__}.{SUB_COMMANDS[name].module}"), name)(asked)
    except Exception as error:  # no answer is worth the rules of the prompt
        log.note(error)
        return [f"This could not be answered ({type(error).__name__}); the hook's log says more."]
    return lines


def help(_: Asked) -> Lines:
    """The sub-commands."""
    return [f"*{EXECUTED} {name}: {row.summary}" for name, row in SUB_COMMANDS.items()]


def _requested(prompt: Prompt, called: Sequence[str]) -> dict[str, str]:
    """Sub-command → its argument, in the order of the prompt; an unknown one may be among them.

    Behind another of the names we are ``called`` by, what is no sub-command is for the agent.
    """
    found: dict[str, str] = {}
    unknown = ""
    for command in prompt.commands:
        if not is_executed(command.name, called):
            continue
        _, _, name = command.name.partition("-")
        argument = command.argument
        if not name:
            word, _, argument = argument.partition(" ")
            name = word.strip(".,;:!?()[]\"'“”‘’*`").lower()
        if name and name not in SUB_COMMANDS and not is_executed(command.name):
            name = ""
        if name and name not in SUB_COMMANDS:
            if unknown:
                continue  # one answer says what there is
            unknown = name
        for each in (name,) if name else BARE:
            found.setdefault(each, argument.strip())
    return found


def _unknown(name: str) -> str:
    from synapse_ls.text.near import nearest

    shown = name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH]}…"
    meant = nearest(name[:NAME_LENGTH], SUB_COMMANDS)
    said = f"There is no `*{EXECUTED} {shown}`."
    return f"{said} Did you mean `*{EXECUTED} {meant}`?" if meant else said


def _within(lines: Lines, room: int, more: str) -> Lines:
    """As many of the lines as ``room`` code points hold, and a word on those that are left out."""
    if sum(len(line) + INDENT for line in lines) <= room:
        return lines
    room -= len(_left_out(len(lines), more)) + INDENT
    kept = 0
    for line in lines:
        room -= len(line) + INDENT
        if room < 0:
            break
        kept += 1
    return [*lines[:kept], _left_out(len(lines) - kept, more)]


def _left_out(count: int, more: str) -> str:
    return f"… {count} more: `{more}` shows all"
