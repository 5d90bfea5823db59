"""This module finds what keeps the rules that were taken over from going out of their files: taking
them out would harm what is around them, or leave an agent without rules.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from synapse_ls.formats.instruction_rules import (
    ALERT,
    COMMENT,
    OTHER_TOOL,
    hidden_spans,
    read_source,
)
from synapse_ls.formats.markdown_lists import TAGS
from synapse_ls.formats.markdown_outline import LABEL_LEVEL, parse_outline
from synapse_ls.integrations.instruction_registry import target_of
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.init.domain_proposals import applies_on_request
from synapse_ls.setup.init.first_turn import FirstTurn
from synapse_ls.setup.init.rule_adoption import AdoptionPlan
from synapse_ls.text.line_index import LineIndex


class ReplacementObstacle(NamedTuple):
    """A ReplacementObstacle is why the rules of a file stay in it: its place, line from 1, and a
    clause.
    """

    path: str
    line: int
    why: str


def replacement_obstacles(
    root: Path, adoption: AdoptionPlan, sources: Mapping[str, str]
) -> Iterator[ReplacementObstacle]:
    """Yields what is in the way of taking the rules of an adoption out of their ``sources``, texts by
    path.
    """
    for path, why in adoption.obstacles.items():
        yield ReplacementObstacle(path, 1, why)
    base = os.path.realpath(root)
    for path, lines in adoption.told_lines.items():
        if not lines:
            continue
        real = os.path.relpath(os.path.realpath(root / path), base).replace(os.sep, "/")
        if real != path and target_of(real) is None and target_of(path) is not None:
            yield ReplacementObstacle(
                path, 1, f"it is a link to {real}, which is not only for agents"
            )
        if applies_on_request(read_source(path, sources[path])):
            why = "its client applies it only where a person or the agent asks for it, as no domain can be"
            yield ReplacementObstacle(path, 1, why)
        yield from sorted(_text_obstacles(path, sources[path]))


def _text_obstacles(path: str, text: str) -> Iterator[ReplacementObstacle]:
    index = LineIndex(text)

    def obstacle(offset: int, why: str) -> ReplacementObstacle:
        return ReplacementObstacle(path, index.line_of(offset) + 1, why)

    for kind, span in hidden_spans(text):
        first, last = (index.line_span(index.line_of(at)) for at in (span.start, span.end))
        around = text[first.start : span.start] + text[span.end : last.end]
        if kind == OTHER_TOOL:
            yield obstacle(span.start, "another tool keeps a part of this file, between its marks")
        elif kind == COMMENT and around.strip():
            yield obstacle(span.start, "a comment begins or ends on a line with other text")
    for section in parse_outline(text, underlined=True).sections:
        title = section.title.span
        line = index.line_span(index.line_of(title.start)).cut(text)
        if 0 < section.level < LABEL_LEVEL and not line.lstrip().startswith("#"):
            yield obstacle(title.start, "this heading is underlined")
        for part in section.lines:
            if part.fence is None and ALERT.fullmatch(part.text):
                yield obstacle(part.span.start, "a rule stands in an alert")
            elif part.fence is None and TAGS.fullmatch(part.text.strip()):
                yield obstacle(part.span.start, "tags enclose rules")


def describe_late_rules(turn: FirstTurn) -> str:
    """Returns why rules stay in their files where the first reply has no room for all of them."""
    return (
        f"the hook's first reply in {CLIENTS[turn.client].title} has room for {turn.rules - turn.late} of "
        f"{turn.rules} rules that are always told (a block may have {turn.budget} tokens)"
    )
