"""Whether what was told has reached the model, where the client's transcript shows it.

A hook can be stopped, or its reply replaced by that of another hook. A transcript may also lag
behind, or say nothing of hooks at all. So a reply must be missing at two prompts in a row before
anything is told again, and that is done once: after it, only a reply that did arrive proves that
the transcript can be believed.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.service import windows
from synapse_ls.sessions.changes import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.service.call import Call

    Window = dict[str, Any]

FIELD: Final = (
    "told"  # in a window: [hash of a reply, prompts that did not show it, when it was told]
)
DOUBTED: Final = "doubted"  # in a window: it was told again because a reply was missing
MOST: Final = 3  # replies that are waited for
PROMPTS: Final = 2  # after so many that do not show a reply, it is missing


def expect(window: Window, text: str, now: float) -> None:
    """Note that ``text`` was told."""
    window[FIELD] = [*_expected(window), [text_hash(text), 0, timestamp(now)]][-MOST:]


def confirm(call: Call, window: Window) -> None:
    """Ask the client's transcript for the replies that nobody has seen arrive yet."""
    waiting = []
    missing = False
    for told, prompts, since in _expected(window):
        shown = call.host.arrived(call.event, told, since)
        if shown is None:
            waiting.append([told, prompts, since])
            continue
        if shown:
            window.pop(DOUBTED, None)
        elif prompts + 1 < PROMPTS:
            waiting.append([told, prompts + 1, since])
            continue
        else:
            missing = True
        call.confirm(told, shown)
    window.pop(FIELD, None)
    if missing and not window.get(DOUBTED):
        windows.lose(window)
        window[DOUBTED] = True
    elif waiting:
        window[FIELD] = waiting


def _expected(window: Window) -> list[list[Any]]:
    kept = window.get(FIELD)
    if not isinstance(kept, list):
        return []
    shape = (str, int, str)
    return [item for item in kept if isinstance(item, list) and (*map(type, item),) == shape]
