"""Format Markdown for hovers and tooltips, with blocks of the prompt byte for byte."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import accumulate

from synapse_ls.engine import block_sections, rule_account
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_renderer import render_section, summarize_keys
from synapse_ls.ide.tree_view import View
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import escape_invisible, format_count, join_paragraphs

# Tells which entries of a block a hover is about.
EntryFilter = Callable[[block_sections.Section, block_sections.Entry], bool]

# How long a hover may be: what is longer hides the text that it is about.
MOST_LINES = 12
_LEAST_PREVIEW = 5  # lines of the block that stay in any case

# How the line begins that leads on to the block now, and how those do that say in or out.
_NOW = "The block now"
_VERDICTS = ("**In ", "**Not in ")

# The command of VS Code that shows the block of a situation in the panel.
PANEL_COMMAND = "synapse.showContext"

# At the end of the line above a block, where no word of the tree stands.
_PANEL_LINK = lazy_pattern(
    rf"\[whole block\]\(command:{re.escape(PANEL_COMMAND)}\??([^)\s]*)\)(?=\):?\Z)"
)
_CODE_AT_END = lazy_pattern(r"\n\n(`{3,})\w*\n((?:(?!\n\1\n).)*)\n\1\Z", re.DOTALL)

# Between letters and digits an underscore is no markup (CommonMark 0.31, "Emphasis").
_MARKUP_CHARACTERS = lazy_pattern(r"[\\`*{}\[\]<>#|~&]|(?<![^\W_])_|_(?![^\W_])")
# Words of which editors make a link, whatever is escaped in them (GFM 0.29, "Autolinks
# (extension)"; linkify-it), and of which GitHub does, or a mention ("Autolinked references").
LINKED_WORD = lazy_pattern(r"[/]{2}|www\.|mailto:|.@|@.*\.[^.:/-]", re.ASCII | re.IGNORECASE)
POSTED_WORD = lazy_pattern(
    r"[/]{2}|www\.|mailto:|@|#\d|\bgh-\d|\b[\da-f]{7,40}\b", re.ASCII | re.IGNORECASE
)
WORDS = lazy_pattern(r"""[^\s!"$-,;-?[-^`{-~\u2010-\u2027]+|[\s!"$-,;-?[-^`{-~\u2010-\u2027]+""")
_BACKTICKS = lazy_pattern(r"`+")
# Between single backticks: longer runs, which a word of the tree may have, pair in other ways.
_CODE = lazy_pattern(r"((?<!`)`[^`]+`(?!`))")


def escape_markdown(text: str) -> str:
    """Return ``text`` as Markdown shows it, without markup and on one line. What an editor would
    make a link of is code.
    """
    return _escape_words(" ".join(text.split()), LINKED_WORD)


def escape_sentence(text: str, linked: re.Pattern[str] = LINKED_WORD) -> str:
    """Return a sentence of ours as Markdown: what it has in backticks is code, too."""
    parts = _CODE.split(escape_invisible(" ".join(text.split())))
    return "".join(part if n % 2 else _escape_words(part, linked) for n, part in enumerate(parts))


def escape_posted(text: str) -> str:
    """Return a sentence as Markdown for a comment or a report, which GitHub may show: no name in it
    calls a person or refers to an issue.
    """
    return escape_sentence(text, POSTED_WORD)


def _escape_words(text: str, linked: re.Pattern[str]) -> str:
    return "".join(
        code_span(word) if linked.search(word) else _MARKUP_CHARACTERS.sub(r"\\\g<0>", word)
        for word in WORDS.findall(text)
    )


def code_span(text: str) -> str:
    """Return ``text`` as a code span of Markdown, on one line."""
    flat = escape_invisible(" ".join(text.split()))
    ticks = "`" * (max(map(len, _BACKTICKS.findall(flat)), default=0) + 1)
    pad = " " if len(ticks) > 1 else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}" if flat else ""


def line_reference(path: str, line: int) -> str:
    """Return a file and a line, counted from 1, as a code span of a hover's Markdown."""
    return code_span(f"{path}:{line}")


def inclusion_sentence(
    is_included: bool, reason: str, remedy: str = "", block: str = "the block now"
) -> str:
    """Return a hover's Markdown that says whether something is in a block, why, and what would
    change that.
    """
    why = escape_markdown(reason)
    sentence = f"**In {block}**: {why}." if is_included else f"**Not in {block}**: {why}."
    if not remedy or is_included:
        return sentence
    return f"{sentence} To inject it: {escape_sentence(remedy)}."


def left_out_sentence(account: rule_account.DomainAccount) -> str:
    """Return a hover's Markdown that says which rules a domain in the block lacks for the most
    frequent reason, why, and what would change that; "" where it lacks none.
    """
    out = Counter(rule.explanation for rule in account.rules if not rule.is_rendered)
    if not out or not account.rendered_count:
        return ""
    why = max(out, key=out.__getitem__)
    keys = code_span(summarize_keys(r.key for r in account.rules if r.explanation == why))
    return inclusion_sentence(False, why.reason, why.remedy).replace("**: ", f"**: {keys}: ", 1)


def block_preview(
    assembly: Assembly,
    situation: Mapping[str, str],
    own: EntryFilter | None = None,
    between: str = "",
    phrase: str = "",
) -> str:
    """Return the part of a block that a hover is about, with a line that says of which block and
    leads to the whole of it.

    ``situation`` is what differs from now, by parameters of `View.block`; ``phrase`` says the
    same. ``between`` is what is to be read before.
    """
    bracket = assembly.situation.bracket.name
    what = f"The block {phrase}" if phrase else _NOW
    size = f"{assembly.tokens:,}"
    if assembly.is_unbounded:
        head = f"{what}: {bracket}, {size} tokens (no limit)"
    else:
        head = f"{what}: {bracket}, {size} of {assembly.budget:,} tokens"
    # The sections of the block with the entries that the hover is about.
    parts = [
        render_section(section.with_entries(entries))
        for section in assembly.sent_sections
        if own and (entries := [entry for entry in section.entries if own(section, entry)])
    ]
    argument = json.dumps([dict(situation)]) if situation else ""
    # As part of a URI (RFC 3986, section 2.1).
    argument = re.sub(r"[^A-Za-z0-9]", lambda match: f"%{ord(match[0]):02X}", argument)
    whole = f"[whole block](command:{PANEL_COMMAND}{'?' if argument else ''}{argument})"
    if not parts:
        return join_paragraphs(between, f"{head} ({whole})")
    text = "\n\n".join(parts)
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    block = f"{fence}text\n{text}\n{fence}"
    lead = f"{head}; its part of it ({whole}):" if phrase else f"{head} ({whole})"
    return join_paragraphs(between, lead, block)


def name_shell_commands(markdown: str) -> str:
    """Return a hover for an editor without commands in links: in the place of the link stands what
    to run.
    """

    def shell_command(link: re.Match[str]) -> str:
        argument = re.sub(r"%(..)", lambda found: chr(int(found[1], 16)), link[1])
        situation = json.loads(argument)[0] if argument else {}
        options = (word for name, value in situation.items() for word in (f"--{name}", value))
        return f"whole: {code_span(shlex.join(['synapse', 'context', *options]))}"

    match = _CODE_AT_END.search(markdown)
    end = match.start() if match else len(markdown)
    return _PANEL_LINK.sub(shell_command, markdown[:end]) + markdown[end:]


def arrange_hover(markdown: str) -> str:
    """Return a hover of at most `MOST_LINES` lines: the part of the block first, then whether and
    why what it is about is in or out, then what else there is to say, and at last the line that
    leads on to the whole block. That line stands above the part where it is of another block than
    the one now.

    What is too long loses paragraphs but for these, then lines of the block. A paragraph, a row
    and an item are a line each, however wide the editor is.
    """
    match = _CODE_AT_END.search(markdown)
    paragraphs = (markdown[: match.start()] if match else markdown).split("\n\n")
    lead = [paragraphs.pop()] if match or paragraphs[-1].startswith(_NOW) else []
    lines = match[2].splitlines() if match else []
    why = [text for text in paragraphs if text.startswith(_VERDICTS)]
    rest = [text for text in paragraphs if text not in why]
    if not why and rest:  # its first line says what it is about
        why, rest = rest[:1], rest[1:]
    room = MOST_LINES - min(len(lines), _LEAST_PREVIEW) - sum(map(_line_count, (*why, *lead)))
    if sum(map(_line_count, rest)) > room:
        heights = accumulate(map(_line_count, rest), initial=1)
        count = sum(height <= room for height in list(heights)[1:])
        rest = [*rest[:count], "…"]
    room = MOST_LINES - sum(map(_line_count, (*why, *rest, *lead)))
    if len(lines) > room:
        room = max(room, 2)
        lines[room - 1 :] = [f"… {format_count(len(lines) - room + 1, 'more line')}"]
    block = f"{match[1]}text\n" + "\n".join(lines) + f"\n{match[1]}" if match else ""
    above = lead if lead and not lead[0].startswith(_NOW) else []
    return join_paragraphs(*above, block, *why, *rest, *(lead if not above else ()))


def _line_count(paragraph: str) -> int:
    """Return the lines of a paragraph; the line below a table's head is not shown."""
    lines = paragraph.splitlines()
    return sum(1 for line in lines if line.strip() and not line.startswith("|---"))


def entries_of_domains(*labels: str) -> EntryFilter:
    """Return the filter by which a hover shows only the entries of the domains with these
    labels.
    """
    return lambda _, entry: entry.domain in labels


def entries_of_section(id: str) -> EntryFilter:
    """Return the filter by which a hover shows only one section of the block."""
    return lambda section, _: section.id == id


def domain_account(view: View, assembly: Assembly, label: str) -> rule_account.DomainAccount | None:
    """Return the account that a hover gives of a domain in a block: in or out, and why."""
    if assembly is view.assembly:
        return view.accounts.get(label)
    if (position := view.plan.labels.get(label)) is None:
        return None
    return rule_account.Accountant(view.plan, assembly).account_of(view.plan.domain(position))
