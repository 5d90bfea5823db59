"""Each star-command of the tree as a prompt: its rules, and what the user adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.plan import Plan
from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.render import section_text
from synapse_ls.mcp.prompts.context import NAME as TAKEN
from synapse_ls.mcp.prompts.family import Family, Offered
from synapse_ls.mcp.situation import asked
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.plans import planned
from synapse_ls.text.counted import counted

_TEXT = (("text", "what the command is about"),)
_LENGTH = 100  # characters of a first rule that describe its command


def names(plan: Plan) -> dict[str, str]:
    """Prompt -> star-command, without those that Synapse LS itself carries out."""
    commands = (name for name in plan.commands if not is_executed(name))
    return {f"star-{name}" if name == TAKEN else name: name for name in commands}


def _offered(plan: Plan | None) -> Iterator[Offered]:
    for prompt, name in names(plan).items() if plan else ():
        rules = plan.command_rows(name) if plan else ()
        first = rules[0].text if rules else ""
        short = first if len(first) <= _LENGTH else f"{first[:_LENGTH].rstrip()}…"
        more = f" ({counted(len(rules), 'rule')})" if len(rules) > 1 else ""
        yield Offered(prompt, f"*{name}", f"{short}{more}", _TEXT)


def _text(root: str, name: str, given: Mapping[str, str]) -> str | None:
    command = names(planned(root).whole().plan).get(name)
    if command is None:
        return None
    sent = asked(root, {"prompt": f"*{command}"}).assembly.sent
    told = next((section_text(section) for section in sent if section.id == "STAR"), "")
    if not told:
        raise ServiceError(
            f"The rules of *{command} are not in the block.",
            f'`synapse why "*{command}"` says why.',
        )
    return "\n\n".join(part for part in (told, given.get("text", "")) if part)


FAMILY = Family(_offered, _text)
