/** This module registers the command that lists, shows, compares and chooses profiles of a tree. */

import * as vscode from "vscode";
import type { TreeServices } from "../commands/treeServices";
import type { ListedProfile, ProfileDifferences, ProfileReport } from "./profilePages";
import { differencesPage, type ProfileRow, profilePage, profileRows } from "./profilePages";

/** Milliseconds that a success stands in the status bar. */
const MESSAGE_DURATION = 8_000;

export function registerProfileCommand(services: TreeServices): vscode.Disposable {
  return vscode.commands.registerCommand("synapse.chooseProfile", () => chooseProfile(services));
}

async function chooseProfile(services: TreeServices): Promise<void> {
  const { cli } = services;
  const root = await cli.requireRoot();
  const profiles =
    root && (await cli.requestJson<readonly ListedProfile[]>(root, "profile", "list"));
  if (!root || !profiles) {
    return;
  }
  const list = vscode.window.createQuickPick<ProfileRow & vscode.QuickPickItem>();
  const show = { iconPath: new vscode.ThemeIcon("info"), tooltip: vscode.l10n.t("What It Says") };
  const compare = {
    iconPath: new vscode.ThemeIcon("compare-changes"),
    tooltip: vscode.l10n.t("Compare with the One in Force"),
  };
  list.title = vscode.l10n.t("Choose Profile");
  list.placeholder = vscode.l10n.t("How is the tree read, and what is injected in which bracket?");
  list.matchOnDescription = true;
  list.items = profileRows(profiles).map((row) => ({
    ...row,
    buttons: row.current ? [show] : [show, compare],
  }));
  const action = await new Promise<(() => Promise<void>) | undefined>((resolve) => {
    list.onDidTriggerItemButton(({ button, item }) =>
      resolve(() =>
        button === show
          ? showProfile(services, root, item.name)
          : compareProfiles(services, root, item.name),
      ),
    );
    list.onDidAccept(() => {
      const [row] = list.selectedItems;
      resolve(row && !row.current ? () => useProfile(services, root, row.name) : undefined);
    });
    list.onDidHide(() => resolve(undefined));
    list.show();
  });
  list.dispose();
  await action?.();
}

async function showProfile(
  { cli, pages }: TreeServices,
  root: string,
  name: string,
): Promise<void> {
  const report = await cli.requestJson<ProfileReport>(root, "profile", "show", "--", name);
  if (report !== undefined) {
    await pages.showMarkdown(vscode.l10n.t("Profile {0}", name), profilePage(report));
  }
}

async function compareProfiles(
  { cli, pages }: TreeServices,
  root: string,
  name: string,
): Promise<void> {
  const differences = await cli.requestJson<ProfileDifferences>(
    root,
    "profile",
    "diff",
    "--",
    name,
  );
  if (differences !== undefined) {
    await pages.showMarkdown(vscode.l10n.t("Differences"), differencesPage(differences));
  }
}

async function useProfile({ cli, tree }: TreeServices, root: string, name: string): Promise<void> {
  if ((await cli.requestText(root, "profile", "use", "--", name)) !== undefined) {
    await tree.refresh();
    const message = vscode.l10n.t("The tree is served with the profile {0} from now on.", name);
    vscode.window.setStatusBarMessage(`$(check) ${message}`, MESSAGE_DURATION);
  }
}
