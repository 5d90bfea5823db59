"""This module renders the block as text: sections in order, separated as the layout says, no
trailing newline.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.profile_model import Layout


def render_section(section: Section, cut_line: str = "", indent: str = "  ") -> str:
    """Renders one section of the block: heading, entries under their groups, and the line that
    names what was cut.
    """
    lines = [*section.lines(indent)]
    if cut_line:
        lines.append(indent + cut_line)
    if section.closing:
        lines.append(section.closing)
    return "\n".join(lines)


def render_block(layout: Layout, sections: Iterable[Section], cut_lines: Mapping[int, str]) -> str:
    """Renders the whole block as text; ``cut_lines`` are by position of the section."""
    bodies = [
        render_section(s, cut_lines.get(i, ""), layout.indent) for i, s in enumerate(sections)
    ]
    return layout.open + layout.between.join(bodies) + layout.close


def summarize_keys(keys: Iterable[str]) -> str:
    """Renders rule keys as the cut line of a block names them: runs of indices as ranges, at most
    three runs by name.

    >>> summarize_keys(["GLOBAL_RULE_5", "GLOBAL_RULE_6", "GLOBAL_RULE_7", "DEV_RULE_0"])
    'DEV_RULE_0, GLOBAL_RULE_5–7'
    """
    families: dict[str, list[int]] = {}
    for key in keys:
        stem, _, number = key.rpartition("_")
        if stem and number.isdecimal():
            families.setdefault(stem + "_", []).append(int(number))
        else:
            families.setdefault(key, [])
    runs: list[str] = []
    for stem in sorted(families):
        numbers = sorted(set(families[stem]))
        gaps = [i for i in range(1, len(numbers)) if numbers[i] != numbers[i - 1] + 1]
        for start, end in zip((0, *gaps), (*gaps, len(numbers)), strict=True):
            if not numbers:
                runs.append(stem)
            elif end - start > 1:
                runs.append(f"{stem}{numbers[start]}–{numbers[end - 1]}")
            else:
                runs.append(f"{stem}{numbers[start]}")
    if len(runs) > 3:
        return f"{', '.join(runs[:3])} and others"
    return ", ".join(runs)
