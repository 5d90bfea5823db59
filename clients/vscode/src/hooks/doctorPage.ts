/** What the doctor found, as a Markdown page. Pure. */

import { l10n } from "vscode";
import { escaped, fenced } from "../markdown";
import { titleOf } from "./choices";
import type { ClientHealth, Health, Trouble } from "./reports";

export function doctorPage(health: Health): string {
  const told = health.clients.find(({ canary }) => canary?.ok && canary.text !== "");
  return [
    `# ${l10n.t("Synapse Doctor")}`,
    verdictOf(health),
    ...section(l10n.t("Troubles"), health.troubles.map(troubleRow)),
    ...section(
      l10n.t("Agents"),
      health.clients
        .filter(({ detected, registrations }) => detected || registrations.length > 0)
        .map(clientRow),
    ),
    ...section(
      l10n.t("Other hooks"),
      health.clients.flatMap(({ client, rivals }) =>
        rivals.map(
          ({ path, line, command, effect }) =>
            `- **${escaped(titleOf(client))}** ${place(path, line)}: ${code(command)}, ${escaped(effect)}`,
        ),
      ),
    ),
    ...(told?.canary
      ? [
          `## ${l10n.t("What {0} would be told now", titleOf(told.client))}`,
          fenced(told.canary.text.trimEnd()),
        ]
      : []),
    l10n.t(
      "Interpreter: {0} ({1})",
      code(health.interpreter.path),
      escaped(health.interpreter.version),
    ),
  ].join("\n\n");
}

/** In one line; for a message too. */
export function verdictOf(health: Health): string {
  const errors = health.troubles.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    return errors === 1
      ? l10n.t("One thing keeps rules from an agent.")
      : l10n.t("{0} things keep rules from agents.", errors);
  }
  const served = servedBy(health).map(({ client }) => titleOf(client));
  return served.length === 0
    ? l10n.t("No agent calls the hook yet.")
    : l10n.t("All is well: the hook serves {0}.", served.join(", "));
}

/** The clients that get an answer. */
export function servedBy({ clients }: Health): readonly ClientHealth[] {
  return clients.filter(({ registrations, canary }) => registrations.length > 0 && canary?.ok);
}

/** What can be done about it from here, by the names of our commands. */
export function remediesOf(health: Health): readonly ("createTree" | "installHook")[] {
  return [
    ...(health.tree ? [] : (["createTree"] as const)),
    ...(health.clients.some(({ registrations }) => registrations.length > 0)
      ? []
      : (["installHook"] as const)),
  ];
}

function troubleRow({
  code: kind = "",
  severity,
  client,
  sentence,
  remedy,
  path,
  line,
}: Trouble): string {
  const head = severity === "error" ? l10n.t("Error") : l10n.t("Warning");
  return [
    `- **${head}**`,
    client === "" ? "" : `${escaped(titleOf(client))}:`,
    prose(sentence),
    ownRemedy(kind) ?? prose(remedy),
    path === "" ? "" : `(${place(path, line)})`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Where a command of the editor does what the command line says. */
function ownRemedy(kind: string): string | undefined {
  switch (kind) {
    case "no-tree":
      return l10n.t("Run “Synapse: Create Rule Tree”.");
    case "not-registered":
      return l10n.t("Run “Synapse: Install Hook…”.");
    default:
      return undefined;
  }
}

/** A sentence with its full stop; what stands between back-ticks is code. */
function prose(text: string): string {
  const parts = text.split(/`([^`]+)`/);
  const shown = parts.map((part, index) => (index % 2 === 0 ? escaped(part) : code(part))).join("");
  return shown === "" || /[.!?:…]$/.test(text.trimEnd()) ? shown : `${shown}.`;
}

function clientRow({ client, registrations, canary, latency }: ClientHealth): string {
  const places = [...new Set(registrations.map(({ path }) => path))].map(code).join(", ");
  const answer =
    canary === null
      ? ""
      : canary.ok
        ? l10n.t("answers with {0} tokens", canary.tokens)
        : escaped(canary.error);
  const took = latency === null ? "" : l10n.t("in {0} ms", Math.round(latency.median_ms));
  const state =
    registrations.length === 0
      ? l10n.t("does not call the hook")
      : [l10n.t("calls it by {0}", places), [answer, took].filter(Boolean).join(" ")]
          .filter(Boolean)
          .join("; ");
  return `- **${escaped(titleOf(client))}** ${state}`;
}

function section(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [`## ${title}`, rows.join("\n")];
}

function place(path: string, line: number | null): string {
  return code(line === null ? path : `${path}:${line}`);
}

/** Nothing in it becomes markup, a backtick neither. */
function code(text: string): string {
  const ticks = "`".repeat(
    Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1,
  );
  return ticks === "`" ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}
