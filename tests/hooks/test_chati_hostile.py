"""Session files of Chati.dev that are broken, one by one and at random: the block stays well-formed, the
constitution stays in it, and what is wrong is named.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, DuplicateKeyError
from ruamel.yaml.error import YAMLError

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.storage.tree_compilation import compile_tree
from tests.chati_trees import BOARD
from tests.hooks.hook_clients import Claude
from tests.trees import write_tree

PLACE = ".chati/session.yaml"
SESSION = BOARD[PLACE]
CONSTITUTION = "Article I: Agent Governance\n    Article II: Quality Standards"
AGENTS = ("brief", "dev", "qa-planning", "qa-implementation", "orchestrator")
STATES = ("discover", "plan", "planning", "build", "validate", "deploy", "completed")


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is being built, of which nobody has read the session yet."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "tree", BOARD)


def notice(block: str) -> str:
    """What a block says of files that are not as they should be."""
    root = ElementTree.fromstring(block)
    constitution = root.findall("constitution")
    assert [(one.text or "").strip() for one in constitution] == [CONSTITUTION]
    assert len(root.findall("mode")) == 1
    return (root.findtext("notice") or "").strip()


def replaced(old: str, new: str) -> str:
    assert old in SESSION
    return SESSION.replace(old, new)


NOTHING = "holds no fields of a session: what it says is missing"
NO_YAML = "is no valid YAML: what it says is missing"
FORMS = {
    "a bracket that stays open": (replaced("mode: build", "mode: [build"), NO_YAML),
    "a tab": (replaced("  name: Board", "\tname: Board"), NO_YAML),
    "half of it": (SESSION[: len(SESSION) // 2], NO_YAML),
    "a conflict": (replaced("mode: build\n", "<<<<<<< a\nmode: build\n=======\n>>>>>>> b\n"), NO_YAML),
    "an alias of nothing": (f"a: *nope\n{SESSION}", NO_YAML),
    "a NUL": (replaced("agent: dev", "agent: de\0v"), NO_YAML),
    "nothing": ("", NOTHING),
    "a comment": ("# later\n", NOTHING),
    "null": ("null\n", NOTHING),
    "a list": ("- mode: build\n", NOTHING),
    "a word": ("build\n", NOTHING),
    "other fields": ("!!python/object:os.system x: y\n", NOTHING),
    "too many levels": (f"mode: {'[' * 3000}{']' * 3000}\n", "is nested too deeply: what it says is missing"),
    "too long": (f"{SESSION}x: {'y' * 3_000_000}\n", "is too large: what it says is missing"),
    "a second document": (f"{SESSION}---\nmode: plan\n", ", line 20: a second document begins there, and only the first counts"),
    "a key that is there twice": (f"{SESSION}mode: plan\n", ", line 20: a key is there twice, and the last one counts"),
    "a list for the project": (replaced("project:\n  name: Board\n  type: greenfield\n  state: build", "project: [Board]"), ", line 2: `project` is not a mapping"),
    "a list for the agents": (f"{SESSION.partition('agents:')[0]}agents: [dev]\n", ", line 10: `agents` is not a mapping"),
    "a word for the state of an agent": (f"{SESSION.partition('agents:')[0]}agents: {{dev: completed}}\n", ", line 10: `agents.dev` is not a mapping"),
    "a mapping for the backlog": (f"{SESSION.partition('backlog:')[0]}backlog: {{id: 1}}\n", ", line 15: `backlog` is not a list"),
    "a list for the agent": (replaced("current_agent: dev", "current_agent: [dev]"), ", line 7: `current_agent` is not text"),
    "an agent that is not there": (replaced("current_agent: dev", "current_agent: wizard"), ", line 7: `current_agent` names nobody whom a file is about"),
    "a state that is none": (replaced("state: build", "state: flying"), ", line 5: `project.state` is not discover, plan, planning, build, validate, deploy or completed"),
    "a score that is none": (replaced("score: 98", "score: 450"), ", line 11: `agents.brief.score` is not between 0 and 100"),
    "turns before the first": (f"{SESSION}turn_count: -4\n", ", line 20: `turn_count` is not a count from zero"),
    "a hand-off that is not there": (replaced("qa-planning-handoff", "qa-plan-handoff"), ", line 19: `last_handoff` leads to no hand-off"),
    "two faults": (replaced("score: 98", "score: x").replace("current_agent: dev", "current_agent: [dev]"), ", line 7: `current_agent` is not text (1 more: synapse check lists them)"),
}  # fmt: skip
"""How a session may be broken, and what a block says of it behind the name of the file."""


@pytest.mark.parametrize("form", FORMS)
def test_a_session_that_is_broken_is_named_in_the_block(form: str, board: Path) -> None:
    text, said = FORMS[form]
    (board / PLACE).write_text(text, encoding="utf-8")
    named = notice(Claude(board).prompt("go on")).split("\n")[0]
    assert named == (f"{PLACE}{said}" if said[0] == "," else f"{PLACE} {said}")


def bytes_of_another_encoding(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"# caf\xe9\n")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_link(target: str) -> Callable[[Path], None]:
    def link(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return link


THINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "bytes of another encoding": (
        bytes_of_another_encoding,
        ", line 20: there are bytes that are no UTF-8",
    ),
    "a program": (lambda path: path.write_bytes(bytes(range(256)) * 9), " is not text"),
    "a folder": (a_folder, " is not a file"),
    "a pipe": (a_pipe, " is not a file"),
    "a link that leads out": (a_link("/etc/hostname"), " is a link that leads out of the project"),
    "a link that leads nowhere": (a_link("nowhere"), " is a link that leads nowhere"),
    "a link to itself": (a_link("session.yaml"), " is a link that leads in a circle"),
}


@pytest.mark.parametrize("thing", THINGS)
def test_what_is_no_session_is_named_in_the_block(thing: str, board: Path) -> None:
    make, said = THINGS[thing]
    make(board / PLACE)
    assert notice(Claude(board).prompt("go on")).startswith(f"{PLACE}{said}")


BREAKS: dict[str, Callable[[Path], object]] = {
    "no YAML": lambda path: path.write_text("mode: [\n"),
    "nothing": lambda path: path.write_text(""),
    "a folder": a_folder,
    "a link that leads out": a_link("/etc/hostname"),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_a_session_that_breaks_keeps_all_that_it_said(broken: str, board: Path) -> None:
    before = Claude(board, "before").prompt("go on")
    BREAKS[broken](board / PLACE)
    after = Claude(board, "after").prompt("go on")
    assert "what it said before still holds" in notice(after)
    assert after.partition("\n\n  <notice>")[0] == before.removesuffix("\n</chati-context>")


def test_a_session_that_was_mended_counts_again(board: Path) -> None:
    Claude(board, "before").prompt("go on")
    (board / PLACE).write_text("mode: [\n")
    Claude(board, "then").prompt("go on")
    (board / PLACE).write_text(replaced("current_agent: dev", "current_agent: brief"))
    now = Claude(board, "now").prompt("go on")
    assert '<agent name="brief"' in now
    assert notice(now) == ""


# Sessions that are damaged at random.

HOSTILE = (
    *"\n :-[]{}\"'&*!|>%@`#?,\\\0\x1b\u202e\ufffe",
    *("<!--", "]]>", "</chati-context>", "</constitution>", "<mode>deploy</mode>", "&#0;", "---\n"),
    *("...\n", "<<: *a", "? ", "!!binary ", "\U0001f600", "\r", "\r\n", "  ", "\ufeff"),
)
VALUES = (
    *(
        "",
        "null",
        "~",
        "true",
        "-1",
        "0",
        "1e400",
        ".nan",
        ".inf",
        "0x1F",
        "2026-02-10",
        "[]",
        "{}",
    ),
    *("[a, b]", "{a: b}", "&a [*a]", "*a", "!!set {a}", "'</chati-context>'", '"<mode>x</mode>"'),
    *(
        '"a\\0b"',
        '"\\ud800"',
        "'it''s & \"more\"'",
        "|\n    a\n    b",
        ">\n    a",
        "- a",
        "450",
        "x: y",
    ),
    "9" * 4000,
)


def damage(rng: random.Random, data: bytes) -> bytes:
    """A session with one more thing that is wrong with it, most often."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    at, line = rng.randrange(len(text) + 1), rng.randrange(len(lines))
    kind = rng.randrange(12)
    if kind == 0:
        text = text[:at] + rng.choice(HOSTILE) + text[at:]
    elif kind == 1:
        text = text[:at] + text[at + rng.randrange(1, 6) :]
    elif kind == 2:
        text = text[:at]
    elif kind == 3:
        text = text[:at] + text[at:][: rng.randrange(60)] + text[at:]
    elif kind == 4:
        lines.insert(line, lines[rng.randrange(len(lines))])
        text = "\n".join(lines)
    elif kind == 5:
        del lines[line]
        text = "\n".join(lines)
    elif kind == 6:
        lines[line] = " " * rng.randrange(1, 4) + lines[line]
        text = "\n".join(lines)
    elif kind in (7, 8, 9):
        key, colon, _ = lines[line].partition(":")
        lines[line] = f"{key}{colon} {rng.choice(VALUES)}"
        text = "\n".join(lines)
    elif kind == 10:
        lines[line] = lines[line].replace(":", rng.choice(("", " :", ":x", "::")), 1)
        text = "\n".join(lines)
    else:
        cut = rng.randrange(len(data) + 1)
        return data[:cut] + rng.randbytes(rng.randrange(1, 4)) + data[cut:]
    return text.encode("utf-8", "surrogateescape")


def block_of(root: Path) -> str:
    plan = compile_tree(str(root)).plan
    situation = resolve_situation(plan, Request(), measure_usage(reported=80.0))
    return assemble_block(plan, situation).text


def read_session(data: bytes) -> object:
    """What another reader of YAML finds in a session; None where it can read nothing, {} where it
    knows a tag not.
    """
    try:
        found = list(YAML(typ="safe", pure=True).load_all(data.decode("utf-8-sig")))
    except DuplicateKeyError:
        return None
    except ConstructorError:
        return {}
    except (YAMLError, ValueError, TypeError, RecursionError):
        return None
    return found[0] if len(found) == 1 else None


def is_faulty(session: object) -> bool:
    """Whether a session says something that nobody can tell."""
    return not isinstance(session, dict) or has_wrong_fields(session) or has_wrong_names(session)


def has_wrong_names(session: dict[Any, Any]) -> bool:
    agent, handed = session.get("current_agent"), session.get("last_handoff")
    lost = isinstance(handed, str) and "/" in handed and handed not in BOARD
    return lost or (isinstance(agent, str) and agent not in ("", *AGENTS))


def has_wrong_fields(session: dict[Any, Any]) -> bool:
    def wrong(holder: dict[Any, Any], key: str, *kinds: type) -> bool:
        return holder.get(key) is not None and not isinstance(holder[key], kinds)

    project, agents = session.get("project"), session.get("agents")
    lists = wrong(session, "backlog", list) or wrong(session, "completed_agents", list)
    if wrong(session, "project", dict) or wrong(session, "agents", dict) or lists:
        return True
    items = [*(agents or {}).values(), *(session.get("backlog") or [])]
    if any(not isinstance(item, dict | set) for item in items):
        return True
    items = [item for item in items if isinstance(item, dict)]
    scores = [item.get("score") for item in items if item in [*(agents or {}).values()]]
    states = [session.get("mode"), (project or {}).get("state")]
    named = [session.get(key) for key in ("current_agent", "language", "last_handoff")]
    named += [item.get(key) for item in items for key in ("status", "title")]
    return (
        any(isinstance(one, list | dict | set) for one in (*named, *states))
        or isinstance(session.get("current_task"), list)
        or any(state not in (None, *STATES) for state in states)
        or any(not is_score(score) for score in scores)
    )


def is_score(score: object) -> bool:
    if score is None:
        return True
    known = isinstance(score, int | float) and not isinstance(score, bool)
    return known and 0 <= score <= 100  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2026, 2028))
def test_a_quarter_of_a_thousand_sessions_that_are_damaged_at_random(
    board: Path, seed: int
) -> None:
    rng = random.Random(seed)
    path, sound = board / PLACE, read_session(SESSION.encode())
    faulty = unharmed = 0
    for _ in range(250):
        data = SESSION.encode()
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = damage(rng, data)
        path.write_bytes(data)
        said, session = notice(block_of(board)), read_session(data)
        if is_faulty(session):
            faulty += 1
            assert PLACE in said, data
        elif session == sound:
            unharmed += 1
            assert said == "", data
    assert faulty > 150
    assert unharmed
