/** The facts, as the server knows them. */

import * as vscode from "vscode";
import type {
  WorkspaceDiagnosticParams,
  WorkspaceDiagnosticReport,
} from "vscode-languageclient/node";
import { type Connection, isRefusal, method } from "../connection";
import type { CurrentTree } from "../currentTree";
import { type Context, context, type Explanation, explain, type QuestionParams } from "../protocol";
import { type Account, type WhyParams, why } from "../protocolTree";
import type { Server } from "../server";
import type { Finding } from "./answers";
import type { Facts, Place } from "./facts";

/** LSP 3.18, `DiagnosticSeverity`. */
const SEVERITIES: { readonly [severity: number]: string } = {
  1: "error",
  2: "warning",
  3: "info",
  4: "hint",
};
/** LSP 3.18, `RequestFailed`. */
const REQUEST_FAILED = -32803;

const workspaceDiagnostic = method<WorkspaceDiagnosticParams, WorkspaceDiagnosticReport>(
  "workspace/diagnostic",
);

export class ServerFacts implements Facts {
  constructor(
    private readonly server: Server,
    private readonly tree: CurrentTree,
  ) {}

  context(question: QuestionParams): Promise<Context> {
    return this.connection.ask(context, this.here(question));
  }

  explain(question: QuestionParams): Promise<Explanation> {
    return this.connection.ask(explain, this.here(question));
  }

  named(rule: string): Promise<readonly Account[]> {
    return this.accounts(this.here<WhyParams>({ rule }));
  }

  at(place: Place): Promise<readonly Account[]> {
    return this.accounts(place);
  }

  /**
   * A request that would bring nothing new stays open until there is something. A result id that
   * the server cannot have given makes it answer at once, also that there is nothing.
   */
  async findings(uri?: string): Promise<readonly Finding[]> {
    const report = await this.connection.ask(workspaceDiagnostic, {
      previousResultIds: [{ uri: "file:///", value: "answer-at-once" }],
    });
    return report.items.flatMap((file) =>
      file.kind === "unchanged" || (uri !== undefined && !isSame(file.uri, uri))
        ? []
        : file.items.map(({ range, severity, code, message }) => ({
            uri: file.uri,
            line: range.start.line,
            title: `${pathOf(file.uri)}:${range.start.line + 1}`,
            severity: SEVERITIES[severity ?? 1] ?? "",
            code: String(code ?? ""),
            message: typeof message === "string" ? message : message.value,
          })),
    );
  }

  uriOf(path: string): string {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const isAbsolute = /^([\\/]|[A-Za-z]:[\\/])/.test(path);
    const uri = isAbsolute || !folder ? vscode.Uri.file(path) : vscode.Uri.joinPath(folder, path);
    return uri.toString();
  }

  private get connection(): Connection {
    const { connection } = this.server;
    if (connection === undefined) {
      throw new Error(vscode.l10n.t("Synapse is not running."));
    }
    return connection;
  }

  private here<T extends { readonly uri?: string }>(params: T): T {
    const uri = params.uri ?? this.tree.root;
    return uri === undefined ? params : { ...params, uri };
  }

  /** That nothing is called so is an answer too. */
  private async accounts(params: WhyParams): Promise<readonly Account[]> {
    try {
      return (await this.connection.ask(why, params)).accounts;
    } catch (error) {
      if (isRefusal(error) && error.code === REQUEST_FAILED) {
        return [];
      }
      throw error;
    }
  }
}

function isSame(one: string, other: string): boolean {
  return vscode.Uri.parse(one).toString() === vscode.Uri.parse(other).toString();
}

function pathOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
