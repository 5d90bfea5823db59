"""A chain of commands, or a step of it, lacks what it is for.

## What it does

Reports, in `workflow-chains.yaml`, what is no list of chains, chains without an id or steps, ids and numbers
of steps that are there twice, and steps without an agent or a command.

## Why it matters

The chains tell where the work is, what comes next and who does it. What cannot be read of them is never
suggested.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[paths]
chains = ["docs/chains.yaml"]
-- docs/chains.yaml --
workflows:
  - id: etl
    chain:
      - {step: 1, agent: "@loader", command: "*fetch"}
      - {step: 1, agent: "@loader", command: "*load"}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[paths]
chains = ["docs/chains.yaml"]
-- docs/chains.yaml --
workflows:
  - id: etl
    chain:
      - {step: 1, agent: "@loader", command: "*fetch"}
      - {step: 2, agent: "@loader", command: "*load"}
```

## Evidence

`data/workflow-chains.yaml` of SynkraAI/aios-core, in which its agents look up what to suggest.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN715",
    name="invalid-workflow-chain",
    severity=Severity.WARNING,
    claims=("invalid-workflow-chain",),
    remedy="Give each chain an `id`, and each step a number, an `agent` and a `command`.",
)
