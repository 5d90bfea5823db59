"""``synapse migrate``: convert a CARL tree into ``.synapse/``, show what changes, and undo it."""

import time
from argparse import Namespace
from pathlib import Path

from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Styled, align_columns
from synapse_ls.cli.file_changes import DRY_RUN_SWITCH, show_text_diff
from synapse_ls.cli.shared_options import FORMAT_OPTION
from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.setup.migrate import migration_journal, migration_run, parity_report
from synapse_ls.setup.migrate.carl_installation import CARL, existing_removals
from synapse_ls.setup.migrate.migration_rollback import roll_back_migration
from synapse_ls.setup.planned_changes import DONE_WORDS
from synapse_ls.storage import trusted_trees
from synapse_ls.text.phrases import format_count, shell_word
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.tree_search_upward import find_root

_MAX_TEXTS = 5  # rules of a difference, and mentions


def show_preview(outcome: migration_run.MigrationOutcome, console: Console) -> None:
    """Show, for ``synapse migrate``, what a migration would do: the diff on standard output,
    everything else beside it.
    """
    if outcome.pending is not None:
        console.note(
            f"a migration of {outcome.pending.created} was interrupted; `synapse migrate` finishes "
            "it and `synapse migrate --rollback` takes it back"
        )
        return
    changes = [*outcome.file_changes, *outcome.removal_changes]
    for change in changes:
        show_text_diff(change.diff, console)
    for line in align_columns([_change_row(change.action, change) for change in changes]):
        console.note_line(*line)
    if not changes:
        console.note("nothing would be changed")
    _show_remarks(outcome, console)
    _show_parity(outcome, console, is_note=True)
    _show_next_steps(outcome, console, dry_run=True)


def _change_row(word: str, change: migration_journal.MigrationChange) -> list[Part]:
    return [word, Styled(change.path, "name"), Styled(change.why, "dim")]


def _show_remarks(outcome: migration_run.MigrationOutcome, console: Console) -> None:
    if outcome.plan is not None:
        for remark in outcome.plan.remarks:
            place = f"{remark.path}:{remark.line}" if remark.line else remark.path
            console.note_line(Styled(place, "name"), f" {remark.sentence}")
        console.notes(f"{path} is not taken over: {why}" for path, why in outcome.plan.left)
        console.notes(
            f"{hook.path}:{hook.line} runs CARL's hook in all your projects; here it would "
            "inject the rules of .carl/ beside ours. --user puts our hook in its place"
            for hook in outcome.plan.hooks
            if not hook.replaced
        )
    if outcome.changed_files:
        console.note(
            f"{', '.join(outcome.changed_files)} changed since the migration, and .synapse/ does "
            "not have it: roll back and migrate again, or take it over by hand"
        )


def _show_parity(
    outcome: migration_run.MigrationOutcome, console: Console, *, is_note: bool
) -> None:
    if (parity := outcome.parity) is None:
        return
    say = console.note_line if is_note else console.line
    count, unexplained = len(parity.differences), len(parity.unexplained)
    summary = f"Parity: {format_count(parity.question_count, 'question')}, "
    if not count:
        say(f"{summary}and the same rules for each.")
    elif unexplained:
        say(f"{summary}{format_count(count, 'difference')}, {unexplained} without an explanation.")
    else:
        say(f"{summary}{format_count(count, 'difference')} with an explanation.")
    for difference in parity.differences:
        say(
            "  ",
            Styled(_difference_subject(difference), "name"),
            f" ({', '.join(difference.brackets)})",
        )
        for sign, style, texts in (
            ("-", "bad", difference.carl),
            ("+", "good", difference.synapse),
        ):
            for text in texts[:_MAX_TEXTS]:
                say("    ", Styled(f"{sign} {text}", style))
            if len(texts) > _MAX_TEXTS:
                say("    ", Styled(f"{sign} … {len(texts) - _MAX_TEXTS} more", style))
        say(
            "    ", difference.why or Styled("There is no explanation: look at both trees.", "warn")
        )
    if outcome.plan is not None:
        console.note_line("What is different in every block:")
        for _, sentence in parity_report.FORM_DIFFERENCES:
            console.note_line("  ", sentence)


def _difference_subject(difference: parity_report.ParityDifference) -> str:
    if not (question := difference.question).prompt:
        return "every prompt"
    way = f" {question.way}" if question.way else ""
    domain = f" of {question.domain}" if question.domain else ""
    return f'{question.about} "{question.subject}"{domain}{way}'


def _show_next_steps(
    outcome: migration_run.MigrationOutcome, console: Console, *, dry_run: bool
) -> None:
    if outcome.text_changes and not outcome.texts_included:
        what = format_count(len(outcome.text_changes), "text")
        verb = "speaks" if len(outcome.text_changes) == 1 else "speak"
        console.note(
            f"{what} for agents still {verb} of CARL's commands and tags: "
            "`synapse migrate --apply-text --dry-run` shows what would change"
        )
    if outcome.texts_included or not outcome.text_changes:
        for mention in outcome.mentions[:_MAX_TEXTS]:
            console.note(f"{mention.path}:{mention.line} still talks of CARL: {mention.text[:100]}")
        if len(outcome.mentions) > _MAX_TEXTS:
            console.note(f"and {len(outcome.mentions) - _MAX_TEXTS} more lines")
    if dry_run or outcome.removed_paths:
        return
    if outcome.plan is not None:
        if not any(hook.replaced for hook in outcome.plan.hooks):
            console.note("next, `synapse install` injects the rules for your agent")
        if outcome.is_untrusted:
            console.note("next, `synapse trust` lets the hook of the user serve this tree")
        console.note("next, `synapse check` finds mistakes in the tree")
    if outcome.removals:
        console.note("when it has proven itself, `synapse migrate --finish` removes .carl/")


def _offer_trust(root: Path, options: Namespace, console: Console) -> None:
    """Offer trust for the other projects that a hook in the settings of the user is to serve, and
    say which of them get no rules without it.
    """
    for path in migration_run.quiet_projects(Surroundings.of_process(str(root))):
        question = f"Let the hook of the user serve {path}?"
        agreed = None if options.dry_run or not console.can_ask else console.confirm(question)
        if agreed:
            trusted_trees.trust_tree(path)
        else:
            command = f"synapse trust {shell_word(path)}"
            console.note(f"{path} gets no rules from the hook of the user: `{command}` lets it")


def _find_project(options: Namespace) -> Path:
    """Return the project: the folder that is named, else the nearest one with a tree."""
    named = options.folder or getattr(options, "root", "")
    if not (start := Path(named or ".").absolute()).is_dir():
        raise UserError(f"There is no folder {named}.", f"Name the folder that {CARL}/ is in.")
    if named or (start / CARL).is_dir():
        return start
    return Path(find_root(str(start)) or start)


@command(
    option("folder DIR", "the project (default: the working directory's)", nargs="?"),
    option_group(
        "What is done",
        switch(
            "--words",
            "match whole words from now on; without it keywords match inside words, as they did",
        ),
        switch(
            "--user",
            "replace CARL's hook in the settings of the user, too, which hold for all projects; "
            "offers to trust those with a tree",
        ),
        switch(
            "--apply-text", "replace `*carl`, `<carl-rules>` and the like in texts for agents, too"
        ),
        switch("--finish", "remove .carl/ and what CARL installed in the project"),
        switch("--rollback", "take everything back that was migrated"),
        switch(
            "--force",
            "finish though .carl/ has changed since, or has what .synapse/ does not inject; roll "
            "back though a file has changed, which then stays",
        ),
    ),
    option_group("Output", DRY_RUN_SWITCH, FORMAT_OPTION),
)
def run(options: Namespace, console: Console) -> None:
    """Converts the tree of CARL in .carl/ to one in .synapse/, of CARL v1 and of v2 (carl.json):
    manifest, rules of every domain, brackets, star-commands and sessions. In the same step our hook
    takes the place of CARL's in the project's settings of Claude Code, and so does our part of
    CLAUDE.md. .carl/ itself is only read. All of it is done or nothing, after a backup in the
    user's configuration folder.

    Then it shows what agents get differently: both trees are asked for every keyword,
    exclusion, star-command and bracket. The differences are listed with the reason, and those
    without one as such.

    Texts for agents that speak of `*carl` or `<carl-rules>` are named, and changed with
    --apply-text. When the new tree has proven itself, --finish removes .carl/ and CARL's own files.
    --rollback undoes all of it, to the byte. What was changed in the meantime is merged if it is
    about other lines, and moved to .synapse-kept/ if it is in the tree. Any other change is a
    reason to refuse.

    Examples:

    # What would become of my tree?
    $ synapse migrate --dry-run

    # Convert it, and the texts that name CARL
    $ synapse migrate --apply-text

    # Take it back
    $ synapse migrate --rollback

    # A week later
    $ synapse migrate --finish
    """
    root = _find_project(options)
    if options.rollback:
        if options.finish or options.apply_text:
            raise UserError("--rollback takes everything back.", "Leave the other options out.")
        done = roll_back_migration(root, force=options.force, dry_run=options.dry_run)
        if options.format == "json":
            console.json(migration_run.rollback_data(done, applied=not options.dry_run))
        else:
            # Show, for `synapse migrate`, what the rollback of a migration did, or would do.
            console.table(
                [step.action, Styled(step.path, "name"), f"-> {step.target}" if step.target else ""]
                for step in done
            )
            if unchanged := [step.path for step in done if step.action == "left"]:
                console.note(f"{', '.join(unchanged)} stays as it is; put it right by hand")
            if not options.dry_run:
                console.line("Rolled back.")
        return
    wish = migration_run.MigrationRequest(
        words=options.words,
        user=options.user,
        texts=options.apply_text,
        finish=options.finish,
        force=options.force,
    )
    if options.dry_run:
        outcome = migration_run.preview_migration(root, wish)
    else:
        outcome = migration_run.perform_migration(root, wish, time.time())
    if options.format == "json":
        console.json(migration_run.migration_data(outcome))
    elif outcome.applied:
        # Show, for `synapse migrate`, what a migration did.
        if outcome.resumed:
            console.line("The migration that was interrupted is finished.")
        changes = outcome.file_changes
        console.table(_change_row(DONE_WORDS[change.action], change) for change in changes)
        console.lines(("removed  ", Styled(path, "name")) for path in outcome.removed_paths)
        if outcome.plan is None and not (changes or outcome.removed_paths):
            chapter = outcome.chapter
            start = f"Migrated at {chapter.created}; nothing" if chapter else "Nothing"
            console.line(f"{start} is left to do.")
        _show_remarks(outcome, console)
        _show_parity(outcome, console, is_note=False)
        if outcome.chapter is not None and (
            outcome.plan is not None or changes or outcome.removed_paths
        ):
            console.note(f"the backup is {outcome.chapter.folder.parent}")
        _show_next_steps(outcome, console, dry_run=False)
    else:
        show_preview(outcome, console)
    if options.finish and options.format != "json":
        for path in existing_removals(root, linked=True):
            console.note(f"{path} stays, because it is behind a link")
    if options.user and options.format != "json":
        _offer_trust(root, options, console)
