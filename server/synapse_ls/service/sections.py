"""A plan of sections from a file of JSON, which needs no tree (``synapse context --sections``)."""

from __future__ import annotations

import os

from synapse_ls.engine.sources.plain import plan_of
from synapse_ls.formats.sections import SectionsError, parse_json
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.plans import Planned
from synapse_ls.workspace.read import RefusedError, read_file

REMEDY = 'Give a list such as [{"label": "Identity", "content": "…", "priority": 0}].'


def planned_sections(path: str, root: str, text: str | None = None) -> Planned:
    """The plan of the sections in the file ``path``, or in ``text``, which ``path`` is then the name
    of; ServiceError where they cannot be read.

    Files that sections name are looked for beside it, and no further.
    """
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))

    def inside(name: str) -> str:
        real = os.path.realpath(os.path.join(folder, name))
        if not real.startswith(folder.rstrip(os.sep) + os.sep):
            raise ServiceError(
                f"{path} names {name}, which leads out of its folder.",
                "Put the file beside it.",
            )
        return _text(real, f"{path} names {name}, which")

    try:
        sections = parse_json(_text(path, path) if text is None else text)
    except SectionsError as error:
        raise ServiceError(f"{path}: {error}", REMEDY) from error
    plan = plan_of(sections, root, inside, os.path.basename(path))
    notes = () if sections else (f"{path} lists no sections",)
    return Planned(plan, None, notes, profile="plain", patience=None)


def _text(path: str, called: str) -> str:
    try:
        content = read_file(path)
    except RefusedError as refused:
        raise ServiceError(f"{called} cannot be read: {refused.message}", REMEDY) from refused
    if content is None:
        raise ServiceError(f"{called} does not exist.", REMEDY)
    return content.decoded.text
