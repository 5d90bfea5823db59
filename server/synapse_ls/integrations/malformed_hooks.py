"""This module says which settings file a client can leave out as a whole, since a hook in it is malformed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from synapse_ls.integrations.client_definition import Client, Surroundings, Trouble, shown_path
from synapse_ls.integrations.settings_files import readable_settings
from synapse_ls.text.jsonc_tree import JsoncDocument
from synapse_ls.text.line_index import LineIndex


class Mistake(NamedTuple):
    """A Mistake is what a client takes for one in its settings.

    offset: where it stands. said: what is wrong, as a clause. severity: "error", or "warning" where a
    later version of the client may take it.
    """

    offset: int
    said: str
    severity: str = "error"


FindMistakes = Callable[[JsoncDocument], Iterator[Mistake]]


def find_left_out(
    client: Client,
    scope: str,
    around: Surroundings,
    find_mistakes: FindMistakes,
    file: Path | None = None,
) -> Iterator[Trouble]:
    """Yields the worst mistake in the settings of one scope, for which all hooks there can be lost.

    file: where the client reads them, where that is not their usual place.
    """
    file = file or client.file(scope, around)
    settings = None if file is None else readable_settings(client, file)
    if file is None or settings is None:
        return
    mistake = min(find_mistakes(settings), key=lambda one: one.severity != "error", default=None)
    if mistake is None:
        return
    name = shown_path(file, around)
    line, column = LineIndex(settings.text).position(mistake.offset)
    place = f"{name}:{line + 1}:{column + 1}"
    yield Trouble(
        "broken-settings",
        mistake.severity,
        client.name,
        f"{place}: {mistake.said}, for which {client.title} can leave out the whole file",
        "Mend that place of the file, or take it out.",
        name,
        line + 1,
        scope,
    )
