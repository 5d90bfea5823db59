"""Says whether the program of the working tree behaves as that of another revision.

    python -m tests.compare REVISION [--only KIND …] [--quick] [-j N]

Both are given the same: command lines, events of agent clients, what editors and agents ask servers. What
they say, how they end and what they leave in files is compared byte for byte, but for what differs by its
nature (`differences.VARYING`) and what `scripts/intended-differences.toml` lists.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.compare.command_cases import missing_commands
from tests.compare.differences import (
    INTENDED,
    Answers,
    Difference,
    Intended,
    compare_answers,
    normalize_text,
    print_groups,
    read_intended,
)
from tests.compare.editor_transcript import missing_methods
from tests.compare.place import Place, is_supported
from tests.compare.programs import (
    REPOSITORY,
    ComparisonError,
    Program,
    lock_copies,
    program_of_folder,
    program_of_revision,
)
from tests.compare.scenarios import KINDS, Scenario, list_scenarios
from tests.compare.templates import write_templates
from tests.support import MEMORY_FOLDER, has_memory_folder

Result = tuple[str, int, list[Difference]]
"""The kind, how many cases there were, and what differs."""


def _parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="compare-with",
        description="Says whether the program of the working tree behaves as that of REVISION.",
        epilog="Exit codes: 0 it does; 1 there is a difference that is not listed as intended; 2 it "
        "could not be compared.",
    )
    parser.add_argument(
        "revision", metavar="REVISION", help="a revision of git, or a folder with another program"
    )
    parser.add_argument("--only", choices=KINDS, action="append", help="only this; may be repeated")
    parser.add_argument("--quick", action="store_true", help="a part of it, in less than a minute")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="say how long each scenario takes"
    )
    parser.add_argument(
        "-j", type=int, default=os.cpu_count() or 1, dest="workers", metavar="N",
        help="how many scenarios are played at once (default: one for each processor)",
    )  # fmt: skip
    return parser.parse_args(arguments)


def _play_scenario(
    scenario: Scenario,
    before: Program,
    after: Program,
    places: queue.Queue[Place],
    *,
    is_verbose: bool,
) -> Result:
    """Plays a scenario with both programs at one place, one after the other."""
    place = places.get()
    begun = time.monotonic()
    try:
        answers = [
            _normalize_answers(scenario.kind, scenario.play(place, program), place, program)
            for program in (before, after)
        ]
    finally:
        places.put(place)
    differences = list(compare_answers(scenario.kind, *answers))
    if is_verbose:
        took = time.monotonic() - begun
        print(f"{took:6.1f} s  {scenario.kind} {scenario.name}", file=sys.stderr, flush=True)
    return scenario.kind, len({**answers[0], **answers[1]}), differences


def _normalize_answers(kind: str, answers: Answers, place: Place, program: Program) -> Answers:
    names = {str(program.folder): "$PROGRAM", str(place.folder): "$PLACE"}
    return {
        normalize_text(case, names): {
            normalize_text(part, names): normalize_text(text, names, f"{kind} {case}: {part}")
            for part, text in parts.items()
        }
        for case, parts in answers.items()
    }


def compare_programs(
    before: Program, after: Program, kinds: Sequence[str], options: argparse.Namespace
) -> list[Result]:
    """Plays all scenarios of some kinds with both programs."""
    parent = MEMORY_FOLDER if has_memory_folder() and "TMPDIR" not in os.environ else None
    scratch = Path(tempfile.mkdtemp(prefix="compare-", dir=parent)).resolve()
    places: queue.Queue[Place] = queue.Queue()
    workers, is_quick = max(1, options.workers), options.quick
    opened = [Place(scratch / f"place-{number}") for number in range(workers)]
    try:
        templates = list(write_templates(scratch / "templates", is_quick=is_quick))
        for place in opened:
            places.put(place)
        scenarios = list(list_scenarios(templates, kinds, is_quick=is_quick))
        pool = ThreadPoolExecutor(workers)
        try:
            results = [
                pool.submit(
                    _play_scenario, scenario, before, after, places, is_verbose=options.verbose
                )
                for scenario in scenarios
            ]
            return [result.result() for result in results]
        finally:
            # After a failure or Ctrl+C, what has begun is all that is waited for.
            pool.shutdown(cancel_futures=True)
    finally:
        for place in opened:
            place.close()
        shutil.rmtree(scratch, ignore_errors=True)


def _uncovered(kinds: Sequence[str]) -> list[Difference]:
    """What no case asks for, as a difference each."""
    missing = {"cli": missing_commands, "lsp": missing_methods}
    return [
        Difference(kind, name, "nothing asks for it", (f"+{name} has no case",))
        for kind, list_missing in missing.items()
        if kind in kinds
        for name in list_missing()
    ]


def report_results(
    results: Sequence[Result],
    unasked: Sequence[Difference],
    intended: Sequence[Intended],
    *,
    is_whole: bool,
) -> int:
    """Prints what differs and how much was compared; the exit code."""
    found = [*unasked, *(one for _, _, differences in results for one in differences)]
    unintended = [one for one in found if not any(entry.matches(one) for entry in intended)]
    print_groups(unintended)
    stale = [entry for entry in intended if not any(entry.matches(one) for one in found)]
    stale = stale if is_whole else []
    for entry in stale:
        place = INTENDED.relative_to(REPOSITORY)
        print(f"\n{place}: nothing is different any more where {entry.case!r} says so; remove it.")
    counts = {kind: sum(n for of, n, _ in results if of == kind) for kind in KINDS}
    shown = ", ".join(f"{number} {kind}" for kind, number in counts.items() if number)
    more = f", {len(found) - len(unintended)} intended" if len(found) > len(unintended) else ""
    more += f", {len(stale)} intended that are not there" if stale else ""
    total = sum(counts.values())
    print(f"{total} cases ({shown}), {len(unintended)} differences{more}")
    return int(bool(unintended or stale))


def main(arguments: Sequence[str]) -> int:
    """Compares, and returns the exit code."""
    options = _parse_options(arguments)
    if not is_supported():
        print("compare-with: this needs a system with forks: Linux or macOS.", file=sys.stderr)
        return 2
    try:
        return _compare(options)
    except ComparisonError as error:
        print(f"compare-with: {error}", file=sys.stderr)
        return 2


def _compare(options: argparse.Namespace) -> int:
    begun = time.monotonic()
    intended = read_intended()
    kinds = options.only or KINDS
    with lock_copies():
        before = program_of_revision(options.revision)
        after = program_of_folder("the working tree", REPOSITORY)
        if before.dependencies() != after.dependencies():
            print("The dependencies in pyproject.toml differ; both run with the installed ones.")
        try:
            results = compare_programs(before, after, kinds, options)
        finally:
            if before.is_temporary:
                shutil.rmtree(before.folder, ignore_errors=True)
    is_whole = not options.only and not options.quick
    code = report_results(results, _uncovered(kinds), intended, is_whole=is_whole)
    print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
