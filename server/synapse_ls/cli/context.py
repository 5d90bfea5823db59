"""``synapse context``: print the block, and nothing else."""

from argparse import Namespace

from synapse_ls.cli import shared_options
from synapse_ls.cli.account_lines import describe_factors
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console
from synapse_ls.queries.answer_lines import answer_notes, cut_notes
from synapse_ls.queries.context_report import context_report
from synapse_ls.text.user_error import UserError


@command(
    *shared_options.prompt_options(),
    shared_options.situation_options(),
    option(
        "--sections FILE",
        'the sections of a JSON file by their priority, in place of a tree; "-" reads '
        "standard input",
    ),
    option_group(
        "Output",
        switch(
            "--delivery",
            "what a hook would send to the session now, which leaves out what is in context",
        ),
        switch(
            "--explain",
            "say on standard error why each memory is in the block, and what it is worth",
        ),
        shared_options.FORMAT_OPTION,
    ),
)
def run(options: Namespace, console: Console) -> None:
    """The block goes to standard output byte for byte as an agent would get it; remarks about it
    go to standard error. Nothing is recorded: asking changes no session. Where the budget leaves
    rules out, the line "… 3 more" says so, if it fits. In a session whose next replies inject
    them, the hook writes "… 3 more follow" there.

    Without options this is the first prompt of a new session: no agent, no task, the whole context
    window left. The options put you in any other situation.

    Examples:

    # A prompt for @dev, with half of the context window left
    $ synapse context --agent dev --remaining 50 "Add a unit test"

    # A long prompt from a file, or from another program
    $ git log -1 --format=%B | synapse context -

    # What would the hook add to the running session?
    $ synapse context --session current --delivery "*brief Sum up"

    # What a reflection over a Brainiac memory begins with
    $ synapse context --process reflection

    # Sections, entries and their cost, for a program
    $ synapse context --bracket CRITICAL --format json
    """
    if options.delivery and not options.session:
        raise UserError(
            "--delivery needs a session: what is sent depends on what the session has in context.",
            "Name one with --session ID, or --session current.",
        )
    answer = shared_options.query_answer(
        options, shared_options.prompt_of(options), delivery=options.delivery
    )
    if options.format == "json":
        console.json(context_report(answer))
        return
    console.write(answer.assembly.text)
    if options.delivery:
        if not answer.assembly.text:
            console.note("nothing to inject: all that applies is in context")
        elif answer.full_reason:
            console.note(f"the full block, because {answer.full_reason}")
        else:
            console.note("only what the window does not hold yet")
    if options.explain:
        for hint in answer.assembly.situation.hints:
            console.note(f"{hint.id}: {'; '.join(hint.reasons)}")
            console.note(f"{hint.id}: {describe_factors(hint)}")
    console.notes((*answer_notes(answer), *cut_notes(answer)))
