/** A list of accounts of rules: choosing one goes to its place, its button tries the remedy out. */

import * as vscode from "vscode";
import { open } from "../places";
import type { Item, Told } from "./items";
import { type Row, rowsOf } from "./pick";

export class AccountList implements vscode.Disposable {
  private readonly list = vscode.window.createQuickPick<Row<Told>>();

  /** `uri` is what the tree is known by, `prompt` what the accounts are for. */
  constructor(
    private readonly uri: string,
    public prompt = "",
  ) {
    this.list.matchOnDescription = true;
    this.list.matchOnDetail = true;
    this.list.onDidAccept(() => this.accept());
    this.list.onDidTriggerItemButton(({ item }) => this.attempt(item));
  }

  /** Waits until somebody has chosen, or turned away. Something else may be asked meanwhile. */
  done(isAsking: () => boolean = () => false): Promise<void> {
    return new Promise((resolve) => {
      this.list.onDidHide(() => isAsking() || resolve());
    });
  }

  /** Adds a button beside the title. */
  button(icon: string, tooltip: string, press: () => Promise<void>): void {
    this.list.buttons = [{ iconPath: new vscode.ThemeIcon(icon), tooltip }];
    this.list.onDidTriggerButton(press);
  }

  /** Shows that an answer is awaited. */
  wait(title: string, placeholder: string): void {
    this.list.title = title;
    this.list.placeholder = placeholder;
    this.list.busy = true;
    this.list.show();
  }

  /** Shows the answer; `empty` is what is said of one with nothing in it. */
  fill(items: readonly Item<Told>[], empty: string): void {
    this.list.busy = false;
    this.list.items = rowsOf(items).map((row) => {
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

  private async accept(): Promise<void> {
    const [chosen] = this.list.selectedItems;
    if (chosen?.value?.tries && chosen.value.attempt) {
      await this.attempt(chosen);
    } else {
      this.list.hide();
      await open(chosen?.value?.location);
    }
  }

  /** The Context panel, with what the remedy says in the place of what is so. */
  private async attempt({ value }: Row<Told>): Promise<void> {
    const attempt = value?.attempt;
    if (attempt !== undefined) {
      this.list.hide();
      const prompt = [this.prompt, attempt.word].filter(Boolean).join(" ");
      const situation = { uri: this.uri, prompt, ...attempt.change };
      await vscode.commands.executeCommand("synapse.showContext", situation);
    }
  }
}
