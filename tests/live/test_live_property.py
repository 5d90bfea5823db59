"""Whatever happens in an editor and on disk, the tree is as one that starts in that state."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from synapse_ls.live.live_tree import LiveTree
from tests.ide.views import STATE
from tests.support import examples

NOW = 1_800_000_000.0
VERSIONS = {
    ".synapse/manifest": (
        "GLOBAL_STATE=active\nX_STATE=active\nX_RECALL=a test, b\nY_AGENT_TRIGGER=dev\n",
        "GLOBAL_STATE=active\nGLOBAL_EXCLUDE=pipe\nX_ALWAYS_ON=true\nY_AGENT_TRIGGER=qa\n",
        "nonsense\n",
    ),
    ".synapse/global": ("GLOBAL_RULE_0=a\n", "GLOBAL_RULE_0=b\nGLOBAL_RULE_0=c\n"),
    ".synapse/x": ("X_RULE_0=x\n", "Y_RULE_0=y\nb\n", "plain\n"),
    ".synapse/config.toml": (
        "profile = 'synapse-live'\n",
        "[lint]\nignore = ['SYN2']\n[paths]\nsquads = ['teams']\n",
        "[paths]\nagents = ['team']\n",
    ),
    ".claude/agents/dev.md": ("---\nname: dev\n---\n", "---\nname: qa\n---\n"),
    "squads/s/squad.yaml": (
        "name: s\nversion: 1.0.0\n",
        "name: s\nversion: 1.0.0\nconfig: {extends: override}\n",
    ),
    "squads/s/.synapse/manifest": (
        "S_EXTENDS=none\nP_STATE=active\nP_RECALL=a pipe\n",
        "X_ALWAYS_ON=true\nQ_STATE=active\n",
    ),
    "squads/s/.synapse/rules": ("P_RULE_0=a\nQ_RULE_0=b\n", "a\n"),
    "teams/t/.synapse/manifest": ("T_ALWAYS_ON=true\nnonsense\n",),
    "teams/t/.synapse/t": ("T_RULE_0=t\n",),
    ".aiox/a-state.yaml": (STATE, STATE.replace("index: 0\nsteps", "index: 1\nsteps")),
    "docs/stories/s1.md": ("# Story 1: A\n", "# Story 1: B\n\n- [ ] c\n"),
}
PATHS = st.sampled_from(sorted(VERSIONS))


class Life(RuleBasedStateMachine):
    """Files and buffers that come, change and go."""

    @initialize(files=st.sets(PATHS))
    def begin(self, files: set[str]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name) / "tree"
        self.buffers: dict[str, str] = {}
        self.drafts: set[str] = set()  # buffers without a file, edited since
        self.filed: set[str] = set()
        self.started: LiveTree | None = None  # on the disk as it is now, without the buffers
        for path in files:
            self._write(path, VERSIONS[path][0])
        self.tree = LiveTree(str(self.root), clock=lambda: NOW)
        self.tree.load()
        self.before = self._diagnostics(self.tree)
        self.started = started = self._start()
        self.block = started.view().assembly.text

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(path=PATHS, number=st.integers(0, 2))
    def edit(self, path: str, number: int) -> None:
        text = self._type(path, number)
        self._check(self.tree.edit(path, text).diagnostics)

    @rule(path=PATHS, numbers=st.lists(st.integers(0, 2), min_size=1, max_size=3))
    def type_and_pause(self, path: str, numbers: list[int]) -> None:
        for number in numbers:
            text = self._type(path, number)
            self._check(self.tree.begin_edit(path, text).diagnostics)
            assert self.tree.text(path) == text
            self._check(self.tree.settle(lambda: True).diagnostics)
        self._check(self.tree.settle().diagnostics)
        assert self.tree.is_settled

    @rule(path=PATHS, number=st.integers(0, 2))
    def type_and_turn_to_another(self, path: str, number: int) -> None:
        text = self._type(path, number)
        self._check(self.tree.begin_edit(path, text).diagnostics)
        self._on_disk(path)
        self._check(self.tree.settle().diagnostics)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(self.buffers)))
        del self.buffers[path]
        self.drafts.discard(path)
        self.filed.discard(path)
        self._check(self.tree.close(path).diagnostics)

    @rule(path=PATHS, number=st.integers(0, 2), everything=st.booleans())
    def save(self, path: str, number: int, *, everything: bool) -> None:
        self._write(path, VERSIONS[path][number % len(VERSIONS[path])])
        self._on_disk("" if everything else path)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)
        self._on_disk(path)

    @rule(folder=st.sampled_from(["", ".synapse", "squads", "squads/s", "teams", ".claude/agents"]))
    def move_away_and_back(self, folder: str) -> None:
        here = self.root / folder
        there = self.root.with_name("away")
        if here.exists():
            here.rename(there)
            self._on_disk(folder)
            there.rename(here)
            self._on_disk(folder)

    @invariant()
    def is_as_a_fresh_start(self) -> None:
        fresh, self.started = self.started or self._start(), None
        for path, text in self.buffers.items():
            fresh.open(path, text)
            if path in self.drafts:
                fresh.edit(path, "")
                fresh.edit(path, text)
        assert self._diagnostics(self.tree) == self._diagnostics(fresh)
        assert self.tree.view().assembly.text == fresh.view().assembly.text
        prompt = "a test and a pipe"
        live, anew = (tree.view().block("MODERATE", prompt=prompt) for tree in (self.tree, fresh))
        assert live.text == anew.text

    def _type(self, path: str, number: int) -> str:
        """The next text of a buffer."""
        text = VERSIONS[path][number % len(VERSIONS[path])]
        there = (self.root / path).exists()
        if self.buffers.get(path) != text and not there:
            self.drafts.add(path)
        if there:
            self.filed.add(path)
        self.buffers[path] = text
        return text

    def _on_disk(self, path: str) -> None:
        there = {one for one in self.buffers if (self.root / one).exists()}
        self.drafts -= there | (self.filed - there)
        self.filed = there
        changes = self.tree.update_from_disk([path])
        self._check(changes.diagnostics)
        self.started = started = self._start()
        before, self.block = self.block, started.view().assembly.text
        assert changes.context == (before != self.block)

    def _start(self) -> LiveTree:
        """A tree that knows the disk alone: its block is what an agent would get."""
        started = LiveTree(str(self.root), clock=lambda: NOW)
        started.load()
        return started

    def _check(self, told: frozenset[str]) -> None:
        """The paths that were told are those whose diagnostics are others than before."""
        now = self._diagnostics(self.tree)
        paths = self.before.keys() | now.keys()
        assert told == {path for path in paths if self.before.get(path) != now.get(path)}
        self.before = now

    def _diagnostics(self, tree: LiveTree) -> dict[str, object]:
        return {path: tree.diagnostics(path) for path in tree.paths_with_diagnostics()}

    def _write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


Life.TestCase.settings = settings(
    max_examples=examples(60),
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestLife = pytest.mark.timeout(900)(Life.TestCase)
