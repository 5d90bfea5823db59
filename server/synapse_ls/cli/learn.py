"""``synapse learn list|show|accept|reject|revert``: rules proposed from repeated corrections."""

import time
from argparse import Namespace

from synapse_ls.cli import file_changes, tree_options
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Row, Styled, shorten_text
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.memory import rule_proposals
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage.current_plan import load_plan as plan_of
from synapse_ls.text.user_error import UserError

_OFF_NOTE = "Learning is off in this tree: nothing is proposed."
_ENABLE_REMEDY = "Write `enabled = true` under `[learning]` in .synapse/config.toml."
_STYLES = {
    rule_proposals.PENDING: "warn",
    rule_proposals.ACCEPTED: "good",
    rule_proposals.REJECTED: "dim",
}
_MAX_TEXT_WIDTH = 60


_ID_OPTION = option("id ID", "a proposal that `synapse learn list` shows")


def _find_proposal(options: Namespace) -> tuple[str, rule_proposals.Proposal]:
    """Return the proposal that is meant, by its id or a unique beginning; raise UserError for
    none.
    """
    root = root_of(options)
    plan = plan_of(root).plan
    every = {proposal.id: proposal for proposal in rule_proposals.past_decisions(root)}
    if plan.settings.get("learning"):
        every |= {p.id: p for p in rule_proposals.pending_proposals(root, plan)}
    elif options.id not in every:
        raise UserError(_OFF_NOTE, _ENABLE_REMEDY)
    wanted = options.id
    ids = [id for id in every if id == wanted or id.removeprefix("prop-").startswith(wanted)]
    if wanted not in every and len(ids) != 1:
        raise UserError(
            f'There is no proposal "{wanted}".', "`synapse learn list --all` shows them."
        )
    return root, every[wanted if wanted in every else ids[0]]


@command(switch("--all", "also what was decided about"), option_group("Output", FORMAT_OPTION))
def run_list(options: Namespace, console: Console) -> None:
    """Rules that could be made of corrections that were made again and again, one a line. Nothing
    is ever changed by itself: a proposal waits until somebody accepts or rejects it. Off unless
    `[learning] enabled = true` in .synapse/config.toml.

    Examples:

    # What could be learned?
    $ synapse learn list

    # And what was decided?
    $ synapse learn list --all
    """
    root = root_of(options)
    plan = plan_of(root).plan
    enabled = bool(plan.settings.get("learning"))
    proposals = rule_proposals.pending_proposals(root, plan) if enabled else []
    if options.all:
        proposals += rule_proposals.past_decisions(root)
    if options.format == "json":
        console.json([rule_proposals.proposal_fields(proposal) for proposal in proposals])
        return
    if not enabled:
        console.note(f"{_OFF_NOTE} {_ENABLE_REMEDY}")
    if not proposals:
        if enabled:
            console.line("There is nothing to propose yet: no correction was made often enough.")
        return
    rows: list[list[Part]] = [
        [
            Styled(proposal.id, "name"),
            Styled(proposal.state, _STYLES.get(proposal.state, "dim")),
            proposal.target or "memory",
            str(proposal.evidence),
            shorten_text(proposal.text, _MAX_TEXT_WIDTH),
        ]
        for proposal in proposals
    ]
    console.table(rows, ("id", "state", "for", "said", "what"), right_aligned={3})


@command(_ID_OPTION, option_group("Output", FORMAT_OPTION))
def run_show(options: Namespace, console: Console) -> None:
    """Shows where a proposal comes from, and what accepting it would change.

    Examples:

    # In full
    $ synapse learn show prop-1f0c2a9e
    """
    root, proposal = _find_proposal(options)
    if options.format == "json":
        console.json(rule_proposals.proposal_fields(proposal))
        return
    rows: list[Row] = [
        ("proposal", [Styled(proposal.id, "title"), f" · {proposal.state}"]),
        ("what", [proposal.text]),
        ("for", [proposal.target or "the memory: it would be kept for good"]),
        ("because", [f"{proposal.reason} Confidence {proposal.confidence:.0%}."]),
    ]
    records = {record.id: record for record in MemoryStore(root).records()}
    for id in proposal.records:
        record = records.get(id)
        title = f"{record.title} ({record.source or 'no source'})" if record else "forgotten since"
        rows.append(("from", [Styled(id, "name"), f" {title}"]))
    if proposal.file:
        rows.append(("rule", [f"{proposal.file}, {proposal.key}"]))
    console.rows(rows)
    if proposal.state == rule_proposals.PENDING and proposal.kind != rule_proposals.KEEP:
        _, tree = tree_options.load_options_tree(options)
        console.line()
        file_changes.show_diff(rule_proposals.plan_acceptance(tree, proposal), console)


@command(_ID_OPTION)
def run_accept(options: Namespace, console: Console) -> None:
    """Adds the proposed rule to its domain, or keeps the memory for good. `synapse learn revert`
    takes that back.

    Examples:

    # Make it a rule
    $ synapse learn accept prop-1f0c2a9e
    """
    root, proposal = _find_proposal(options)
    if proposal.state == rule_proposals.ACCEPTED:
        raise UserError(
            f"{proposal.id} was accepted already.", "`synapse learn revert` takes it back."
        )
    _, tree = tree_options.load_options_tree(options)
    decision = rule_proposals.accept_proposal(root, tree, proposal, now=time.time())
    if decision.file:
        console.line(f"changed  {decision.file}")
        console.line("  ", Styled(f"+{decision.key}={decision.text}", "good"))
        for id in rule_proposals.replaced_memories(root, decision):
            console.line(f"archived {id}: the rule is injected in its place")
    else:
        console.line(f"{proposal.records[0]} is kept for good.")
    console.note(f"`synapse learn revert {proposal.id}` takes it back.")


@command(_ID_OPTION)
def run_reject(options: Namespace, console: Console) -> None:
    """Refuses a proposal. It comes back only when the same correction was made five times more, and
    after the third refusal never.

    Examples:

    # Not a rule
    $ synapse learn reject prop-1f0c2a9e
    """
    root, proposal = _find_proposal(options)
    if proposal.state == rule_proposals.ACCEPTED:
        raise UserError(
            f"{proposal.id} was accepted.", f"Run `synapse learn revert {proposal.id}`."
        )
    more = (
        "never proposed again"
        if rule_proposals.reject_proposal(root, proposal, now=time.time()).refusals >= 3
        else "proposed again only with more evidence"
    )
    console.line(f"{proposal.id} is rejected and {more}.")


@command(_ID_OPTION)
def run_revert(options: Namespace, console: Console) -> None:
    """Takes an accepted proposal back. A file that nobody has changed since is restored byte for
    byte; from any other, only the rule is removed. A rejected proposal is proposed again.

    Examples:

    # Undo
    $ synapse learn revert prop-1f0c2a9e
    """
    root, proposal = _find_proposal(options)
    _, tree = tree_options.load_options_tree(options)
    decision = rule_proposals.revert_decision(root, tree, proposal, now=time.time())
    if decision.state == rule_proposals.PENDING:
        console.line(f"{proposal.id} is proposed again.")
    elif proposal.file:
        console.line(f"{proposal.file} is without {proposal.key} again.")
    else:
        console.line(f"{proposal.records[0]} is kept for a while only.")
