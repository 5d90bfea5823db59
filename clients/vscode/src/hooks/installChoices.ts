/**
 * This module lists the agent clients and the settings scopes that a hook can be installed for.
 * Pure.
 */

import { l10n } from "vscode";
import type { InstallReport } from "./hookReports";

/** Agent clients by the names that `synapse install --client` takes. */
const CLIENT_TITLES: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  vscode: "VS Code Copilot Chat",
  copilot: "GitHub Copilot CLI",
  cursor: "Cursor",
  codex: "Codex",
  gemini: "Gemini CLI",
  antigravity: "Antigravity",
  opencode: "OpenCode",
  kilo: "Kilo Code",
  cline: "Cline",
  kimi: "Kimi Code",
};

/** The clients that read one file, so that a hook for one of them is a hook for all. */
const SHARED_FILE_CLIENTS: readonly string[] = ["vscode", "copilot"];

/** The clients that have settings which are in the project and yet of one person. */
const LOCAL_SETTINGS_CLIENTS: readonly string[] = ["claude", "copilot"];

/** The clients that have no settings in a project. */
const USER_SETTINGS_CLIENTS: readonly string[] = ["kimi"];

export type HookScope = "project" | "local" | "user";

export function clientTitle(client: string): string {
  return CLIENT_TITLES[client] ?? client;
}

export interface ClientChoice {
  readonly client: string;
  readonly label: string;
  readonly description: string;
  /** Whether it is in use here. */
  readonly picked: boolean;
}

/**
 * Returns all clients, those in use here first; the client of the editor itself counts where it is
 * installed in it (`hasEditorAgent`), and where no other is in use.
 */
export function clientChoices(
  detected: NonNullable<InstallReport["detected"]>,
  editor: string,
  hasEditorAgent = false,
): ClientChoice[] {
  const reasons = new Map(detected.map(({ client, because }) => [client, because]));
  if (reasons.size === 0 || (hasEditorAgent && !reasons.has(editor))) {
    reasons.set(editor, l10n.t("the agent of this editor"));
  }
  const all = Object.keys(CLIENT_TITLES).map((client) => ({
    client,
    label: clientTitle(client),
    description: [reasons.get(client), sharedFileNote(client)].filter(Boolean).join(" · "),
    picked: reasons.has(client),
  }));
  return [...all.filter(({ picked }) => picked), ...all.filter(({ picked }) => !picked)];
}

function sharedFileNote(client: string): string {
  const others = SHARED_FILE_CLIENTS.includes(client)
    ? SHARED_FILE_CLIENTS.filter((other) => other !== client)
    : [];
  return others.length === 0
    ? ""
    : l10n.t("in one file with {0}", others.map(clientTitle).join(", "));
}

export interface ScopeChoice {
  readonly scope: HookScope;
  readonly label: string;
  readonly detail: string;
}

/**
 * Where the hook can be registered. Settings that are shared cannot name an interpreter of this
 * machine; where the server is the one inside the extension, they come last.
 */
export function scopeChoices(clients: readonly string[], isBundled: boolean): ScopeChoice[] {
  const projectScope: ScopeChoice = {
    scope: "project",
    label: l10n.t("Everybody in this project"),
    detail: isBundled
      ? l10n.t(
          "needs the command synapse-ls on each machine: pip install with the folder of a checkout",
        )
      : l10n.t("in settings that are shared with the project"),
  };
  const localScope: ScopeChoice = {
    scope: "local",
    label: l10n.t("Only me, in this project"),
    detail: l10n.t("in settings that are not shared; works with what this editor runs"),
  };
  const userScope: ScopeChoice = {
    scope: "user",
    label: l10n.t("Only me, in all projects"),
    detail: l10n.t(
      "in your own settings; the hook serves trees that you trust, this one from now on",
    ),
  };
  if (clients.some((client) => USER_SETTINGS_CLIENTS.includes(client))) {
    return [userScope];
  }
  const personalScopes = clients.every((client) => LOCAL_SETTINGS_CLIENTS.includes(client))
    ? [localScope, userScope]
    : [userScope];
  return isBundled ? [...personalScopes, projectScope] : [projectScope, ...personalScopes];
}
