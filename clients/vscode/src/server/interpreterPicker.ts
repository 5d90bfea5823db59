/**
 * This module lets a person choose the Python interpreter from those that fit, or browse for one.
 */

import * as vscode from "vscode";
import { showWarning } from "../text/messages";
import { interpreterProbe } from "./interpreterProbe";
import { commandText, judgeAnswer, OLDEST_PYTHON } from "./interpreterSearch";
import { remainingValueMessage, type SettingScope, scopesToChange } from "./interpreterSettings";
import { trustedSources } from "./launchResolver";
import type { PythonExtensions } from "./pythonExtensions";

const CONFIGURATION_TARGETS: Readonly<Record<SettingScope, vscode.ConfigurationTarget>> = {
  global: vscode.ConfigurationTarget.Global,
  workspace: vscode.ConfigurationTarget.Workspace,
  workspaceFolder: vscode.ConfigurationTarget.WorkspaceFolder,
};

interface InterpreterItem extends vscode.QuickPickItem {
  /** The new value of the setting; undefined for a file that is yet to be chosen. */
  readonly setting?: string;
}

export async function selectInterpreter(home: string, extensions: PythonExtensions): Promise<void> {
  const pick = vscode.window.createQuickPick<InterpreterItem>();
  pick.title = vscode.l10n.t("Interpreter of the Synapse Server");
  pick.placeholder = vscode.l10n.t("Choose a Python {0} or newer", OLDEST_PYTHON);
  pick.matchOnDescription = true;
  const fixedItems: InterpreterItem[] = [
    {
      label: `$(sparkle) ${vscode.l10n.t("Automatic")}`,
      description: vscode.l10n.t("that of the Python extension, else the first one on the path"),
      setting: "",
    },
    { label: `$(folder-opened) ${vscode.l10n.t("Browse…")}` },
  ];
  pick.items = fixedItems;
  pick.busy = true;
  const selection = new Promise<InterpreterItem | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.activeItems[0]));
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  void findInterpreters(home, extensions, (item) => {
    pick.items = [...pick.items, item];
  }).finally(() => {
    pick.busy = false;
  });
  const item = await selection;
  pick.dispose();
  const setting = item && (item.setting ?? (await browseForInterpreter()));
  if (setting !== undefined) {
    await writeSetting(setting);
  }
}

/** Writes the setting and shows a warning where it cannot be written. */
async function writeSetting(setting: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const settings = () => vscode.workspace.getConfiguration("synapse", folder);
  const refusals: string[] = [];
  for (const scope of scopesToChange(setting, settings().inspect<string>("interpreter"))) {
    const value = setting === "" ? undefined : setting;
    await settings()
      .update("interpreter", value, CONFIGURATION_TARGETS[scope])
      .then(undefined, (error: unknown) => refusals.push(String(error)));
  }
  const left =
    setting === "" ? remainingValueMessage(settings().inspect<string>("interpreter")) : "";
  const problem = [left, ...refusals].filter(Boolean).join(" ");
  if (problem !== "") {
    await showWarning(problem);
  }
}

/** Adds each interpreter that fits as soon as its probe has answered. */
async function findInterpreters(
  home: string,
  extensions: PythonExtensions,
  addItem: (item: InterpreterItem) => void,
): Promise<void> {
  const probe = interpreterProbe(home, false);
  const knownNames = new Set<string>();
  await Promise.all(
    trustedSources(extensions).map(async (source) => {
      for (const candidate of await source.findCandidates()) {
        const name = commandText(candidate);
        // The setting holds a program and no arguments, so `py -3` is no choice.
        if (candidate.args.length > 0 || knownNames.has(name)) {
          continue;
        }
        knownNames.add(name);
        const answer = await probe(candidate);
        if (answer.kind === "answered" && judgeAnswer(answer) === "fits") {
          addItem({ label: name, description: `Python ${answer.python}`, setting: name });
        }
      }
    }),
  );
}

async function browseForInterpreter(): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Choose a Python {0} or newer", OLDEST_PYTHON),
    openLabel: vscode.l10n.t("Choose Interpreter"),
    canSelectMany: false,
  });
  return files?.[0]?.fsPath;
}
