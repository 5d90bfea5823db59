"""What ``[profiles.NAME]`` of ``.synapse/config.toml`` may say: a profile of one's own, as changes to another.

The words for layers, sections and classes are those of the profile that is extended, so whether they
exist is found out when the profile is made (``engine/profiles/custom.py``), not here.
"""

from __future__ import annotations

from synapse_ls.formats.option import Option

MEMORY = ("none", "metadata", "summary", "chunks", "full")
"""How much of a memory is told (Chati Context Engine, "Integration with Memory Layer")."""

BRACKET: tuple[Option, ...] = (
    Option("floor", "int", None, "Percent left from which the bracket holds.", minimum=0),
    Option("budget", "int", None, "Tokens of a block.", minimum=1),
    Option("layers", "texts", None, "The layers that are awake."),
    Option("memory", "text", None, "How much of a memory is told.", MEMORY),
    Option("memory_tokens", "int", None, "Tokens that memories may take.", minimum=0),
    Option("handoff", "bool", None, "Whether to warn that the window ends."),
    Option("refresh", "int", None, "Prompts after which rules are told again.", minimum=1),
)
"""The keys of ``[profiles.NAME.brackets.BRACKET]``; what is absent is as in the bracket changed."""

PROFILE: tuple[Option, ...] = (
    Option("extends", "text", "synapse", "The profile that this one changes."),
    Option("renderer", "text", None, "The profile whose frame the block has."),
    Option("tag", "text", None, "The tag around the block, in place of the renderer's."),
    Option("layers", "texts", None, "The layers that there are, in the order they are asked."),
    Option("order", "texts", None, "Sections that come first, in this order."),
    Option("drop", "texts", None, "Classes of entries that go first, in this order."),
    Option("protect", "texts", None, "Classes of entries that no budget removes."),
    Option("recall_prompts", "int", None, "Prompts that a match lasts.", minimum=1),
    Option("use_brackets", "texts", None, "The brackets that there are, where not all."),
    Option("brackets", "records-by-name", None, "Brackets, new ones or changed.", fields=BRACKET),
)
"""The keys of ``[profiles.NAME]``; what is absent is as in the profile that is extended."""
