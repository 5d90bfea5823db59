"""The score of an agent of Chati.dev, from its own state, in the decision for a new session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.hooks.session_continuation import count_for_handoff, read_standing
from synapse_ls.hooks.session_recovery import CONTINUE, SPAWN, agent_score, decide_handoff
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.support import corpus
from tests.trees import write_tree

SESSION = ".chati/session.yaml"
HANDOFF = "chati.dev/artifacts/handoffs/dev-handoff.md"


def session(agent: str = "dev", **scores: str) -> str:
    agents = "".join(f"  {name}: {{{said}, criteria_count: 4}}\n" for name, said in scores.items())
    return (
        "project: {name: app, type: greenfield, state: build}\nmode: build\nlanguage: en\n"
        f"execution_mode: interactive\ncurrent_agent: {agent}\nagents:\n{agents}"
    )


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that Chati.dev was installed into."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    root = tmp_path / "app"
    shutil.copytree(corpus() / "chati", root, copy_function=shutil.copy)
    for path in (root, *(one for one in root.rglob("*") if one.is_dir())):
        path.chmod(0o755)
    return root


def written(root: Path, text: str) -> None:
    write_tree(root, {SESSION: text})


def begun(root: Path, text: str) -> Claude:
    """A session of the client that was compacted while Chati's own said ``text``."""
    written(root, text)
    client = Claude(root)
    client.transcript.write_bytes(
        lines_of(prompt("Build it.", 1), answer(9_000, "Done.", second=2))
    )
    client.prompt("go on")
    client.send("PreCompact", trigger="auto")
    client.prompt("go on")
    return client


def now(root: Path, client: Claude) -> tuple[float | None, float | None, str]:
    """The score before the compaction and now, and what is decided."""
    counters = count_for_handoff(read_standing(str(root), client.session))
    return counters.score_before, counters.score_after, decide_handoff(counters).action


def test_a_score_that_falls_after_a_compaction_asks_for_a_new_session(root: Path) -> None:
    client = begun(root, session(dev="status: in_progress, score: 92"))
    assert now(root, client) == (92.0, 92.0, CONTINUE)
    written(root, session(dev="status: in_progress, score: 78.2"))
    assert now(root, client) == (92.0, 78.2, CONTINUE)  # 15 % are not more than 15 %
    written(root, session(dev="status: needs_revalidation, score: 78"))
    assert now(root, client) == (92.0, 78.0, SPAWN)


def test_the_prompt_that_sees_the_fall_advises_a_new_session_once(root: Path) -> None:
    client = begun(root, session(dev="status: in_progress, score: 92"))
    texts = [client.prompt("go on")]
    written(root, session(dev="status: in_progress, score: 70"))
    texts += [client.prompt("go on"), client.prompt("and on")]
    assert ["A new session is better from here" in text for text in texts] == [False, True, False]


def test_the_score_of_another_agent_is_no_fall(root: Path) -> None:
    scores = {"dev": "status: completed, score: 95", "devops": "status: in_progress, score: 40"}
    client = begun(root, session(**scores))
    written(root, session("devops", **scores))
    assert now(root, client) == (None, 40.0, CONTINUE)


@pytest.mark.parametrize(
    "said", ["status: pending, score: 0", "status: in_progress", "score: .nan"]
)
def test_what_is_no_score_is_unknown(root: Path, said: str) -> None:
    client = begun(root, session(dev="status: in_progress, score: 92"))
    written(root, session(dev=said))
    assert now(root, client) == (92.0, None, CONTINUE)


def test_an_agent_without_a_score_has_that_of_its_hand_off(root: Path) -> None:
    text = "---\nfrom_agent: dev\nstatus: complete\nscore: 88\n---\n\n# Handoff: dev\n\n## Summary\n\nDone.\n"
    write_tree(root, {HANDOFF: text})
    written(root, session(dev="status: completed, score: 0"))
    client = Claude(root)
    client.prompt("go on")
    assert agent_score(read_standing(str(root), client.session).plan, "dev") == 88.0


def test_a_result_of_the_session_manager_counts_too(root: Path) -> None:
    text = session() + "completed_agents: [dev]\nagent_results: {dev: {score: 91}}\n"
    written(root, text)
    client = Claude(root)
    client.prompt("go on")
    assert agent_score(read_standing(str(root), client.session).plan, "dev") == 91.0
