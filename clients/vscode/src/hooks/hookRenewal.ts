/**
 * This module offers to update hooks that call the server of an earlier version of the extension,
 * whose folder is about to be deleted.
 */

import * as vscode from "vscode";
import { showInformation } from "../text/messages";
import type { CurrentTree } from "../workspace/currentTree";
import type { HookCli } from "./hookCli";
import {
  type HookInstallation,
  outdatedInstallations,
  withInstallation,
  withoutInstallations,
} from "./hookInstallations";
import type { InstallReport } from "./hookReports";
import { clientTitle } from "./installChoices";

const STATE_KEY = "synapse.hooks";

export class HookRenewal implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private hasOffered = false;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly cli: HookCli,
    tree: CurrentTree,
    private readonly home: string,
  ) {
    this.subscription = tree.onDidChange(() => this.offerUpdate(tree.root));
  }

  /**
   * Stores an installation. Shared settings and installed servers name no folder, so they are
   * skipped.
   */
  async addInstallation(installation: Omit<HookInstallation, "home">): Promise<void> {
    if (this.cli.isBundled && installation.scope !== "project") {
      await this.memory.update(
        STATE_KEY,
        withInstallation(this.installations, { ...installation, home: this.home }),
      );
    }
  }

  async removeInstallations(root: string): Promise<void> {
    await this.memory.update(STATE_KEY, withoutInstallations(this.installations, root));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private get installations(): readonly HookInstallation[] {
    return this.memory.get<readonly HookInstallation[]>(STATE_KEY, []);
  }

  /** Offers the update of outdated hooks, once in a window. */
  private async offerUpdate(uri: string | undefined): Promise<void> {
    if (
      this.hasOffered ||
      uri === undefined ||
      !vscode.workspace.isTrusted ||
      !this.cli.isBundled
    ) {
      return;
    }
    const root = vscode.Uri.parse(uri).fsPath;
    const outdated = outdatedInstallations(this.installations, root, this.home);
    if (outdated.length === 0) {
      return;
    }
    this.hasOffered = true;
    const update = vscode.l10n.t("Update Hooks");
    const names = [...new Set(outdated.flatMap(({ clients }) => clients))]
      .map(clientTitle)
      .join(", ");
    const answer = await showInformation(
      vscode.l10n.t("Synapse was updated. The hooks of {0} still call its earlier version.", names),
      update,
    );
    for (const one of answer === update ? outdated : []) {
      const clients = one.clients.flatMap((client) => ["--client", client]);
      const report = await this.cli.requestJson<InstallReport>(
        root,
        "install",
        ...clients,
        "--scope",
        one.scope,
      );
      if (report !== undefined) {
        await this.addInstallation(one);
      }
    }
  }
}
