"""An agent brought up: in time whatever hangs, and without touching another session."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.activation import (
    active_story,
    agent_activation,
    agent_definition,
    agent_handoff,
    framework_settings,
    project_status,
    workflow_position,
)
from synapse_ls.activation.agent_activation import (
    LOADER_NAMES,
    Activation,
    ActivationRequest,
    activate_agent,
    record_activation,
)
from synapse_ls.formats.session_file import SessionState
from synapse_ls.queries.activation_report import activated_agent_report
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.session_lookup import OWN_VARIABLE, SESSION_VARIABLES, own_session
from synapse_ls.storage import session_changes
from synapse_ls.storage.current_plan import CurrentPlan, load_plan
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.user_error import UserError
from tests.activation.crew import STATE, crew, git, repository, state
from tests.chati_trees import SAME
from tests.support import PATIENT_ACTIVATION
from tests.trees import write_tree

NOW = 1_800_000_000.0
SOURCES: dict[str, tuple[Any, str]] = {
    "definition": (agent_definition, "load_definition"),
    "permission": (framework_settings, "load_permission"),
    "project": (project_status, "load_project"),
    "preferences": (framework_settings, "load_preferences"),
    "story": (active_story, "load_story"),
    "workflow": (agent_activation, "find_whereabouts"),
    "handoff": (agent_handoff, "latest_handoff"),
    "memory": (agent_definition, "load_memories"),
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(agent_activation.TIMEOUT_VARIABLE, PATIENT_ACTIVATION)
    for name in SESSION_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(crew(tmp_path / "tree", **{STATE: state(2)}), "feat/1.1-login")


@pytest.fixture
def never() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def up(root: Path, agent: str = "dev", deadline: float = 120.0, **wish: Any) -> Activation:
    return activate_agent(str(root), agent, ActivationRequest(**wish), now=NOW, deadline=deadline)


def begun(root: Path, session: str, prompts: int = 1, **fields: Any) -> SessionStore:
    store = SessionStore(sessions_folder(str(root)))

    def change(session: SessionState) -> None:
        for number in range(prompts):
            session_changes.record_prompt(session, f"Prompt number {number}", NOW - 60)
        changed = SessionState({**session.to_document(), **fields})
        vars(session).update(vars(changed))

    store.update(session, change, cwd=str(root), now=NOW - 60)
    return store


def test_every_source_has_a_loader() -> None:
    assert tuple(SOURCES) == LOADER_NAMES


def test_all_is_found_out(root: Path) -> None:
    found = up(root)
    facts = found.facts
    assert found.quality == "full"
    assert facts.agent.name == "Ines"
    assert facts.project is not None and facts.project.head is not None
    assert facts.project.head.branch == "feat/1.1-login"
    assert facts.story is not None and facts.story.id == "1.1"
    assert facts.workflow_position is not None and facts.workflow_position.agent_on_turn == "dev"
    assert facts.missing == ()


@pytest.mark.parametrize("name", LOADER_NAMES)
def test_whichever_hangs_the_rest_is_told_in_time(
    name: str, root: Path, never: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hangs(*_: object, **__: object) -> None:
        never.wait()

    monkeypatch.setattr(*SOURCES[name], hangs)
    tier, _ = agent_activation._LOADER_SHARES[name]
    monkeypatch.setitem(agent_activation._LOADER_SHARES, name, (tier, 0.005))
    began = time.monotonic()
    found = up(root)  # the others have all the time that a busy machine may take
    assert time.monotonic() - began < 100
    assert found.outcomes[name].state == "late"
    others = {one.state for other, one in found.outcomes.items() if other != name}
    assert others == {"loaded"}
    assert found.quality == ("fallback" if name == "definition" else "partial")
    assert (found.facts.late, found.facts.missing) == ((name,), ())
    assert f"⚠ not known in time: {name}" in found.greeting.text


@pytest.mark.parametrize("name", LOADER_NAMES)
def test_whichever_fails_the_rest_is_told(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(*SOURCES[name], breaks)
    found = up(root)
    assert found.outcomes[name].state == "failed"
    assert found.outcomes[name].why == "it failed (OSError: the disk is gone)"
    assert {o.state for other, o in found.outcomes.items() if other != name} == {"loaded"}
    assert f"⚠ {name}: it failed" in found.greeting.text


def test_all_that_hangs_at_once_is_no_more_than_one(
    root: Path, never: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in SOURCES.values():
        monkeypatch.setattr(module, name, lambda *_, **__: never.wait())
    found = up(root, deadline=0.05)
    assert found.quality == "fallback"
    assert {one.state for name, one in found.outcomes.items() if name in LOADER_NAMES} == {"late"}
    assert found.greeting.text.startswith("🤖 dev is ready [⚠️ Ask]")


def test_an_agent_is_called_by_its_alias_or_its_name(root: Path) -> None:
    assert up(root, "@dev").agent == "dev"
    assert up(root, "Developer").agent == "dev"
    assert up(root, "ines").agent == "dev"
    with pytest.raises(UserError, match='There is no agent "deev"') as refused:
        up(root, "deev")
    assert refused.value.remedy == "Did you mean dev? The tree has dev, ops, pm, po, qa."


def test_an_agent_of_which_only_rules_know_is_a_fallback(root: Path) -> None:
    found = up(root, "ops")
    assert (found.agent, found.quality) == ("ops", "fallback")
    assert found.facts.missing == ("definition: no definition is called ops",)


def test_without_a_repository_nothing_is_missing(tmp_path: Path) -> None:
    found = up(crew(tmp_path / "plain"))
    if found.facts.project is not None and found.facts.project.head is None:
        assert found.quality == "full"
        assert "no git repository here" in found.greeting.text


def test_a_session_remembers_how_it_went(root: Path) -> None:
    store = begun(root, "s-1")
    found = up(root, session="s-1")
    record_activation(str(root), found, now=NOW)
    session = store.load("s-1")
    assert session is not None
    assert (session.agent.id, session.agent.quality) == ("dev", "full")
    assert tuple(session.agent.loaders) == ("tree", *LOADER_NAMES)
    assert session.agent.loaders["project"]["state"] == "loaded"
    assert session.history.agents == ("dev",)
    assert session.prompt_count == 1


def test_looking_changes_nothing(root: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    up(root)
    assert before == {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}


def test_two_terminals_know_nothing_of_each_other(root: Path) -> None:
    store = begun(root, "one", history={"star_commands_used": ["validate-story-draft", "develop"]})
    begun(root, "two")
    for session, agent in (("one", "dev"), ("two", "qa")):
        record_activation(str(root), up(root, agent, session=session), now=NOW)
    first, second = store.load("one"), store.load("two")
    assert first is not None and second is not None
    assert (first.agent.id, second.agent.id) == ("dev", "qa")
    assert up(root, "po", session="one").facts.history.previous == "dev"
    assert up(root, "po", session="two").facts.history.previous == "qa"
    assert up(root, "po", session="two").facts.history.used == ()
    names = {path.name for path in Path(sessions_folder(str(root))).iterdir()}
    assert {name for name in names if name.endswith(".json")} == {"one.json", "two.json"}


def test_a_terminal_knows_its_own_session(root: Path) -> None:
    assert own_session(str(root), {}) == ("", "no session was active in the last hour")
    recent = time.time()
    store = SessionStore(sessions_folder(str(root)))
    for name in ("one", "two"):
        store.update(
            name, lambda s: session_changes.record_prompt(s, "x y", recent), cwd="", now=recent
        )
        if name == "one":
            assert own_session(str(root), {}) == ("one", "")
    found, why = own_session(str(root), {})
    assert found == ""
    assert why.startswith("2 sessions were active in the last hour (")
    for variable in SESSION_VARIABLES:
        assert own_session(str(root), {variable: "two"}) == ("two", "")
    assert own_session(str(root), {OWN_VARIABLE: "mine"}) == ("mine", "")
    assert own_session(str(root), {SESSION_VARIABLES[1]: "mine"}) == (
        "",
        "the hook does not know this terminal's mine",
    )


def test_a_session_of_another_engine_is_not_taken_for_this_terminal_s(root: Path) -> None:
    now = time.time()
    store = SessionStore(sessions_folder(str(root)))
    store.update("ours", lambda s: session_changes.record_prompt(s, "x", now), cwd="", now=now)
    ours = Path(sessions_folder(str(root)), "ours.json")
    document = {**json.loads(ours.read_text()), "uuid": "theirs"}
    document.pop("checksum")
    ours.with_name("theirs.json").write_text(json.dumps(document))
    assert own_session(str(root), {}) == ("ours", "")
    ours.unlink()
    assert own_session(str(root), {}) == ("theirs", "")


@pytest.mark.parametrize(
    ("prompts", "commands", "with_state", "occasion"),
    [(0, [], True, "new"), (2, [], False, "existing"), (2, [], True, "workflow"),
     (2, ["validate-story-draft", "develop"], False, "workflow")],
)  # fmt: skip
def test_the_occasion_follows_from_the_session(
    prompts: int, commands: list[str], with_state: bool, occasion: str, tmp_path: Path
) -> None:
    root = crew(tmp_path / "tree", **{STATE: state(2) if with_state else ""})
    begun(root, "s", prompts, history={"star_commands_used": commands})
    assert up(root, session="s").facts.occasion == occasion
    assert up(root, session="s", occasion="new").facts.occasion == "new"


@pytest.mark.parametrize(
    ("said", "executor", "text"),
    [("Worker", "Worker", False), ("Humano", "Humano", True), ("Clone", "Clone", True), ("worker", "Worker", False), ("Human", "Humano", True)],
)  # fmt: skip
def test_the_executor_is_the_tasks(said: str, executor: str, text: bool, tmp_path: Path) -> None:
    task = f"# T\n\n```yaml\ntask: t()\nresponsável: X\nresponsavel_type: {said}\n```\n"
    root = crew(tmp_path / "tree", **{".aiox-core/development/tasks/build-login.md": task})
    begun(root, "s", active_task={"id": "build-login", "story": None, "executor_type": None})
    found = up(root, session="s")
    assert found.facts.executor == executor
    assert bool(found.greeting.text) is text
    assert up(root, session="s", executor="Agente").facts.executor == "Agente"


@pytest.mark.parametrize(("said", "executor"), [("Human", "Humano"), ("agent", "Agente")])
def test_english_executors_of_a_session_mean_the_same(
    said: str, executor: str, tmp_path: Path
) -> None:
    root = crew(tmp_path / "tree")
    begun(root, "s", active_task={"id": "t", "story": None, "executor_type": said})
    assert up(root, session="s").facts.executor == executor
    assert up(root, executor="Human").facts.executor == "Humano"


def test_a_configuration_decides_on_greeting_and_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(agent_activation.TIMEOUT_VARIABLE)
    (root / ".synapse/config.toml").write_text(
        '[activation]\ngreeting = "minimal"\ntimeout_ms = 20000\n'
    )
    found = activate_agent(str(root), "dev", now=NOW)
    assert found.greeting.text == "🔧 dev here"
    assert found.quality == "full"
    assert up(root, greeting="named").greeting.text == "🔧 Ines (Builder) is here"


def test_a_tree_that_was_not_read_whole_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*given: Any, **_: object) -> Any:
        found = load_plan(*given)
        found.incomplete, found.notes = True, ("squads: 3 of 9 were not read",)
        return found

    finished = []

    def finish(self: CurrentPlan) -> None:
        finished.append(self)

    monkeypatch.setattr(agent_activation, "load_plan", late)
    monkeypatch.setattr(CurrentPlan, "finish_later", finish)
    found = up(root)
    assert found.quality == "partial"
    assert found.facts.missing == (
        "tree: not all of it was read in time (squads: 3 of 9 were not read)",
    )
    assert len(finished) == 1


def test_the_environment_may_give_more_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".synapse/config.toml").write_text("[activation]\ntimeout_ms = 20\n")
    monkeypatch.setenv(agent_activation.TIMEOUT_VARIABLE, "30000")
    assert activate_agent(str(root), "dev", now=NOW).quality == "full"


def test_memories_are_the_agents_own_and_the_shared_ones(root: Path) -> None:
    from synapse_ls.memory.memory_store import MemoryStore

    store = MemoryStore(str(root))
    for agent, text in (("dev", "Prefer pathlib"), ("qa", "Distrust clocks")):
        store.remember(
            text, now=NOW, type="user_correction", agent=agent, scope="private", explicit=True
        )
    assert "🧠 Prefer pathlib" in up(root).greeting.text
    assert "Distrust clocks" not in up(root).greeting.text
    assert "🧠 Distrust clocks" in up(root, "qa").greeting.text


def test_a_workflow_file_that_is_broken_is_named(root: Path) -> None:
    path = root / ".aiox-core/development/workflows/story-cycle.yaml"
    path.write_text("workflow: [\n")
    found = up(root)
    assert found.facts.workflow_position is not None
    assert found.facts.workflow_position.location.startswith("story-cycle: step 2 of 4")


def test_git_changes_are_seen_at_once(root: Path) -> None:
    up(root)
    (root / "more.txt").write_text("x")
    git(root, "checkout", "-q", "-b", "other")
    known = up(root).facts.project
    assert known is not None and known.head is not None and known.changes is not None
    assert (known.head.branch, known.changes.total) == ("other", 1)


def test_the_report_names_every_part(root: Path) -> None:
    report = to_json(activated_agent_report(up(root)))
    assert report["agent"]["id"] == "dev"
    assert [row["name"] for row in report["loaders"]] == ["tree", *LOADER_NAMES]
    assert report["workflow"]["turn"] == "dev"
    assert report["project"]["branch"] == "feat/1.1-login"
    assert len(report["sections"]) == 8
    assert workflow_position.WorkflowPosition("w", "session", summary="w").location == "w"


def test_agents_and_pipelines_of_chati_dev_count_as_well(tmp_path: Path) -> None:
    label = "# Brief Agent — Problems\n\n## Identity\n\n- **Role**: Extracts problems\n"
    files = {**SAME, "chati.dev/agents/planning/brief.md": label}
    found = up(write_tree(tmp_path / "chati", files), "brief")
    assert found.quality == "full"
    assert found.facts.agent.role == "Extracts problems"
    assert found.facts.workflow_position is not None
    assert (
        found.facts.workflow_position.location == "greenfield-fullstack: step 2 of 9, work, @brief"
    )
    assert found.facts.workflow_position.following_text == "work (@detail)"
