"""Claude Code's status line: what is left of the window, and a note of it for the next hook.

The client writes the state of its session to standard input as JSON and shows what comes back
("Customize your status line", Claude Code). It is the one source that tells the window's size.
Nothing here fails: whatever goes wrong, there is a line, and the reason is in the log.
"""

from __future__ import annotations

import os

from synapse_ls.hosts.transcripts.claude import INPUTS, ORIGIN
from synapse_ls.hosts.transcripts.tail import count, table
from synapse_ls.service.usage import ORIGIN as LINE_ORIGIN
from synapse_ls.service.usage import STATUS_LINE, usage_of
from synapse_ls.text.json import loads
from synapse_ls.workspace.folders import SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import Any, Final

    from synapse_ls.engine.usage import Usage
    from synapse_ls.service.plans import Planned
    from synapse_ls.sessions.store import SessionStore

CLIENT: Final = "claude"
INPUT_LIMIT: Final = 4_000_000  # bytes; the client writes a few thousand
LOCK_SECONDS: Final = 0.2  # the line comes again in a moment, a hook must not wait for it
STEP: Final = 100  # a hundredth of the window: smaller changes are not noted
THEN_SECONDS: Final = 5.0  # another status line may take this long
COLORS: Final = ("32", "36", "33", "31")  # from the first bracket to the last
NOTHING: Final = "synapse: no status; the reason is in hook.log in the cache folder"


def main(arguments: list[str]) -> int:
    """Answer the status on standard input; the exit code is 0.

    ``--then COMMAND`` runs another status line with the same input and shows its lines first;
    ``--color auto|always|never``; ``--root DIR`` is where the search for a tree starts.
    """
    line, other, data = NOTHING, None, b""
    try:
        given = _options(arguments)
        data = _input()
        other = _start(given.get("then", ""))
        line = status_line(data, root=given.get("root", ""), color=_wants_color(given))
    except BaseException as error:
        from synapse_ls.service import log

        log.note(error)
    shown = [*_lines_of(other, data), line] if other else [line]
    _write("\n".join(shown) + "\n")
    return 0


def status_line(data: bytes, *, root: str = "", color: bool = False) -> str:
    """The line for the status in ``data``.

    Raises ValueError for what is no JSON, TypeError for JSON that is no object.
    """
    status = loads(data.decode("utf-8", "replace"))
    if not isinstance(status, dict):
        raise TypeError(f"the status is {type(status).__name__}, not an object")
    figures = figures_of(status)
    tree = _tree(status, root)
    if not tree:
        return _share(figures) or "synapse: no tree here"
    from synapse_ls.service.plans import PATIENCE, planned

    plan = planned(tree, patience=PATIENCE)
    session = _noted(tree, _text(status.get("session_id")), figures)
    usage = usage_of(plan.plan, session, figures if figures.get("used") is not None else None)
    return " · ".join(_parts(plan, session, usage, color=color))


def figures_of(status: dict[str, Any]) -> dict[str, object]:
    """What the client says of its window: ``used`` and ``window`` in tokens, ``model``.

    Right after a compaction and before the first answer nothing is known to be in use. Versions
    that do not tell the window are asked by their transcript.
    """
    told = table(status, "context_window")
    model = _text(table(status, "model").get("id"))
    window = count(told.get("context_window_size"))
    if not window:
        from synapse_ls.hosts.transcripts import claude

        found = claude.usage(_text(status.get("transcript_path")), model)
        return {**found, "model": model or found["model"]} if found else {"model": model}
    current = told.get("current_usage")
    percent = told.get("used_percentage")
    used: int | None = None
    if isinstance(current, dict):
        used = sum(count(current.get(field)) for field in INPUTS)
    elif isinstance(percent, int | float) and not isinstance(percent, bool) and percent > 0:
        used = min(int(percent * window / 100), window)
    return {"used": used or None, "window": window, "model": model, "origin": LINE_ORIGIN}


def _noted(tree: str, session_id: str, figures: dict[str, object]) -> dict[str, Any] | None:
    """The session, with the figures in it; sessions begin with their first prompt, not here."""
    if not session_id:
        return None
    from synapse_ls.sessions.store import SessionStore

    store = SessionStore(os.path.join(tree, SESSIONS))
    session = store.load(session_id)
    if session is None or figures.get("origin") == ORIGIN or not figures.get("window"):
        return session
    note = _note(session, figures)
    if _differs(table(session, "context", STATUS_LINE), note):
        _keep(store, session_id, note, tree)
        context = session.get("context")
        session["context"] = {**(context if isinstance(context, dict) else {}), STATUS_LINE: note}
    return session


def _note(session: dict[str, Any], figures: dict[str, object]) -> dict[str, object]:
    compactions = table(session, "context").get("compactions", 0)
    kept = {name: figures[name] for name in ("used", "window", "model")}
    return {**kept, "compactions": compactions}


def _differs(before: dict[str, Any], note: dict[str, object]) -> bool:
    """Whether the difference is worth writing: the line is asked for several times a second."""
    if any(before.get(name) != note[name] for name in ("window", "model", "compactions")):
        return True
    moved = abs(count(before.get("used")) - count(note["used"]))
    return moved * STEP >= count(note["window"])


def _keep(store: SessionStore, session_id: str, note: dict[str, object], cwd: str) -> None:
    """Write the note; where a hook is at work on the session, the next line will."""
    from time import time

    from synapse_ls.sessions.files import SessionError

    try:
        with store.locked(session_id, cwd=cwd, now=time(), timeout=LOCK_SECONDS) as transaction:
            if transaction.is_new:
                return
            context = transaction.session.setdefault("context", {})
            context[STATUS_LINE] = {
                **note,
                "compactions": context.get("compactions", 0),
            }
            transaction.commit()
    except SessionError:
        return


def _parts(
    plan: Planned, session: dict[str, Any] | None, usage: Usage, *, color: bool
) -> list[str]:
    from synapse_ls.engine.situation import Request
    from synapse_ls.service import windows
    from synapse_ls.service.compose import compose

    turn = count((session or {}).get("prompt_count")) + 1
    window = windows.window_of(session, CLIENT) if session else {}
    request = Request(
        "",
        session=session,
        turn=turn,
        recalled=windows.recalled(window, turn, plan.plan.profile.recall_prompts),
    )
    assembly = compose(
        plan, request, usage, window=lambda current, held: windows.known(current, held, window)
    ).assembly
    situation = assembly.situation
    bracket = situation.bracket.name
    names = [known.name for known in plan.plan.profile.brackets]
    if color:
        place = names.index(bracket) * (len(COLORS) - 1) // max(1, len(names) - 1)
        bracket = f"\x1b[{COLORS[place]}m{bracket}\x1b[0m"
    size = f" of {short(usage.window)}" if usage.used is not None and usage.window else ""
    about = "" if usage.used is not None else "about "
    parts = [f"{bracket} {about}{round(usage.remaining)}% left{size}"]
    if situation.agent:
        parts.append(f"@{situation.agent}")
    told = assembly.tokens
    parts.append(f"next prompt +{told:,} tokens" if told else "rules up to date")
    return parts


def _share(figures: dict[str, object]) -> str:
    """What is left, where there is no tree whose brackets could name it."""
    window, used = count(figures.get("window")), figures.get("used")
    if not window or used is None:
        return ""
    return f"{max(0, round(100 - count(used) * 100 / window))}% left of {short(window)}"


def short(tokens: int) -> str:
    """A number of tokens for people: "200K", "1M", "1.05M"."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{tokens / 1000:.0f}K" if tokens >= 1000 else str(tokens)


def _tree(status: dict[str, Any], root: str) -> str:
    from synapse_ls.workspace.discover import find_root

    places = (
        root,
        _text(table(status, "workspace").get("project_dir")),
        _text(table(status, "workspace").get("current_dir")),
        _text(status.get("cwd")),
    )
    for place in places if any(places) else (os.getcwd(),):
        if place and (found := find_root(place)):
            return found
    return ""


def _options(arguments: list[str]) -> dict[str, str]:
    """``--name VALUE`` and ``--name=VALUE``; what is no option is passed over."""
    found: dict[str, str] = {}
    at = iter(arguments)
    for word in at:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            found[name] = value if equals else next(at, "")
    return found


def _wants_color(given: dict[str, str]) -> bool:
    """The client shows colours, though it reads them from a pipe."""
    wish = given.get("color", "auto")
    return wish == "always" or (wish != "never" and not os.environ.get("NO_COLOR"))


def _input() -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := os.read(0, 1 << 16):
        size += len(part)
        if size > INPUT_LIMIT:
            raise ValueError(f"the status is larger than {INPUT_LIMIT} bytes")
        parts.append(part)
    return b"".join(parts)


def _start(command: str) -> Popen[bytes] | None:
    """Another status line, at work while this one is made."""
    if not command.strip():
        return None
    from subprocess import PIPE, Popen

    return Popen(command, shell=True, stdin=PIPE, stdout=PIPE)


def _lines_of(other: Popen[bytes], data: bytes) -> list[str]:
    """What the other status line shows; nothing where it fails or takes too long."""
    try:
        shown, _ = other.communicate(data, timeout=THEN_SECONDS)
        return shown.decode("utf-8", "replace").rstrip().splitlines()
    except Exception as error:
        other.kill()
        from synapse_ls.service import log

        log.note(error)
        return []


def _write(text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return  # the client has gone on: there is nobody to tell


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
