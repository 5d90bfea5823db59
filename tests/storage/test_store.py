"""The session store, one process."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.session_file import SessionState
from synapse_ls.storage import session_changes
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.session_changes import record_prompt, title_of
from synapse_ls.storage.session_store import SessionStore, format_timestamp
from synapse_ls.text.secret_masking import mask_secrets
from synapse_ls.text.secret_names import KEY_NOUNS, PASSWORD_WORDS, SECRET_WORDS
from tests.storage.processes import run
from tests.storage.support import NOW, content, names, posix_only, prompt

HOUR = 3600.0


def test_a_session_begins_with_the_schema_of_the_reference(
    store: SessionStore, folder: Path
) -> None:
    store.update("s1", lambda _: None, cwd="/p/app", now=NOW)
    session = content(folder / "s1.json")
    assert list(session)[:9] == [
        "uuid",
        "schema_version",
        "started",
        "last_activity",
        "cwd",
        "label",
        "title",
        "prompt_count",
        "active_agent",
    ]
    assert (session["uuid"], session["schema_version"]) == ("s1", "2.0")
    assert (session["cwd"], session["label"]) == ("/p/app", "app")
    assert session["started"] == format_timestamp(NOW)


def test_an_update_is_there_for_the_next_one(store: SessionStore) -> None:
    assert prompt(store).is_new
    assert not prompt(store).is_new
    session = store.load("s1")
    assert session is not None
    assert session.prompt_count == 2


def test_what_is_not_there_is_not_loaded_and_nothing_is_made(
    store: SessionStore, folder: Path
) -> None:
    assert store.load("s1") is None
    assert not folder.parent.exists()


def test_unknown_fields_and_the_order_of_keys_stay(store: SessionStore, folder: Path) -> None:
    prompt(store)
    session = content(folder / "s1.json")
    checksum = session.pop("checksum")
    session = {"theirs": {"deep": [1, None, "ü"]}, **session, "last": 1}
    session["context"]["theirs"] = 1.5
    (folder / "s1.json").write_text(json.dumps(session), encoding="utf-8")
    prompt(store)
    after = content(folder / "s1.json")
    assert list(after) == [*session, "checksum"]
    assert after["checksum"] != checksum
    assert (after["theirs"], after["context"]["theirs"]) == (session["theirs"], 1.5)


def test_what_is_not_committed_did_not_happen(store: SessionStore) -> None:
    prompt(store)
    with store.transaction("s1", cwd="/p", now=NOW) as transaction:
        record_prompt(transaction.session, "go", NOW)
    session = store.load("s1")
    assert session is not None
    assert session.prompt_count == 1


def test_a_transaction_that_raises_changes_nothing_and_frees_the_lock(store: SessionStore) -> None:
    with pytest.raises(KeyError), store.transaction("s1", cwd="/p", now=NOW) as transaction:
        record_prompt(transaction.session, "go", NOW)
        raise KeyError
    assert store.load("s1") is None
    prompt(store)


def test_a_transaction_may_commit_twice(store: SessionStore) -> None:
    with store.transaction("s1", cwd="/p", now=NOW) as transaction:
        for _ in range(2):
            record_prompt(transaction.session, "go", NOW)
            transaction.commit()
    session = store.load("s1")
    assert session is not None
    assert session.prompt_count == 2


def test_a_commit_after_the_end_is_refused(store: SessionStore) -> None:
    transaction = prompt(store)
    with pytest.raises(RuntimeError, match="outside"):
        transaction.commit()


def test_a_session_that_another_holds_is_waited_for_and_given_up(store: SessionStore) -> None:
    with (
        store.transaction("s1", cwd="/p", now=NOW),
        pytest.raises(StorageError, match="Another process"),
        store.transaction("s1", cwd="/p", now=NOW, timeout=0),
    ):
        pass


def test_other_sessions_are_not_locked(store: SessionStore) -> None:
    with store.transaction("s1", cwd="/p", now=NOW):
        prompt(store, "s2")


def test_an_update_that_changes_nothing_writes_nothing(store: SessionStore, folder: Path) -> None:
    prompt(store)
    before = (folder / "s1.json").stat()
    store.update("s1", lambda _: None, cwd="/p", now=NOW)
    after = (folder / "s1.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize(
    "session_id", ["../../evil", "/etc/passwd", "a\0b", "C:\\evil", "..", "~", "\ud800", "é" * 90]
)
def test_no_id_leaves_the_folder(
    store: SessionStore, folder: Path, tmp_path: Path, session_id: str
) -> None:
    prompt(store, session_id)
    assert len(names(folder)) == 1
    assert {path.name for path in tmp_path.iterdir()} == {".synapse"}
    session = store.load(session_id)
    assert session is not None
    assert session.id == session_id


def test_ids_that_differ_in_case_are_two_sessions(store: SessionStore, folder: Path) -> None:
    prompt(store, "abc")
    prompt(store, "ABC")
    assert {name.lower() for name in names(folder)} == names(folder)
    assert len(names(folder)) == 2


def test_a_session_without_an_id_is_refused(store: SessionStore) -> None:
    with pytest.raises(StorageError, match="empty"):
        prompt(store, "")


def test_a_working_folder_that_is_not_unicode_is_kept(store: SessionStore) -> None:
    store.update("s1", lambda _: None, cwd="/p/\udcff", now=NOW)
    session = store.load("s1")
    assert session is not None
    assert session.cwd == "/p/\udcff"


@posix_only
def test_sessions_are_private(store: SessionStore, folder: Path) -> None:
    prompt(store)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_git_is_told_to_ignore_generated_files(store: SessionStore, folder: Path) -> None:
    prompt(store)
    ignored = (folder.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"sessions/", "cache/", "metrics/"} <= set(ignored)


def test_git_takes_no_session_whatever_the_tree_ignores(store: SessionStore, folder: Path) -> None:
    folder.parent.mkdir()
    (folder.parent / ".gitignore").write_bytes(b"cache/\n")
    prompt(store)
    assert "*" in (folder / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_words_agents_and_star_commands_are_titled_without_loading_the_search_for_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "synapse_ls.text.secret_masking", None)
    assert title_of("@architect improve the endpoint *discuss") == (
        "@architect improve the endpoint *discuss"
    )
    assert title_of("Add a test, I review the code") == "Add a test, I review the code"


@pytest.mark.parametrize("name", sorted({"token", *PASSWORD_WORDS, *SECRET_WORDS, *KEY_NOUNS}))
def test_a_title_holds_no_secret_of_letters_alone(name: str) -> None:
    for words in (f"my {name}: xKzqWvPdLm please", f"{name} is xKzqWvPdLm please"):
        assert title_of(words) == mask_secrets(words)


@pytest.mark.parametrize(
    "words",
    [
        "my TOTP secret key: jbsw y3dp ehpk 3pxp jbsw y3dp",
        "Google app password: kqvz wmtj xrph ydlb",
        "seed phrase: ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic",
    ],
)
def test_nor_one_of_short_words(words: str) -> None:
    assert (title_of(words) or "").split("•")[0].strip() == words.partition(":")[0] + ":"


def test_the_title_of_a_session_holds_no_secret(store: SessionStore, folder: Path) -> None:
    secret = "R7kQ2mZx" + "9LwT4vB8"
    store.update(
        "s1", lambda one: record_prompt(one, f"use api_key={secret} now", NOW), cwd="/", now=NOW
    )
    title = json.loads((folder / "s1.json").read_bytes())["title"]
    assert title.startswith("use api_key=") and secret[:6] not in title


def test_an_existing_gitignore_is_left_alone(store: SessionStore, folder: Path) -> None:
    folder.parent.mkdir()
    (folder.parent / ".gitignore").write_bytes(b"mine\n")
    prompt(store)
    assert (folder.parent / ".gitignore").read_bytes() == b"mine\n"


def test_a_folder_given_with_a_slash_at_its_end_is_the_same(folder: Path) -> None:
    prompt(SessionStore(f"{folder}{os.sep}"))
    assert names(folder) == {"s1.json"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_stale_files_are_noticed_by_their_time(store: SessionStore, folder: Path) -> None:
    assert not store.has_stale(NOW)
    prompt(store)
    os.utime(folder / "s1.json", (NOW, NOW))
    assert not store.has_stale(NOW + 167 * HOUR)
    assert store.has_stale(NOW + 169 * HOUR)
    assert store.has_stale(NOW + 2 * HOUR, hours=1)


def test_the_agent_singleton_of_the_reference_is_never_stale(
    store: SessionStore, folder: Path
) -> None:
    folder.mkdir(parents=True)
    (folder / "_active-agent.json").write_bytes(b"{}")
    os.utime(folder / "_active-agent.json", (0, 0))
    assert not store.has_stale(NOW)


def test_a_link_that_leads_nowhere_does_not_hide_stale_files(
    store: SessionStore, folder: Path
) -> None:
    prompt(store)
    os.utime(folder / "s1.json", (0, 0))
    (folder / "a.json").symlink_to("nowhere")
    (folder / "z.json").symlink_to("nowhere")
    assert store.has_stale(NOW)


def test_the_hook_pays_for_no_costly_module(folder: Path) -> None:
    code = """
from synapse_ls.storage.session_changes import record_prompt, title_of
from synapse_ls.storage.session_store import SessionStore
store = SessionStore(sys.argv[1])
for _ in range(2):
    store.update("s1", lambda s: record_prompt(s, "go on", 0.0), cwd="/p", now=0.0)
print(*sorted(sys.modules))
"""
    costly = {
        *("asyncio", "collections", "contextlib", "dataclasses", "datetime", "enum", "functools"),
        *("hashlib", "inspect", "json", "logging", "pathlib", "random", "re", "shutil"),
        *("tempfile", "threading", "tomllib", "typing"),
        *("synapse_ls.storage.session_archive", "synapse_ls.setup.session_conversion"),
    }
    assert costly.isdisjoint(run(code, folder).split())


words = st.text(max_size=60)
steps = st.one_of(
    st.tuples(st.just("prompt"), words),
    st.tuples(st.just("compaction"), st.just("")),
    st.tuples(st.just("agent"), st.sampled_from(["dev", "qa", "pm"])),
    st.tuples(st.just("override"), st.sampled_from(["DEVMODE", "API_STATE"])),
    st.tuples(st.just("unknown"), words),
)


@given(st.lists(st.tuples(st.sampled_from(["s1", "S1", "../x"]), steps), max_size=30))
def test_any_sequence_of_updates_is_what_the_file_holds(
    tmp_path_factory: pytest.TempPathFactory, sequence: list[tuple[str, tuple[str, str]]]
) -> None:
    store = SessionStore(str(tmp_path_factory.mktemp("sequence") / "sessions"))
    model: dict[str, SessionState] = {}

    def apply(session: SessionState, kind: str, value: str) -> None:
        match kind:
            case "prompt":
                record_prompt(session, value, NOW)
            case "compaction":
                session_changes.record_compaction(session, NOW)
            case "agent":
                session_changes.activate_agent(session, value, now=NOW)
            case "override":
                session_changes.set_override(session, value, True)
            case _:
                session.open_window(value).agent = value

    for session_id, (kind, value) in sequence:
        with store.transaction(session_id, cwd="/p", now=NOW) as transaction:
            apply(transaction.session, kind, value)
            transaction.commit()
        if session_id not in model:
            assert transaction.is_new
            model[session_id] = transaction.session
        else:
            apply(model[session_id], kind, value)
        stored = store.load(session_id)
        assert stored is not None
        held = (stored, model[session_id], transaction.session)
        first, *others = (json.loads(json.dumps(one.to_document())) for one in held)
        assert others == [first, first]
    assert len(model) == sum(store.load(i) is not None for i in ("s1", "S1", "../x"))
