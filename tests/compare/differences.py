"""What two programs have answered, compared: what differs by its nature is made the same, what a file
lists is intended, and the rest is grouped by what has changed.
"""

from __future__ import annotations

import difflib
import json
import re
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from tests.compare.programs import REPOSITORY, ComparisonError

INTENDED = REPOSITORY / "scripts" / "intended-differences.toml"
SHOWN_LINES = 14
SESSIONS = "*file */sessions/*.json"
"""Parts that are files of sessions: an object, whose fields mean the same in any order."""
SHOWN_CASES = 3
SHOWN_COLUMNS = 220

Parts = dict[str, str]
"""What a case is answered with, by part: output, exit code, files, response."""
Answers = dict[str, Parts]
"""The parts by the name of the case."""


def _days() -> str:
    """A pattern for yesterday, today and tomorrow: other days stand in trees and have to stay."""
    now = time.time()
    return "|".join(time.strftime("%Y-%m-%d", time.gmtime(now + 86_400 * n)) for n in (-1, 0, 1))


def _epochs() -> str:
    """A pattern for the first digits of these days in seconds since the epoch."""
    begin = int(time.time() / 100_000)
    return "|".join(str(begin + n) for n in (-1, 0, 1))


CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
_HASH = "[0-9a-f]{16}"


class Varying(NamedTuple):
    """What is not the same twice. stand_in: what is compared in its place. parts: a pattern of the shell
    for the names of the parts that have it; everywhere else it has to be the same.
    """

    pattern: str
    stand_in: str
    reason: str
    parts: str = "*"


VARYING = (
    Varying(rf"\b(?:{_days()})[T ]{CLOCK}", "<time>", "when it was done"),
    Varying(
        rf"\b(?:{_days()})T\d\d-\d\d-\d\d(?:-\d+)?",
        "<time>",
        "when it was done, in the name of a file",
    ),
    Varying(rf"\b(?:{_days()})\b", "<day>", "when it was done"),
    Varying(rf"\b(?:{_epochs()})\d{{5}}(?:\.\d+|\d{{3,9}})?\b", "<seconds>", "when it was done"),
    Varying(r'"milliseconds": [\d.]+', '"milliseconds": 0', "how long a source of facts took"),
    Varying(r'"(\w+_ms)": [\d.]+', r'"\1": 0', "how long it took", "*doctor*"),
    Varying(r'"(\w+_ms)": [\d.]+', r'"\1": 0', "how long it took", "*diagnose*"),
    Varying(r"\b[\d.]+ ms\b", "<ms>", "how long it took", "*doctor*"),
    Varying(r"\b[\d.]+ ms\b", "<ms>", "how long it took", "*diagnose*"),
    Varying(r"\b[\d.]+ ms\b", "<ms>", "how long it took", "*debug*"),
    Varying(r" *\b[\d.]+ ms\b", " <ms>", "how long it took", "*activate*"),
    Varying(
        r'"after": "[0-9a-f]{64}"',
        '"after": "<hash>"',
        "the hash of settings that name the folder of the program",
        "*file config/settings/*",
    ),
    Varying(
        r'("\.synapse/(?:continuation|memory)/.*"): "[0-9a-f]{64}"',
        r'\1: "<hash>"',
        "the hash of a file with a time in it",
        "*file config/pins/*",
    ),
    Varying(
        rf'"(checksum|state)": "{_HASH}"',
        r'"\1": "<hash>"',
        "the hash of a text with times of files in it",
        "*/sessions/*.json",
    ),
    Varying(
        r'"made": \[\s*[^,]+,',
        '"made": [<seconds>,',
        "when a plan was made; 0 where a file has changed at the same moment",
        "*/sessions/*.json",
    ),
    Varying(
        rf'"hash": "{_HASH}"',
        '"hash": "<hash>"',
        "the hash of a block that names a file after a time",
        "hooks story in *",
    ),
    Varying(
        r"^[0-9a-f]{8}(?=  <time>)",
        "<hash>",
        "the hash of a block that names a file after a time",
        "hooks story in *",
    ),
)
_PATTERNS = tuple((re.compile(one.pattern, re.MULTILINE), one) for one in VARYING)


def _sort_keys(text: str) -> str:
    """The text of a JSON file, below the line with its mode, with its keys in alphabetical order."""
    mode, _, document = text.partition("\n")
    try:
        return f"{mode}\n{json.dumps(json.loads(document), indent=2, sort_keys=True)}"
    except ValueError:
        return text


def normalize_text(text: str, places: Mapping[str, str], part: str = "") -> str:
    """A text with names for places, and without what varies by its nature. part: whose text it is."""
    for path, name in places.items():
        text = text.replace(path, name)
    if fnmatchcase(part, SESSIONS):
        text = _sort_keys(text)
    for pattern, varying in _PATTERNS:
        if fnmatchcase(part, varying.parts):
            text = pattern.sub(varying.stand_in, text)
    return text


class Difference(NamedTuple):
    """A part of a case that the two programs answer differently.

    kind: cli, hooks, lsp, mcp or inventory. lines: the unified diff, without its head.
    """

    kind: str
    case: str
    part: str
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """What a pattern of an intended difference is compared with."""
        return f"{self.kind} {self.case}: {self.part}"

    @property
    def changed_lines(self) -> tuple[str, ...]:
        """The lines that are gone or new."""
        return tuple(line for line in self.lines if line[0] in "+-")


def compare_answers(kind: str, before: Answers, after: Answers) -> Iterator[Difference]:
    """All that differs. Of an inventory, only what is gone counts."""
    for case in {**before, **after}:
        old, new = before.get(case, {}), after.get(case, {})
        for part in {**old, **new}:
            texts = old.get(part, "(there is none)\n"), new.get(part, "(there is none)\n")
            if texts[0] == texts[1]:
                continue
            lines = tuple(_diff_lines(*texts))
            if kind == "inventory":
                names = set(texts[1].splitlines())
                lines = tuple(f"-{one}" for one in texts[0].splitlines() if one not in names)
            if lines:
                yield Difference(kind, case, part, lines)


def _diff_lines(before: str, after: str) -> Iterable[str]:
    diff = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    lines = [line for line in diff if not line.startswith(("---", "+++"))]
    return lines or ["-(other line breaks)", "+(other line breaks)"]


class Intended(NamedTuple):
    """A difference that somebody wants: a pattern of the shell for its name, a text that one of its
    changed lines has ("" for any), and the reason.
    """

    case: str
    line: str
    reason: str

    def matches(self, difference: Difference) -> bool:
        """Whether this is what is intended."""
        lines = difference.changed_lines
        return fnmatchcase(difference.name, self.case) and any(self.line in line for line in lines)


def read_intended(path: Path = INTENDED) -> list[Intended]:
    """The differences that are listed; raises ComparisonError where one is not complete."""
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    intended = []
    for number, table in enumerate(tables.get("difference", ()), 1):
        if not table.get("case") or not table.get("reason"):
            raise ComparisonError(
                f"difference {number} of {path} needs a `case`, which is a pattern of "
                "the shell, and a `reason`."
            )
        intended.append(Intended(table["case"], table.get("line", ""), table["reason"]))
    return intended


def print_groups(differences: Sequence[Difference]) -> None:
    """Prints what is the same in several cases once, that of the most cases first."""
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for difference in differences:
        part = difference.part.partition(" ")[0]
        key = (difference.kind, part, difference.changed_lines)
        groups.setdefault(key, []).append(difference)
    for group in sorted(groups.values(), key=len, reverse=True):
        first = group[0]
        print(f"\n{first.name}")
        for other in group[1:SHOWN_CASES]:
            print(f"{other.name}")
        if len(group) > SHOWN_CASES:
            print(f"… and {len(group) - SHOWN_CASES} more")
        for line in first.lines[:SHOWN_LINES]:
            print(f"    {line[:SHOWN_COLUMNS]}{' …' if len(line) > SHOWN_COLUMNS else ''}")
        if len(first.lines) > SHOWN_LINES:
            print(f"    … {len(first.lines) - SHOWN_LINES} more lines")
