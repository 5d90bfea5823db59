"""This module is ``synapse learn list|show|accept|reject|revert``: rules that could be made of what
people corrected again and again.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.account_lines import align_rows
from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Part, Styled, header_row, print_table
from synapse_ls.cli.file_changes import load_options_tree, show_diff
from synapse_ls.cli.shared_options import add_format_option, root_of
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.rule_proposals import (
    ACCEPTED,
    KEEP,
    PENDING,
    REJECTED,
    ProposalDecision,
    accept_proposal,
    decision_fields,
    past_decisions,
    pending_proposals,
    plan_acceptance,
    reject_proposal,
    replaced_memories,
    revert_decision,
)
from synapse_ls.storage.current_plan import load_plan as plan_of

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console

_OFF_NOTE = "Learning is off in this tree: nothing is proposed."
_ENABLE_REMEDY = "Write `enabled = true` under `[learning]` in .synapse/config.toml."
_STYLES = {PENDING: "warn", ACCEPTED: "good", REJECTED: "dim"}
_MAX_TEXT_WIDTH = 60


def _add_list_arguments(parser: Parser) -> None:
    parser.add_argument("--all", action="store_true", help="also what was decided about")
    add_format_option(parser.add_argument_group("Output"))


def _run_list(options: Namespace, console: Console) -> int:
    root = root_of(options)
    plan = plan_of(root).plan
    enabled = bool(plan.settings.get("learning"))
    found = pending_proposals(root, plan) if enabled else []
    if options.all:
        found += past_decisions(root)
    if options.format == "json":
        console.json([decision_fields(one) for one in found])
        return 0
    if not enabled:
        console.note(f"{_OFF_NOTE} {_ENABLE_REMEDY}")
    if not found:
        if enabled:
            console.line("There is nothing to propose yet: no correction was made often enough.")
        return 0
    rows: list[list[Part]] = [header_row("id", "state", "for", "said", "what")]
    rows += [
        [
            Styled(one.proposal.id, "name"),
            Styled(one.state, _STYLES.get(one.state, "dim")),
            one.target or "memory",
            str(one.proposal.evidence),
            _shorten_text(one.proposal.text),
        ]
        for one in found
    ]
    print_table(rows, console, right_aligned={3})
    return 0


def _add_id_arguments(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", help="a proposal that `synapse learn list` shows")


def _add_show_arguments(parser: Parser) -> None:
    _add_id_arguments(parser)
    add_format_option(parser.add_argument_group("Output"))


def _run_show(options: Namespace, console: Console) -> int:
    root, one = _find_proposal(options)
    if options.format == "json":
        console.json(decision_fields(one))
        return 0
    p = one.proposal
    rows: list[tuple[str, list[Part]]] = [
        ("proposal", [Styled(p.id, "title"), f" · {one.state}"]),
        ("what", [p.text]),
        ("for", [one.target or "the memory: it would be kept for good"]),
        ("because", [f"{p.reason} Confidence {p.confidence:.0%}."]),
    ]
    known = {record.id: record for record in MemoryStore(root).records()}
    for id in p.records:
        record = known.get(id)
        said = f"{record.title} ({record.source or 'no source'})" if record else "forgotten since"
        rows.append(("from", [Styled(id, "name"), f" {said}"]))
    if one.file:
        rows.append(("stands in", [f"{one.file}, {one.key}"]))
    for line in align_rows(rows):
        console.line(*line)
    if one.state == PENDING and p.kind != KEEP:
        _, tree = load_options_tree(options)
        console.line()
        show_diff(plan_acceptance(tree, one), console)
    return 0


def _run_accept(options: Namespace, console: Console) -> int:
    root, one = _find_proposal(options)
    if one.state == ACCEPTED:
        raise CliError(
            f"{one.proposal.id} was accepted already.", "`synapse learn revert` takes it back."
        )
    _, tree = load_options_tree(options)
    made = accept_proposal(root, tree, one, now=time.time())
    if made.file:
        console.line(f"changed  {made.file}")
        console.line("  ", Styled(f"+{made.key}={made.proposal.text}", "good"))
        for id in replaced_memories(root, made):
            console.line(f"archived {id}: the rule is told in its place")
    else:
        console.line(f"{one.proposal.records[0]} is kept for good.")
    console.note(f"`synapse learn revert {one.proposal.id}` takes it back.")
    return 0


def _run_reject(options: Namespace, console: Console) -> int:
    root, one = _find_proposal(options)
    if one.state == ACCEPTED:
        raise CliError(
            f"{one.proposal.id} was accepted.", f"Run `synapse learn revert {one.proposal.id}`."
        )
    made = reject_proposal(root, one, now=time.time())
    more = (
        "never proposed again" if made.refusals >= 3 else "proposed again only with more evidence"
    )
    console.line(f"{one.proposal.id} is rejected and {more}.")
    return 0


def _run_revert(options: Namespace, console: Console) -> int:
    root, one = _find_proposal(options)
    made = revert_decision(root, one, now=time.time())
    if made.state == PENDING:
        console.line(f"{one.proposal.id} is proposed again.")
    elif one.file:
        console.line(f"{one.file} is without {one.key} again.")
    else:
        console.line(f"{one.proposal.records[0]} is kept for a while only.")
    return 0


def _find_proposal(options: Namespace) -> tuple[str, ProposalDecision]:
    """Returns the proposal that is meant, by its id or a unique beginning; raises CliError for
    none.
    """
    root = root_of(options)
    plan = plan_of(root).plan
    every = {one.proposal.id: one for one in past_decisions(root)}
    if plan.settings.get("learning"):
        for one in pending_proposals(root, plan):
            before = every.get(one.proposal.id)
            refusals = before.refusals if before else 0
            every[one.proposal.id] = ProposalDecision(
                one.proposal, PENDING, one.target, refusals=refusals
            )
    elif options.id not in every:
        raise CliError(_OFF_NOTE, _ENABLE_REMEDY)
    given = options.id
    found = [id for id in every if id == given or id.removeprefix("prop-").startswith(given)]
    if given not in every and len(found) != 1:
        raise CliError(f'There is no proposal "{given}".', "`synapse learn list --all` shows them.")
    return root, every[given if given in every else found[0]]


def _shorten_text(text: str) -> str:
    return text if len(text) <= _MAX_TEXT_WIDTH else f"{text[: _MAX_TEXT_WIDTH - 1]}…"


LIST = Command(
    description="""\
Rules that could be made of corrections that were made again and again, one a line. Nothing is ever
changed by itself: a proposal waits until somebody accepts or rejects it. Off unless
`[learning] enabled = true` in .synapse/config.toml.""",
    examples=(
        ("What could be learned?", "synapse learn list"),
        ("And what was decided?", "synapse learn list --all"),
    ),
    arguments=_add_list_arguments,
    run=_run_list,
)
SHOW = Command(
    description="Shows where a proposal comes from, and what accepting it would change.",
    examples=(("In full", "synapse learn show prop-1f0c2a9e"),),
    arguments=_add_show_arguments,
    run=_run_show,
)
ACCEPT = Command(
    description="""\
Adds the proposed rule to its domain, or keeps the memory for good. The file as it was lies beside the
decision in .synapse/memory/proposals/, and `synapse learn revert` takes the change back.""",
    examples=(("Make it a rule", "synapse learn accept prop-1f0c2a9e"),),
    arguments=_add_id_arguments,
    run=_run_accept,
)
REJECT = Command(
    description="""\
Refuses a proposal. It comes back only when the same correction was made five times more, and after
the third refusal never.""",
    examples=(("Not a rule", "synapse learn reject prop-1f0c2a9e"),),
    arguments=_add_id_arguments,
    run=_run_reject,
)
REVERT = Command(
    description="""\
Takes an accepted proposal back: the file is put back byte for byte where it is as it was left, else
the rule alone is taken out. A rejected one is proposed again.""",
    examples=(("Undo", "synapse learn revert prop-1f0c2a9e"),),
    arguments=_add_id_arguments,
    run=_run_revert,
)
