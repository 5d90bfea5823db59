"""``synapse policy``: say which settings hold, and who decided them."""

from argparse import Namespace

from synapse_ls.cli.check_listings import toml_value
from synapse_ls.cli.command_table import command, switch
from synapse_ls.cli.console import Console, Part, Styled
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.queries.policy_report import policy_report
from synapse_ls.queries.report_model import to_json
from synapse_ls.workspace.user_folders import policy_files


@command(switch("--all", "the settings that nobody has set, too"), FORMAT_OPTION)
def run(options: Namespace, console: Console) -> int:
    """Shows which settings hold in a tree, and which file decided each. That is the policy of the
    machine, that of the user, .synapse/config.toml, or a file that it extends.

    A policy has the settings of config.toml. What it says holds in every tree; where a tree is
    stricter, the tree's own value holds. The exit code is 1 where a policy cannot be believed: then
    the strictest values hold, with those of its other bounds that can be read.

    Examples:

    # Every setting that holds here, and who decided it
    $ synapse policy --all
    """
    report = policy_report(root_of(options))
    if options.format == "json":
        console.json(to_json(report))
        return int(any(policy.fault for policy in report.policies))
    console.line(Styled(report.root, "title"))
    _, machines = policy_files()
    for policy in report.policies:
        console.line("  policy of the ", "machine" if policy.path == machines else "user", ": ")
        console.line("    ", Styled(policy.path, "name"), f" {policy.name}")
        if policy.fault:
            console.line("    ", Styled(f"It cannot be believed: {policy.fault}.", "bad"))
            console.line("    The strictest values hold, with its other bounds that can be read.")
    if not report.policies:
        console.line("  There is no policy, neither of the machine nor of the user.")
    if report.pins:
        console.line("  Only pinned trees are served (`synapse trust --pin`).")
    if report.clients is not None:
        console.line(f"  Only these clients are served: {', '.join(report.clients) or 'none'}.")
    rows: list[list[Part]] = [
        [
            Styled(setting.name, "name"),
            toml_value(setting.value),
            Styled(setting.source or "default", "warn" if setting.by_policy else "dim"),
        ]
        for setting in report.settings
        if setting.source or options.all
    ]
    if rows:
        console.line()
        console.table(rows, ("setting", "value", "from"))
    return int(any(policy.fault for policy in report.policies))
