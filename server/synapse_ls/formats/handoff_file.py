"""Parse hand-off files, ``handoff-FROM-to-TO-TIME.yaml`` (SynkraAI/aios-core).

``handoff: {from_agent, to_agent, story_context: {story_id, story_path, story_status, current_task,
branch}, decisions, files_modified, blockers, next_action}``, with ``last_command``, ``consumed``
and a time in it or beside it. A model writes the file, so fields may be elsewhere, items may be
mappings, and invalid YAML is read line by line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from synapse_ls.formats import name_normalization, yaml_tree
from synapse_ls.text.finding import ParseResult
from synapse_ls.text.lazy_pattern import lazy_pattern

# Sender, receiver, time.
FILE_NAME = re.compile(r"handoff-(.+?)-to-(.+?)(?:-(\d[\dTtZz.:_-]*))?\.ya?ml")
_TIMES = ("timestamp", "created_at", "created", "handed_off_at", "date")
_TEXT_KEYS = (
    "decision", "description", "summary", "title", "text", "path", "file", "blocker", "name",
)  # fmt: skip
_LINE = lazy_pattern(r"^[ \t]*(?:-[ \t]+)?([a-z_]+):[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_MAX_ITEMS = 200  # items of a list that are looked at
_TRUE = ("true", "yes", "1")


@dataclass(frozen=True, slots=True)
class HandOff:
    """A hand-off file: what one agent left for another. Agents are ids, "" for nobody;
    ``last_command`` has no star; ``at`` is the file's words. ``consumed``: whether somebody has
    taken it over.
    """

    from_agent: str = ""
    to_agent: str = ""
    at: str = ""
    consumed: bool = False
    last_command: str = ""
    story: str = ""
    story_path: str = ""
    story_status: str = ""
    task: str = ""
    branch: str = ""
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_action: str = ""


def parse(text: str) -> ParseResult[HandOff]:
    """Parse a hand-off file. Problem kinds: those of `parse_yaml`."""
    root, problems = yaml_tree.parse_yaml(text)
    if root is None or not root.pairs:
        lines = {match[1]: match[2].strip("\"'") for match in _LINE.finditer(text)}
        return ParseResult(_build_handoff(lines, {}), problems)
    inner = root.get("handoff")
    own = inner if inner is not None and inner.pairs else root
    around = [node for node in (own.get("story_context"), own, root) if node is not None]
    fields: dict[str, str] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for node in around:
        for name, value in node.pairs:
            followed = value.target_node
            if followed.kind == "scalar" and followed.resolve() is not None:
                fields.setdefault(name.value, followed.value)
            elif followed.kind == "sequence":
                texts = (_item_text(item.target_node) for item in followed.items[:_MAX_ITEMS])
                lists.setdefault(name.value, tuple(filter(None, texts)))
    return ParseResult(_build_handoff(fields, lists), problems)


def _build_handoff(fields: Mapping[str, str], lists: Mapping[str, tuple[str, ...]]) -> HandOff:
    def first_list(*names: str) -> tuple[str, ...]:
        for name in names:
            if name in lists:
                return lists[name]
            if fields.get(name):
                return (fields[name],)
        return ()

    command = fields.get("last_command", "").strip()
    return HandOff(
        from_agent=name_normalization.normalize_agent_id(fields.get("from_agent", "")),
        to_agent=name_normalization.normalize_agent_id(fields.get("to_agent", "")),
        at=next((fields[name] for name in _TIMES if fields.get(name)), ""),
        consumed=fields.get("consumed", "").casefold() in _TRUE,
        last_command=command.removeprefix("*").partition(" ")[0].casefold(),
        story=fields.get("story_id", ""),
        story_path=fields.get("story_path", ""),
        story_status=fields.get("story_status", ""),
        task=fields.get("current_task", ""),
        branch=fields.get("branch", ""),
        decisions=first_list("decisions"),
        files=first_list("files_modified", "files"),
        blockers=first_list("blockers"),
        next_action=fields.get("next_action", "") or " ".join(first_list("next_action")),
    )


def _item_text(node: yaml_tree.YamlNode) -> str:
    """Return what an item says: its text, or that of the field that says most."""
    if node.kind == "scalar":
        return "" if node.resolve() is None else node.value.strip()
    first = next(
        (name.value for name, value in node.pairs if value.target_node.kind == "scalar"), ""
    )
    scalar = next((node.scalar(name) for name in (*_TEXT_KEYS, first) if node.scalar(name)), "")
    return scalar.strip()
