"""The typed state of sessions and windows: what it is read from, written as, and outlives."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import synapse_ls
from synapse_ls.formats import session_file, window_state
from synapse_ls.formats.session_file import SessionState, new_session
from synapse_ls.formats.session_values import COMPACTION, PROMPT, SESSION, TURN, Record, field
from synapse_ls.formats.window_state import WindowState
from tests.syntax import nodes

PACKAGE = Path(synapse_ls.__file__).parent
MODULES = (session_file, window_state)
FIELD = cast(
    type[tuple[str, Any]], field
)  # to a type checker it is the function that types the attribute
RECORDS = [
    kind
    for module in MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Record) and kind is not Record
]
EVENTS = (TURN, PROMPT, COMPACTION, SESSION)


def field_keys(kind: type) -> list[str]:
    return [value[0] for value in vars(kind).values() if isinstance(value, FIELD)]


KEYS = {key for kind in RECORDS for key in field_keys(kind)}
# The modules that say what the file looks like, and those that convert the files of other tools.
FORMAT = {
    "formats/legacy_sessions.py",
    "formats/session_file.py",
    "formats/window_state.py",
    "setup/session_conversion.py",
}
# Keys that nothing else is called by.
OWN_KEYS = {
    *("active_agent", "active_squad", "active_workflow", "agents_activated", "domains_loaded"),
    *("domains_loaded_last", "doubted", "failing", "greeted", "last_bracket"),
    *("last_context_percent", "last_tokens_used", "maybe", "prompt_count"),
    *("prompts_since_compaction", "spawned", "stale", "star_commands_used", "status_line"),
    *("streak", "tries", "warned", "warnings"),
}
HOLDERS = {"context", "session", "window", "windows", "recovery", "marks", "history"}
WINDOW = {
    "stands": {"[GLOBAL]": {"x": "a rule"}},
    "recall": {"TESTING": [3, ["test"], "recall"]},
    "prompt": 12,
    "bracket": "FRESH",
    "remaining": 91.5,
    "used": 17000,
    "source": "measured",
    "warnings": ["Leave it."],
    "warned": [3, ["R_0"]],
    "files": {"a.py": 3},
    "memories": {"x": ["a.md", 7]},
    "asked": ["h", "", 1.0, ""],
    "commands": ["develop"],
    "made": [1, [".synapse/global"]],
    "state": "x",
    "until": 5,
    "transcript": ["a.jsonl", 5],
    "deliveries": [
        {
            "hash": "a",
            "since": "b",
            "missed": 1,
            "arrived": True,
            "undo": {"[GLOBAL]": {"x": ""}},
            "doubts": {"[GLOBAL]": {"y": "a rule"}},
            "agents": ["dev"],
            "before": {"told_bracket": "FRESH"},
        }
    ],
    "newest": "u",
    "settled": "t",
    "theirs": {"deep": [1, None]},
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def plain(document: object) -> Any:
    return json.loads(json.dumps(document))


def accesses(module: Iterable[ast.AST]) -> set[tuple[str, str]]:
    """(holder, key) of what is looked up by a key in something that is called like a record."""
    found = set()
    for node in module:
        match node:
            case ast.Subscript(value=holder, slice=ast.Constant(value=str(key))):
                pass
            case ast.Call(
                func=ast.Attribute(value=holder, attr="get" | "pop" | "setdefault"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                pass
            case _:
                continue
        name = getattr(holder, "id", getattr(holder, "attr", ""))
        if name in HOLDERS and key in KEYS:
            found.add((name, key))
    return found


def test_no_other_module_knows_a_key() -> None:
    knows = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if name in FORMAT:
            continue
        texts = {node.value for node in nodes(path) if isinstance(node, ast.Constant)}
        if found := (texts & OWN_KEYS) | {key for _, key in accesses(nodes(path))}:
            knows[name] = found
    assert not knows


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_no_key_has_two_fields(kind: type) -> None:
    assert len(set(field_keys(kind))) == len(field_keys(kind))


def test_an_empty_window_is_written_as_nothing() -> None:
    assert WindowState().to_document() == {}


def test_a_window_is_written_as_it_was_read() -> None:
    assert plain(WindowState(plain(WINDOW)).to_document()) == WINDOW


def test_a_session_is_written_as_it_was_read() -> None:
    begun = new_session("s", "/p/app", "now").to_document()
    document = {"theirs": 1, **plain(begun), "windows": {"claude": WINDOW}}
    document["recovery"] = {
        "due": {"reason": "compact", "transcript": "a.jsonl", "at": 1.0, "tries": 1},
        "carried": {"agent": "dev"},
        "failing": {"npm test": {"pattern": "x", "at": 1.0, "done": ["ran `npm ci`"]}},
        "met": {"x": ["message", "npm test", 2, ""]},
        "streak": 0,
    }
    state = SessionState(plain(document))
    for _ in state.windows():  # each is parsed
        pass
    assert json.dumps(plain(state.to_document())) == json.dumps(document)


def test_a_compaction_ends_what_stands_and_leaves_what_waits() -> None:
    window = WindowState(plain(WINDOW))
    window.forget(COMPACTION)
    document = plain(window.to_document())
    reply, compaction = document.pop("deliveries")
    assert [reply] == plain(WINDOW)["deliveries"]
    assert compaction["undo"] == WINDOW["stands"]  # for who goes back to before it
    assert document == {
        "recall": WINDOW["recall"],
        "warnings": WINDOW["warnings"],
        "files": WINDOW["files"],
        "asked": WINDOW["asked"],
        "commands": WINDOW["commands"],
        "transcript": ["a.jsonl", None],
        "theirs": WINDOW["theirs"],
        "compacted": True,
    }


def test_a_turn_ends_its_commands_and_warnings_that_were_told() -> None:
    window = WindowState(plain(WINDOW))
    window.forget(TURN)
    after = plain(window.to_document())
    assert after == {k: v for k, v in WINDOW.items() if k not in ("commands", "warned")}


def test_a_new_beginning_leaves_who_it_is_and_when_it_was_asked() -> None:
    window = WindowState({**plain(WINDOW), "agent": "qa", "prompts": 3})
    window.forget(SESSION)
    assert set(window.to_document()) == {"asked", "transcript", "theirs", "agent", "prompts"}


def test_a_copy_is_changed_alone() -> None:
    state = SessionState({"windows": {"claude": plain(WINDOW)}})
    state.open_window("claude").warnings = ("One",)
    copy = state.copy()
    copy.open_window("other").warnings = ("Two",)
    copy.find_window("claude").warnings = ()
    copy.context.compactions = 9
    copy.recovery.failing["x"] = session_file.FailingCommand()
    assert state.find_window("claude").warnings == ("One",)
    assert state.window_keys() == ["claude"]
    assert (state.context.compactions, state.recovery.failing) == (0, {})


@given(st.dictionaries(st.sampled_from(sorted(KEYS)), anything))
def test_whatever_somebody_has_put_there_is_read_and_written(document: dict[str, Any]) -> None:
    for kind in RECORDS:
        record = kind(plain(document))
        again = kind(plain(record.to_document()))
        assert plain(again.to_document()) == plain(record.to_document())
        forget: Any = getattr(record, "forget", None)
        for event in EVENTS if forget else ():
            forget(event)
        record.to_document()
