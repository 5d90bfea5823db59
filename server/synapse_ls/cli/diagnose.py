"""``synapse diagnose``: one report on how well a tree works, and on what is missing."""

from argparse import ArgumentTypeError, Namespace

from synapse_ls.cli.command_table import command, option, option_group
from synapse_ls.cli.console import Console, Styled
from synapse_ls.cli.shared_options import format_options, question_of, situation_options
from synapse_ls.setup.diagnosis.diagnosis_report import Diagnosis, render_markdown
from synapse_ls.setup.diagnosis.full_diagnosis import run_diagnosis
from synapse_ls.text.phrases import format_count

MOST_RUNS = 1000
_MARKS = {
    "ok": Styled("✓", "good"),
    "info": Styled("·", "dim"),
    "unknown": Styled("?", "dim"),
    "warning": Styled("!", "warn"),
    "error": Styled("✗", "bad"),
}


def _print_diagnosis(found: Diagnosis, console: Console) -> None:
    for section in found.sections:
        console.line(_MARKS[section.status], " ", Styled(section.title, "title"))
        for check in section.checks:
            place = f" ({check.place})" if check.place else ""
            console.line("  ", _MARKS[check.status], f" {check.sentence}", Styled(place, "dim"))
        console.line()
    if not found.gaps:
        console.line(Styled("Nothing is wrong.", "good"))
        return
    console.line(Styled(f"{format_count(len(found.gaps), 'gap')}, the worst first", "title"))
    for number, (section, check) in enumerate(found.gaps, 1):
        console.line(f"  {number}. ", Styled(f"{section.title}: ", "dim"), check.sentence)
        if check.remedy:
            console.line("     ", Styled(check.remedy, "name"))


def _parse_runs(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_RUNS:
        raise ArgumentTypeError(f'takes a number from 0 to {MOST_RUNS}, not "{text}"')
    return int(text)


@command(
    situation_options(),
    option(
        "--runs N",
        "how many prompts to time for each client that calls the hook (default: 3)",
        type=_parse_runs,
        default=3,
    ),
    option_group("Output", *format_options(("text", "markdown", "json"))),
)
def run(options: Namespace, console: Console) -> int:
    """One report on everything: the hooks of all clients as they would call them, the session, the
    linter's findings, and each layer for the next prompt. It also shows who enforces each article
    and boundary, times, what reached the model, memories, and what the task waits for. The gaps
    come last, with their remedies.

    What cannot be known from here is marked with "?", and is neither good nor bad. It exits with 1
    if something is an error.

    Examples:

    # Is everything in place?
    $ synapse diagnose

    # About the session that is going on
    $ synapse diagnose --session current

    # For an issue
    $ synapse diagnose --format markdown > diagnosis.md
    """
    question = question_of(options)
    console.show_progress("looking at everything …")
    diagnosis = run_diagnosis(question, runs=options.runs)
    console.show_progress("")
    if options.format == "json":
        console.json(diagnosis.report())
    elif options.format == "markdown":
        console.write(render_markdown(diagnosis))
    else:
        _print_diagnosis(diagnosis, console)
    return 0 if diagnosis.ok else 1
