/** Lets a person choose the interpreter, among those that fit or anywhere on the disk. */

import * as vscode from "vscode";
import { judge, OLDEST_PYTHON, onPath, spelled } from "./interpreter";
import { probeIn } from "./probe";
import type { PythonExtensions } from "./pythonExtensions";
import { remainder, type Scope, scopesFor } from "./scopes";

const TARGETS: Readonly<Record<Scope, vscode.ConfigurationTarget>> = {
  global: vscode.ConfigurationTarget.Global,
  workspace: vscode.ConfigurationTarget.Workspace,
  workspaceFolder: vscode.ConfigurationTarget.WorkspaceFolder,
};

interface Item extends vscode.QuickPickItem {
  /** What the setting becomes; undefined for a file that is yet to be chosen. */
  readonly setting?: string;
}

export async function selectInterpreter(home: string, extensions: PythonExtensions): Promise<void> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t("Interpreter of the Synapse Server");
  pick.placeholder = vscode.l10n.t("Choose a Python {0} or newer", OLDEST_PYTHON);
  pick.matchOnDescription = true;
  const fixed: Item[] = [
    {
      label: `$(sparkle) ${vscode.l10n.t("Automatic")}`,
      description: vscode.l10n.t("that of the Python extension, else the first one on the path"),
      setting: "",
    },
    { label: `$(folder-opened) ${vscode.l10n.t("Browse…")}` },
  ];
  pick.items = fixed;
  pick.busy = true;
  const chosen = new Promise<Item | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.activeItems[0]));
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  void search(home, extensions, (item) => {
    pick.items = [...pick.items, item];
  }).finally(() => {
    pick.busy = false;
  });
  const item = await chosen;
  pick.dispose();
  const setting = item && (item.setting ?? (await browse()));
  if (setting !== undefined) {
    await write(setting);
  }
}

/** Settings that cannot be written, such as those of another machine, are told. */
async function write(setting: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const settings = () => vscode.workspace.getConfiguration("synapse", folder);
  const refused: string[] = [];
  for (const scope of scopesFor(setting, settings().inspect<string>("interpreter"))) {
    const value = setting === "" ? undefined : setting;
    await settings()
      .update("interpreter", value, TARGETS[scope])
      .then(undefined, (error: unknown) => refused.push(String(error)));
  }
  const left = setting === "" ? remainder(settings().inspect<string>("interpreter")) : "";
  const problem = [left, ...refused].filter(Boolean).join(" ");
  if (problem !== "") {
    await vscode.window.showWarningMessage(problem);
  }
}

/** Tells of each interpreter that fits, as soon as it has answered. */
async function search(
  home: string,
  extensions: PythonExtensions,
  found: (item: Item) => void,
): Promise<void> {
  const probe = probeIn(home);
  const seen = new Set<string>();
  const lists = [...extensions.sources.map((source) => source.find()), onPath(process.platform)];
  await Promise.all(
    lists.map(async (list) => {
      for (const candidate of await list) {
        const name = spelled(candidate);
        // The setting holds a program and no arguments, so `py -3` is no choice.
        if (candidate.args.length > 0 || seen.has(name)) {
          continue;
        }
        seen.add(name);
        const answer = await probe(candidate);
        if (answer.kind === "answered" && judge(answer) === "fits") {
          found({ label: name, description: `Python ${answer.python}`, setting: name });
        }
      }
    }),
  );
}

async function browse(): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Choose a Python {0} or newer", OLDEST_PYTHON),
    openLabel: vscode.l10n.t("Choose Interpreter"),
    canSelectMany: false,
  });
  return files?.[0]?.fsPath;
}
