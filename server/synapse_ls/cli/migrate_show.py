"""What ``synapse migrate`` says to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.table import columns
from synapse_ls.cli.writing import show_text_diff
from synapse_ls.manage.difference import CREATE, REMOVE
from synapse_ls.manage.migrate.parity import FORM
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from synapse_ls.cli.console import Console
    from synapse_ls.manage.migrate.change import Change
    from synapse_ls.manage.migrate.parity import Difference
    from synapse_ls.manage.migrate.report import Told
    from synapse_ls.manage.migrate.rollback import Rollback

_DONE = {CREATE: "created", REMOVE: "removed"}
_PLANNED = {CREATE: "create", REMOVE: "remove"}
_SHOWN = 5  # rules of a difference, and mentions


def preview(told: Told, console: Console) -> None:
    """What would be done: the diff on standard output, everything else beside it."""
    if told.pending is not None:
        console.note(
            f"a migration of {told.pending.created} was interrupted; `synapse migrate` finishes it and "
            "`synapse migrate --rollback` takes it back"
        )
        return
    for change in (*told.made, *told.going):
        show_text_diff(change.diff, console)
    for line in columns(list(_rows([*told.made, *told.going], _PLANNED, "change"))):
        console.aside(*line)
    _remarks(told, console)
    _parity(told, console, aside=True)
    _next(told, console, dry_run=True)


def done(told: Told, console: Console) -> None:
    """What was done."""
    if told.resumed:
        console.line("The migration that was interrupted is finished.")
    made = told.made
    for line in columns(list(_rows(made, _DONE, "changed"))):
        console.line(*line)
    for path in told.removed:
        console.line("removed  ", Styled(path, "name"))
    if told.plan is None and told.chapter is not None and not (made or told.removed):
        console.line(f"Migrated at {told.chapter.created}; nothing is left to do.")
    _remarks(told, console)
    _parity(told, console, aside=False)
    if told.chapter is not None and (told.plan is not None or made or told.removed):
        console.note(f"the backup is {told.chapter.folder.parent}")
    _next(told, console, dry_run=False)


def rollback(undone: Rollback, console: Console, *, dry_run: bool) -> None:
    """What a rollback did, or would do."""
    rows: list[list[Part]] = [
        [step.action, Styled(step.path, "name"), f"-> {step.target}" if step.target else ""]
        for step in undone.steps
    ]
    for line in columns(rows):
        console.line(*line)
    left = [step.path for step in undone.steps if step.action == "left"]
    if left:
        console.note(f"{', '.join(left)} stays as it is; put it right by hand")
    if not dry_run:
        console.line("Rolled back.")


def _rows(changes: Sequence[Change], words: dict[str, str], other: str) -> Iterator[list[Part]]:
    for change in changes:
        word = words.get(change.action, other)
        yield [word, Styled(change.path, "name"), Styled(change.why, "dim")]


def _remarks(told: Told, console: Console) -> None:
    if told.plan is not None:
        for remark in told.plan.remarks:
            place = f"{remark.path}:{remark.line}" if remark.line else remark.path
            console.aside(Styled(place, "name"), f" {remark.sentence}")
        for path, why in told.plan.left:
            console.note(f"{path} is not taken over: {why}")
        for one in told.plan.hooks:
            if not one.replaced:
                console.note(
                    f"{one.path}:{one.line} runs CARL's hook in all your projects; here it would tell "
                    "the rules of .carl/ beside ours. --user puts our hook in its place"
                )
    if told.changed:
        console.note(
            f"{', '.join(told.changed)} changed since the migration, and .synapse/ does not have it: "
            "roll back and migrate again, or take it over by hand"
        )


def _parity(told: Told, console: Console, *, aside: bool) -> None:
    found = told.said
    if found is None:
        return
    say = console.aside if aside else console.line
    count, unexplained = len(found.differences), len(found.unexplained)
    asked = f"Parity: {counted(found.asked, 'question')}, "
    if not count:
        say(f"{asked}and the same rules for each.")
    elif unexplained:
        say(f"{asked}{counted(count, 'difference')}, {unexplained} without an explanation.")
    else:
        say(f"{asked}{counted(count, 'difference')} with an explanation.")
    for one in found.differences:
        say("  ", Styled(_subject(one), "name"), f" ({', '.join(one.brackets)})")
        for sign, style, texts in (("-", "bad", one.carl), ("+", "good", one.synapse)):
            for text in texts[:_SHOWN]:
                say("    ", Styled(f"{sign} {text}", style))
            if len(texts) > _SHOWN:
                say("    ", Styled(f"{sign} … {len(texts) - _SHOWN} more", style))
        say("    ", one.why or Styled("There is no explanation: look at both trees.", "warn"))
    if told.plan is not None:
        console.aside("What is different in every block:")
        for _, sentence in FORM:
            console.aside("  ", sentence)


def _subject(one: Difference) -> str:
    asked = one.question
    if not asked.prompt:
        return {"later": "a first prompt"}.get(one.code, "every prompt")
    way = f" {asked.way}" if asked.way else ""
    domain = f" of {asked.domain}" if asked.domain else ""
    return f'{asked.about} "{asked.subject}"{domain}{way}'


def _next(told: Told, console: Console, *, dry_run: bool) -> None:
    if told.texts and not told.reworded:
        what = counted(len(told.texts), "text")
        verb = "speaks" if len(told.texts) == 1 else "speak"
        console.note(
            f"{what} for agents still {verb} of CARL's commands and tags: "
            "`synapse migrate --apply-text --dry-run` shows what would change"
        )
    if told.reworded or not told.texts:
        for mention in told.mentions[:_SHOWN]:
            console.note(f"{mention.path}:{mention.line} still talks of CARL: {mention.text[:100]}")
        if len(told.mentions) > _SHOWN:
            console.note(f"and {len(told.mentions) - _SHOWN} more lines")
    if dry_run or told.removed:
        return
    if told.plan is not None:
        if not any(one.replaced for one in told.plan.hooks):
            console.note("next, `synapse install` has your agent told the rules")
        if told.untrusted:
            console.note("next, `synapse trust` lets the hook of the user serve this tree")
        console.note("next, `synapse check` says whether everything in the tree is alive")
    if told.removals:
        console.note("when it has proven itself, `synapse migrate --finish` removes .carl/")
