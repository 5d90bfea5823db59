/** The profiles of a tree: which there are, what they say, which one it is served with. */

import * as vscode from "vscode";
import type { Desk } from "../desk";
import { differencesPage, profilePage } from "./pages";
import type { Differences, ProfileLine, ProfileReport } from "./reports";
import { type ProfileRow, profileRows } from "./rows";

/** Milliseconds that a success stands in the status bar. */
const LONG = 8_000;

export function profileCommands(desk: Desk): vscode.Disposable {
  return vscode.commands.registerCommand("synapse.chooseProfile", () => choose(desk));
}

async function choose(desk: Desk): Promise<void> {
  const { cli } = desk;
  const root = await cli.root();
  const profiles = root && (await cli.ask<readonly ProfileLine[]>(root, "profile", "list"));
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
  list.placeholder = vscode.l10n.t("How is the tree read, and what is told in which bracket?");
  list.matchOnDescription = true;
  list.items = profileRows(profiles).map((row) => ({
    ...row,
    buttons: row.current ? [show] : [show, compare],
  }));
  const chosen = await new Promise<(() => Promise<void>) | undefined>((resolve) => {
    list.onDidTriggerItemButton(({ button, item }) =>
      resolve(() =>
        button === show ? showOne(desk, root, item.name) : showTwo(desk, root, item.name),
      ),
    );
    list.onDidAccept(() => {
      const [row] = list.selectedItems;
      resolve(row && !row.current ? () => use(desk, root, row.name) : undefined);
    });
    list.onDidHide(() => resolve(undefined));
    list.show();
  });
  list.dispose();
  await chosen?.();
}

async function showOne({ cli, pages }: Desk, root: string, name: string): Promise<void> {
  const report = await cli.ask<ProfileReport>(root, "profile", "show", name);
  if (report !== undefined) {
    await pages.showMarkdown(vscode.l10n.t("Profile {0}", name), profilePage(report));
  }
}

async function showTwo({ cli, pages }: Desk, root: string, name: string): Promise<void> {
  const found = await cli.ask<Differences>(root, "profile", "diff", name);
  if (found !== undefined) {
    await pages.showMarkdown(vscode.l10n.t("Differences"), differencesPage(found));
  }
}

async function use({ cli, tree }: Desk, root: string, name: string): Promise<void> {
  if ((await cli.text(root, "profile", "use", name)) !== undefined) {
    await tree.refresh();
    const told = vscode.l10n.t("The tree is served with the profile {0} from now on.", name);
    vscode.window.setStatusBarMessage(`$(check) ${told}`, LONG);
  }
}
