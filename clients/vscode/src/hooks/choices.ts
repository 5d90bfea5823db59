/** Which agents get the hook, and in whose settings. Pure. */

import { l10n } from "vscode";
import type { Installed } from "./reports";

/** Agent clients by the names that `synapse install --client` takes. */
const TITLES: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  vscode: "VS Code Copilot Chat",
  copilot: "GitHub Copilot CLI",
  cursor: "Cursor",
  codex: "Codex",
  gemini: "Gemini CLI",
  antigravity: "Antigravity",
};

/** The clients that read one file, so that a hook for one of them is a hook for all. */
const SHARING: readonly string[] = ["vscode", "copilot"];

/** The clients that have settings which are in the project and yet of one person. */
const LOCAL: readonly string[] = ["claude", "copilot"];

export type Scope = "project" | "local" | "user";

export function titleOf(client: string): string {
  return TITLES[client] ?? client;
}

export interface ClientChoice {
  readonly client: string;
  readonly label: string;
  readonly description: string;
  /** Whether it is in use here. */
  readonly picked: boolean;
}

/** All clients, those that are in use here first; where none is, that of the editor itself. */
export function clientChoices(
  detected: NonNullable<Installed["detected"]>,
  editor: string,
): ClientChoice[] {
  const found = new Map(detected.map(({ client, because }) => [client, because]));
  if (found.size === 0) {
    found.set(editor, l10n.t("the agent of this editor"));
  }
  const all = Object.keys(TITLES).map((client) => ({
    client,
    label: titleOf(client),
    description: [found.get(client), sharedBy(client)].filter(Boolean).join(" · "),
    picked: found.has(client),
  }));
  return [...all.filter(({ picked }) => picked), ...all.filter(({ picked }) => !picked)];
}

function sharedBy(client: string): string {
  const others = SHARING.includes(client) ? SHARING.filter((other) => other !== client) : [];
  return others.length === 0 ? "" : l10n.t("in one file with {0}", others.map(titleOf).join(", "));
}

export interface ScopeChoice {
  readonly scope: Scope;
  readonly label: string;
  readonly detail: string;
}

/**
 * Where the hook can be registered. Settings that are shared cannot name an interpreter of this
 * machine; where the server is the one inside the extension, they come last.
 */
export function scopeChoices(clients: readonly string[], bundled: boolean): ScopeChoice[] {
  const shared: ScopeChoice = {
    scope: "project",
    label: l10n.t("Everybody in this project"),
    detail: bundled
      ? l10n.t("needs the command synapse on each machine: pip install synapse-ls")
      : l10n.t("in settings that are shared with the project"),
  };
  const local: ScopeChoice = {
    scope: "local",
    label: l10n.t("Only me, in this project"),
    detail: l10n.t("in settings that are not shared; works with what this editor runs"),
  };
  const user: ScopeChoice = {
    scope: "user",
    label: l10n.t("Only me, in all projects"),
    detail: l10n.t(
      "in your own settings; the hook serves trees that you trust, this one from now on",
    ),
  };
  const own = clients.every((client) => LOCAL.includes(client)) ? [local, user] : [user];
  return bundled ? [...own, shared] : [shared, ...own];
}
