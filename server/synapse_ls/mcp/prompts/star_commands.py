"""This module offers each star-command of the tree as an MCP prompt: its rules, and what the user
adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.user_prompt import is_executed_command
from synapse_ls.mcp.prompts.context import NAME as TAKEN
from synapse_ls.mcp.prompts.prompt_family import PromptEntry, PromptFamily
from synapse_ls.mcp.situation_arguments import query_answer
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.user_error import UserError
from synapse_ls.text.plural_counts import format_count

_ARGUMENTS = (("text", "what the command is about"),)
_SUMMARY_LENGTH = 100  # characters of a first rule that describe its command


def prompt_names(plan: Plan) -> dict[str, str]:
    """Returns prompt -> star-command, without those that Synapse LS itself carries out."""
    commands = (name for name in plan.commands if not is_executed_command(name))
    return {f"star-{name}" if name == TAKEN else name: name for name in commands}


def _list_prompts(plan: Plan | None) -> Iterator[PromptEntry]:
    for prompt, name in prompt_names(plan).items() if plan else ():
        rules = plan.command_rows(name) if plan else ()
        first = rules[0].text if rules else ""
        short = first if len(first) <= _SUMMARY_LENGTH else f"{first[:_SUMMARY_LENGTH].rstrip()}…"
        more = f" ({format_count(len(rules), 'rule')})" if len(rules) > 1 else ""
        yield PromptEntry(prompt, f"*{name}", f"{short}{more}", _ARGUMENTS)


def _prompt_text(root: str, name: str, arguments: Mapping[str, str]) -> str | None:
    command = prompt_names(load_plan(root).with_all_files().plan).get(name)
    if command is None:
        return None
    sent = query_answer(root, {"prompt": f"*{command}"}).assembly.sent_sections
    told = next((render_section(section) for section in sent if section.id == "STAR"), "")
    if not told:
        raise UserError(
            f"The rules of *{command} are not in the block.",
            f'`synapse why "*{command}"` says why.',
        )
    return "\n\n".join(part for part in (told, arguments.get("text", "")) if part)


FAMILY = PromptFamily(_list_prompts, _prompt_text)
