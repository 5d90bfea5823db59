/** This module renders the report of `synapse doctor` as a Markdown page. Pure. */

import { l10n } from "vscode";
import { codeFence, escapeMarkdown } from "../text/markdown";
import type { ClientHealth, HealthReport, HealthTrouble } from "./hookReports";
import { clientTitle } from "./installChoices";

export function doctorPage(health: HealthReport): string {
  const answering = health.clients.find(({ canary }) => canary?.ok && canary.text !== "");
  return [
    `# ${l10n.t("Synapse Doctor")}`,
    healthVerdict(health),
    ...pageSection(l10n.t("Troubles"), health.troubles.map(troubleRow)),
    ...pageSection(
      l10n.t("Agents"),
      health.clients
        .filter(({ detected, registrations }) => detected || registrations.length > 0)
        .map(clientRow),
    ),
    ...pageSection(
      l10n.t("Other hooks"),
      health.clients.flatMap(({ client, rivals }) =>
        rivals.map(
          ({ path, line, command, effect }) =>
            `- **${escapeMarkdown(clientTitle(client))}** ${codePlace(path, line)}: ${inlineCode(command)}, ${escapeMarkdown(effect)}`,
        ),
      ),
    ),
    ...(answering?.canary
      ? [
          `## ${l10n.t("What {0} would get now", clientTitle(answering.client))}`,
          codeFence(answering.canary.text.trimEnd()),
        ]
      : []),
    l10n.t(
      "Interpreter: {0} ({1})",
      inlineCode(health.interpreter.path),
      escapeMarkdown(health.interpreter.version),
    ),
  ].join("\n\n");
}

/** Returns the verdict of the doctor in one line. */
export function healthVerdict(health: HealthReport): string {
  const errors = health.troubles.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    return errors === 1
      ? l10n.t("One thing keeps rules from an agent.")
      : l10n.t("{0} things keep rules from agents.", errors);
  }
  const clients = servedClients(health).map(({ client }) => clientTitle(client));
  return clients.length === 0
    ? l10n.t("No agent calls the hook yet.")
    : l10n.t("All is well: the hook answers {0}.", clients.join(", "));
}

/** Returns the clients whose hook answers. */
export function servedClients({ clients }: HealthReport): readonly ClientHealth[] {
  return clients.filter(
    (health) => health.registrations.length > 0 && (health.canary?.ok || isSilentByDesign(health)),
  );
}

/** Whether the hook answers with no block because the client reads all rules by itself. */
function isSilentByDesign({ canary, reads_all }: ClientHealth): boolean {
  return reads_all === true && canary?.error === "";
}

/** Returns the commands of the extension that solve the problem. */
export function healthRemedies(health: HealthReport): readonly ("createTree" | "installHook")[] {
  return [
    ...(health.tree ? [] : (["createTree"] as const)),
    ...(health.clients.some(({ registrations }) => registrations.length > 0)
      ? []
      : (["installHook"] as const)),
  ];
}

function troubleRow({
  code: troubleCode = "",
  severity,
  client,
  sentence,
  remedy,
  path,
  line,
}: HealthTrouble): string {
  const label = severity === "error" ? l10n.t("Error") : l10n.t("Warning");
  return [
    `- **${label}**`,
    client === "" ? "" : `${escapeMarkdown(clientTitle(client))}:`,
    proseMarkdown(sentence),
    editorRemedy(troubleCode) ?? proseMarkdown(remedy),
    path === "" ? "" : `(${codePlace(path, line)})`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Returns the remedy that is a command of the editor; undefined where there is none. */
function editorRemedy(troubleCode: string): string | undefined {
  switch (troubleCode) {
    case "no-tree":
      return l10n.t("Run “Synapse: Create Rule Tree”.");
    case "not-registered":
      return l10n.t("Run “Synapse: Install Hook…”.");
    default:
      return undefined;
  }
}

/** Returns a sentence with its full stop; text between back-ticks becomes code. */
function proseMarkdown(text: string): string {
  const parts = text.replace(/\s+/g, " ").split(/`([^`]+)`/);
  const markdown = parts
    .map((part, index) => (index % 2 === 0 ? escapeMarkdown(part) : inlineCode(part)))
    .join("");
  return markdown === "" || /[.!?:…]$/.test(text.trimEnd()) ? markdown : `${markdown}.`;
}

function clientRow(health: ClientHealth): string {
  const { client, registrations, canary, reached, latency } = health;
  const places = [...new Set(registrations.map(({ path }) => path))].map(inlineCode).join(", ");
  const silence = isSilentByDesign(health)
    ? l10n.t("the client reads its rules by itself, and nothing is injected twice")
    : "";
  const answer =
    canary === null
      ? ""
      : canary.ok
        ? l10n.t("the hook answers with {0} tokens", canary.tokens)
        : silence === ""
          ? escapeMarkdown(canary.error)
          : l10n.t("the hook answers");
  const seen = reached ? l10n.t("a block reached the model at {0}", reached.time) : "";
  const took = latency === null ? "" : l10n.t("in {0} ms", Math.round(latency.median_ms));
  const state =
    registrations.length === 0
      ? l10n.t("does not call the hook")
      : [
          l10n.t("registered in {0}", places),
          [answer, took].filter(Boolean).join(" "),
          silence,
          seen,
        ]
          .filter(Boolean)
          .join("; ");
  return `- **${escapeMarkdown(clientTitle(client))}** ${state}`;
}

function pageSection(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [`## ${title}`, rows.join("\n")];
}

function codePlace(path: string, line: number | null): string {
  return inlineCode(line === null ? path : `${path}:${line}`);
}

/** Returns text as inline code, in which nothing becomes markup, not even a backtick. */
function inlineCode(code: string): string {
  const text = code.replace(/\s+/g, " ");
  const ticks = "`".repeat(
    Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1,
  );
  return ticks === "`" ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}
