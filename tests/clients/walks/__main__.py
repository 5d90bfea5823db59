"""Walks clients at random, and says what was wrong.

python -m tests.clients.walks [--client NAME …] [--walks 3] [--seed 1] [--moves 25] [--tree NAME]
    [--play "agent=dev cancel=qa prompt"]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.clients.client import Client, program
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS
from tests.clients.vscode import VsCode
from tests.clients.walks import oracle, trees
from tests.clients.walks.players import PLAYERS
from tests.clients.walks.walk import Report, Walk, choose
from tests.trees import write_tree

WALKED: dict[str, type[Client]] = {**CLIENTS, "vscode": VsCode}

KINDS = (
    oracle.MISSING,
    oracle.TWICE,
    oracle.FALSE_ARRIVED,
    oracle.FALSE_WITHDRAWAL,
    oracle.STALE,
)
"""What is wrong; a repetition that may be is only counted."""

COUNTED = (*KINDS, oracle.REPEATED)


def walk(
    client: str, tree: str, seed: int, moves: list[str], folder: Path, kept: Path | None = None
) -> Report:
    """A whole walk in an empty folder. kept: where the requests and events are put to be read."""
    found = program(client)
    assert found, f"there is no {client} in SYNAPSE_LS_CLIENTS"
    with Model() as model:
        place = Place(folder, model, {} if tree == "adopted" else trees.TREES[tree])
        player = PLAYERS[client](WALKED[client](found, place))
        if tree == "adopted":
            write_tree(place.project, trees.TREES[tree])
            place.synapse("init", "--client", client)
            with (place.project / ".synapse" / "config.toml").open("a") as config:
                config.write('\n[adoption]\ninject = "all"\n')
        elif tree == "missing":
            place.synapse("init", "--client", client, "--from")
        else:
            place.synapse("install", "--client", client, "--scope", "project")
        # What the tool of the tests reads; to the tree it is nothing.
        (place.project / ".synapse" / "docs").write_text("Every feature has an example\n", "utf-8")
        player.client.trust()
        played = Walk(player)
        try:
            played.play(moves)
        finally:
            if kept:
                keep(played, kept)
    return Report(client, tree, seed, moves, len(played.read), played.oracle.faults)


def keep(played: Walk, folder: Path) -> None:
    """What the model has read, request by request, and what the hook was asked and said."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (window, text) in enumerate(played.read):
        (folder / f"request-{number:02}-{window.replace(' ', '-')}.txt").write_text(text, "utf-8")
    with (folder / "hooks.txt").open("w", encoding="utf-8") as file:
        for call in played.place.hooked:
            file.write(f"== {call.name} {json.dumps(call.event)[:600]}\n{call.told}\n")


def table(reports: list[Report]) -> str:
    """A row for each walk, and one for each client."""
    rows = ["| client | tree | seed | moves | requests | " + " | ".join(COUNTED) + " |"]
    rows.append("|---" * (5 + len(COUNTED)) + "|")
    for client in dict.fromkeys(report.client for report in reports):
        own = [report for report in reports if report.client == client]
        rows += [_row(client, report.tree, str(report.seed), [report]) for report in own]
        rows.append(_row(f"**{client}**", "all", f"{len(own)} walks", own))
    return "\n".join(rows)


def _row(client: str, tree: str, seed: str, reports: list[Report]) -> str:
    sums = [sum(len(report.moves) for report in reports), sum(r.requests for r in reports)]
    sums += [sum(report.count(kind) for report in reports) for kind in COUNTED]
    return f"| {client} | {tree} | {seed} | {' | '.join(map(str, sums))} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="walks")
    parser.add_argument("--client", action="append", choices=sorted(WALKED))
    parser.add_argument("--tree", choices=sorted(trees.TREES))
    parser.add_argument("--walks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moves", type=int, default=25)
    parser.add_argument("--keep", type=Path, help="a folder for requests and events of each walk")
    parser.add_argument("--play", help="these moves, and none at random")
    options = parser.parse_args()
    reports: list[Report] = []
    stuck = 0
    for client in options.client or sorted(PLAYERS):
        if not program(client) or client not in PLAYERS:
            print(f"skipped: {client} is not there, or has no player")
            continue
        for number in range(1 if options.play else options.walks):
            seed = options.seed + number
            tree = options.tree or list(trees.TREES)[seed % len(trees.TREES)]
            moves = choose(PLAYERS[client], tree, seed, options.moves)
            if options.play:
                moves = options.play.split()
            print(f"{client}, tree {tree}, seed {seed}: {' '.join(moves)}", flush=True)
            kept = options.keep and options.keep / f"{client}-{tree}-{seed}"
            with TemporaryDirectory(prefix=f"walk-{client}-", ignore_cleanup_errors=True) as folder:
                try:
                    reports.append(walk(client, tree, seed, moves, Path(folder), kept))
                except AssertionError as error:
                    stuck += 1
                    print(f"   stuck: {error}"[:3000], flush=True)
    print(table(reports))
    print(f"{stuck} walks did not come to their end")
    return int(bool(stuck) or any(report.count(kind) for report in reports for kind in KINDS))


if __name__ == "__main__":
    sys.exit(main())
