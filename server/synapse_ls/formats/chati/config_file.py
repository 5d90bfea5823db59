"""Parse ``chati.dev/config.yaml``, and the bracket table of ``intelligence/context-engine.md``."""

import re
from typing import NamedTuple

from synapse_ls.formats import markdown_outline, yaml_tree
from synapse_ls.formats.chati.field_schema import SchemaChecker, SchemaField
from synapse_ls.formats.chati.session_file import LANGUAGES
from synapse_ls.text.finding import ParseResult, Text, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_VERSION = r"\d+\.\d+\.\d+"
FIELDS = (
    SchemaField("version", required=True, pattern=_VERSION, example="2.0.1"),
    SchemaField("installed_at", "time"),
    SchemaField("updated_at", "time"),
    SchemaField("installer_version", pattern=_VERSION, example="2.0.1"),
    SchemaField("project_type", words=("greenfield", "brownfield")),
    SchemaField("language", words=LANGUAGES),
    SchemaField("ides", "list"),
    SchemaField(
        "providers",
        "mapping",
        value_fields=(SchemaField("enabled", "flag"), SchemaField("primary", "flag")),
    ),
    SchemaField(
        "agent_overrides", "mapping", value_fields=(SchemaField("provider"), SchemaField("model"))
    ),
)


class ConfigDocument(NamedTuple):
    """A parsed ``config.yaml``; ``language`` is None where the file does not say."""

    version: str
    language: Text | None
    root: yaml_tree.YamlNode | None


def parse_config_file(text: str) -> ParseResult[ConfigDocument]:
    """Parse Chati.dev's ``config.yaml``. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-config``.
    """
    root, problems = yaml_tree.parse_yaml(text)
    if root is None or root.kind != "mapping":
        return ParseResult(ConfigDocument("", None, root), problems)
    checker = SchemaChecker(
        "invalid-chati-config", "agents may get the wrong facts about the project"
    )
    document = ConfigDocument(root.scalar("version"), root.text("language"), root)
    return ParseResult(document, sort_problems((*problems, *checker.check_fields(root, FIELDS))))


_ROW = lazy_pattern(r"\|\s*\*{0,2}([A-Z]{3,20})\*{0,2}\s*\|\s*([^|\n]{1,40}?)\s*\|")
_RANGE = lazy_pattern(r"(\d{1,3})\s*[-–—]\s*(\d{1,3})\s*%?")
_BELOW = lazy_pattern(r"(?:<|less than|below)\s*(\d{1,3})\s*%?", re.IGNORECASE)
_ABOVE = lazy_pattern(r"(?:>=?|≥|more than|above)\s*(\d{1,3})\s*%?", re.IGNORECASE)
_ARTICLES = lazy_pattern(r"\bArticles\s+I\s*[-–—]\s*([IVXLCDM]+)\b")


class BracketRange(NamedTuple):
    """A bracket in the table of Chati.dev and the percentages it holds for; ``span`` is the place
    of the percentages.
    """

    name: str
    low: int
    high: int
    span: Span


class BracketTable(NamedTuple):
    """The ``ranges`` in the order of the file; ``articles`` are the numerals of
    "Articles I-XVI".
    """

    ranges: tuple[BracketRange, ...]
    articles: tuple[Text, ...]


def parse_bracket_table(text: str) -> ParseResult[BracketTable]:
    """Parse the bracket table of Chati.dev. It has no problems of its own: see the lint rule about
    its gaps.
    """
    outline = markdown_outline.parse_clean_outline(text)
    ranges: dict[str, BracketRange] = {}
    for section in outline.sections:
        for line in section.lines:
            row = _ROW.match(line.text.strip()) if line.fence is None else None
            if row is None:
                continue
            name, written = row.groups()
            if match := _RANGE.fullmatch(written):
                low, high = sorted(map(int, match.groups()))
            elif match := _BELOW.fullmatch(written):
                low, high = 0, int(match[1])
            elif match := _ABOVE.fullmatch(written):
                low, high = int(match[1]), 100
            else:
                continue
            start = line.span.start + line.text.index(row[0]) + row.start(2)
            span = Span(start, start + len(written))
            ranges.setdefault(name, BracketRange(name, low, high, span))
    return ParseResult(BracketTable(tuple(ranges.values()), article_ranges(outline.text)), ())


def article_ranges(text: str) -> tuple[Text, ...]:
    """Return, from a text with the bracket table, the last numeral of each "Articles I-XVI"."""
    return tuple(Text(match.group(1), Span(*match.span(1))) for match in _ARTICLES.finditer(text))
