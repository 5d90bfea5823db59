/** This module renders an audit of past sessions as a Markdown page. Pure. */

import { l10n } from "vscode";
import type { Audit, AuditedRule, Breach } from "../protocol";
import { escapeMarkdown } from "../text/markdown";

export function auditPage(audit: Audit): string {
  const broken = audit.rules.filter((rule) => rule.broken > 0);
  return [
    `# ${l10n.t("Are the rules followed?")}`,
    auditVerdict(audit),
    ...broken.flatMap(ruleSection),
    ...(audit.rules.length === 0 ? [] : [ruleTable(audit.rules)]),
    l10n.t(
      "{0} rules cannot be checked. A line {D}_CHECK_n beside a rule says how.",
      audit.unchecked,
    ),
  ].join("\n\n");
}

/** Returns the outcome in one line. */
export function auditVerdict(audit: Audit): string {
  if (audit.transcripts.length === 0) {
    return l10n.t("No session of the last days has left a transcript.");
  }
  const broken = audit.rules.filter((rule) => rule.broken > 0).length;
  return l10n.t(
    "{0} of {1} rules that can be checked were broken in {2} sessions.",
    broken,
    audit.rules.length,
    audit.transcripts.length,
  );
}

function ruleSection(rule: AuditedRule): string[] {
  return [
    `## ${escapeMarkdown(rule.key)}`,
    ...(rule.text === "" ? [] : [`> ${escapeMarkdown(rule.text)}`]),
    rule.breaches.map(breachRow).join("\n"),
    escapeMarkdown(rule.remedy),
  ];
}

function breachRow({ what, why, turn, agent, time }: Breach): string {
  const who = agent === null ? "" : `, @${escapeMarkdown(agent)}`;
  const when = time === null ? "" : `, ${escapeMarkdown(time)}`;
  const place = l10n.t("prompt {0}", turn);
  return `- **${escapeMarkdown(what)}** (${place}${who}${when}): ${escapeMarkdown(why)}`;
}

function ruleTable(rules: readonly AuditedRule[]): string {
  const heading = [l10n.t("Rule"), l10n.t("Applied"), l10n.t("Followed"), l10n.t("Broken")];
  return [
    `| ${heading.join(" | ")} |`,
    "|---|---|---|---|",
    ...rules.map(
      ({ key, applied, followed, broken }) =>
        `| ${escapeMarkdown(key)} | ${applied} | ${followed} | ${broken} |`,
    ),
  ].join("\n");
}
