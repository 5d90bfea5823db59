"""The ``*synapse …`` commands: what a prompt asks Synapse LS itself, and not the agent.

Answers are a section of the prompt's block, so every front end gives the same. Nothing here writes
to a session: a command changes the situation, and the hook's event stores it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import CHARS_PER_TOKEN
from synapse_ls.engine.prompt_parser import EXECUTED_COMMAND, Prompt, is_executed_command
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.supplementary_sections import ANSWERS_HEADING, SHOW_INSTRUCTION
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.hooks.window_reply import ComposedBlock, TypedPrompt
from synapse_ls.storage import atomic_files, hook_log
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names

MAX_TOKENS = 500  # what all answers to one prompt may take
LINE_INDENT = 5  # code points of a line beside its text: four spaces and a break
NAME_LENGTH = 40  # code points of a word that is no command of ours


@dataclass(frozen=True, slots=True)
class SubCommand:
    """What answers ``*synapse NAME`` in a prompt. module: who answers, loaded when it is asked, by
    its function for the name unless ``function`` is another. more: the command line that shows all
    there is.
    """

    summary: str
    module: str
    more: str
    function: str = ""


SUB_COMMANDS = {
    "help": SubCommand("what can be asked", "synapse_commands", "synapse --help"),
    "status": SubCommand(
        "what prompts are answered with now", "query_answers", "synapse status --session current"
    ),
    "session": SubCommand(
        "this session, and what its agent got", "query_answers", "synapse session show current"
    ),
    "domains": SubCommand(
        "every domain, and what activates it", "query_answers", "synapse domains"
    ),
    "explain": SubCommand(
        "what is in the block, what is not, and why", "query_answers", "synapse explain"
    ),
    "why": SubCommand(
        "why a rule, a domain or a memory is in or out", "query_answers", "synapse why"
    ),
    "create": SubCommand(
        "plans a new domain", "edit_answers", "synapse domain new", "answer_change"
    ),
    "add": SubCommand(
        "plans a new rule of a domain", "edit_answers", "synapse domain rule add", "answer_change"
    ),
    "edit": SubCommand(
        "plans another text for a rule, or its removal", "edit_answers", "synapse domain rule edit"
    ),
    "toggle": SubCommand(
        "plans a domain on or off", "edit_answers", "synapse domain toggle", "answer_change"
    ),
    "add-command": SubCommand(
        "plans a line of a star-command",
        "edit_answers",
        "synapse domain rule add COMMANDS",
        "answer_change",
    ),
    "suggest": SubCommand(
        "the domains that a rule would fit", "edit_answers", "synapse domain suggest"
    ),
    "yes": SubCommand("makes the change that was just shown", "edit_answers", "synapse domain"),
    "debug": SubCommand(
        "the block layer by layer; switches the debug view on or off",
        "query_answers",
        "synapse explain",
    ),
    "diagnose": SubCommand("whether everything is in place", "query_answers", "synapse status"),
    "manifest": SubCommand("problems of the manifests", "query_answers", "synapse check"),
    "reload": SubCommand("reads the whole tree anew", "query_answers", "synapse status"),
}
BARE_COMMANDS = ("help", "status")


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """A ``*synapse`` sub-command that a prompt asks for. composed: the block of this prompt without
    any answer in it.

    name: of the sub-command. argument: what stands behind it in the prompt. session: None for a new
    one. typed: what the person may propose and confirm; None where no person typed the prompt.
    """

    composed: ComposedBlock
    session: SessionState | None
    name: str
    argument: str
    typed: TypedPrompt | None


def wants_reload(prompt: Prompt, called: Sequence[str]) -> bool:
    """Return whether a ``*synapse`` command of the prompt wants the tree to be read anew."""
    return "reload" in _requested_commands(prompt, called)


def apply_switches(plan: Plan, situation: Situation) -> None:
    """Switch what the ``*synapse …`` commands of a prompt switch; it is in effect for this prompt
    at once.
    """
    requested = _requested_commands(situation.prompt, plan.profile.called)
    if "debug" in requested:
        wanted = parse_switch(requested["debug"].partition(" ")[0])
        situation.devmode = not situation.devmode if wanted is None else wanted
        situation.switched["DEVMODE"] = situation.devmode


def answer_commands(
    composed: ComposedBlock, session: SessionState | None, typed: TypedPrompt | None = None
) -> None:
    """Answer the ``*synapse …`` commands of a prompt in the situation of ``composed``."""
    situation = composed.assembly.situation
    requested = _requested_commands(situation.prompt, composed.plan.profile.called)
    room = MAX_TOKENS * CHARS_PER_TOKEN - len(ANSWERS_HEADING) - len(SHOW_INSTRUCTION) - 3
    answers: list[tuple[str, str]] = []
    for position, name in enumerate(requested):
        answered = name if name in SUB_COMMANDS else "help"
        command = f"*{EXECUTED_COMMAND} {answered}"
        argument = requested[name] if answered == name else ""
        lines = _answer_command(CommandRequest(composed, session, answered, argument, typed))
        if answered != name:
            lines = [_unknown_command(name), *lines]
        room -= len(command) + 4
        share = room // (len(requested) - position)
        fitting = _fit_lines(lines, share, SUB_COMMANDS[answered].more)
        if typed and typed.proposal and typed.proposal.command == answered and fitting != lines:
            typed.proposal = None  # nobody confirms what was not shown
            more = SUB_COMMANDS[answered].more
            fitting = [f"This change is too large to be shown here: use `{more}`."]
        answers += ((command, line) for line in fitting)
        room -= sum(len(line) + LINE_INDENT for line in fitting)
    answers += _foreign_answers(composed)
    situation.answers = tuple(answers)


def _foreign_answers(composed: ComposedBlock) -> list[tuple[str, str]]:
    """Return what is said to ``*carl …`` in a tree of SYNAPSE's that has no such command: how it is
    called here.
    """
    plan, prompt = composed.plan, composed.assembly.situation.prompt
    if plan.profile.source != "synapse" or "carl" in plan.profile.called:
        return []
    foreign = [c for c in prompt.commands if is_executed_command(c.name, ("carl",))]
    if not foreign or any(plan.command_rules(command.name) for command in foreign):
        return []
    name, argument = foreign[0].name, foreign[0].argument
    word = name.partition("-")[2] or argument.partition(" ")[0].lower()
    command = f"*{EXECUTED_COMMAND} {word if word in SUB_COMMANDS else 'help'}"
    return [(f"*{name}", f"This is a tree of SYNAPSE's: write `{command}`.")]


def _answer_command(request: CommandRequest) -> list[str]:
    row = SUB_COMMANDS[request.name]
    try:
        module = load_module(f"{__package__}.{row.module}")
        lines: list[str] = getattr(module, row.function or f"answer_{request.name}")(request)
    except (UserError, atomic_files.StorageError) as error:
        return [error.sentence, *filter(None, (error.remedy,))]
    except Exception as error:  # no answer is worth the rules of the prompt
        hook_log.log_error(error)
        return [f"This could not be answered ({type(error).__name__}); the hook's log says more."]
    return lines


def answer_help(_: CommandRequest) -> list[str]:
    """Answer ``*synapse help``: list the sub-commands."""
    return [f"*{EXECUTED_COMMAND} {name}: {row.summary}" for name, row in SUB_COMMANDS.items()]


def _requested_commands(prompt: Prompt, called: Sequence[str]) -> dict[str, str]:
    """Return sub-command → its argument, in the order of the prompt; an unknown one may be among
    them.

    Behind another of the names we are ``called`` by, what is no sub-command is for the agent.
    """
    commands: dict[str, str] = {}
    unknown = ""
    for command in prompt.commands:
        if not is_executed_command(command.name, called):
            continue
        _, _, name = command.name.partition("-")
        argument = command.argument
        if not name:
            word, _, argument = argument.partition(" ")
            name = word.strip(".,;:!?()[]\"'“”‘’*`").lower()
        if name and name not in SUB_COMMANDS:
            if not is_executed_command(command.name):
                name = ""
            elif unknown:
                continue  # one answer says what there is
            else:
                unknown = name
        for each in (name,) if name else BARE_COMMANDS:
            commands.setdefault(each, argument.strip())
    return commands


def _unknown_command(name: str) -> str:
    label = name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH]}…"
    form = f"`*{EXECUTED_COMMAND} {{}}`"
    hint = suggest_names(name[:NAME_LENGTH], SUB_COMMANDS, shown=form)
    return f"There is no {form.format(label)}. {hint}".rstrip()


def _fit_lines(lines: list[str], room: int, more: str) -> list[str]:
    """Return as many of the lines as ``room`` code points hold, and a word on those that are left
    out.
    """
    ends = [*accumulate(len(line) + LINE_INDENT for line in lines)]
    if not ends or ends[-1] <= room:
        return lines
    room -= len(_more_line(len(lines), more)) + LINE_INDENT
    fitting = sum(end <= room for end in ends)
    return [*lines[:fitting], _more_line(len(lines) - fitting, more)]


def _more_line(count: int, more: str) -> str:
    return f"… {count} more: `{more}` shows all"
