/**
 * This module shows explanations of rules in a quick pick: choosing one opens its location, its
 * button tries the remedy in the Context panel.
 */

import * as vscode from "vscode";
import { openLocation } from "../workspace/editorLocations";
import type { ListItem, RuleAction } from "./listItems";
import { type PickRow, pickRows } from "./quickPick";

export class AccountList implements vscode.Disposable {
  private readonly list = vscode.window.createQuickPick<PickRow<RuleAction>>();

  /** `uri` is what the tree is known by, `prompt` what the accounts are for. */
  constructor(
    private readonly uri: string,
    public prompt = "",
  ) {
    this.list.matchOnDescription = true;
    this.list.matchOnDetail = true;
    this.list.onDidAccept(() => this.acceptSelection());
    this.list.onDidTriggerItemButton(({ item }) => this.tryRemedy(item));
  }

  /**
   * Waits until the list is closed. While `isAsking` returns true, a hidden list counts as open.
   */
  waitUntilClosed(isAsking: () => boolean = () => false): Promise<void> {
    return new Promise((resolve) => {
      this.list.onDidHide(() => isAsking() || resolve());
    });
  }

  /** Adds a button beside the title. */
  addButton(icon: string, tooltip: string, onPress: () => Promise<void>): void {
    this.list.buttons = [{ iconPath: new vscode.ThemeIcon(icon), tooltip }];
    this.list.onDidTriggerButton(onPress);
  }

  /** Shows that an answer is awaited. */
  showBusy(title: string, placeholder: string): void {
    this.list.title = title;
    this.list.placeholder = placeholder;
    this.list.busy = true;
    this.list.show();
  }

  /** Shows the items; `empty` is the message where there are none. */
  showItems(items: readonly ListItem<RuleAction>[], empty: string): void {
    this.list.busy = false;
    this.list.items = pickRows(items).map((row) => {
      const attempt = row.value?.tries ? undefined : row.value?.attempt;
      const button = attempt && {
        iconPath: new vscode.ThemeIcon("beaker"),
        tooltip: attempt.label,
      };
      return { ...row, buttons: button ? [button] : [] };
    });
    if (items.length === 0) {
      this.list.placeholder = empty;
    }
  }

  close(): void {
    this.list.hide();
  }

  dispose(): void {
    this.list.dispose();
  }

  private async acceptSelection(): Promise<void> {
    const [chosen] = this.list.selectedItems;
    if (chosen?.value?.tries && chosen.value.attempt) {
      await this.tryRemedy(chosen);
    } else {
      this.list.hide();
      await openLocation(chosen?.value?.location);
    }
  }

  /** Opens the Context panel with the change that the remedy proposes. */
  private async tryRemedy({ value }: PickRow<RuleAction>): Promise<void> {
    const attempt = value?.attempt;
    if (attempt !== undefined) {
      this.list.hide();
      const prompt = [this.prompt, attempt.word].filter(Boolean).join(" ");
      const situation = { uri: this.uri, prompt, ...attempt.change };
      await vscode.commands.executeCommand("synapse.showContext", situation);
    }
  }
}
