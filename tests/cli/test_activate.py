from __future__ import annotations

import time
from pathlib import Path

import pytest

from synapse_ls.cli import activate
from synapse_ls.storage import session_changes
from synapse_ls.storage.session_store import SessionStore
from tests.activation.crew import STATE, crew, repository, state
from tests.cli.conftest import Synapse


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = crew(tmp_path / "tree", **{STATE: state(2)})
    monkeypatch.chdir(tree)
    return repository(tree, "feat/login")


def session(root: Path, name: str = "s-1") -> SessionStore:
    now = time.time()
    store = SessionStore(str(root / ".synapse/sessions"))
    store.update(
        name, lambda s: session_changes.record_prompt(s, "Hello there", now), cwd="", now=now
    )
    return store


def test_an_agent_greets(synapse: Synapse, root: Path) -> None:
    done = synapse("activate", "dev")
    assert done.code == 0
    assert done.out.startswith(
        "🔧 Ines the Builder is ready [⚠️ Ask]\n\n**Role:** Writes code and tests\n"
    )
    assert "You are on branch `feat/login`, and nothing is changed." in done.out
    assert "note: no session was changed: no session was active in the last hour" in done.err


def test_the_session_of_the_terminal_gets_it(
    synapse: Synapse, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = session(root)
    assert synapse("activate", "dev").err == ""
    document = store.load("s-1")
    assert document is not None and document.agent.id == "dev"
    session(root, "s-2")
    done = synapse("activate", "qa")
    assert "2 sessions were active in the last hour" in done.err
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-2")
    assert synapse("activate", "qa").err == ""
    documents = [store.load(name) for name in ("s-1", "s-2")]
    assert [d.agent.id for d in documents if d] == ["dev", "qa"]


def test_a_session_may_begin_with_it(synapse: Synapse, root: Path) -> None:
    assert synapse("activate", "dev", "--session", "new-one").code == 0
    document = SessionStore(str(root / ".synapse/sessions")).load("new-one")
    assert document is not None and document.agent.id == "dev"


def test_a_dry_run_changes_nothing(synapse: Synapse, root: Path) -> None:
    store = session(root)
    done = synapse("activate", "dev", "--dry-run")
    assert (done.code, done.err) == (0, "")
    document = store.load("s-1")
    assert document is not None and document.agent.id is None


@pytest.mark.parametrize(
    ("consumed", "told"), [("false", "not taken over yet"), ("true", "taken over already")]
)
def test_it_says_what_was_handed_over(
    synapse: Synapse, root: Path, consumed: str, told: str
) -> None:
    path = root / ".aiox/handoffs/handoff-po-to-dev-1.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(f"handoff: {{next_action: Go on}}\nconsumed: {consumed}\n")
    out = synapse("activate", "dev", "--dry-run", "--explain").out
    assert f"@po · .aiox/handoffs/handoff-po-to-dev-1.yaml, {told}" in out
    report = synapse("activate", "dev", "--dry-run", "--format", "json").json["handoff"]
    assert (report["from_agent"], report["consumed"]) == ("po", consumed == "true")


def test_it_explains_itself(synapse: Synapse, root: Path) -> None:
    out = synapse("activate", "dev", "--dry-run", "--explain").out
    assert "quality         full in" in out
    assert "occasion        new · the session has no prompt yet" in out
    assert "§ hints         left out: nothing is remembered, and nothing is missing" in out
    assert f"workflow        story-cycle: step 2 of 4, build, @dev: Build it · {STATE}:15" in out
    assert "definition   loaded" in out


def test_for_a_program(synapse: Synapse, root: Path) -> None:
    session(root)
    report = synapse("activate", "dev", "--format", "json").json
    assert (report["session"], report["recorded"], report["quality"]) == ("s-1", True, "full")
    assert report["agent"]["commands"][2]["arguments"] == "{story}"
    assert report["project"]["branch"] == "feat/login"


def test_without_an_agent_they_are_listed(synapse: Synapse, root: Path) -> None:
    done = synapse("activate")
    assert done.out == (
        "@dev  🔧 Ines — Engineer · 4 commands\n"
        "@pm   Mo\n"
        "@po   Pax — Product owner · 2 commands\n"
        "@qa   🔎 Tomas — Quality · 3 commands\n"
        "@ops  rules only, no definition\n"
    )
    listed = synapse("activate", "--format", "json").json["agents"]
    assert [one["id"] for one in listed] == ["dev", "pm", "po", "qa", "ops"]


def test_the_client_s_own_agent_that_stands_for_one_is_not_listed_beside_it(
    synapse: Synapse, root: Path
) -> None:
    for name in ("aiox-dev", "copy-chief"):
        file = root / f".claude/agents/{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nname: {name}\ndescription: Works\n---\n\nYou work.\n")
    told = synapse("activate").out
    assert "aiox-dev" not in told and "@copy-chief  no commands\n" in told
    assert (
        synapse("activate", "aiox-dev", "--dry-run", "--format", "json").json["agent"]["id"]
        == "dev"
    )


def test_an_unknown_agent_is_refused_with_a_hint(synapse: Synapse, root: Path) -> None:
    done = synapse("activate", "deev")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err
        == 'error: There is no agent "deev".\n  remedy: Did you mean dev? The tree has dev, ops, pm, po, qa.\n'
    )


def test_none_ends_it(synapse: Synapse, root: Path) -> None:
    store = session(root)
    synapse("activate", "dev")
    assert synapse("activate", "none").out == "No agent is active in s-1.\n"
    document = store.load("s-1")
    assert document is not None and document.agent.id is None


def test_a_fallback_is_said(synapse: Synapse, root: Path) -> None:
    session(root)
    done = synapse("activate", "ops")
    assert done.out.startswith("🤖 ops ready — workflow active [⚠️ Ask]")
    assert "note: the activation is a fallback: definition: no definition is called ops" in done.err


def test_its_own_end_is_part_of_its_time(
    synapse: Synapse, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_ACTIVATION_TIMEOUT_MS", "60000")
    monkeypatch.setattr(activate, "process_age", lambda: 0.1)
    explained = synapse("activate", "ops", "--explain", "--session", "s-1").out
    assert "start and end of the command leave its loaders 59875 ms" in explained


def test_executors_go_by_their_english_names(synapse: Synapse, root: Path) -> None:
    shown = synapse("activate", "dev", "--dry-run", "--format", "json", "--executor", "Human").json
    assert shown["executor"] == "Humano"


def test_a_worker_is_not_greeted(synapse: Synapse, root: Path) -> None:
    done = synapse("activate", "dev", "--dry-run", "--executor", "Worker")
    assert (done.out, done.err) == ("", "note: a Worker is not greeted\n")


@pytest.mark.parametrize("option", ["--executor", "--occasion", "--greeting"])
def test_a_wrong_word_is_refused(option: str, synapse: Synapse, root: Path) -> None:
    done = synapse("activate", "dev", option, "nonsense")
    assert done.code == 2 and "nonsense" in done.err


def test_status_says_where_the_work_is(synapse: Synapse, root: Path) -> None:
    out = synapse("status").out
    assert f"step      story-cycle: step 2 of 4, build, @dev: Build it ({STATE}:15)\n" in out
    assert "next      review (@qa)\n" in out
    navigation = synapse("status", "--format", "json").json["navigation"]
    assert (navigation["turn"], navigation["step"]["number"]) == ("dev", 2)


def test_status_shows_how_the_agent_was_brought_up(synapse: Synapse, root: Path) -> None:
    session(root)
    before = synapse("status", "--session", "s-1", "--metrics").out
    assert "no activation is recorded: `synapse activate AGENT` records one\n" in before
    synapse("activate", "dev")
    assert synapse("status", "--metrics").out.count("@dev was activated") == 1
    out = synapse("status", "--session", "s-1", "--metrics").out
    assert "@dev was activated: full in" in out
    assert "project      loaded" in out
    report = synapse("status", "--session", "s-1", "--metrics", "--format", "json").json
    assert report["activation"]["quality"] == "full"
    assert report["activation"]["loaders"][1]["name"] == "definition"


def test_the_debug_view_has_it_in_one_line(synapse: Synapse, root: Path) -> None:
    session(root)
    synapse("activate", "dev")
    synapse("session", "set", "s-1", "DEVMODE=on")
    out = synapse("context", "--session", "s-1").out
    assert "  Activation: full (tree " in out
