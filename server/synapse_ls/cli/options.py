"""Options that several commands share, and what they mean together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.errors import CliError
from synapse_ls.cli.parser import one_of
from synapse_ls.engine.profiles.brainiac import PROCESSES
from synapse_ls.engine.usage import percent_left

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _ArgumentGroup

    from synapse_ls.service.answer import Answer, Question

    Options = ArgumentParser | _ArgumentGroup

STANDARD_INPUT = "-"
FORMATS = ("text", "json")

_SITUATION = (
    ("--agent", "ID", "the active agent: dev or @dev"),
    ("--workflow", "ID", "the active workflow"),
    ("--phase", "NAME", "the phase that the workflow is in"),
    ("--task", "ID", "the active task: its name or its file"),
    ("--story", "ID", "the story of the task: its id or its file"),
    ("--squad", "NAME", "the active squad: its folder or its name"),
)


def add_format(parser: Options) -> None:
    """``--format text|json``."""
    _add_format(parser, FORMATS, "text (the default) or json")


def add_lines(parser: Options) -> None:
    """``--format text|json-lines``, and ``--json`` for the latter."""
    _add_format(
        parser, ("text", "json-lines"), "text (the default) or json-lines: an object a line"
    )
    _add_json(parser, "json-lines")


def add_formats(parser: Options, formats: tuple[str, ...]) -> None:
    """``--format`` with one of several ``formats``, and ``--json`` for that of data."""
    _add_format(parser, formats, f"{', '.join(formats[:-1])} or {formats[-1]}")
    _add_json(parser, "json")


def _add_format(parser: Options, formats: tuple[str, ...], said: str) -> None:
    parser.add_argument(
        "--format", metavar="FORMAT", type=one_of(formats), default="text", help=said
    )


def _add_json(parser: Options, name: str) -> None:
    parser.add_argument(
        "--json",
        action="store_const",
        const=name,
        dest="format",
        help=f"the same as --format {name}",
    )


def add_prompt(parser: ArgumentParser, *, positional: bool = True) -> None:
    """The prompt, in the four ways in which it can be given; or in those with an option only."""
    if positional:
        parser.add_argument(
            "prompt",
            metavar="PROMPT",
            nargs="?",
            help='what the user says; "-" reads standard input',
        )
    group = parser.add_argument_group("Prompt")
    same = "the same as PROMPT" if positional else 'what the user says; "-" reads standard input'
    group.add_argument("--prompt", metavar="TEXT", dest="prompt_text", help=same)
    group.add_argument("--prompt-file", metavar="FILE", help="a file that holds the prompt")


def add_situation(parser: ArgumentParser, *, session: bool = True) -> None:
    """Who is at work on what; what is left out is found out as for a real prompt."""
    sources = "the prompt, the session and the workspace" if session else "the prompt and the tree"
    group = parser.add_argument_group("Situation", f"What is not given is taken from {sources}.")
    for name, metavar, text in _SITUATION:
        group.add_argument(name, metavar=metavar, default="", help=text)
    group.add_argument(
        "--file",
        metavar="PATH",
        action="append",
        default=[],
        dest="files",
        help="a file that was touched; may be given again",
    )
    add_window(group, session=session)


def add_window(group: Options, *, session: bool = True) -> None:
    """How much of the window is left, and in which session and profile."""
    group.add_argument(
        "--remaining",
        metavar="PERCENT",
        type=_percent,
        help="how much of the context window is left, 0 to 100",
    )
    group.add_argument(
        "--bracket", metavar="NAME", default="", help="answer in this bracket, whatever is left"
    )
    if not session:
        return
    group.add_argument(
        "--session",
        metavar="ID",
        default="",
        help='a session, its unique beginning, or "current" (default: a new one)',
    )
    other = group.add_mutually_exclusive_group()
    other.add_argument(
        "--profile", metavar="NAME", default="", help="another profile than the tree's"
    )
    other.add_argument(
        "--process",
        metavar="NAME",
        type=one_of(tuple(PROCESSES)),
        help=f"a process of the profile brainiac: {', '.join(PROCESSES)}",
    )


def root_of(options: Namespace) -> str:
    """The root of the tree that the command is about."""
    from synapse_ls.service.answer import located

    start: str = getattr(options, "root", "")
    if start and not Path(start).exists():
        raise CliError(f"There is no folder {start}.", "Name the workspace with --root DIR.")
    try:
        return located(start)
    except FileNotFoundError as error:
        raise CliError(
            "The working directory does not exist any more.", "Go to another."
        ) from error


def prompt_of(options: Namespace) -> str:
    """The prompt as it was given, "" where none was."""
    given = [
        name
        for name, value in (
            ("PROMPT", getattr(options, "prompt", None)),
            ("--prompt", options.prompt_text),
            ("--prompt-file", options.prompt_file),
        )
        if value is not None
    ]
    if len(given) > 1:
        raise CliError(f"The prompt is given twice, as {' and as '.join(given)}.", "Give it once.")
    if options.prompt_file is not None:
        return _file(options.prompt_file)
    given_text = getattr(options, "prompt", None) or options.prompt_text
    return _standard_input() if given_text == STANDARD_INPUT else str(given_text or "")


def _standard_input() -> str:
    return _decoded(sys.stdin.buffer.read()) if sys.stdin is not None else ""


def question_of(options: Namespace, prompt: str = "", *, delivery: bool = False) -> Question:
    """What ``options`` ask, as the service takes it."""
    from synapse_ls.service.answer import Question

    sections: str = getattr(options, "sections", "")
    root = str(Path.cwd()) if sections else root_of(options)
    plan = None
    if sections:
        from synapse_ls.service.sections import planned_sections

        is_piped = sections == STANDARD_INPUT
        if is_piped and STANDARD_INPUT in (options.prompt, options.prompt_text):
            raise CliError(
                "Standard input cannot be both the prompt and the sections.",
                "Give one of them in another way.",
            )
        text = _standard_input() if is_piped else None
        plan = planned_sections("standard input" if is_piped else sections, root, text)
    session = ""
    if options.session:
        from synapse_ls.service.carl_session import is_known
        from synapse_ls.service.named_session import resolved

        given: str = options.session
        session = given if is_known(root, given) else resolved(root, given)
    situation = {
        name.removeprefix("--"): getattr(options, name.removeprefix("--"), "")
        for name, *_ in _SITUATION
    }
    return Question(
        root,
        prompt,
        **situation,
        bracket=options.bracket,
        remaining=options.remaining,
        session=session,
        profile=options.profile or PROCESSES.get(getattr(options, "process", None) or "", ""),
        delivery=delivery,
        plan=plan,
        files=tuple(getattr(options, "files", ())),
    )


def ask(options: Namespace, prompt: str = "", *, delivery: bool = False) -> Answer:
    """The answer of the service to what ``options`` ask."""
    from synapse_ls.service.answer import answer

    found = answer(question_of(options, prompt, delivery=delivery))
    profile = found.plan.profile
    if options.bracket and profile.bracket_named(options.bracket) is None:
        names = [bracket.name for bracket in profile.brackets]
        raise CliError(
            f'The profile {profile.name} has no bracket "{options.bracket}".',
            f"Choose one of {', '.join(names)}.",
        )
    return found


def _percent(value: str) -> float:
    from argparse import ArgumentTypeError

    try:
        return percent_left(float(value.strip().removesuffix("%")))
    except ValueError:
        raise ArgumentTypeError(f'takes 0 to 100, not "{value}"') from None


def _file(path: str) -> str:
    try:
        return _decoded(Path(path).read_bytes())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CliError(f"Cannot read {path}: {reason}.", "Name a text file.") from error


def _decoded(data: bytes) -> str:
    from synapse_ls.text.decode import decode

    return decode(data).text
