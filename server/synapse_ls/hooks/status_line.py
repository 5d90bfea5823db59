"""Claude Code's status line, whose input also tells the next hook how full the window is.

The client writes its session's state to standard input as JSON and shows the output ("Customize
your status line", Claude Code). It is the only source of the window's size. If anything fails,
there is still a line, and the log has the reason.
"""

from __future__ import annotations

import os
from time import time

from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.session_values import read_text
from synapse_ls.formats.window_state import WindowState
from synapse_ls.hooks.hook_command import parse_object, parse_options, read_input, write_all
from synapse_ls.hooks.window_reply import compose_block, session_request
from synapse_ls.integrations.claude import transcript
from synapse_ls.integrations.model_windows import STATUS_LINE_ORIGIN as LINE_ORIGIN
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.integrations.transcript_tail import inner_object, token_count
from synapse_ls.storage import hook_log
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.current_plan import PROMPT_PATIENCE, CurrentPlan, load_plan
from synapse_ls.storage.session_changes import window_content
from synapse_ls.storage.session_store import SessionStore
from synapse_ls.workspace.tree_folders import SESSIONS
from synapse_ls.workspace.tree_search_upward import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import Any, Final

    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.formats.session_file import SessionState

CLIENT: Final = "claude"
INPUT_LIMIT: Final = 4_000_000  # bytes; the client writes a few thousand
LOCK_SECONDS: Final = 0.2  # the line comes again in a moment, a hook must not wait for it
STEPS_OF_WINDOW: Final = 100  # a hundredth of the window: smaller changes are not noted
THEN_SECONDS: Final = 5.0  # another status line may take this long
COLORS: Final = ("32", "36", "33", "31")  # from the first bracket to the last
FAILURE_LINE: Final = "synapse: no status; the reason is in hook.log in the cache folder"


def main(arguments: list[str]) -> int:
    """Print the status line for the status that Claude Code writes to standard input; the exit code
    is 0.

    ``--then COMMAND`` runs another status line with the same input and shows its lines first;
    ``--color auto|always|never``; ``--root DIR`` is where the search for a tree starts.
    """
    line, data = FAILURE_LINE, b""
    other: Popen[bytes] | None = None
    try:
        options = parse_options(arguments)
        data = read_input(INPUT_LIMIT)
        if options.get("then", "").strip():
            # Another status line is at work while this one is made.
            from subprocess import PIPE, Popen

            other = Popen(options["then"], shell=True, stdin=PIPE, stdout=PIPE)
        # The client shows colours, though it reads them from a pipe.
        wish = options.get("color", "auto")
        color = wish == "always" or (wish != "never" and not os.environ.get("NO_COLOR"))
        line = build_status_line(data, root=options.get("root", ""), color=color)
    except BaseException as error:
        hook_log.log_error(error)
    lines = [*_other_lines(other, data), line] if other else [line]
    try:
        write_all(("\n".join(lines) + "\n").encode("utf-8", "replace"))
    except OSError:
        return 0  # the client has gone on: there is nobody to tell
    return 0


def build_status_line(data: bytes, *, root: str = "", color: bool = False) -> str:
    """Return the line for the status in ``data``.

    Raises ValueError for what is no JSON, TypeError for JSON that is no object.
    """
    status = parse_object(data, INPUT_LIMIT, "status")
    figures = status_figures(status)
    workspace = inner_object(status, "workspace")
    folders = (workspace.get("project_dir"), workspace.get("current_dir"), status.get("cwd"))
    places = list(filter(None, (root, *map(read_text, folders)))) or [os.getcwd()]
    if not (tree := next(filter(None, map(find_root, places)), None)):
        # No brackets could name what is left.
        size, in_use = token_count(figures.get("window")), figures.get("used")
        if not size or in_use is None:
            return "synapse: no tree here"
        share = max(0, round(100 - token_count(in_use) * 100 / size))
        return f"{share}% left of {short_tokens(size)}"
    plan = load_plan(tree, patience=PROMPT_PATIENCE)
    session = _session_with_figures(tree, read_text(status.get("session_id")), figures)
    usage = measure_window_usage(
        plan.plan, session, figures if figures.get("used") is not None else None
    )
    return " · ".join(_line_parts(plan, session, usage, color=color))


def status_figures(status: dict[str, Any]) -> dict[str, object]:
    """Return what the client says of its window: ``used`` and ``window`` in tokens, ``model``.

    Right after a compaction and before the first answer nothing is known to be in use. Versions
    that do not tell the window are asked by their transcript.
    """
    context = inner_object(status, "context_window")
    model = read_text(inner_object(status, "model").get("id"))
    if not (window := token_count(context.get("context_window_size"))):
        figures = transcript.read_usage(read_text(status.get("transcript_path")), model)
        return {**figures, "model": model or figures["model"]} if figures else {"model": model}
    current = context.get("current_usage")
    percent = context.get("used_percentage")
    used: int | None = None
    if isinstance(current, dict):
        used = sum(token_count(current.get(field)) for field in transcript.INPUT_TOKEN_FIELDS)
    elif isinstance(percent, int | float) and not isinstance(percent, bool) and percent > 0:
        used = min(int(percent * window / 100), window)
    return {"used": used or None, "window": window, "model": model, "origin": LINE_ORIGIN}


def _session_with_figures(
    tree: str, session_id: str, figures: dict[str, object]
) -> SessionState | None:
    """Return the session with the figures noted in it; sessions begin with their first prompt, not
    here.
    """
    if not session_id:
        return None
    store = SessionStore(os.path.join(tree, SESSIONS))
    session = store.load(session_id)
    if session is None or figures.get("origin") == transcript.ORIGIN or not figures.get("window"):
        return session
    before = session.context.status_line
    note = {name: figures[name] for name in ("used", "window", "model")}
    note["compactions"] = session.context.compactions
    moved = abs(token_count(before.get("used")) - token_count(note["used"]))
    # The line is asked for several times a second: most differences are not worth writing.
    if moved * STEPS_OF_WINDOW >= token_count(note["window"]) or any(
        before.get(name) != note[name] for name in ("window", "model", "compactions")
    ):
        _write_note(store, session_id, note, tree)
        session.context.status_line = note
    return session


def _write_note(store: SessionStore, session_id: str, note: dict[str, object], cwd: str) -> None:
    """Write the note; where a hook is at work on the session, the next line will."""
    try:
        with store.transaction(
            session_id, cwd=cwd, now=time(), timeout=LOCK_SECONDS
        ) as transaction:
            if transaction.is_new:
                return
            context = transaction.session.context
            context.status_line = {**note, "compactions": context.compactions}
            transaction.commit()
    except StorageError:
        return


def _line_parts(
    plan: CurrentPlan, session: SessionState | None, usage: Usage, *, color: bool
) -> list[str]:
    window = session.find_window(CLIENT) if session else WindowState()
    assembly = compose_block(
        plan,
        session_request(plan.plan, session, CLIENT, is_delivery=True),
        usage,
        window=lambda current, situation: window_content(current, situation, window),
    ).assembly
    situation = assembly.situation
    bracket = situation.bracket.name
    names = [bracket.name for bracket in plan.plan.profile.brackets]
    if color:
        place = names.index(bracket) * (len(COLORS) - 1) // max(1, len(names) - 1)
        bracket = f"\x1b[{COLORS[place]}m{bracket}\x1b[0m"
    size = f" of {short_tokens(usage.window)}" if usage.used is not None and usage.window else ""
    about = "" if usage.used is not None else "about "
    parts = [f"{bracket} {about}{round(usage.remaining)}% left{size}"]
    if situation.agent:
        parts.append(f"@{neutralise_text(situation.agent)}")
    tokens = assembly.tokens
    parts.append(f"next prompt +{tokens:,} tokens" if tokens else "rules up to date")
    return parts


def short_tokens(tokens: int) -> str:
    """Return a number of tokens for people: "200K", "1M", "1.05M"."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{tokens / 1000:.0f}K" if tokens >= 1000 else str(tokens)


def _other_lines(other: Popen[bytes], data: bytes) -> list[str]:
    """Return what the other status line shows; nothing where it fails or takes too long."""
    try:
        output, _ = other.communicate(data, timeout=THEN_SECONDS)
        return output.decode("utf-8", "replace").rstrip().splitlines()
    except Exception as error:
        other.kill()
        hook_log.log_error(error)
        return []
