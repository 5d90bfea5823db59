"""The configuration of a project's tree as it is in force, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from synapse_ls.engine.profiles import custom
from synapse_ls.formats import config
from synapse_ls.formats.config import Config
from synapse_ls.formats.toml_places import places
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.read import RefusedError, read_file

_CORRECT = "Correct the value, or delete the line."


class Fault(NamedTuple):
    """Something that is wrong. said: a sentence without a full stop. line counts from 1."""

    said: str
    remedy: str
    line: int


class Configured(NamedTuple):
    """What is in force, and the faults; the defaults and none where there is no configuration."""

    config: Config
    faults: tuple[Fault, ...] = ()


def configured(root: Path) -> Configured:
    """The configuration of the tree in ``root``."""
    try:
        content = read_file(str(root / CONFIG))
    except RefusedError as refused:
        said = f"{refused.message.removesuffix('.')}, so the defaults hold and the guard is strict"
        return Configured(config.unread(), (Fault(said, "Make it readable, or delete it.", 1),))
    if content is None:
        return Configured(Config())
    text = content.decoded.text
    document, problems = config.parse(text)
    lines = LineIndex(text)
    faults = [
        Fault(
            problem.message.removesuffix("."),
            problem.remedy or _CORRECT,
            lines.line_of(problem.span.start) + 1,
        )
        for problem in problems
    ]
    known = custom.names(document.profiles)
    if document.profile and document.profile not in known:
        said = f"There is no profile `{document.profile}`, so the default one holds"
        line = lines.line_of(places(text)["profile",].value.start) + 1
        faults.append(Fault(said, f"Write one of {', '.join(known)}.", line))
    return Configured(document, tuple(faults))
