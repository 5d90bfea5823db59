"""Options of commands that ask about a tree (prompt, situation, window), and their question."""

from argparse import ArgumentTypeError, Namespace
from pathlib import Path

from synapse_ls.cli.command_table import (
    Option,
    OptionGroup,
    exclusive,
    option,
    option_group,
    repeated_option,
)
from synapse_ls.cli.shared_options import STANDARD_INPUT, read_stdin, root_of
from synapse_ls.engine.context_usage import check_percent
from synapse_ls.engine.systems.brainiac.profile import PROCESSES
from synapse_ls.integrations.client_registry import HOOK_CLIENTS
from synapse_ls.queries.context_question import Answer, Question, answer_question, load_section_plan
from synapse_ls.queries.session_lookup import resolve_session
from synapse_ls.storage.session_store import has_carl_session
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.regular_files import open_named_stream
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

_SITUATION_OPTIONS = (
    ("--agent", "ID", "the active agent: dev or @dev"),
    ("--workflow", "ID", "the active workflow"),
    ("--phase", "NAME", "the phase that the workflow is in"),
    ("--task", "ID", "the active task: its name or its file"),
    ("--story", "ID", "the story of the task: its id or its file"),
    ("--squad", "NAME", "the active squad: its folder or its name"),
)


def load_options_tree(options: Namespace) -> tuple[str, Tree]:
    """Return the root of the tree that a command changes, and the tree itself."""
    root = root_of(options)
    return root, load_tree(root, LoadScope.PROMPT).tree


def prompt_options(*, positional: bool = True) -> tuple[Option | OptionGroup, ...]:
    """Return the options for a prompt, in the four ways in which it can be given to a command; or
    in those with an option only.
    """
    about = 'what the user says; "-" reads standard input'
    same = "the same as PROMPT" if positional else about
    options = option_group(
        "Prompt",
        option("--prompt TEXT", same, dest="prompt_text", default=None),
        option("--prompt-file FILE", "a file that holds the prompt", default=None),
    )
    return (option("prompt PROMPT", about, nargs="?"), options) if positional else (options,)


def situation_options(*, session: bool = True) -> OptionGroup:
    """Return the options that say who is at work on what; what is left out is found out as for a
    real prompt.
    """
    sources = "the prompt, the session and the workspace" if session else "the prompt and the tree"
    return option_group(
        "Situation",
        *(option(f"{name} {metavar}", text) for name, metavar, text in _SITUATION_OPTIONS),
        repeated_option("--file PATH", "a file that was touched; may be given again", dest="files"),
        *window_options(session=session),
        description=f"What is not given is taken from {sources}.",
    )


def window_options(*, session: bool = True) -> tuple[Option | OptionGroup, ...]:
    """Return the options that say how much of the context window is left, and in which session and
    profile.
    """
    window = (
        option(
            "--remaining PERCENT",
            "how much of the context window is left, 0 to 100",
            type=parse_percent,
        ),
        option("--bracket NAME", "answer in this bracket, whatever is left"),
    )
    if not session:
        return window
    return (
        *window,
        option(
            "--client NAME",
            "whose agent gets the block: what this client reads by itself is left out",
            choices=HOOK_CLIENTS,
        ),
        option(
            "--session ID", 'a session, its unique beginning, or "current" (default: a new one)'
        ),
        exclusive(
            option("--profile NAME", "another profile than the tree's"),
            option("--process NAME", "a process of the profile brainiac: {}", choices=PROCESSES),
        ),
    )


def prompt_of(options: Namespace) -> str:
    """Return the prompt as the shared options give it, "" where they give none."""
    argument = getattr(options, "prompt", None)
    values = {
        "PROMPT": argument,
        "--prompt": options.prompt_text,
        "--prompt-file": options.prompt_file,
    }
    sources = [name for name, value in values.items() if value is not None]
    if len(sources) > 1:
        raise UserError(
            f"The prompt is given twice, as {' and as '.join(sources)}.", "Give it once."
        )
    if options.prompt_file is not None:
        return _read_file(options.prompt_file)
    given_text = argument or options.prompt_text
    return read_stdin() if given_text == STANDARD_INPUT else str(given_text or "")


def question_of(
    options: Namespace, prompt: str = "", *, delivery: bool = False, standing: bool = False
) -> Question:
    """Return what the shared options of a command ask, as a `Question`."""
    sections: str = getattr(options, "sections", "")
    root = str(Path.cwd()) if sections else root_of(options)
    plan = None
    if sections:
        is_piped = sections == STANDARD_INPUT
        if is_piped and STANDARD_INPUT in (options.prompt, options.prompt_text):
            raise UserError(
                "Standard input cannot be both the prompt and the sections.",
                "Give one of them in another way.",
            )
        text = read_stdin() if is_piped else None
        plan = load_section_plan("standard input" if is_piped else sections, root, text)
    session: str = options.session
    if session and not has_carl_session(root, session):
        session = resolve_session(root, session)
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
        client=getattr(options, "client", None) or "",
        profile=options.profile or PROCESSES.get(getattr(options, "process", None) or "", ""),
        delivery=delivery,
        standing=standing,
        plan=plan,
        files=tuple(getattr(options, "files", ())),
    )


def query_answer(
    options: Namespace, prompt: str = "", *, delivery: bool = False, standing: bool = False
) -> Answer:
    """Return the answer to what the shared options of a command ask; ``delivery`` and ``standing``
    as in `Question`.
    """
    return answer_question(question_of(options, prompt, delivery=delivery, standing=standing))


def parse_percent(value: str) -> float:
    """Return the percentage that an option names; raise ArgumentTypeError for none."""
    try:
        return check_percent(float(value.strip().removesuffix("%")))
    except ValueError:
        raise ArgumentTypeError(f'takes 0 to 100, not "{value}"') from None


def _read_file(path: str) -> str:
    try:
        with open_named_stream(path) as stream:
            return decode_text(stream.read()).text
    except OSError as error:
        raise UserError.of_failure(f"read {path}", error, "Name a text file.") from error
