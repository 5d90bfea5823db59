"""Decode a file (UTF-8, or UTF-16/32 by byte order mark), and report what is undecodable.

Never raises. Lone surrogates are replaced, so that the text can be encoded again.
"""

import codecs
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from synapse_ls.text.finding import Finding, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span


def replace_surrogates(text: str) -> str:
    """Return ``text`` with U+FFFD for each lone half of a surrogate pair; as long as it was.

    JSON can carry one, and so does what stands for a byte that is no UTF-8 (PEP 383).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


# Places of one kind that are reported one by one; a binary file would otherwise have millions.
REPORTED_RUNS = 100

# UTF-32-LE begins with the mark of UTF-16-LE, so the longer marks come first.
_OTHER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BAD_BYTES = lazy_pattern("[\udc80-\udcff]+")
_REPLACED = lazy_pattern("\ufffd+")
_NUL = lazy_pattern("\0+")


class DecodedText(NamedTuple):
    r"""What decoding a file's bytes gives: the text, whether a byte order mark (``bom``) was taken
    off, its usual line break and its problems.

    ``newline`` is the most frequent of ``\n``, ``\r\n`` and ``\r``, and ``\n`` where there is none.
    """

    text: str
    bom: bool
    newline: str
    problems: tuple[Finding, ...]


def decode_text(data: bytes) -> DecodedText:
    """Decode ``data`` as UTF-8, or as UTF-16 or UTF-32 where its byte order mark says so. Never
    raises.

    Bytes that cannot be read become U+FFFD as editors show them: one for each maximal part of a
    broken sequence (WHATWG Encoding, "decode").
    """
    problems: list[Finding] = []
    codec = next((codec for mark, codec in _OTHER_MARKS if data.startswith(mark)), "")
    if codec:
        bom = True
        text = data.decode(codec, "replace").removeprefix("\ufeff")
        name = codec.rpartition("-")[0].upper()
        problems.append(
            Finding(
                Span(0, min(len(text), 1)),
                f"The file is {name}; other programs that read it expect UTF-8 and will see "
                "no rules.",
                "Save the file as UTF-8.",
                kind="not-utf8",
                data=(("encoding", codec),),
            )
        )
        try:
            data.decode(codec)
        except UnicodeDecodeError:
            problems += _invalid_bytes_problems(_match_spans(_REPLACED, text), text)
    else:
        bom = data.startswith(codecs.BOM_UTF8)
        data = data.removeprefix(codecs.BOM_UTF8)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode(errors="replace")
            problems += _invalid_bytes_problems(_find_bad_bytes(data), text)
    if "\0" in text:
        problems += _report_spans(
            "nul-character",
            _match_spans(_NUL, text),
            text,
            "There is a NUL character here, so the file is probably not text.",
            "Delete the character.",
        )
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return DecodedText(text, bom, max(counts, key=counts.__getitem__), sort_problems(problems))


def _match_spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (Span(*match.span()) for match in pattern.finditer(text))


def _find_bad_bytes(data: bytes) -> Iterator[Span]:
    """Yield where the runs of unreadable bytes stand in the text with its replacement characters.

    "surrogateescape" keeps every such byte apart from a U+FFFD that the file itself contains; a
    run becomes as many U+FFFD as it has maximal parts.
    """
    shift = 0
    for match in _BAD_BYTES.finditer(data.decode(errors="surrogateescape")):
        run = match.group().encode(errors="surrogateescape").decode(errors="replace")
        start = match.start() + shift
        yield Span(start, start + len(run))
        shift += len(run) - len(match.group())


def _invalid_bytes_problems(spans: Iterator[Span], text: str) -> Iterator[Finding]:
    return _report_spans(
        "invalid-utf8",
        spans,
        text,
        "These bytes are not valid UTF-8; U+FFFD is shown and injected in their place.",
        "Retype the characters and save the file as UTF-8.",
    )


def _report_spans(
    kind: str, spans: Iterator[Span], text: str, message: str, remedy: str
) -> Iterator[Finding]:
    for span in islice(spans, REPORTED_RUNS):
        yield Finding(span, message, remedy, kind=kind)
    if (rest := next(spans, None)) is not None:
        more = f"{message} There are more such places after this one."
        yield Finding(Span(rest.start, len(text)), more, remedy, kind=kind)
