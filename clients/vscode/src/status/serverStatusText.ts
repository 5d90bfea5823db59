/** This module words the language status item of the server. Pure. */

import { l10n } from "vscode";
import { commandText } from "../server/interpreterSearch";
import type { ServerLaunch } from "../server/launchCommand";
import type { ServerState } from "../server/serverState";

export interface ServerStatusView {
  readonly text: string;
  readonly detail: string;
  readonly severity: "information" | "error";
  readonly busy: boolean;
  readonly action: { readonly title: string; readonly command: string };
}

export function serverStatusView(
  state: ServerState,
  launch: ServerLaunch | undefined,
  version: string | undefined,
  busy: boolean,
): ServerStatusView {
  const log = { title: l10n.t("Show Server Log"), command: "synapse.showLog" };
  switch (state.kind) {
    case "starting":
      return informationView(l10n.t("Synapse is starting."), "", log, true);
    case "stopped": {
      const { problem, remedy } = state.failure;
      const help = { title: l10n.t("What to Do"), command: "synapse.showProblem" };
      return { ...informationView(problem, remedy, help, false), severity: "error" };
    }
    case "running":
      return informationView(
        busy
          ? l10n.t("Synapse LS {0}: reading the rule tree", version ?? "")
          : l10n.t("Synapse LS {0}", version ?? ""),
        launch === undefined ? "" : launchDetail(launch),
        launch?.trusted === false
          ? { title: l10n.t("Manage Trust"), command: "workbench.trust.manage" }
          : log,
        busy,
      );
  }
}

function informationView(
  text: string,
  detail: string,
  action: ServerStatusView["action"],
  busy: boolean,
): ServerStatusView {
  return { text, detail, action, busy, severity: "information" };
}

function launchDetail({ bundled, trusted, interpreter }: ServerLaunch): string {
  return [
    l10n.t("Python {0} ({1})", interpreter.python, commandText(interpreter.candidate)),
    bundled ? l10n.t("server of the extension") : l10n.t("server of the environment"),
    trusted ? "" : l10n.t("changes nothing, as the folder is not trusted"),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What is said of a file such as CLAUDE.md, and what can be done about it. */
export function instructionStatusView(isChecked: boolean): {
  readonly text: string;
  readonly detail: string;
  readonly action: string;
} {
  return isChecked
    ? {
        text: l10n.t("The text of these instructions is checked"),
        detail: l10n.t("not when and where agents read them"),
        action: l10n.t("Stop Checking"),
      }
    : {
        text: l10n.t("These instructions are not checked"),
        detail: l10n.t("but for what Synapse has written into them"),
        action: l10n.t("Check Their Text"),
      };
}
