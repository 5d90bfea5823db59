/**
 * This module runs commands of the server for a person: it shows refusals and saves the changed
 * files.
 */

import * as vscode from "vscode";
import type { Location } from "vscode-languageclient/node";
import type { Connection } from "../connection";
import { executeCommand } from "../connection";
import type { Server } from "../server/server";
import { showInformation, showWarning } from "../text/messages";
import type { CurrentTree } from "../workspace/currentTree";

/** The answer of a command that changes rules. */
export interface RuleChange {
  readonly changed: readonly string[];
  readonly location: Location | null;
}

export class CommandExecutor {
  constructor(
    private readonly server: Server,
    private readonly tree: CurrentTree,
  ) {}

  /** The root of the tree that is meant. Where there is none, that is said. */
  async requireRoot(): Promise<string | undefined> {
    const { root } = this.tree;
    if (root === undefined) {
      await vscode.commands.executeCommand(
        this.server.state.kind === "stopped" ? "synapse.showProblem" : "synapse.showContext",
      );
    }
    return root;
  }

  /**
   * Returns an answer of the server; undefined where it refused, after a warning has been shown.
   */
  async query<T>(request: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    const { connection } = this.server;
    if (connection === undefined) {
      await vscode.commands.executeCommand("synapse.showProblem");
      return undefined;
    }
    try {
      return await request(connection);
    } catch (error) {
      // The server's refusals are sentences with a remedy.
      await showWarning(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  run<T>(command: string, argument: Readonly<Record<string, unknown>>): Promise<T | undefined> {
    return this.query(async (connection) => {
      const params = { command, arguments: [argument] };
      return (await connection.request(executeCommand, params)) as T;
    });
  }

  /** Has the server change rules; the place to look at is the answer. */
  async changeRules(
    command: string,
    argument: Readonly<Record<string, unknown>>,
  ): Promise<Location | undefined> {
    return (await this.applyChange(command, argument))?.location ?? undefined;
  }

  /**
   * Has the server change rules. An agent gets what is on disk, so files without unsaved work are
   * saved; of the others the person is told.
   */
  async applyChange<T extends RuleChange>(
    command: string,
    argument: Readonly<Record<string, unknown>>,
  ): Promise<T | undefined> {
    const unsavedUris = new Set(
      vscode.workspace.textDocuments
        .filter((document) => document.isDirty)
        .map((document) => document.uri.toString()),
    );
    const answer = await this.run<T>(command, argument);
    if (answer === undefined) {
      return undefined;
    }
    const uris = answer.changed.map((uri) => vscode.Uri.parse(uri).toString());
    const changedDocuments = vscode.workspace.textDocuments.filter((document) =>
      uris.includes(document.uri.toString()),
    );
    const [editedBefore, savedBefore] = [
      changedDocuments.filter((document) => unsavedUris.has(document.uri.toString())),
      changedDocuments.filter((document) => !unsavedUris.has(document.uri.toString())),
    ];
    await Promise.all(savedBefore.map((document) => document.save()));
    if (editedBefore.length > 0) {
      void offerToSave(editedBefore);
    }
    return answer;
  }
}

async function offerToSave(documents: readonly vscode.TextDocument[]): Promise<void> {
  const names = documents.map(({ uri }) => vscode.workspace.asRelativePath(uri)).join(", ");
  const save = vscode.l10n.t("Save");
  const answer = await showInformation(
    vscode.l10n.t("{0} had unsaved changes. Agents get the change when it is saved.", names),
    save,
  );
  if (answer === save) {
    await Promise.all(documents.map((document) => document.save()));
  }
}
