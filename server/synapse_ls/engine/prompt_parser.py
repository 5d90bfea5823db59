"""Parse a prompt: the user's own words, ``*command`` and ``@agent``.

Fenced blocks, blocks that look like ours and the middle of very long texts (pastes) are ignored,
and reported as such.
"""

from __future__ import annotations

from synapse_ls.engine.word_matching import fold_text
from synapse_ls.text.block_markup import BLOCK_TAGS
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.record import Record
from synapse_ls.workspace.agent_spellings import find_agent_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_COMMANDS = 1_000  # different ones that are read in a prompt
LONGEST_ARGUMENT = 16_000  # code points of a command's line
SHORTEST_TOKEN = 12  # code points of a command's name that may be a secret
PASTE_LIMIT = 4_000  # code points of unfenced text that recall reads
EXECUTED_COMMAND = "synapse"
EXIT_COMMAND = "exit"

GREETING_WORDS = 2  # words before an agent that is spoken to: ``good morning @dev``
CALL_WORDS = 12  # words among which somebody is called upon
_CALL_WORDS = (
    "activate ativa ative ativar activa active activar become be call chama chame load seja start "
    "summon switch to use usa"
)
_CALLS = frozenset(_CALL_WORDS.split())
_REFERENCES = frozenset(
    (
        *("ask", "asked", "tell", "told", "by", "from", "of", "for", "with", "and", "or", "like"),
        *("ping", "cc", "did", "does", "is", "was", "has", "pergunte", "pergunta", "diga", "que"),
        *("o", "a", "do", "da", "com", "para", "e", "the", "what", "how", "why", "where", "when"),
    )
)


def is_executed_command(name: str, called: Iterable[str] = (EXECUTED_COMMAND,)) -> bool:
    """Return whether ``*name`` in a user's prompt is carried out by Synapse LS, whatever rules a
    tree has for it.

    With the names that a profile is ``called`` by: whether it asks Synapse LS at all.
    """
    return any(name == own or name.startswith(f"{own}-") for own in called)


class StarCommand(Record):
    """A star-command in a prompt: ``name`` in lower case, ``argument`` the rest of its line."""

    name: str
    argument: str


class Prompt:
    """What a user has written as a prompt, parsed once.

    called: the known agent that the first words call upon in a way that activates nobody (``hey
    @dev``), or "". folded: the text that recall matches. commands: star-commands in order, each
    once; those that are executed once for each argument. agent: the known agent that the first word
    addresses, or "". leaves: whether ``*exit`` in the first or last line, so in no text that an
    editor attaches, ends the work of the agent. mentions: known agents named elsewhere. paths:
    words that look like paths. skipped: sentences about text that recall did not read.
    """

    def __init__(
        self,
        text: str,
        *,
        agents: dict[str, str] | None = None,
        activations: Iterable[str] = (),
        everything: bool = False,
    ) -> None:
        known_agents = agents or {}
        self.text = text
        prose, fenced = _strip_fences(text) if "```" in text or "~~~" in text else (text, 0)
        # Outside and inside of code spans in turn; an unpaired back-tick is a character.
        spans = prose.split("`")
        if len(spans) % 2 == 0:
            spans[-2:] = [f"{spans[-2]}`{spans[-1]}"]
        bare = " ".join(spans[::2])
        # Stars in code spans are no commands, and still part of an argument.
        masked_text = "`".join(s.replace("*", "·") if at % 2 else s for at, s in enumerate(spans))
        self.commands = _parse_commands(masked_text) if "*" in bare else ()
        self.leaves = False
        if any(command.name == EXIT_COMMAND for command in self.commands):
            lines = masked_text.strip().lower().split("\n")
            self.leaves = f"*{EXIT_COMMAND}" in lines[0] or f"*{EXIT_COMMAND}" in lines[-1]
        self.agent = _addressed_agent(bare, known_agents, activations)
        mentioned = {
            agent
            for word in (bare.split() if "@" in bare else ())
            if word[0] == "@" and (agent := find_agent_id(known_agents, _agent_id(word[1:])))
        }
        self.mentions = tuple(sorted(mentioned - {self.agent}))
        self.called = "" if self.agent or not self.mentions else _called_agent(bare, known_agents)
        self.paths = _mentioned_paths(bare)
        skipped = []
        scanned = _strip_blocks(text if everything else prose)
        if fenced and not everything:
            skipped.append(f"{fenced} characters in fenced blocks")
        if len(scanned) > PASTE_LIMIT and not everything:
            half = PASTE_LIMIT // 2
            skipped.append(f"the middle {len(scanned) - PASTE_LIMIT} characters of a long prompt")
            scanned = f"{scanned[:half]}\n{scanned[-half:]}"
        self.skipped = tuple(skipped)
        self.folded = fold_text(scanned)


def _strip_fences(text: str) -> tuple[str, int]:
    """Return the text outside Markdown fences, and how many characters were inside."""
    prose: list[str] = []
    fence, dropped = "", 0
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if fence:
            dropped += len(line) + 1
            if mark == fence and not line.strip().strip(fence[0]):
                fence = ""
        elif mark in ("```", "~~~"):
            fence = mark
            dropped += len(line) + 1
        else:
            prose.append(line)
    return "\n".join(prose), dropped


# Only ASCII: every character keeps its place.
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _strip_blocks(text: str) -> str:
    """Return the text without rule blocks, ours or somebody's imitation, and without their tags."""
    if "<" not in text:
        return text
    for tag in BLOCK_TAGS:
        low = text.translate(_LOWER)
        pieces: list[str] = []
        end = 0
        start, close = low.find(f"<{tag}"), low.find(f"</{tag}>")
        while start >= 0:
            if 0 <= close < start:
                close = low.find(f"</{tag}>", start)
            stop = close + len(tag) + 3 if close >= 0 else start + len(tag) + 1
            pieces.append(text[end:start])
            end = stop
            start = low.find(f"<{tag}", stop)
        text = " ".join((*pieces, text[end:]))
    return text


_NAME_END = frozenset(" \t\r\n\v\f,;:!?)]}\"'”’»")


def _parse_commands(text: str) -> tuple[StarCommand, ...]:
    """Return the star-commands at a word start; never emphasis, products, globs or tokens."""
    commands: dict[tuple[str, str], StarCommand] = {}
    at = text.find("*")
    while at >= 0 and len(commands) < MOST_COMMANDS:
        spelled = _command_name(text, at)
        at += 1 + len(spelled)
        if len(spelled) >= SHORTEST_TOKEN and any(map(str.isdecimal, spelled)):
            masked = load_module("synapse_ls.text.secret_masking").mask_secrets(spelled)
            spelled = spelled if masked == spelled else ""
        if (name := spelled.lower()) and (name, "") not in commands:
            # The rest of a command's line, up to the next command.
            end = at + LONGEST_ARGUMENT
            for mark in ("\n", " *"):
                if (stop := text.find(mark, at, end)) >= 0:
                    end = stop
            argument = text[at:end].strip(" \t\r,;:")
            key = name, argument if is_executed_command(name) else ""
            commands.setdefault(key, StarCommand(name, argument))
        at = text.find("*", at)
    return tuple(commands.values())


def _command_name(text: str, at: int) -> str:
    """Return the name of the command whose star is at ``at``, or the empty string."""
    if at > 0 and not text[at - 1].isspace() and text[at - 1] not in "(\"'“‘«[":
        return ""
    stop = at + 1
    while stop < len(text) and (text[stop].isalnum() or text[stop] in "-_"):
        stop += 1
    name = text[at + 1 : stop].rstrip("-_")
    if not name or not name.isascii() or not name[0].isalpha():
        return ""
    after = text[stop : stop + 2]
    ends_sentence = after[:1] == "." and not after[1:2].isalnum()
    if after and after[0] not in _NAME_END and not ends_sentence:
        return ""
    # A star that closes an emphasis follows on the same line before another opens.
    star = text.find("*", stop)
    if star < 0 or text[star - 1].isspace() or text[star - 1] in "/*" or "\n" in text[stop:star]:
        return name
    after = text[star + 1 : star + 2]
    return name if after.isalnum() or after in ("/", ".", "*") else ""


def _addressed_agent(text: str, agents: dict[str, str], activations: Iterable[str]) -> str:
    """Return the agent that a prompt activates by its first words: ``@id …`` or an activation
    command.
    """
    if not (head := text[:400].split(None, 2)):
        return ""
    first = head[0]
    if first[0] == "@":
        return find_agent_id(agents, _agent_id(first[1:]))
    line = " ".join(head[:2])
    lower = line.lower()
    for pattern in activations:
        before, _, after = pattern.partition("{agent}")
        if before and lower.startswith(before.lower()):
            words = line[len(before) :].split(None, 1)
            named = words[0].removesuffix(after) if words else ""
            if agent := find_agent_id(agents, _agent_id(named)):
                return agent
    return ""


def _called_agent(text: str, agents: dict[str, str]) -> str:
    """Return the agent that somebody seems to call upon: mentioned among the first words, or right
    after a word that asks for it.
    """
    words = text[:400].split()
    for place, word in enumerate(words[:CALL_WORDS]):
        if word[0] == "@" and (agent := find_agent_id(agents, _agent_id(word[1:]))):
            before = fold_text(words[place - 1]).strip(" ,:;!") if place else ""
            # Behind such a word an agent is spoken of, or is to be asked, rather than spoken to.
            is_greeted = place <= GREETING_WORDS and before not in _REFERENCES
            return agent if is_greeted or before in _CALLS else ""
    return ""


def _mentioned_paths(text: str) -> tuple[str, ...]:
    """Return words with a slash or a file's ending, without the marks around them."""
    if "/" not in text and "." not in text:
        return ()
    words = (word.strip("()[]{}<>,;:!?\"'“”‘’").rstrip(".") for word in text.split())
    return tuple(
        dict.fromkeys(
            word.removeprefix("./")
            for word in words
            if "://" not in word and ("/" in word.strip("/") or "." in word[1:])
        )
    )


def _agent_id(word: str) -> str:
    return word.rstrip(",;:.!?)]}\"'").lower()
