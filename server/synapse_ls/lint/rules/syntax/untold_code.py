"""A block of code is too long to be told with its rule.

## What it does

Reports blocks of code (` ``` ` or `~~~`) in a rule file of plain text that no agent is told. A block belongs to
the rule above it, and each of its lines is told behind that rule in backticks. Where no rule is above it, the
block is a rule. A rule with its code has at most 400 characters. If the code is too long for that, the rule is
told without it. A file that no domain has is passed over: of it nothing is told, however short.

## Why it matters

The author sees the code beside the rule, and the agent never does.

## Example

```bad
-- .synapse/global --
- Write a test like this:

  ~~~python
  def test_an_order_without_items_is_refused() -> None:
      shop = open_shop_with_customers("anna", "bela", "carl", on_day="2026-01-02")
      order = shop.begin_order(customer="anna", delivery="by mail", payment="invoice")
      answer = shop.place_order(order, at_time="2026-01-02T10:00:00Z", dry_run=False)
      assert answer.status == "refused"
      assert answer.reason == "An order needs an item."
      assert shop.orders_of("anna") == []
  ~~~
```

```good
-- .synapse/global --
- Write a test like `tests/test_orders.py`, and run it so:

  ~~~sh
  pnpm test --changed
  ~~~
```

## Evidence

Of 541 blocks of code in the `CLAUDE.md`, `AGENTS.md` and client rules of ten public repositories, 454 have at most
400 characters: they are commands and short patterns. The reference reader (`domain-loader.js`,
SynkraAI/aios-core) tells each line of a plain file, those of a block of code and its fences too.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN134",
    name="untold-code",
    severity=Severity.HINT,
    claims=("untold-code",),
    told_only=True,
)
