"""Parse ``key: value`` fields line by line, where the text is not reliable YAML.

For front matter, the definitions in task files (bold keys, check boxes with a mapping below), and
agent definitions that are invalid YAML.
"""

from synapse_ls.formats.name_normalization import fold_case
from synapse_ls.text.finding import Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

_FIELD = lazy_pattern(r"\*{0,2}([^\W\d][^:*#`\"'\[\]{}|]{0,60})\*{0,2}:\*{0,2}(?=[ \t]|$)")
_BLOCK_SCALAR = lazy_pattern(r"[|>][0-9+-]{0,2}")


def parse_field(line: str, start: int = 0) -> tuple[str, Text] | None:
    """Return the key and the value of a ``key: value`` or ``**Key:** value`` line, None for any
    other. The key is in folded snake case: ``"Pré-Condições"`` -> ``"pre_condicoes"``.

    ``start`` is the offset of the line. Quotes around the value and a comment after it are cut
    off.
    """
    match = _FIELD.match(line)
    if match is None:
        return None
    key = fold_case(match[1].strip()).replace("-", "_").replace(" ", "_")
    return key, plain_value(line, match.end(), start)


def plain_value(line: str, begin: int, start: int = 0) -> Text:
    """Return the value of a field that stands behind its colon, from column ``begin`` on, without
    quotes and comment.
    """
    value = line[begin:]
    place = start + begin + len(value) - len(value.lstrip())
    value = value.strip()
    if value[:1] in ("'", '"') and (end := value.find(value[0], 1)) > 0:
        return Text(value[1:end], Span(place + 1, place + end))
    value = "" if value.startswith("#") else value.partition(" #")[0].rstrip()
    return Text(value, Span(place, place + len(value)))


def parse_fields(text: str, region: Span) -> dict[str, Text]:
    """Return the top-level ``key: value`` fields of a region; of repeated keys the first counts.

    The indented lines of a block scalar (``|``, ``>``) are joined by spaces.
    """
    fields: dict[str, Text] = {}
    block: list[str] = []
    block_key = ""

    def close_block(end: int) -> None:
        if block_key and block:
            fields[block_key] = Text(" ".join(block), Span(fields[block_key].span.start, end))

    end = region.start
    for first, last in iter_lines(region.cut(text)):
        start, before, end = region.start + first, end, region.start + last
        line = text[start:end]
        if line[:1] in (" ", "\t", ""):
            block += [line.strip()] if line.strip() else []
            continue
        close_block(before)
        block, block_key = [], ""
        pair = parse_field(line, start)
        if pair and pair[0] not in fields:
            key, value = pair
            if _BLOCK_SCALAR.fullmatch(value.value):
                block_key, value = key, Text("", Span(value.span.end, value.span.end))
            fields[key] = value
    close_block(end)
    return fields
