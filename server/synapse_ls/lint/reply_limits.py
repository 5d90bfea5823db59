"""Compare the size of a tree's rules with what clients accept of a reply, now and later.

Whether what the budget cuts comes later depends on the client: whether it keeps replies, and
accepts them with tool events. A domain's size is a lower bound: entries without headings.
"""

from collections.abc import Iterable
from functools import cache

from synapse_ls.engine import block_sections, profiles, text_escaping
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.rule import Rule
from synapse_ls.integrations.client_registry import HOOK_CLIENTS, load_client
from synapse_ls.lint import lint_rule, tree_lookups
from synapse_ls.text.finding import Severity
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain, rules_in

# Code points that a client takes of one reply of a hook, below which it keeps the whole text.
CLIENT_REPLY_LIMITS = {"Claude Code": 9_500}


def largest_domain_size(tree: Tree, domain: Domain) -> int:
    """Return the size of a domain, the code points that it takes in a block where all rules that
    can be there together are.

    Of rules that hold in one bracket or one phase of a workflow only, those of the longest count.
    """
    if (facts := tree.snapshot.facts(domain.file or "")) is None:
        return 0
    return _longest_phase_size(tree.rules_of(domain)) if domain.shared else _file_size(facts)


@lint_rule.weak_cache
def _file_size(facts: FileFacts) -> int:
    """Return the size of a rule file's rules, with those of the longest bracket in a context
    file.
    """
    if isinstance(document := facts.document, ContextDocument):
        return _total_size(document.general) + max(map(_total_size, document.brackets.values()))
    return _longest_phase_size(rules_in(document))


def _longest_phase_size(rules: Iterable[Rule]) -> int:
    """Return the size of the rules without a phase and of those of the longest phase."""
    phases: dict[str, int] = {}
    for rule in rules:
        phases[rule.phase] = phases.get(rule.phase, 0) + _entry_size(rule)
    return phases.pop("", 0) + max(phases.values(), default=0)


def _total_size(rules: Iterable[Rule]) -> int:
    """Return the size of all rules together."""
    return sum(map(_entry_size, rules))


def _entry_size(rule: Rule) -> int:
    """Return the size of a rule's line: indent, marker of at least two characters, text, line
    break.
    """
    if rule.kind not in ("auth", *block_sections.INJECTED_KINDS):
        return 0
    return len(block_sections.INNER) + 3 + len(text_escaping.neutralise_text(rule.text)) + 1


_INJECTION = 'injection = "always"'


@cache
def clients_where(*, keeps_context: bool, follows_up: bool) -> tuple[str, ...]:
    """Return the names of the clients that keep what they were sent or not, and that take what a
    block left out with the events of tools or not.
    """
    return tuple(
        name
        for name in HOOK_CLIENTS
        if (client := load_client(name))
        and (client.keeps_context, client.follows_up) == (keeps_context, follows_up)
    )


def resends_everything(tree: Tree) -> bool:
    """Return whether later replies need nothing, since each prompt is sent the full block, by the
    configuration.
    """
    return tree.snapshot.config.injection == "always"


def severity_of_overflow(tree: Tree) -> Severity:
    """Return a warning where no later reply tells rules, an info where one does."""
    return Severity.WARNING if resends_everything(tree) else Severity.INFO


def describe_next_replies(*, always: bool) -> str:
    """Return, as a sentence, which later reply tells what a block leaves out; ``always`` is whether
    each prompt is sent the full block.
    """
    if always:
        never = _name_clients(clients_where(keeps_context=True, follows_up=False))
        return (
            f"As each prompt is sent the full block ({_INJECTION}), a turn that uses a tool "
            f"injects the rest; in {never} only the first prompt does."
        )
    tools = _name_clients(clients_where(keeps_context=False, follows_up=True))
    return (
        f"Most clients inject the rest with the next replies; {tools} only in a turn that uses a "
        "tool."
    )


def overflow_remedy(
    tree: Tree, what: str, tokens: int, agent: str = "", with_agent: int = 0
) -> str:
    """Return what to do about rules that only later replies tell, since they need so many tokens
    that there are not: to shorten ``what``; with an agent's rules they may need more.
    """
    remedy = _end_remedy(tree, f"Shorten {what} by about {tokens} tokens")
    if with_agent > tokens:
        return (
            f"{remedy} For @{agent}, shorten its rules as well, by about {with_agent} tokens in "
            "all."
        )
    return remedy


def crowded_agents_remedy(tree: Tree, agent: str, tokens: int, count: int) -> str:
    """Return what to do about rules that a later reply has to tell since they do not fit beside
    those of ``count`` agents, of which ``agent`` needs the most tokens.
    """
    remedy = _end_remedy(
        tree,
        f"Shorten the rules of @{agent} and what is in every block by about {tokens} tokens in all",
    )
    return (
        remedy
        if count == 1
        else f"{remedy} For each of the other agents, at most as many tokens have to go."
    )


def _end_remedy(tree: Tree, advice: str) -> str:
    """Return a remedy with the setting that makes a delay a loss, where the tree has it, or the
    profile that has no such delay.
    """
    if resends_everything(tree):
        return f"{advice}, or delete `{_INJECTION}`."
    if tree_lookups.tree_profile(tree).name == profiles.DEFAULT_PROFILE:
        return (
            f"{advice}, or run `synapse profile use synapse-live`, in which a first block is whole."
        )
    return f"{advice}."


def _name_clients(names: tuple[str, ...]) -> str:
    """Return what people call the clients."""
    clients = load_module("synapse_ls.integrations.settings_registry").CLIENTS
    titles = [clients[name].title for name in names if name in clients]
    unknown = any(name not in clients for name in names)
    named = " and ".join(titles)
    if not unknown:
        return named
    return f"{named} and unknown clients" if named else "unknown clients"
