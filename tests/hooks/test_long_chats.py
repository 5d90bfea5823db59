"""The turns of a long chat, as they were recorded in a real VS Code, replayed through the hook of clients
that cannot be run: Cursor by each of its channels and Copilot's agent in the cloud, by their documented
schemas. What a model would have in each request is put together as the documentation says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from synapse_ls.integrations.copilot import CLIENT as COPILOT
from synapse_ls.integrations.cursor import CLIENT as CURSOR
from tests.hooks.test_deliver_starts import Session

SHOWCASE = Path(__file__).parent.parent / "workspaces" / "showcase"
CHAT: list[dict[str, Any]] = json.loads((Path(__file__).parent / "long_chat.json").read_text())
ALWAYS = ("constitution", "global", "money")
WINDOW = 144_000


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return copytree(SHOWCASE, tmp_path / "showcase")


def rules(root: Path, *files: str) -> list[str]:
    """The texts of the rules of these files, as they are now."""
    pattern = re.compile(r"^\w+_(?:RULE|AUTH)_\w+=(.+)$", re.MULTILINE)
    return [t for f in files for t in pattern.findall((root / ".synapse" / f).read_text())]


class Replay:
    """A conversation of a client: what its events bring, and what of that a request has.

    started: what came with its start, which each request has; kept: what came since and stands until
    a compaction; passing: what is in the requests of this turn alone.
    """

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name = root, name
        self.started = self.passing = ""
        self.kept: list[str] = []

    def begin(self, prompt: str) -> None:
        """Begins the conversation that ``prompt`` opens."""
        raise NotImplementedError

    def prompt(self, text: str) -> None:
        """Sends a prompt."""
        raise NotImplementedError

    def tool(self) -> None:
        """Lets the model use a tool, after which it is asked again."""
        raise NotImplementedError

    def answer(self, tokens: int) -> None:
        """Ends the turn, whose prompt had so many tokens."""

    def compact(self, how: str, tokens: int) -> None:
        """Compacts the history."""
        raise NotImplementedError

    @property
    def request(self) -> str:
        """What the model would read of us."""
        return "\n".join((self.started, *self.kept, self.passing))


class Cursor(Replay):
    """Cursor by its documentation, and by what was reported of versions.

    hears_prompts: it takes what the reply to a prompt says, for that turn. hears_start: it does not lose
    what a start says. calls_prompts: it calls the hook for prompts and for the end of a turn.
    """

    def __init__(
        self,
        root: Path,
        version: str,
        *,
        hears_prompts: bool = True,
        hears_start: bool = True,
        calls_prompts: bool = True,
    ) -> None:
        super().__init__(root, "cursor")
        self.version = version
        self.hears_prompts, self.hears_start = hears_prompts, hears_start
        self.calls_prompts = calls_prompts
        self.conversations = self.prompts = 0

    def begin(self, prompt: str) -> None:
        self.conversations += 1
        name = f"conv-{self.conversations}"
        self.kept = []
        self.session = Session(
            self.root,
            CURSOR,
            conversation_id=name,
            session_id=name,
            model="claude-sonnet-5-5",
            workspace_roots=[str(self.root)],
            cursor_version=self.version,
            user_email=None,
            transcript_path=None,
        )
        told = self.session.send("sessionStart", is_background_agent=False, composer_mode="agent")
        self.started = told if self.hears_start else ""

    def prompt(self, text: str) -> None:
        self.passing = ""
        self.prompts += 1
        self.session.common["generation_id"] = f"gen-{self.prompts}"
        if self.calls_prompts:
            fields: dict[str, Any] = {"prompt": text, "attachments": [], "composer_mode": "agent"}
            told = self.session.send("beforeSubmitPrompt", **fields)
            self.passing = told if self.hears_prompts else ""

    def tool(self) -> None:
        fields: dict[str, Any] = {
            "tool_name": "Read",
            "tool_input": {"file_path": str(self.root / "README.md")},
        }
        self.kept.append(self.session.send("postToolUse", **fields, tool_output="{}"))

    def answer(self, tokens: int) -> None:
        if self.calls_prompts:
            size = [{"id": "context", "value": "144k"}]
            self.session.send("stop", status="completed", input_tokens=tokens, model_params=size)

    def compact(self, how: str, tokens: int) -> None:
        trigger = "auto" if how == "background" else "manual"
        sizes = {"context_tokens": tokens, "context_window_size": WINDOW}
        self.session.send("preCompact", trigger=trigger, **sizes)
        self.kept = []


class Cloud(Replay):
    """Copilot's agent in the cloud: a job has one prompt, which its start tells; replies to prompts are
    dropped, those to tools stand.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root, "copilot")
        self.jobs = 0

    def begin(self, prompt: str) -> None:
        self.jobs += 1
        self.kept = []
        self.session = Session(self.root, COPILOT, sessionId=f"job-{self.jobs}", cwd=str(self.root))
        self.kept.append(self.session.send("sessionStart", source="new", initialPrompt=prompt))
        self.session.send("userPromptSubmitted", prompt=prompt)

    def prompt(self, text: str) -> None:
        """There is none after the first."""

    def tool(self) -> None:
        result = {"resultType": "success", "textResultForLlm": "done"}
        arguments = {"path": str(self.root / "README.md")}
        fields: dict[str, Any] = {"toolName": "view", "toolArgs": arguments, "toolResult": result}
        self.kept.append(self.session.send("postToolUse", **fields))

    def compact(self, how: str, tokens: int) -> None:
        self.session.send("preCompact", trigger="auto" if how == "background" else "manual")
        self.kept = []


def turns_of(chat: Replay) -> Iterator[tuple[str, dict[str, Any]]]:
    """Plays the chat and yields each turn when its prompt is sent, with what the check is about."""
    tokens = 0
    for number, phase in enumerate(CHAT):
        if edit := phase.get("edit"):
            path = chat.root / edit["file"]
            path.write_text(path.read_text().replace(edit["text"], edit["becomes"]))
        if number == 0 or phase.get("new"):
            chat.begin(phase["turns"][0]["prompt"])
        if how := phase.get("compaction"):
            chat.compact(how, tokens)
        for turn in phase["turns"]:
            chat.prompt(turn["prompt"])
            yield phase["check"], turn
            tokens = turn["tokens"]
            chat.answer(tokens)


def missing(chat: Replay, *files: str) -> list[str]:
    """The rules that a request lacks."""
    return [text for text in rules(chat.root, *files) if text not in chat.request]


def test_the_chat_has_twenty_five_turns() -> None:
    assert sum(len(phase["turns"]) for phase in CHAT) == 25


def test_cursor_has_all_rules_in_each_request_where_prompts_are_heard(root: Path) -> None:
    chat, agent = Cursor(root, "3.20.17"), ""
    for check, turn in turns_of(chat):
        agent = turn.get("agent", agent)
        wanted = [*ALWAYS, f"agent-{agent}", *filter(None, [turn.get("keyword")])]
        assert not missing(chat, *wanted), check
        if turn.get("tool"):
            chat.tool()
            assert not missing(chat, *wanted), check


@pytest.mark.parametrize("hears_start", [True, False])
def test_cursor_has_all_rules_after_the_first_tool_where_prompts_are_not_heard(
    root: Path, hears_start: bool
) -> None:
    chat, agent = Cursor(root, "3.12.17", hears_prompts=False, hears_start=hears_start), ""
    for check, turn in turns_of(chat):
        agent = turn.get("agent", agent)
        chat.tool()
        wanted = [*ALWAYS, f"agent-{agent}", *filter(None, [turn.get("keyword")])]
        assert not missing(chat, *wanted), check


def test_cursor_in_print_mode_has_the_rules_that_need_no_prompt(root: Path) -> None:
    chat = Cursor(root, "2026.11.05-a1b2c3", calls_prompts=False)
    for check, _turn in turns_of(chat):
        chat.tool()
        assert not missing(chat, *ALWAYS), check


def test_the_agent_in_the_cloud_has_what_its_task_wants_in_each_request(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_AGENT_JOB_ID", "1")
    chat = Cloud(root)
    for check, _turn in turns_of(chat):
        chat.tool()
        assert not missing(chat, *ALWAYS, "agent-dev"), check


def test_cursor_is_not_told_twice_what_stands(root: Path) -> None:
    chat = Cursor(root, "3.20.17")
    for check, _turn in turns_of(chat):
        assert chat.request.count("[CONSTITUTION]") <= 2, check
