"""A day with an agent: who works on what, what is told when, and what is taken back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.integrations import hook_event
from tests.hooks.day_oracle import Believer, Tree
from tests.hooks.hook_clients import Scripted
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.support import corpus

AGENTS = ("dev", "qa", "po", "architect", "devops")
BRACKETS = (("FRESH", 60), ("MODERATE", 40), ("DEPLETED", 25), ("CRITICAL", 0))
WINDOW = 200_000
LEFT = "TODO: tag the release."
STATE = """\
workflow_id: story-development-cycle
workflow_name: Story Development Cycle
instance_id: story-development-cycle-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00.000Z'
updated_at: '2026-01-02T11:00:00.000Z'
status: {status}
current_phase: {phase}
current_step_index: 0
steps:
  - {{step_index: 0, phase: {phase}, agent: {agent}, action: build, status: pending}}
"""
STATE_FILE = ".aiox/story-development-cycle-20260102-abc123-state.yaml"


@dataclass(frozen=True)
class Step:
    """A turn of the day: what is typed, and what must be so at its end. ``used``: tokens in use.
    ``agent``, ``story``, ``phase``: who works on what then, as the script of the day has it. ``before``:
    what happens before the turn, ``within``: in its middle.
    """

    prompt: str
    agent: str
    used: int
    story: str = ""
    phase: str = ""
    before: str = ""
    within: str = ""


def script() -> list[Step]:
    """Sixty-odd turns: five agents, two stories, a squad, keywords, phases, two compactions, a resume."""
    day: list[Step] = []
    used = 6_000

    def add(prompt: str, agent: str = "", **more: str) -> None:
        nonlocal used
        day.append(Step(prompt, agent, used, **more))
        used += 2_400

    add("good morning, what is on the list?")
    add("let us look at the coverage first")
    add("@po which story is next?", "po")
    for text in ("and what does the refund flow need?", "write that down"):
        add(text, "po")
    add("@dev *develop 123.2", "dev", story="123.2")
    for text in ("read the code first", "add a unit test", "go on", "fix the password check"):
        add(text, "dev", story="123.2")
    add("go on", "dev", story="123.2", phase="in_development", before="state in_development")
    for text in ("next", "what about the refund?", "please finish", "run the checks"):
        add(text, "dev", story="123.2", phase="in_development")
    add("tidy up", "dev", story="123.2", phase="in_development", before="edit")
    add("@qa *qa-gate 123.2", "qa", story="123.2", phase="in_development")
    add("is it good?", "qa", story="123.2", phase="qa_review", before="state qa_review")
    for text in ("look at the coverage again", "and the edge cases?", "what is missing?"):
        add(text, "qa", story="123.2", phase="qa_review")
    add("@dev go on with it", "dev", story="123.2", phase="qa_review", before="subagent")
    used = 30_000
    add("*develop 123.5", "dev", story="123.5", phase="qa_review", before="compact")
    for number in range(8):
        within = "compact" if number == 4 else ""
        add(f"part {number} of it", "dev", story="123.5", phase="qa_review", within=within)
    for number in range(14):
        add(f"then part {number}", "dev", story="123.5", phase="qa_review")
    add("@architect does that fit?", "architect", phase="qa_review")
    add("what about a unit test of it?", "architect", phase="qa_review")
    used = 118_000
    for number in range(6):
        add(f"design part {number}", "architect", phase="qa_review")
    used = 146_000
    add("@devops are we ready to release?", "devops", phase="qa_review", before="resume")
    for text in ("check the password rules once more", "and the pipeline", "anything else?"):
        add(text, "devops", phase="qa_review")
    used = 165_000
    for text in ("sum up", "what is open?", "write the notes"):
        add(text, "devops", phase="qa_review")
    add("that is it for today", "devops", before="state done")
    used = 5_000
    add("good morning, where were we?", before="begin")
    add("@dev go on with it", "dev")
    add("*develop 123.5", "dev", story="123.5")
    return day


class Day:
    """The client, the tree and the agent of a day."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        self.client = Scripted(root, limit=60_000)
        if not tools:
            self.client.takes.discard(hook_event.TOOL)
        self.tools = tools
        self.tree = Tree(
            root,
            {"testing": ("coverage", "unit test"), "secrets": ("password",)},
            {"refund": root / "squads/pay-squad/.synapse/refunds"},
        )
        self.agent = Believer()
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.gone: set[str] = set()

    def play(self, number: int, step: Step) -> None:
        getattr(self, f"_before_{step.before.split(' ')[0]}", lambda _: None)(step)
        self.client.figures = {"used": step.used, "window": WINDOW}
        self.agent.read(self.client.prompt(step.prompt))
        self.asked += self.tree.matched(step.prompt)
        if step.within:
            self._compact()
        for _ in range(3):
            self.agent.read(self.client.tool("README.md") if self.tools else "")
        if not (step.within and not self.tools):
            self._judge(number, step)

    def _before_state(self, step: Step) -> None:
        phase = step.before.split(" ")[1]
        status = "completed" if phase == "done" else "active"
        agent = "qa" if phase == "qa_review" else "dev"
        path = self.tree.root / STATE_FILE
        path.parent.mkdir(exist_ok=True)
        path.write_text(STATE.format(phase=phase, status=status, agent=agent), encoding="utf-8")
        self.agent.read(self.client.tool(STATE_FILE) if self.tools else "")

    def _before_edit(self, _: Step) -> None:
        path = self.tree.root / ".synapse/global"
        old = self.tree.rules("global")[0]
        path.write_text(path.read_text().replace(old, "Use one style, and keep to it"))
        self.gone.add(old)

    def _before_subagent(self, _: Step) -> None:
        self.client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="qa")

    def _before_resume(self, _: Step) -> None:
        self.agent.read(self.client.send(hook_event.SESSION_START, source="resume"))

    def _before_compact(self, _: Step) -> None:
        self._compact()

    def _before_begin(self, _: Step) -> None:
        said = answer(9_000, "TODO: tag the release.", second=2)
        transcript = self.tree.root / "transcript.jsonl"
        transcript.write_bytes(lines_of(prompt("Write the notes", 1), said))
        self.client.send(hook_event.SESSION_END, transcript=str(transcript))
        self.client.session = "session-2"
        self._forget()
        self.agent.read(self.client.send(hook_event.SESSION_START, source="startup"))

    def _compact(self) -> None:
        self.client.figures = {"used": 12_000, "window": WINDOW}
        self.client.send(hook_event.COMPACTING)
        self._forget()
        self.agent.read(self.client.send(hook_event.SESSION_START, source="compact"))

    def _forget(self) -> None:
        tokens = self.agent.tokens
        self.agent = Believer()
        self.agent.tokens = tokens
        self.asked.clear()

    def _judge(self, number: int, step: Step) -> None:
        left = 100 - 100 * step.used / WINDOW
        bracket = next(name for name, floor in BRACKETS if left >= floor)
        wanted = [*self.tree.always(), *self.tree.agent(step.agent), *self.asked]
        wanted += [] if step.within else self.tree.bracket(bracket)
        wanted += self.tree.phase(step.phase) if step.phase else []
        for text in wanted:
            self._check(number, step, "lacks", text, not self.agent.believes(text))
        void = set(self.gone)
        for name in AGENTS:
            void |= set(self.tree.agent(name)) if name != step.agent else set()
        for phase in ("validated", "in_development", "qa_review"):
            void |= set(self.tree.phase(phase)) if phase != step.phase else set()
        for name, _ in BRACKETS:
            void |= set(self.tree.bracket(name)) if name != bracket and not step.within else set()
        for text in void - set(wanted):
            self._check(number, step, "believes", text, self.agent.believes(text))
        warned = bool(self.agent.lines_with("Little of the context window is left"))
        self._check(number, step, "is warned", f"{warned}", warned != (bracket == "CRITICAL"))
        if warned:
            waiting = (
                "Waiting: @dev has dev-develop-story, story 123.5; @qa has qa-gate, story 123.2"
            )
            self._check(number, step, "lacks", waiting, not self.agent.lines_with(waiting))
        if step.before == "begin":
            self._check(number, step, "lacks", LEFT, not self.agent.believes(LEFT))
        stories = self.agent.lines_with("Story: ")
        expected = {f"Story: {step.story}"} if step.story else set()
        self._check(number, step, "works on", f"{stories}", stories != expected)

    def _check(self, number: int, step: Step, what: str, text: str, wrong: bool) -> None:
        if wrong:
            self.wrong.append(f"{number} {step.prompt!r} (@{step.agent}): {what} {text}")


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Day]:
    """Begins the day in a copy of a real tree, to which keywords and a squad are added."""
    root = tmp_path / "tree"
    shutil.copytree(corpus() / "aiox", root)
    for state in (root / ".aiox").glob("*state.yaml"):
        state.unlink()
    write = {
        ".synapse/config.toml": 'profile = "synapse-live"\n[lint]\n',
        ".synapse/testing": "TESTING_RULE_0=A test has one reason to fail\n"
        "TESTING_RULE_1=No test is inactive\n",
        ".synapse/secrets": "SECRETS_RULE_0=No secret is ever written to a log\n",
        "squads/pay-squad/squad.yaml": "name: pay-squad\nversion: 1.0.0\n",
        "squads/pay-squad/.synapse/manifest": "REFUNDS_STATE=active\nREFUNDS_RECALL=refund\n",
        "squads/pay-squad/.synapse/refunds": "REFUNDS_RULE_0=A refund is booked once\n",
    }
    for path, text in write.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with (root / ".synapse/manifest").open("a", encoding="utf-8") as manifest:
        manifest.write("\nTESTING_STATE=active\nTESTING_RECALL=coverage,unit test\n")
        manifest.write("SECRETS_STATE=active\nSECRETS_RECALL=password\n")
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    return lambda tools: Day(root, tools=tools)


@pytest.mark.parametrize("tools", [True, False], ids=["context with tools", "with prompts alone"])
def test_at_the_end_of_each_turn_the_agent_has_what_applies_and_nothing_else(
    begin: Callable[[bool], Day], tools: bool
) -> None:
    day = begin(tools)
    steps = script()
    assert len(steps) >= 60
    for number, step in enumerate(steps, 1):
        day.play(number, step)
    assert "\n".join(day.wrong) == ""
