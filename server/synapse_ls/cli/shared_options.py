"""This module adds the options that several commands share (format, prompt, situation, window), and
turns them into a question and its answer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_parser import ChoiceType
from synapse_ls.engine.context_usage import check_percent
from synapse_ls.engine.systems.brainiac.profile import PROCESSES
from synapse_ls.workspace.regular_files import open_named_stream

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _ArgumentGroup

    from synapse_ls.queries.context_question import Answer, Question

    Options = ArgumentParser | _ArgumentGroup

STANDARD_INPUT = "-"
FORMATS = ("text", "json")

_SITUATION_OPTIONS = (
    ("--agent", "ID", "the active agent: dev or @dev"),
    ("--workflow", "ID", "the active workflow"),
    ("--phase", "NAME", "the phase that the workflow is in"),
    ("--task", "ID", "the active task: its name or its file"),
    ("--story", "ID", "the story of the task: its id or its file"),
    ("--squad", "NAME", "the active squad: its folder or its name"),
)


def add_format_option(parser: Options) -> None:
    """Adds the option ``--format text|json``, which several commands share."""
    _add_format_argument(parser, FORMATS, "text (the default) or json")


def add_json_lines_option(parser: Options) -> None:
    """Adds the option ``--format text|json-lines``, which several commands share, and ``--json``
    for the latter.
    """
    _add_format_argument(
        parser, ("text", "json-lines"), "text (the default) or json-lines: an object a line"
    )
    _add_json_argument(parser, "json-lines")


def add_format_choices(parser: Options, formats: tuple[str, ...]) -> None:
    """Adds the option ``--format`` with one of several ``formats``, which several commands share,
    and ``--json`` for that of data.
    """
    _add_format_argument(parser, formats, f"{', '.join(formats[:-1])} or {formats[-1]}")
    _add_json_argument(parser, "json")


def _add_format_argument(parser: Options, formats: tuple[str, ...], help_text: str) -> None:
    parser.add_argument(
        "--format", metavar="FORMAT", type=ChoiceType(formats), default="text", help=help_text
    )


def _add_json_argument(parser: Options, name: str) -> None:
    parser.add_argument(
        "--json",
        action="store_const",
        const=name,
        dest="format",
        help=f"the same as --format {name}",
    )


def add_prompt_options(parser: ArgumentParser, *, positional: bool = True) -> None:
    """Adds the options for a prompt, in the four ways in which it can be given to a command; or in
    those with an option only.
    """
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


def add_situation_options(parser: ArgumentParser, *, session: bool = True) -> None:
    """Adds the options that say who is at work on what; what is left out is found out as for a real
    prompt.
    """
    sources = "the prompt, the session and the workspace" if session else "the prompt and the tree"
    group = parser.add_argument_group("Situation", f"What is not given is taken from {sources}.")
    for name, metavar, text in _SITUATION_OPTIONS:
        group.add_argument(name, metavar=metavar, default="", help=text)
    group.add_argument(
        "--file",
        metavar="PATH",
        action="append",
        default=[],
        dest="files",
        help="a file that was touched; may be given again",
    )
    add_window_options(group, session=session)


def add_window_options(group: Options, *, session: bool = True) -> None:
    """Adds the options that say how much of the context window is left, and in which session and
    profile.
    """
    group.add_argument(
        "--remaining",
        metavar="PERCENT",
        type=_parse_percent,
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
        type=ChoiceType(tuple(PROCESSES)),
        help=f"a process of the profile brainiac: {', '.join(PROCESSES)}",
    )


def root_of(options: Namespace) -> str:
    """Returns the root of the tree that a command is about, by the option that several share."""
    from synapse_ls.queries.context_question import locate_tree

    start: str = getattr(options, "root", "")
    if start and not Path(start).exists():
        raise CliError(f"There is no folder {start}.", "Name the workspace with --root DIR.")
    return locate_tree(start)


def prompt_of(options: Namespace) -> str:
    """Returns the prompt as the shared options give it, "" where they give none."""
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
        return _read_file(options.prompt_file)
    given_text = getattr(options, "prompt", None) or options.prompt_text
    return _read_stdin() if given_text == STANDARD_INPUT else str(given_text or "")


def _read_stdin() -> str:
    return _decode_text(sys.stdin.buffer.read()) if sys.stdin is not None else ""


def question_of(
    options: Namespace, prompt: str = "", *, delivery: bool = False, standing: bool = False
) -> Question:
    """Returns what the shared options of a command ask, as a `Question`."""
    from synapse_ls.queries.context_question import Question

    sections: str = getattr(options, "sections", "")
    root = str(Path.cwd()) if sections else root_of(options)
    plan = None
    if sections:
        from synapse_ls.storage.tree_compilation import load_section_plan

        is_piped = sections == STANDARD_INPUT
        if is_piped and STANDARD_INPUT in (options.prompt, options.prompt_text):
            raise CliError(
                "Standard input cannot be both the prompt and the sections.",
                "Give one of them in another way.",
            )
        text = _read_stdin() if is_piped else None
        plan = load_section_plan("standard input" if is_piped else sections, root, text)
    session = ""
    if options.session:
        from synapse_ls.queries.session_report import resolve_session
        from synapse_ls.storage.carl_overrides import has_carl_session

        given: str = options.session
        session = given if has_carl_session(root, given) else resolve_session(root, given)
    situation = {
        name.removeprefix("--"): getattr(options, name.removeprefix("--"), "")
        for name, *_ in _SITUATION_OPTIONS
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
        standing=standing,
        plan=plan,
        files=tuple(getattr(options, "files", ())),
    )


def query_answer(
    options: Namespace, prompt: str = "", *, delivery: bool = False, standing: bool = False
) -> Answer:
    """Returns the answer to what the shared options of a command ask; ``delivery`` and ``standing``
    as in `Question`.
    """
    from synapse_ls.queries.context_question import answer_question

    found = answer_question(question_of(options, prompt, delivery=delivery, standing=standing))
    profile = found.plan.profile
    if options.bracket and profile.find_bracket(options.bracket) is None:
        names = [bracket.name for bracket in profile.brackets]
        raise CliError(
            f'The profile {profile.name} has no bracket "{options.bracket}".',
            f"Choose one of {', '.join(names)}.",
        )
    return found


def _parse_percent(value: str) -> float:
    from argparse import ArgumentTypeError

    try:
        return check_percent(float(value.strip().removesuffix("%")))
    except ValueError:
        raise ArgumentTypeError(f'takes 0 to 100, not "{value}"') from None


def _read_file(path: str) -> str:
    try:
        with open_named_stream(path) as stream:
            return _decode_text(stream.read())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CliError(f"Cannot read {path}: {reason}.", "Name a text file.") from error


def _decode_text(data: bytes) -> str:
    from synapse_ls.text.decoding import decode_text

    return decode_text(data).text
