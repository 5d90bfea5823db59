"""Layers that sleep, budgets that never suffice, prose about brackets, and clients' limits."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from synapse_ls.integrations import client_registry as hosts
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.reply_limits import CLIENT_REPLY_LIMITS, clients_where, largest_domain_size
from synapse_ls.lint.rules.brackets_and_budgets.budget_overflow import describe_overflow
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.tree_folders import CONFIG
from tests.engine.blocks import block
from tests.lint.clean import findings
from tests.trees import plan_of, tree_of

LIVE = {CONFIG: 'profile = "synapse-live"\n'}
BASIC = {CONFIG: 'profile = "synapse"\n'}


def rules(domain: str, count: int, text: str = "Step {} has a name, a date and a witness.") -> str:
    return "".join(f"{domain}_RULE_{n}={text.format(n)}\n" for n in range(count))


def found(code: str, files: Mapping[str, str]) -> list[str]:
    return [marked.removeprefix(f"{code} ") for marked in findings(files, select=(code,))]


SLEEPERS = {
    ".synapse/manifest": (
        "A_AGENT_TRIGGER=dev\nB_ALWAYS_ON=true\nC_STATE=active\nD_RECALL=unit\nE_WORKFLOW_TRIGGER=w\n"
    ),
    **{f".synapse/{name}": "- do this\n" for name in "abcde"},
}


def test_sleeping_triggers_are_told_once_and_named() -> None:
    (diagnostic,) = lint_tree(tree_of(SLEEPERS), select=("SYN404",))
    assert diagnostic.message == (
        "D and 1 more cannot apply in FRESH (60–100% left): with Synapse LS, L3 and L6 are inactive."
    )


def test_domains_of_squads_that_sleep_are_named_too() -> None:
    files = {
        ".synapse/manifest": "GLOBAL_STATE=active\n",
        "squads/s/.synapse/manifest": "P_STATE=active\nP_RECALL=pipe\n",
        "squads/s/.synapse/p": "- do this\n",
    }
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN404",))
    assert diagnostic.path == ".synapse/manifest"
    assert diagnostic.message.startswith("S_P cannot apply in FRESH")
    assert "L5 (squad)" in diagnostic.message
    assert "do this" not in block(plan_of(files), "a pipe", squad="s", remaining=90).text
    assert found("SYN404", {**files, **LIVE}) == []


@pytest.mark.parametrize(
    "change",
    [
        LIVE,
        {".synapse/manifest": "A_AGENT_TRIGGER=dev\nB_ALWAYS_ON=true\nC_STATE=active\n"},
        {".synapse/manifest": "D_STATE=inactive\nD_RECALL=unit\n"},
        {".synapse/manifest": "F_RECALL=unit\n"},
        {".synapse/manifest": "D_RECALL=\n"},
        {CONFIG: 'profile = "synapse-life"\n'},
        {CONFIG: "profile = \n"},
    ],
    ids=["live", "awake", "off", "no file", "no words", "unknown profile", "broken configuration"],
)
def test_nothing_sleeps(change: Mapping[str, str]) -> None:
    assert "SYN404" not in " ".join(found("SYN404", {**SLEEPERS, **change}))


def test_what_is_said_to_sleep_comes_in_with_the_other_profile_only() -> None:
    asleep = block(plan_of(SLEEPERS), "a unit", workflow="w", remaining=90).text
    assert "do this" in asleep
    assert "[KEYWORD MATCHES]" not in asleep
    plan = plan_of({**SLEEPERS, ".synapse/d": "- do that\n", **LIVE})
    awake = block(plan, "a unit", workflow="w", remaining=90).text
    assert "[KEYWORD MATCHES]" in awake


def test_another_profile_for_the_whole_tree_is_no_fix_of_a_hint() -> None:
    (diagnostic,) = lint_tree(tree_of(SLEEPERS), select=("SYN404",))
    assert diagnostic.fix is None
    assert "synapse-live" in diagnostic.remedy


RELEASE = {".synapse/manifest": "RELEASE_STATE=active\nRELEASE_RECALL=release\n"}


def test_rules_fit_as_long_as_the_largest_bracket_has_room_for_them() -> None:
    for count, marked in ((150, []), (220, ["RELEASE"])):
        files = {**RELEASE, ".synapse/release": rules("RELEASE", count), **BASIC}
        made = block(plan_of(files), "release", remaining=10)
        assert bool(made.cut_entries) == bool(marked)
        assert found("SYN405", files) == marked


@pytest.mark.parametrize(
    ("manifest", "config", "count", "marked"),
    [
        ("X_RECALL=release\n", LIVE, 220, ["X"]),
        ("X_ALWAYS_ON=true\n", LIVE, 220, ["X"]),
        ("X_AGENT_TRIGGER=dev\n", LIVE, 220, ["X"]),
        ("X_STATE=active\n", LIVE, 220, []),
        ("X_STATE=inactive\nX_RECALL=release\n", LIVE, 220, []),
        ("X_RECALL=release\nX_NON_NEGOTIABLE=true\n", LIVE, 220, []),
        ("X_RECALL=release\n", BASIC, 220, ["X"]),
    ],
)
def test_what_can_come_in_never_fits_as_a_whole(
    manifest: str, config: Mapping[str, str], count: int, marked: list[str]
) -> None:
    files = {".synapse/manifest": manifest, ".synapse/x": rules("X", count), **config}
    assert found("SYN405", files) == marked


def test_a_workflow_needs_room_for_one_phase_at_a_time() -> None:
    manifest = {".synapse/manifest": "W_WORKFLOW_TRIGGER=w\n"}
    phases = "".join(
        f"W_RULE_{n}=Phase p{n % 4}: step {n} has a name, a date and a witness.\n"
        for n in range(240)
    )
    assert found("SYN405", {**manifest, ".synapse/w": phases}) == []
    one = phases.replace("Phase p1", "Phase p0").replace("Phase p2", "Phase p0")
    assert found("SYN405", {**manifest, ".synapse/w": one.replace("p3", "p0")}) == ["W"]


def test_a_squads_domains_never_fit_either() -> None:
    files = {
        "squads/s/.synapse/manifest": "P_RECALL=pipe\nQ_RECALL=quay\n",
        "squads/s/.synapse/rules": rules("P", 220) + rules("Q", 5),
    }
    assert found("SYN405", files) == ["P"]


def test_a_size_is_a_lower_bound_of_what_a_block_has() -> None:
    files = {
        **RELEASE,
        ".synapse/release": "RELEASE_AUTH_0=BLOCKED: all\n"
        + rules("RELEASE", 12, "Step {} of   three words"),
        **LIVE,
    }
    tree = tree_of(files)
    (domain,) = tree.root.domains
    bare = block(plan_of({**files, ".synapse/release": ""}), "release").text
    full = block(plan_of(files), "release").text
    assert 0 < largest_domain_size(tree, domain) <= len(full) - len(bare)


def context(rule: str, bracket: str = "DEPLETED") -> dict[str, str]:
    return {".synapse/context": f"CONTEXT_RULE_{bracket}_0={rule}\n"}


@pytest.mark.parametrize(
    ("bracket", "rule"),
    [
        ("DEPLETED", "Skip optional layers (L6 keyword domains)"),
        ("CRITICAL", "Only inject L0 Constitution and L1 Global — skip all other layers"),
        ("CRITICAL", "Apenas L0 e L1 são injetadas"),
        ("MODERATE", "Pular a camada L5 quando possível"),
        ("FRESH", "Full layer stack available: every layer is active"),
        ("FRESH", "Todas as camadas ativas"),
        ("FRESH", "Answer briefly; only L0 is injected"),
        ("FRESH", "Drop L2 rules"),
    ],
)
def test_prose_that_contradicts_the_table_is_found(bracket: str, rule: str) -> None:
    assert found("SYN406", context(rule, bracket)) == [rule]


@pytest.mark.parametrize(
    ("bracket", "rule"),
    [
        ("FRESH", "Skip L6 for now"),
        ("FRESH", "Only L0, L1, L2 and L7 are injected"),
        ("MODERATE", "Standard context level — all layers active at normal priority"),
        ("DEPLETED", "Never skip L0"),
        ("DEPLETED", "Não pule a camada L0"),
        ("DEPLETED", "Skip optional work to save tokens"),
        ("DEPLETED", "Validate all layers of the architecture"),
        ("DEPLETED", "Only read what you need"),
        ("DEPLETED", "Skip the L2 cache"),
        ("FRESH", "Explore all layers of the code"),
        ("CRITICAL", "Write down what is open"),
    ],
)
def test_prose_that_agrees_or_is_about_other_things_is_left_alone(bracket: str, rule: str) -> None:
    assert found("SYN406", context(rule, bracket)) == []


def test_the_profile_decides_what_is_a_contradiction() -> None:
    rule = "All layers are active"
    assert found("SYN406", {**context(rule, "FRESH"), **BASIC}) == [rule]
    assert found("SYN406", {**context(rule, "FRESH"), **LIVE}) == []


def test_prose_about_brackets_is_read_in_plain_text_too() -> None:
    text = "When context is CRITICAL: only inject L0 and L1.\n"
    assert found("SYN406", {".synapse/context": text}) == [text.strip()]


def test_wrong_prose_names_whose_layers_it_is_about() -> None:
    (diagnostic,) = lint_tree(tree_of(context("Skip L6", "DEPLETED")), select=("SYN406",))
    assert diagnostic.message == (
        "Synapse LS differs: agents read that L6 (keyword) is left out in DEPLETED, but L6 (keyword) is active there."
    )


def test_all_wrong_prose_of_a_file_is_one_finding() -> None:
    text = "DEPLETED_RULES=true\nDEPLETED_RULE_0=Skip L6\nCRITICAL_RULES=true\nCRITICAL_RULE_0=Only L0 and L1\n"
    assert found("SYN406", {".synapse/context": text}) == ["Skip L6"]


def test_a_bracket_that_is_switched_off_says_nothing() -> None:
    text = "DEPLETED_RULES=false\nDEPLETED_RULE_0=Skip L6\n"
    assert found("SYN406", {".synapse/context": text}) == []


def test_the_limit_is_that_of_the_strictest_client() -> None:
    limits = [
        module.reply_limit
        for name in hosts.HOOK_CLIENTS
        if (module := hosts.load_client(name)) and module.reply_limit
    ]
    assert min(CLIENT_REPLY_LIMITS.values()) == min(limits)


PROTECTED = {
    ".synapse/manifest": "RELEASE_STATE=active\nRELEASE_RECALL=release\nRELEASE_NON_NEGOTIABLE=true\n"
}


def test_what_is_over_the_limit_is_really_cut() -> None:
    limit = min(CLIENT_REPLY_LIMITS.values())
    for count, marked in ((150, []), (220, ["RELEASE"])):
        files = {**PROTECTED, ".synapse/release": rules("RELEASE", count), **LIVE}
        made = block(plan_of(files), "release", limit=limit)
        assert bool(made.limited_entries) == bool(marked)
        assert found("SYN407", files) == marked


@pytest.mark.parametrize(
    ("manifest", "files", "marked"),
    [
        (
            "CONSTITUTION_STATE=active\n",
            {".synapse/constitution": rules("CONSTITUTION", 220)},
            ["CONSTITUTION"],
        ),
        ("GLOBAL_STATE=active\n", {".synapse/global": rules("GLOBAL", 220)}, []),
        (
            "GLOBAL_STATE=active\nGLOBAL_NON_NEGOTIABLE=true\n",
            {".synapse/global": rules("GLOBAL", 220)},
            ["GLOBAL"],
        ),
        (
            "X_RECALL=release\nX_NON_NEGOTIABLE=true\n",
            {".synapse/constitution": rules("CONSTITUTION", 110), ".synapse/x": rules("X", 110)},
            ["X"],
        ),
        ("X_STATE=inactive\nX_NON_NEGOTIABLE=true\n", {".synapse/x": rules("X", 220)}, []),
        ("X_NON_NEGOTIABLE=false\n", {".synapse/x": rules("X", 220)}, []),
    ],
)
def test_only_what_is_protected_can_be_over_the_limit(
    manifest: str, files: Mapping[str, str], marked: list[str]
) -> None:
    assert found("SYN407", {".synapse/manifest": manifest, **files}) == marked


def test_of_the_context_file_the_longest_bracket_counts() -> None:
    fresh = "".join(f"CONTEXT_RULE_FRESH_{n}=Explore before you decide.\n" for n in range(60))
    critical = "CONTEXT_RULE_CRITICAL_0=Write the hand-off now.\n"
    alone, both = (tree_of({".synapse/context": text}) for text in (fresh, fresh + critical))
    assert (
        largest_domain_size(both, both.root.domains[0])
        == largest_domain_size(alone, alone.root.domains[0])
        > 0
    )


CROWDED = {
    ".synapse/manifest": "GLOBAL_STATE=active\n",
    ".synapse/global": rules("GLOBAL", 80),
}


def test_rules_that_are_late_are_named_with_the_clients_that_need_a_tool_for_them() -> None:
    tree = tree_of(CROWDED)
    (diagnostic,) = lint_tree(tree, select=("SYN401",))
    assert diagnostic.severity is Severity.INFO
    assert re.search(
        r"leaves \d+ rules out of a full block in .*: GLOBAL_RULE_\d+–79\.", diagnostic.message
    )
    described = describe_overflow(tree)
    assert described.startswith(f"{diagnostic.message} Most clients inject the rest with the next")
    assert described.endswith("only in a turn that uses a tool.")


def test_rules_that_no_later_prompt_brings_are_a_warning() -> None:
    files = {**CROWDED, CONFIG: 'injection = "always"\n'}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    assert diagnostic.severity is Severity.WARNING
    assert "a turn that uses a tool injects the rest; in Kimi Code" in describe_overflow(
        tree_of(files)
    )
    assert "delete `injection" in diagnostic.remedy


def test_the_tokens_of_the_remedy_are_enough() -> None:
    (diagnostic,) = lint_tree(tree_of(CROWDED), select=("SYN401",))
    said = re.search(r"by about (\d+) tokens", diagnostic.remedy)
    assert said
    lines = CROWDED[".synapse/global"].splitlines(keepends=True)
    told = [len(line.partition("=")[2]) for line in lines]
    gone = next(n for n in range(len(lines)) if sum(told[:n]) >= 4 * int(said[1]))
    shorter = "".join(lines[gone:])
    assert found("SYN401", {**CROWDED, ".synapse/global": shorter}) == []
    longer = "".join(lines[gone // 2 :])
    assert found("SYN401", {**CROWDED, ".synapse/global": longer}) == ["GLOBAL"]


def test_where_nothing_else_fits_the_tokens_of_the_remedy_are_enough_for_all_rules() -> None:
    article = "Everybody may read it. "
    files = {
        ".synapse/manifest": "CONSTITUTION_STATE=active\nCONSTITUTION_NON_NEGOTIABLE=true\nGLOBAL_STATE=active\n",
        ".synapse/constitution": f"CONSTITUTION_RULE_ART1_0={article * 150}\n",
        ".synapse/global": rules("GLOBAL", 20),
    }
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    assert "so Synapse LS puts no other rules into a full block." in diagnostic.message
    assert diagnostic.remedy.startswith("Shorten these and what else is wanted in every block by")
    said = re.search(r"by about (\d+) tokens", diagnostic.remedy)
    assert said
    for tokens, count in ((int(said[1]) + 10, 0), (int(said[1]) // 2, 1)):
        shorter = (article * 150)[4 * tokens :]
        changed = {**files, ".synapse/constitution": f"CONSTITUTION_RULE_ART1_0={shorter}\n"}
        assert len(lint_tree(tree_of(changed), select=("SYN401",))) == count


def test_the_tokens_of_the_remedy_are_no_more_than_are_needed() -> None:
    """A long rule that stays becomes shorter by what is asked, and by two tokens less."""
    words = "so that everybody can see it, " * 60
    files = {**CROWDED, ".synapse/global": f"GLOBAL_RULE_100={words}\n" + rules("GLOBAL", 50)}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    said = re.search(r"by about (\d+) tokens", diagnostic.remedy)
    assert said
    left = []
    for tokens in (int(said[1]), int(said[1]) - 2):
        rule = f"GLOBAL_RULE_100={words[4 * tokens :]}\n"
        made = block(
            plan_of({**files, ".synapse/global": rule + rules("GLOBAL", 50)}), remaining=95
        )
        left.append(bool(made.cut_entries))
    assert left == [False, True]


def test_where_each_prompt_is_sent_all_clients_lose_rules_that_keep_them_and_take_none_from_tools() -> (
    None
):
    assert clients_where(keeps_context=True, follows_up=False) == ("kimi",)


def test_what_an_agents_rules_push_out_is_named_with_the_agent() -> None:
    files = {
        ".synapse/manifest": "GLOBAL_STATE=active\nAGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
        ".synapse/global": rules("GLOBAL", 20),
        ".synapse/agent-dev": rules("AGENT_DEV", 70, "Part {} has a name, a date and a witness."),
    }
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    made = block(plan_of(files), agent="dev", remaining=95)
    cut = [entry.name for entry in made.cut_entries]
    assert diagnostic.message.startswith(
        f"With @dev, Synapse LS leaves {len(cut)} rules out of a full block in FRESH"
    )
    assert "GLOBAL_RULE_0–19" in diagnostic.message
    assert re.search(r"AGENT_DEV_RULE_\d+–69", diagnostic.message)
    said = re.fullmatch(
        r"Shorten the rules of @dev and what is in every block by about (\d+) tokens in all, or run "
        r"`synapse profile use synapse-live`, in which a first block is whole\.",
        diagnostic.remedy,
    )
    assert said
    lines = files[".synapse/agent-dev"].splitlines(keepends=True)
    gone = 1 + 4 * int(said[1]) // len("Part 0 has a name, a date and a witness.")
    assert found("SYN401", {**files, ".synapse/agent-dev": "".join(lines[gone:])}) == []


def test_rules_of_every_block_that_an_agent_pushes_out_are_told_for_all_agents() -> None:
    files = {".synapse/manifest": "GLOBAL_STATE=active\n", ".synapse/global": rules("GLOBAL", 20)}
    for agent, count in (("dev", 80), ("qa", 72)):
        name = f"AGENT_{agent.upper()}"
        files[".synapse/manifest"] += f"{name}_STATE=active\n{name}_AGENT_TRIGGER={agent}\n"
        files[f".synapse/agent-{agent}"] = rules(
            name, count, f"Part {{}} of {agent} has a witness."
        )
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    counts = {
        agent: len(block(plan_of(files), agent=agent, remaining=95).cut_entries)
        for agent in ("dev", "qa")
    }
    assert counts["dev"] > counts["qa"] > 0
    assert diagnostic.message.startswith(
        f"With @dev, Synapse LS leaves {counts['dev']} rules out of a full block in FRESH"
    )
    assert diagnostic.remedy.startswith("Shorten the rules of @dev and what is in every block")
    assert diagnostic.remedy.endswith(
        "For each of the other agents, at most as many tokens have to go."
    )


def test_cut_rules_are_listed_by_whole_names() -> None:
    names = [f"ANALYTICS_{word}" for word in ("ONE", "TWO", "THREE", "FOUR")]
    files = {".synapse/manifest": ""}
    for name in names:
        files[".synapse/manifest"] += f"{name}_STATE=active\n{name}_ALWAYS_ON=true\n"
        files[f".synapse/{name.lower().replace('_', '-')}"] = rules(
            name, 40, f"Step {{}} of {name} is seen."
        )
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    listed = diagnostic.message.partition(" tokens): ")[2]
    assert re.fullmatch(r"(ANALYTICS_[A-Z]+_RULE_\d+\S*, )+…\.", listed), listed


def test_what_an_agent_pushes_out_in_addition_is_said() -> None:
    files = {
        **CROWDED,
        ".synapse/manifest": "GLOBAL_STATE=active\nAGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
        ".synapse/agent-dev": rules("AGENT_DEV", 5, "Part {} has a name, a date and a witness."),
    }
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    said = re.fullmatch(
        r"Shorten what is in every block by about (\d+) tokens, or run `synapse profile use "
        r"synapse-live`, in which a first block is whole\. For @dev, shorten its rules as well, by "
        r"about (\d+) tokens in all\.",
        diagnostic.remedy,
    )
    assert said
    assert 0 < int(said[1]) < int(said[2])
    assert re.search(r"tokens\), with @dev \d+: GLOBAL_RULE_\d+–79\.", diagnostic.message)
    assert len(diagnostic.message) <= 120


def test_where_the_first_block_is_bound_on_purpose_no_other_profile_is_proposed() -> None:
    own = '[profiles.own]\nextends = "synapse"\n'
    files = {**CROWDED, CONFIG: f'profile = "own"\n{own}'}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN401",))
    assert re.fullmatch(r"Shorten what is in every block by about \d+ tokens\.", diagnostic.remedy)


@pytest.mark.parametrize("files", [{}, {".synapse/constitution": "# Nothing yet.\n"}])
def test_a_constitution_without_articles_may_be_switched_off(files: dict[str, str]) -> None:
    assert found("SYN403", {".synapse/manifest": "CONSTITUTION_STATE=inactive\n", **files}) == []
