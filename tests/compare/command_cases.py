"""What is asked on the command line, and by agent clients through the hook."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from synapse_ls.cli.command_parser import Parser
from synapse_ls.cli.command_table import FAMILIES, ROWS, ChoiceType, match_command
from synapse_ls.conversation.synapse_commands import SUB_COMMANDS
from tests.cli.page_examples import blocks, commands_of
from tests.compare.programs import REPOSITORY
from tests.hooks.claude_transcripts import Session
from tests.hostile.asked_of_a_tree import COMMANDS, LAST, hook_events
from tests.integrations.recorded import NAMES, recorded

MORE_COMMANDS: dict[str, tuple[str, ...]] = {
    "context": (
        "context '@dev *brief add a unit test with coverage' --remaining 30 --explain",
        "context --bracket CRITICAL --agent qa --file README.md",
        "context --prompt 'a unit test' --task build --squad s1 --workflow story_development",
        "context 'mix the tour' --profile carl",
        "context --process reflection --profile brainiac",
    ),
    "explain": ("explain --agent dev --workflow story_development --phase qa_review",),
    "why": ("why TESTING 'a unit test'", "why NOBODY_RULE_7"),
    "domains": ("domains --squad s1",),
    "guard": (
        "guard --write .synapse/global",
        "guard --read .env --delete README.md --mode enforce",
        "guard 'rm -rf / && ls' --agent qa",
    ),
    "check": (
        "check --select SYN1,SYN2 --statistics",
        "check README.md --no-cache",
        "check --fix",
        "check --diff --unsafe-fixes",
        "check --add-suppressions",
        "check --write-baseline baseline.json",
        "check --ignore-suppressions --severity info --ignore SYN3 --exclude squads/**",
        "check --show-files",
        "check --show-settings",
    ),
    "fmt": ("fmt --check", "fmt --diff"),
    "rule": ("rule", "rule --all", "rule NOTHING", "rule SYN2"),
    "schema": ("schema squad", "schema tests", "schema workflow-state"),
    "completion": ("completion zsh", "completion fish"),
    "diff": ("diff --prompt 'a unit test' --block",),
    "domain new": ("domain new EXTRA --recall extra --rule 'Be brief'",),
    "init": (
        "init --client claude",
        "init --beside --about 'A shop' --test 'make test' --lint '' --rule 'Be brief'",
        "init --dry-run",
    ),
    "install": (
        "install --client claude --yes --statusline --guard",
        "install --client cursor --scope user --trust --yes",
        "install --client all --dry-run",
        "install --yes --replace --live",
    ),
    "uninstall": ("uninstall --client claude --dry-run",),
    "profile show": tuple(
        f"profile show {name}" for name in ("synapse", "carl", "chati", "brainiac")
    ),
    "sync": ("sync --client claude --client codex", "sync --force --dry-run", "sync --remove"),
    "memory list": ("memory list --archived", "memory list --agent dev"),
    "hook": ("hook --help",),
}
"""Calls beside those of `COMMANDS`; a wrong one is asked too, since its message has to stay."""
WRONG_LINES = ("", "nonsense", "contxt", "check --formt json", "context --remaining much", "why")
OPENING = ("--help", "--version", "help bracket", "help words", "help nonsense")
NO_END = ("serve", "mcp", "hook-server", "--watch", "--follow")
"""Words of lines that go on until somebody ends them."""
_SHELL = re.compile(r"[|<>&;$`]")
_PAGES = ("README.md", "docs/*.md")


class Case(NamedTuple):
    """A line and what it is given.

    start: how it is run, as `program_runner` has it. changes: what is written into the project
    before, path -> text. environment: further variables.
    """

    name: str
    arguments: Sequence[str]
    stdin: str = ""
    start: str = "fork"
    changes: Mapping[str, str] = MappingProxyType({})
    environment: Mapping[str, str] = MappingProxyType({})


@cache
def formats_of(command: str) -> tuple[str, ...]:
    """The output formats that a command has beside its usual one."""
    for action in Parser(command)._actions:
        if "--format" in action.option_strings and isinstance(action.type, ChoiceType):
            return tuple(name for name in action.type.names if name != action.default)
    return ()


def missing_commands() -> list[str]:
    """The commands of the table that nothing is asked of."""
    return [name for name in ROWS if not COMMANDS.get(name)]


def command_cases(*, has_more: bool, has_all_formats: bool) -> list[Case]:
    """Every command of the table, in each of its formats or in one beside the usual one. has_more: with
    `MORE_COMMANDS`.
    """
    lines: dict[str, None] = {}
    most = None if has_all_formats else 1
    for name in ROWS:
        asked = (*COMMANDS.get(name, ()), *(MORE_COMMANDS.get(name, ()) if has_more else ()))
        for line in asked:
            lines[line] = None
            if "--format" not in line:
                lines.update(
                    (f"{line} --format {one}", None) for one in _formats(name, line)[:most]
                )
    return [Case(line, shlex.split(line)) for line in lines]


def _formats(name: str, line: str) -> tuple[str, ...]:
    """The formats in which a line is asked; what follows a lone `--` is no option."""
    return () if " -- " in line or "--help" in line else formats_of(name)


def process_cases() -> list[Case]:
    """Every command once in a process of its own, as a person starts it."""
    lines = [COMMANDS[name][0] for name in ROWS if COMMANDS.get(name)]
    return [Case(f"{line} (process)", shlex.split(line), start="command") for line in lines]


def help_cases() -> list[Case]:
    """The help of everything, and what is said of a line that is wrong."""
    names = (*ROWS, *FAMILIES)
    lines = [*OPENING, *WRONG_LINES, *(f"{name} --help" for name in names)]
    return [Case(line or "(nothing)", shlex.split(line)) for line in lines]


def example_cases() -> list[Case]:
    """The lines that pages and the help show."""
    shown = [line for row in ROWS.values() for _, line in row.load().examples]
    pages = [page for pattern in _PAGES for page in sorted(REPOSITORY.glob(pattern))]
    shown += [line for page in pages for block in blocks(page) for line in commands_of(block)]
    return [Case(line, shlex.split(line)[1:]) for line in dict.fromkeys(shown) if _is_plain(line)]


def _is_plain(line: str) -> bool:
    """Whether a line is one of ours that needs no shell, and ends by itself."""
    if not line.startswith("synapse ") or _SHELL.search(line):
        return False
    words = shlex.split(line)
    return bool(match_command(words[1:])) and not any(word in NO_END for word in words)


def row_cases(project: Path) -> list[Case]:
    """Events of all clients and then all commands, on one tree that each of them finds as the one
    before has left it.
    """
    events = [Case(job["name"], job["arguments"], job["stdin"]) for job in hook_events(project)]
    lines = [
        line for name in sorted(COMMANDS, key=lambda one: one in LAST) for line in COMMANDS[name]
    ]
    return events + [Case(line, shlex.split(line)) for line in lines]


def recorded_cases(project: Path, home: Path, clients: Iterable[str] = ()) -> Iterator[Case]:
    """Each recorded event of these clients, or of all, in a process of its own."""
    for name in NAMES:
        if clients and Path(name).parts[0] not in clients:
            continue
        event = recorded(name, project, home)
        yield Case(
            name,
            event.arguments,
            json.dumps(event.stdin),
            "hook",
            dict(event.files),
            dict(event.environment),
        )


PROMPTS = (
    "@dev Add a unit test with coverage",
    "*brief what is next?",
    "Go on with the readme",
    "*synapse status",
    "@qa review the story",
    "*synapse domains",
)
EDITS = (
    (".synapse/testing", "TESTING_RULE_0=Arrange, act, assert, tidy up\n"),
    (".synapse/global", "GLOBAL_RULE_0=Write small functions\nGLOBAL_RULE_1=Name things\n"),
    ("src/refund.ts", "export const refund = 1;\n"),
)
DAY = (
    "session-start", "prompt", "tool-before", "tool", "edit", "prompt", "prompt", "tool", "edit",
    "tool", "prompt", "subagent-start", "compacting", "compacted", "session-start", "prompt", "tool",
    "edit", "prompt", "other", "prompt", "tool", "stop", "session-end", "session-start", "prompt",
    "tool", "stop", "session-end",
)  # fmt: skip
"""The kinds of events of a day, as recorded ones have them; "edit" is a file that changes and a tool."""
LOOKING_BACK = (
    "status", "status --format json", "session list --format json", "session show day-1",
    "log --format json", "log", "audit", "coverage", "memory list", "context --session day-1",
    "context --session day-1 --delivery", "recover --session day-1", "handoff --session day-1",
    "learn list", "doctor --runs 1", "diagnose", "check", "session reset day-1", "session clean",
)  # fmt: skip
SHORT_LOOK = ("status --format json", "session show day-1", "log --format json")
DAY_CLIENTS = tuple(dict.fromkeys(Path(name).parts[0] for name in NAMES))


def day_cases(client: str, project: Path, home: Path) -> Iterator[Case]:
    """A day of a client, made of its recorded events, and what is looked at in the evening."""
    events: dict[str, list[Any]] = {}
    for name in NAMES:
        if Path(name).parts[0] == client and "terminal" not in name and "nameless" not in name:
            event = recorded(name, project, home)
            events.setdefault(event.kind, []).append(event)
    prompts = edits = 0
    for number, kind in enumerate(DAY):
        choices = events.get("tool" if kind == "edit" else kind)
        if not choices:
            continue
        event = choices[number % len(choices)]
        places = {str(event.event.get("session_id") or "no session"): "day-1"}
        changes = dict(event.files)
        if kind == "prompt":
            text = event.event.get("prompt")
            if text:
                places[text] = PROMPTS[prompts % len(PROMPTS)]
            prompts += 1
        if kind == "edit":
            path, content = EDITS[edits % len(EDITS)]
            changes[path] = content
            places |= {str(file): str(project / path) for file in event.event.get("files", ())}
            edits += 1
        yield Case(
            f"{number} {kind}",
            ["hook", *event.arguments],
            json.dumps(replace_texts(event.stdin, places)),
            "fork",
            changes,
            {name: places.get(text, text) for name, text in event.environment.items()},
        )
    for line in LOOKING_BACK if client == "claude" else SHORT_LOOK:
        yield Case(line, shlex.split(line))


CORRECTION = "No, use pnpm instead of npm in this repository, always."
ERROR = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:5432"
TYPED = (
    "*synapse", "*synapse elephant", "*synapse edit testing 0 --remove", "*synapse add docs Be kind",
    "*synapse yes", "*synapse toggle testing", "*synapse yes", "*synapse create api-design",
    "*synapse yes", "*synapse explain GLOBAL_RULE_0", "*synapse why GLOBAL_RULE_77", "*synapse debug on",
    "*synapse debug off", "*synapse-status and *synapse reload", "*carl", "`*brief` is no command",
)  # fmt: skip
"""What a person types beside the names of all sub-commands."""


class StorySession(Session):
    """A session of Claude Code whose hook runs in the program that is compared. call: runs a case and
    returns what it says.
    """

    def __init__(self, root: Path, name: str, call: Callable[[Case], str]) -> None:
        super().__init__(root, name)
        self.call = call

    def call_hook(self, name: str, raw: dict[str, Any]) -> dict[str, Any]:
        """Has the hook answer an event."""
        variables = {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": str(self.root)}
        words = ["hook", "--client", "claude", "--event", name]
        title = " ".join((name, str(raw.get("prompt", ""))))
        said = self.call(Case(title, words, json.dumps(raw), environment=variables))
        try:
            reply = json.loads(said)
        except ValueError:
            return {}
        return reply if isinstance(reply, dict) else {}


def play_story(root: Path, call: Callable[[Case], str]) -> None:
    """Two sessions with a transcript: the window fills, a correction, errors that come back, a
    compaction, all that `*synapse` answers, an end, and one that goes on.
    """
    session = StorySession(root, "day-1", call)
    session.start()
    session.ask("@dev Add a refund endpoint, with a unit test", "On it.")
    session.ask(CORRECTION, "Understood, pnpm it is.")
    for _ in range(3):
        session.runs("pnpm test", error=ERROR)
    session.edits("src/refund.ts")
    session.edits(".synapse/testing")
    session.ask("Good. Now the webhook", "We decided to keep the webhook synchronous.")
    for used in (90_000, 130_000, 160_000, 185_000):
        session.used = used
        session.ask("*brief Go on with the readme and the coverage", "The README still needs work.")
        session.runs("git push")
    state = {"current_usage": {"input_tokens": 185_000}, "context_window_size": 200_000}
    shown = {"session_id": "day-1", "cwd": str(root), "context_window": state}
    call(Case("statusline", ["statusline"], json.dumps(shown)))
    session.compacts()
    for name in SUB_COMMANDS:
        session.ask(f"*synapse {name}")
    for text in TYPED:
        session.ask(text)
    session.ask("@qa What about keys?", "TODO: keys are not yet handled.")
    session.event("SessionEnd", reason="clear")
    for line in LOOKING_BACK[:-2]:
        call(Case(line, shlex.split(line)))
    session = StorySession(root, "day-2", call)
    session.start()
    session.ask("@dev Where were we?", "At the README.")
    for line in LOOKING_BACK:
        call(Case(line, shlex.split(line)))


def replace_texts(value: Any, texts: dict[str, str]) -> Any:
    """``value`` with other texts in the place of whole ones."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, dict):
        return {key: replace_texts(item, texts) for key, item in value.items()}
    return [replace_texts(item, texts) for item in value] if isinstance(value, list) else value
