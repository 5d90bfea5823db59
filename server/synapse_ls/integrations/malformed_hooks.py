"""This module says which settings file a client cannot read, or can leave out as a whole, since a
hook in it is malformed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_definition import (
    TOML,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.settings_files import SettingsText, parse_settings, read_settings
from synapse_ls.text.jsonc_tree import JsoncDocument
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.edit_plan import EditError


def find_left_out(client: Client, file: Path, around: Surroundings) -> Iterator[Trouble]:
    """Yields why all hooks of a settings file can be lost. Of a file that is not there, or is not
    written as the client reads it, nothing is said.
    """
    name = shown_path(file, around)
    try:
        found = read_settings(file, name)
        if found is None or not found.text.strip():
            return
        settings = parse_settings(client, found.text, name)
    except EditError:
        return
    yield from find_mistakes(client, name, found, settings)


def find_mistakes(
    client: Client, name: str, found: SettingsText, settings: JsoncDocument
) -> Iterator[Trouble]:
    """Yields why all hooks of a settings file can be lost: a byte order mark, else the worst mistake
    in it. settings: what the client reads of it.
    """
    if found.bom and not client.takes_byte_order_mark:
        said = f"{name} begins with a byte order mark, and {client.title} reads no such file"
        remedy = "Save it as UTF-8 without a byte order mark."
        yield Trouble("broken-settings", "error", client.name, said, remedy, name, 1)
        return
    mistakes = client.find_mistakes(settings)
    worst = min(mistakes, key=lambda one: one.severity != "error", default=None)
    if worst is None:
        return
    line, column = LineIndex(found.text).position(worst.offset)
    place = f"{name}:{line + 1}:{column + 1}"
    lost = "all hooks" if client.syntax == TOML else "the whole file"
    said = f"{place}: {worst.said}, for which {client.title} can leave out {lost}"
    yield Trouble(
        "broken-settings", worst.severity, client.name, said, worst.remedy, name, line + 1
    )
