"""This module makes a plan of sections from a JSON file, which needs no tree (``synapse context
--sections``).
"""

from __future__ import annotations

import os

from synapse_ls.engine.systems.plain.source import plan_of_sections
from synapse_ls.formats.plain_sections import SectionsError, parse_json_sections
from synapse_ls.storage.current_plan import CurrentPlan
from synapse_ls.storage.user_error import UserError
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.regular_files import real_path

SECTIONS_REMEDY = 'Give a list such as [{"label": "Identity", "content": "…", "priority": 0}].'


def load_section_plan(path: str, root: str, text: str | None = None) -> CurrentPlan:
    """Returns the plan of the sections in the file ``path``, or in ``text``, which ``path`` is then
    the name of; raises UserError where they cannot be read.

    Files that sections name are looked for beside it, and no further.
    """
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))

    def read_beside(name: str) -> str:
        real = real_path(os.path.join(folder, name))
        if not real.startswith(folder.rstrip(os.sep) + os.sep):
            raise UserError(
                f"{path} names {name}, which leads out of its folder.",
                "Put the file beside it.",
            )
        return _read_text(real, f"{path} names {name}, which")

    try:
        sections = parse_json_sections(_read_text(path, path) if text is None else text)
    except SectionsError as error:
        raise UserError(f"{path}: {error}", SECTIONS_REMEDY) from error
    plan = plan_of_sections(sections, root, read_beside, os.path.basename(path))
    notes = () if sections else (f"{path} lists no sections",)
    return CurrentPlan(plan, None, notes, profile="plain", patience=None)


def _read_text(path: str, description: str) -> str:
    try:
        content = read_file(path)
    except RefusedError as refused:
        raise UserError(
            f"{description} cannot be read: {refused.message}", SECTIONS_REMEDY
        ) from refused
    if content is None:
        raise UserError(f"{description} does not exist.", SECTIONS_REMEDY)
    return content.decoded.text
