"""Recorded events: what a client writes to the hook, and what it has to read back.

``events/CLIENT/NAME.json`` is one of them, and all that has to be added for another::

    about        what happens, in a sentence
    arguments    what the hook's command line ends with
    environment  the variables that the client sets
    files        files beside the event: path -> text (optional)
    stdin        the payload
    kind         the kind that the event is
    event        fields of the `Event` that the payload becomes
    stdout       the reply; "$BLOCK" is the text for the agent, {} where the event takes none
    use          what a tool is about to do, as fields of `Use`; only of such events, as are
    ask, deny    the replies that have a person asked, or keep the tool from it; "$REASON" says why

``$ROOT`` is the folder of the tree, ``$HOME`` that of the person.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "events"
BLOCK = "$BLOCK"
REASON = "$REASON"


class Recorded(NamedTuple):
    """One recorded event, with its places filled in."""

    client: str
    arguments: list[str]
    environment: dict[str, str]
    files: dict[str, str]
    stdin: dict[str, Any]
    kind: str
    event: dict[str, Any]
    stdout: dict[str, Any]
    use: dict[str, Any] | None = None
    ask: dict[str, Any] | None = None
    deny: dict[str, Any] | None = None

    @property
    def options(self) -> dict[str, str]:
        """The arguments by name."""
        return dict(zip(self.arguments[::2], self.arguments[1::2], strict=True))


NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.json"))

EVENTS = list(
    {name.removesuffix(".json").partition("-")[0]: name for name in reversed(NAMES)}.values()
)
"""One recording of each event of each client: others of it differ in what the client says, not in what is done."""


def of_each_client(names: Iterable[str]) -> list[str]:
    """The first recording of each client among these."""
    return list({Path(name).parts[0]: name for name in reversed([*names])}.values())


def recorded(name: str, root: Path, home: Path) -> Recorded:
    """The event ``CLIENT/NAME.json`` of a tree at ``root``."""
    data = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    data = filled(data, {"$ROOT": root.as_posix(), "$HOME": home.as_posix()})
    assert data.pop("about")
    return Recorded(Path(name).parts[0], files=data.pop("files", {}), **data)


def filled(value: Any, places: dict[str, str]) -> Any:
    """``value`` with each of the places wherever it stands in a text."""
    if isinstance(value, str):
        for place, path in places.items():
            value = value.replace(place, path)
        return value
    if isinstance(value, dict):
        return {key: filled(item, places) for key, item in value.items()}
    return [filled(item, places) for item in value] if isinstance(value, list) else value


def told(reply: Any, expected: Any) -> str:
    """The text in ``reply`` where ``expected`` has the block, "" where there is none."""
    if expected == BLOCK:
        return reply if isinstance(reply, str) else ""
    if isinstance(expected, dict) and isinstance(reply, dict):
        pairs = [(reply.get(key), item) for key, item in expected.items()]
    elif isinstance(expected, list) and isinstance(reply, list):
        pairs = list(zip(reply, expected, strict=False))
    else:
        return ""
    return next((text for pair in pairs if (text := told(*pair))), "")
