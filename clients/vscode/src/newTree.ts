/** The way into a rule tree: a first one, one of the rules that a project has, its manifest. */

import * as vscode from "vscode";
import { awaitLaunch } from "./awaitLaunch";
import { exists, manifestIn } from "./manifest";
import type { Proposals } from "./proposal";
import { complaintOf, type Finished, runCli } from "./runCli";
import type { Server } from "./server";

/**
 * The commands. `home` is where processes start. `root` is the tree that is shown now, a
 * URI.
 */
export function newTree(
  server: Server,
  home: string,
  proposals: Proposals,
  root: () => string | undefined,
): vscode.Disposable {
  const run = async (args: readonly string[]): Promise<Finished | undefined> => {
    const launch = await awaitLaunch(server);
    if (launch === undefined) {
      return undefined;
    }
    const finished = await runCli(launch, home, args);
    if (finished.code === 0) {
      return finished;
    }
    await vscode.window.showWarningMessage(complaintOf(finished));
    return undefined;
  };

  const create = async (): Promise<void> => {
    const folder = await folderWithoutTree();
    if (folder && (await run(["init", folder.fsPath]))) {
      await openManifest(folder);
    }
  };

  const adopt = async (): Promise<void> => {
    const folder = await folderWithoutTree();
    const planned = folder && (await run(["init", folder.fsPath, "--from", "--dry-run"]));
    if (folder === undefined || planned === undefined) {
      return;
    }
    const isWanted = await proposals.ask({
      title: vscode.l10n.t("Proposed Rule Tree"),
      after: `${planned.aside}\n${planned.output}`,
      question: vscode.l10n.t(
        "Create this rule tree? The files that it is made from stay as they are.",
      ),
      yes: vscode.l10n.t("Create Rule Tree"),
    });
    if (isWanted && (await run(["init", folder.fsPath, "--from"]))) {
      await openManifest(folder);
    }
  };

  const open = async (): Promise<void> => {
    const shown = root();
    const manifest = shown && (await manifestIn(vscode.Uri.parse(shown)));
    if (manifest) {
      await vscode.window.showTextDocument(manifest, { preview: false });
    } else {
      const none = shown
        ? vscode.l10n.t("The rules of this tree need no manifest.")
        : vscode.l10n.t("There is no Synapse rule tree in this folder.");
      await vscode.window.showInformationMessage(none);
    }
  };

  return vscode.Disposable.from(
    vscode.commands.registerCommand("synapse.createTree", create),
    vscode.commands.registerCommand("synapse.adoptRules", adopt),
    vscode.commands.registerCommand("synapse.openManifest", open),
  );
}

/** The folder that the tree is for; one that has a tree is shown it. */
async function folderWithoutTree(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    const open = vscode.l10n.t("Open Folder");
    const none = vscode.l10n.t("A rule tree belongs to a folder. Open your project first.");
    if ((await vscode.window.showInformationMessage(none, open)) === open) {
      await vscode.commands.executeCommand("workbench.action.files.openFolder");
    }
    return undefined;
  }
  const placeHolder = vscode.l10n.t("Which folder is the rule tree for?");
  const chosen =
    folders.length === 1
      ? folders[0]
      : await vscode.window.showWorkspaceFolderPick({ placeHolder });
  if (chosen && (await exists(manifestOf(chosen.uri)))) {
    await openManifest(chosen.uri);
    return undefined;
  }
  return chosen?.uri;
}

async function openManifest(folder: vscode.Uri): Promise<void> {
  await vscode.window.showTextDocument(manifestOf(folder), { preview: false });
}

function manifestOf(folder: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(folder, ".synapse", "manifest");
}
