/**
 * This module registers the commands that create a rule tree, adopt existing rule files, or open
 * the manifest.
 */

import * as vscode from "vscode";
import type { Proposals } from "../documents/proposals";
import type { Server } from "../server/server";
import { showInformation, showWarning } from "../text/messages";
import { type CliResult, failureMessage, runCli } from "./cliProcess";
import { waitForLaunchWithProgress } from "./treeCli";
import { fileExists, findManifest } from "./treeFiles";

/**
 * The commands. `home` is where processes start. `root` is the tree that is shown now, a
 * URI.
 */
export function registerTreeCreation(
  server: Server,
  home: string,
  proposals: Proposals,
  root: () => string | undefined,
): vscode.Disposable {
  const runSubcommand = async (args: readonly string[]): Promise<CliResult | undefined> => {
    const launch = await waitForLaunchWithProgress(server);
    if (launch === undefined) {
      return undefined;
    }
    const result = await runCli(launch, home, args);
    if (result.code === 0) {
      return result;
    }
    await showWarning(failureMessage(result));
    return undefined;
  };

  const createTree = async (): Promise<void> => {
    const folder = await pickFolderWithoutTree();
    if (folder && (await runSubcommand(["init", folder.fsPath, "--template", "starter"]))) {
      await openManifest(folder);
    }
  };

  const adoptRules = async (): Promise<void> => {
    const folder = await pickFolderWithoutTree();
    const plan = folder && (await runSubcommand(["init", folder.fsPath, "--from", "--dry-run"]));
    if (folder === undefined || plan === undefined) {
      return;
    }
    const isWanted = await proposals.confirm({
      title: vscode.l10n.t("Proposed Rule Tree"),
      after: `${plan.errorOutput}\n${plan.output}`,
      question: vscode.l10n.t(
        "Create this rule tree? The files that it is made from stay as they are.",
      ),
      acceptLabel: vscode.l10n.t("Create Rule Tree"),
    });
    if (isWanted && (await runSubcommand(["init", folder.fsPath, "--from"]))) {
      await openManifest(folder);
    }
  };

  const openCurrentManifest = async (): Promise<void> => {
    const rootUri = root();
    const manifest = rootUri && (await findManifest(vscode.Uri.parse(rootUri)));
    if (manifest) {
      await vscode.window.showTextDocument(manifest, { preview: false });
    } else {
      const none = rootUri
        ? vscode.l10n.t("The rules of this tree need no manifest.")
        : vscode.l10n.t("There is no Synapse rule tree in this folder.");
      await showInformation(none);
    }
  };

  return vscode.Disposable.from(
    vscode.commands.registerCommand("synapse.createTree", createTree),
    vscode.commands.registerCommand("synapse.adoptRules", adoptRules),
    vscode.commands.registerCommand("synapse.openManifest", openCurrentManifest),
  );
}

/** Lets the person pick a folder for the tree; where it has one already, its manifest is opened. */
async function pickFolderWithoutTree(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    const open = vscode.l10n.t("Open Folder");
    const none = vscode.l10n.t("A rule tree belongs to a folder. Open your project first.");
    if ((await showInformation(none, open)) === open) {
      await vscode.commands.executeCommand("workbench.action.files.openFolder");
    }
    return undefined;
  }
  const placeHolder = vscode.l10n.t("Which folder is the rule tree for?");
  const folder =
    folders.length === 1
      ? folders[0]
      : await vscode.window.showWorkspaceFolderPick({ placeHolder });
  if (folder && (await fileExists(manifestUri(folder.uri)))) {
    await openManifest(folder.uri);
    return undefined;
  }
  return folder?.uri;
}

async function openManifest(folder: vscode.Uri): Promise<void> {
  await vscode.window.showTextDocument(manifestUri(folder), { preview: false });
}

function manifestUri(folder: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(folder, ".synapse", "manifest");
}
