/** Hooks that call the server of an earlier version of the extension, which is about to be deleted. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import { titleOf } from "./choices";
import type { HookCli } from "./hookCli";
import { type Installation, installed, outdated, uninstalled } from "./installations";
import type { Installed } from "./reports";

const KEY = "synapse.hooks";

export class Renewal implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private told = false;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly cli: HookCli,
    tree: CurrentTree,
    private readonly home: string,
  ) {
    this.subscription = tree.onDidChange(() => this.look(tree.root));
  }

  /** The settings that are shared name no folder, and neither does an installed server. */
  async remember(installation: Omit<Installation, "home">): Promise<void> {
    if (this.cli.bundled && installation.scope !== "project") {
      await this.memory.update(KEY, installed(this.all, { ...installation, home: this.home }));
    }
  }

  async forget(root: string): Promise<void> {
    await this.memory.update(KEY, uninstalled(this.all, root));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private get all(): readonly Installation[] {
    return this.memory.get<readonly Installation[]>(KEY, []);
  }

  /** Asks once in a window. */
  private async look(uri: string | undefined): Promise<void> {
    if (this.told || uri === undefined || !vscode.workspace.isTrusted || !this.cli.bundled) {
      return;
    }
    const root = vscode.Uri.parse(uri).fsPath;
    const old = outdated(this.all, root, this.home);
    if (old.length === 0) {
      return;
    }
    this.told = true;
    const update = vscode.l10n.t("Update Hooks");
    const names = [...new Set(old.flatMap(({ clients }) => clients))].map(titleOf).join(", ");
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t("Synapse was updated. The hooks of {0} still call its earlier version.", names),
      update,
    );
    for (const one of answer === update ? old : []) {
      const clients = one.clients.flatMap((client) => ["--client", client]);
      const done = await this.cli.ask<Installed>(root, "install", ...clients, "--scope", one.scope);
      if (done !== undefined) {
        await this.remember(one);
      }
    }
  }
}
