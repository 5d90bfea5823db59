"""Answers to the ``*synapse`` commands that change the tree: create, add, edit, toggle and so on.

A change is shown first. It is confirmed with the next prompt of the same window, planned again
then, and made only if the plan is identical to the one shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from hashlib import sha256
from itertools import chain
from pathlib import Path

from synapse_ls.conversation.synapse_commands import CommandRequest
from synapse_ls.edits import domain_edits, domain_suggestions, edit_targets
from synapse_ls.edits.rule_edits import add_rule, edit_rule, remove_rule
from synapse_ls.formats import session_file, session_values
from synapse_ls.hooks.window_reply import TypedPrompt
from synapse_ls.storage import edit_application, program_start
from synapse_ls.storage.trusted_trees import is_closed_to_prompts
from synapse_ls.text.secret_masking import mask_secrets
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

Options = dict[str, list[str]]

MAX_SECONDS = 3.0  # seconds that a prompt may wait for the tree to be read
MAX_SUGGESTIONS = 5
_WORD = re.compile(r'(--[a-z-]+)?=?"([^"]*)"|(\S+)')
_CURLY = str.maketrans("“”„«»", '"' * 5)
_RULE_KINDS = ("auth", "deny", "allow")
_QUALIFIED_KINDS = ("article", "bracket", "command")
_DONE = {"create": "created", "edit": "changed", "rename": "renamed", "move": "moved"}


def answer_edit(request: CommandRequest) -> list[str]:
    """Answer ``*synapse edit``: show what another text for a rule would change; without a text, the
    rule as it is.
    """
    words, options = _split_argument(request.argument, ("remove",))
    if len(words) == 2 and "remove" not in options:
        domain, which = words
        (change,) = edit_rule(_load_tree(request), domain, which, "?").edits
        (place,) = change.edits
        return [
            place.span.cut(change.before),
            f'Write `*synapse edit {domain} {which} "its new text"`, or `--remove` in place of it.',
        ]
    return answer_change(request)


def answer_suggest(request: CommandRequest) -> list[str]:
    """Answer ``*synapse suggest``: list the domains that a rule would fit, the best first."""
    text = " ".join(_split_argument(request.argument)[0])
    suggestions = domain_suggestions.suggest_domains(_load_tree(request), text)[:MAX_SUGGESTIONS]
    if not suggestions:
        return ["No domain fits. `*synapse create NAME` makes one, or GLOBAL takes it."]
    return [
        *(f"{suggestion.domain}: {', '.join(suggestion.reasons)}" for suggestion in suggestions),
        f'Write `*synapse add {suggestions[0].domain} "{text}"` to add it to the first.',
    ]


def answer_yes(request: CommandRequest) -> list[str]:
    """Answer ``*synapse yes``: make the change that the prompt before has shown, once."""
    if (typed := request.typed) is None:
        return [
            "Nothing was changed: only the person confirms, with a prompt of their own in the "
            "session that has shown the change."
        ]
    if typed.outcome is None:
        typed.outcome = _carry_out(request, typed)
    return typed.outcome


def _carry_out(request: CommandRequest, typed: TypedPrompt) -> list[str]:
    situation, waiting = request.composed.assembly.situation, typed.waiting
    refusal = ""
    if waiting is None:
        refusal = "no change waits for a yes"
    elif waiting.window != typed.window:
        refusal = "the change was shown in another window"
    elif situation.turn != waiting.turn + 1:
        refusal = "the change has expired: a yes counts with the prompt after it was shown"
    elif not re.match(r"\*synapse[- ]+yes\b", situation.prompt.text.strip(), re.IGNORECASE):
        refusal = "a yes comes at the beginning of the prompt"
    else:
        refusal = _find_doubt(request, typed)
    if refusal or waiting is None:
        return [f"Nothing was changed: {refusal}."]
    try:
        plan = _PLANNERS[waiting.command](_load_tree(request), waiting.argument)
        if _change_digest(plan) != waiting.digest:
            return [
                "Nothing was changed: the files are not what they were when the change was shown. "
                f"Write `*synapse {waiting.command}` again."
            ]
        edit_application.apply_plan(Path(request.composed.plan.root), plan)
    except UserError as error:
        return [f"Nothing was changed: {error.sentence}", *filter(None, (error.remedy,))]
    return [f"{_DONE[change.action]} {change.result_path}" for change in plan.edits]


def answer_change(request: CommandRequest) -> list[str]:
    """Answer a command that asks for a change: show it as a diff, and note that it waits for a
    yes.
    """
    typed, argument = request.typed, request.argument
    if not (plan := _PLANNERS[request.name](_load_tree(request), argument)):
        return ["Nothing to change."]
    if mask_secrets(argument) != argument:
        return ["This holds what looks like a secret, and rule files are shared: leave it out."]
    lines = edit_application.plan_diff(plan).splitlines()
    if typed is None:
        return [*lines, "Nothing is changed: no person has typed this in a session."]
    if doubt := _find_doubt(request, typed):
        return [*lines, f"Nothing is changed: {doubt}."]
    if typed.proposal is not None and typed.proposal.command != request.name:
        return ["One change at a time: ask for this one when the other is made."]
    typed.proposal = proposal = session_file.ProposedEdit()
    proposal.command, proposal.argument = request.name, argument
    proposal.digest = _change_digest(plan)
    proposal.window, proposal.turn = typed.window, request.composed.assembly.situation.turn
    return [
        *lines,
        "Nothing is changed yet. Answer `*synapse yes` with the next prompt to make this change.",
    ]


def _find_doubt(request: CommandRequest, typed: TypedPrompt) -> str:
    """Return why a prompt changes no tree that is pinned, a clause; "" where it may."""
    root = request.composed.plan.root
    if not is_closed_to_prompts(root, marks_commands=typed.is_certain):
        return ""
    return (
        "the tree is pinned, and in this client a command of the repository may have said that. "
        "Use `synapse domain` on the command line"
    )


def _change_digest(plan: EditPlan) -> str:
    """Return what tells a change, with the files as they are before it, from any other."""
    edits = ((edit.path, edit.target, edit.before, edit.after) for edit in plan.edits)
    parts = (edit_application.plan_diff(plan), *chain.from_iterable(edits))
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def _load_tree(request: CommandRequest) -> Tree:
    program_start.enable_site_packages()
    loaded = load_tree(request.composed.plan.root, LoadScope.PROMPT, deadline=MAX_SECONDS)
    if any(note.kind == "late" for note in loaded.notes):
        raise UserError(
            "The tree is too large to be changed while a prompt waits.",
            "Use `synapse domain` on the command line.",
        )
    return loaded.tree


def _plan_domain(tree: Tree, argument: str) -> EditPlan:
    lists = ("recall", "exclude", "paths")
    words, options = _split_argument(
        argument, ("always-on",), (*lists, "agent", "workflow", "rule", "squad")
    )
    name = _take_words(words, 1, "create NAME")[0]
    items = {
        key: [item.strip() for item in options[key][-1].split(",") if item.strip()]
        for key in lists
        if key in options
    }
    triggers = {key: options.get(key, [""])[-1] for key in ("agent", "workflow", "squad")}
    return domain_edits.add_domain(
        tree,
        name,
        recall=items.get("recall"),
        exclude=items.get("exclude", ()),
        paths=items.get("paths", ()),
        agent=triggers["agent"].removeprefix("@"),
        workflow=triggers["workflow"],
        squad=triggers["squad"],
        always_on="always-on" in options,
        rules=options.get("rule", ()),
    )


def _plan_rule(tree: Tree, argument: str) -> EditPlan:
    words, options = _split_argument(argument, _RULE_KINDS, _QUALIFIED_KINDS)
    domain, *text = _take_words(words, 2, 'add DOMAIN "the rule"', more=True)
    if len(options) > 1:
        raise UserError("A rule is of one kind.", f"Give one of --{', --'.join(options)}.")
    kind = next(iter(options), "rule")
    qualifier = options[kind][-1].removeprefix("*") if kind in _QUALIFIED_KINDS else ""
    return add_rule(tree, domain, " ".join(text), kind=kind, qualifier=qualifier)


def _plan_text(tree: Tree, argument: str) -> EditPlan:
    words, options = _split_argument(argument, ("remove",))
    if "remove" in options:
        domain, which = _take_words(words, 2, "edit DOMAIN RULE --remove")
        return remove_rule(tree, domain, which)
    domain, which, *text = _take_words(words, 3, 'edit DOMAIN RULE "its new text"', more=True)
    return edit_rule(tree, domain, which, " ".join(text))


def _plan_state(tree: Tree, argument: str) -> EditPlan:
    words, _ = _split_argument(argument)
    name, *state = _take_words(words, 1, "toggle DOMAIN [on|off]", more=True)
    wanted = session_values.parse_switch(state[0]) if state else None
    if len(state) > 1 or (state and wanted is None):
        raise UserError("A domain is switched on or off.", "Write `*synapse toggle DOMAIN on`.")
    return domain_edits.toggle_domain(tree, name, wanted)


def _plan_command(tree: Tree, argument: str) -> EditPlan:
    """Plan a line of a star-command, and the domain COMMANDS where there is none."""
    words, _ = _split_argument(argument)
    name, *text = _take_words(words, 2, 'add-command NAME "what it asks for"', more=True)
    before = tree
    if "COMMANDS" not in tree.domains_by_label:
        tree = edit_targets.tree_after(tree, domain_edits.add_domain(tree, "commands"))
    rule = add_rule(
        tree, "COMMANDS", " ".join(text), kind="command", qualifier=name.removeprefix("*")
    )
    return edit_targets.plan_between(before, edit_targets.tree_after(tree, rule))


_PLANNERS: dict[str, Callable[[Tree, str], EditPlan]] = {
    "create": _plan_domain,
    "add": _plan_rule,
    "edit": _plan_text,
    "toggle": _plan_state,
    "add-command": _plan_command,
}


def _split_argument(
    argument: str, flags: Collection[str] = (), valued: Collection[str] = ()
) -> tuple[list[str], Options]:
    """Return the words of an argument, quoted ones whole, and the values of its options.

    Raises UserError for an option that is not known or lacks its value.
    """
    words: list[str] = []
    options: Options = {}
    waiting = ""
    for match in _WORD.finditer(argument.translate(_CURLY)):
        option, quoted, plain = match.groups()
        word = quoted if plain is None else plain
        if plain is not None and plain.startswith("--"):
            option, equals, value = plain[2:].partition("=")
            word = value if equals else ""
            _check_option(option, flags, valued)
            options.setdefault(option, [])
            waiting = option if option in valued and not equals else ""
            if equals:
                options[option].append(word)
        elif option:
            _check_option(option[2:], (), valued)
            options.setdefault(option[2:], []).append(word)
        elif waiting:
            options[waiting].append(word)
            waiting = ""
        else:
            words.append(word)
    lacking = [name for name, values in options.items() if name in valued and not values]
    if lacking:
        raise UserError(f"--{lacking[0]} lacks its value.")
    return words, options


def _check_option(name: str, flags: Collection[str], valued: Collection[str]) -> None:
    options = (*flags, *valued)
    if name not in options:
        listed = ", ".join(f"--{option}" for option in options)
        raise UserError(f"There is no --{name} here.", f"There is {listed}." if options else "")


def _take_words(words: list[str], count: int, usage: str, *, more: bool = False) -> list[str]:
    """Return the words if there are as many as are needed; raise UserError otherwise."""
    if len(words) < count or (len(words) > count and not more):
        raise UserError(f"Write `*synapse {usage}`.")
    return words
