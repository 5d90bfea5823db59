/** Rules as rows that lead to their files. */

import type { RuleView } from "../messages";
import { button, h } from "./dom";
import { send } from "./host";

export function ruleList(id: string, rules: readonly RuleView[], sign = ""): HTMLUListElement {
  return h(
    "ul",
    { class: "rules" },
    ...rules.map((rule, index) => row(`${id}:${index}`, rule, sign)),
  );
}

function row(key: string, rule: RuleView, sign: string): HTMLLIElement {
  const content = [
    sign !== "" && h("span", { class: "sign", "aria-hidden": "true" }, sign),
    h("span", { class: "text" }, rule.text),
    h("span", { class: "tokens", "aria-hidden": "true" }, String(rule.tokens)),
  ];
  const { place } = rule;
  return h(
    "li",
    {},
    place === undefined
      ? h("div", { class: "rule", title: rule.title }, ...content)
      : button(
          { class: "rule", title: rule.title, "data-key": `rule:${key}` },
          () => send({ type: "open", place }),
          ...content,
        ),
  );
}
