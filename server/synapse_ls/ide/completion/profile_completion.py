"""This module completes profiles of a tree's own in ``.synapse/config.toml``: tables, and the words
of the profile that is extended.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from synapse_ls.engine import profile_vocabulary
from synapse_ls.engine.custom_profiles import ALL_OTHERS, Table, build_profile, profile_names
from synapse_ls.formats.config_option import Option
from synapse_ls.ide.completion.completion_item import CompletionItem
from synapse_ls.ide.tree_view import View
from synapse_ls.workspace.file_facts import FileFacts

WORDS = frozenset(
    {"extends", "renderer", "layers", "order", "drop", "protect", "use_brackets"}
)  # fmt: skip
"""The settings of a profile whose values are words of another one."""

_HEADER = re.compile(
    r"^[ \t]*\[profiles\.([\w-]+)(?:\.brackets\.([\w-]+)|\.headings)?\]", re.MULTILINE
)
_EXTENDS = re.compile(r"[ \t]*extends[ \t]*=[ \t]*[\"']([\w-]+)[\"']")


def table_items(view: View, facts: FileFacts, present: Collection[str]) -> Iterator[CompletionItem]:
    """Yields completion items for the tables of a profile that can begin."""
    for name in dict.fromkeys(found[1] for found in _HEADER.finditer(facts.text)):
        brackets = (row["name"] for row in _extended_table(view, facts, name)["brackets"])
        for table in (
            f"profiles.{name}.headings",
            *(f"profiles.{name}.brackets.{b}" for b in brackets),
        ):
            if table not in present:
                yield CompletionItem(table, "key", f"{table}]", topic=("option", "profiles"))
    yield CompletionItem(
        "profiles.", "key", detail="a profile of your own", topic=("option", "profiles")
    )


def heading_items(
    view: View, facts: FileFacts, table: str, taken: Collection[str]
) -> Iterator[CompletionItem]:
    """Yields completion items for the sections of a profile that can have another heading."""
    for section in _extended_table(view, facts, table.split(".")[1])["sections"]:
        if section not in taken and section != "WITHDRAWN":
            about = profile_vocabulary.SECTIONS.get(section, "")
            yield CompletionItem(section, "key", f'{section} = "', "", about)


def word_items(
    view: View, facts: FileFacts, table: str, option: Option
) -> Iterator[CompletionItem]:
    """Yields completion items for the words that a setting of a profile may have."""
    name = table.split(".")[1]
    if option.path in ("extends", "renderer"):
        known = profile_names(view.tree.snapshot.config.profiles)
        words: Mapping[str, str] = {word: "" for word in known if word != name}
    else:
        words = _words_of(_extended_table(view, facts, name), option.path, facts, name)
    for word, about in words.items():
        topic = (
            ("profile", word) if option.path == "extends" else ("option", f"{table}.{option.path}")
        )
        yield CompletionItem(word, "value", detail=about, topic=topic)


def _words_of(table: Table, setting: str, facts: FileFacts, name: str) -> dict[str, str]:
    if setting == "layers":
        return {layer: profile_vocabulary.LAYERS.get(layer, "") for layer, _ in table["layers"]}
    if setting == "order":
        words = {word: profile_vocabulary.SECTIONS.get(word, "") for word in table["sections"]}
        return {**words, ALL_OTHERS: "all other sections"}
    if setting == "use_brackets":
        own = (found[2] for found in _HEADER.finditer(facts.text) if found[1] == name and found[2])
        return dict.fromkeys((*(row["name"] for row in table["brackets"]), *own), "")
    # What goes first may be what was protected, and the other way round.
    near, far = ("drop", "protected") if setting == "protect" else ("protected", "drop")
    return {word: profile_vocabulary.CLASSES.get(word, "") for word in (*table[near], *table[far])}


def _extended_table(view: View, facts: FileFacts, name: str) -> Table:
    """Returns the profile that another one extends, as the text says it while it is being typed."""
    custom = view.tree.snapshot.config.profiles
    extends, inside = "synapse", False
    for line in facts.text.splitlines():
        header = _HEADER.match(line)
        if header or line.lstrip().startswith("["):
            inside = bool(
                header and header[1] == name and header[0].strip() == f"[profiles.{name}]"
            )
        elif inside and (said := _EXTENDS.match(line)):
            extends = said[1]
    made = build_profile(extends, custom) or build_profile("synapse", {})
    assert made is not None
    return made.table
