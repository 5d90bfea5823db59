/** The server process and the connection to it: started, replaced one at a time, watched. */

import * as os from "node:os";
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { QuietClient } from "./client";
import { type Candidate, candidates, choose, spelled } from "./interpreter";
import { probeIn } from "./probe";
import { type ContextChange, didChangeContext } from "./protocol";
import { type Failure, failureOf } from "./remedy";
import { Restarts } from "./restarts";
import type { ServerState } from "./status";

export class Server implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  private readonly contextChanged = new vscode.EventEmitter<ContextChange>();
  readonly onDidChangeState = this.stateChanged.event;
  readonly onDidChangeContext = this.contextChanged.event;

  private now: ServerState = { kind: "starting" };
  private client: LanguageClient | undefined;
  private replacing: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private readonly restarts = new Restarts();

  /** `home` is a folder of the extension; no process of ours starts inside a workspace. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly home: string,
  ) {}

  get state(): ServerState {
    return this.now;
  }

  /** The connection, while there is one that answers. */
  get connection(): LanguageClient | undefined {
    return this.now.kind === "running" ? this.client : undefined;
  }

  /** Starts the server because somebody asks for it. */
  async start(): Promise<void> {
    this.restarts.forget();
    await this.restart();
  }

  /** Starts the server anew. Calls that come while one is at work share the one after it. */
  private restart(): Promise<void> {
    this.waiting ??= this.replacing.then(() => {
      this.waiting = undefined;
      this.replacing = this.replace().catch((error: unknown) => this.failed(error));
      return this.replacing;
    });
    return this.waiting;
  }

  async stop(): Promise<void> {
    await this.replacing;
    await this.discard();
  }

  dispose(): void {
    this.stateChanged.dispose();
    this.contextChanged.dispose();
  }

  private async replace(): Promise<void> {
    this.become({ kind: "starting" });
    await this.discard();
    const interpreter = await this.interpreter();
    if (interpreter === undefined) {
      return;
    }
    const client = this.create(interpreter);
    this.client = client;
    client.onDidChangeState(({ oldState, newState }) => {
      if (this.client !== client) {
        return; // A client that has been discarded reports its end too; that is no news.
      }
      if (newState === State.Running) {
        this.become({ kind: "running" });
      } else if (oldState === State.Running && newState === State.Stopped) {
        this.died();
      }
    });
    client.onNotification(didChangeContext, (change) => this.contextChanged.fire(change));
    await client.start();
  }

  private failed(error: unknown): void {
    this.log.error(String(error));
    this.become({
      kind: "stopped",
      failure: unexpected(vscode.l10n.t("The Synapse server could not be started.")),
    });
  }

  /** A server that worked and is gone is started again; one that never came up is not. */
  private died(): void {
    this.log.warn("The server has stopped by itself.");
    if (this.restarts.allow(Date.now())) {
      void this.restart();
    } else {
      this.become({
        kind: "stopped",
        failure: unexpected(vscode.l10n.t("The Synapse server stops again and again.")),
      });
    }
  }

  private async interpreter(): Promise<Candidate | undefined> {
    const setting = vscode.workspace.getConfiguration("synapse").get("interpreter", "");
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const tried = candidates(setting, process.platform, os.homedir(), folder);
    const choice = await choose(tried, probeIn(this.home));
    for (const { candidate, answer, verdict } of choice.attempts) {
      this.log.info(`${spelled(candidate)}: ${verdict} ${JSON.stringify(answer)}`);
    }
    if (choice.chosen === undefined) {
      this.become({ kind: "stopped", failure: failureOf(choice) });
    }
    return choice.chosen;
  }

  private create({ command, args }: Candidate): QuietClient {
    // -P keeps the working directory off Python's path, so no folder can put itself in our place.
    const serve = [...args, "-P", "-m", "synapse_ls", "serve"];
    return new QuietClient({ command, args: serve, options: { cwd: this.home } }, this.log);
  }

  private async discard(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    }
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
  }

  private become(state: ServerState): void {
    this.now = state;
    this.stateChanged.fire(state);
  }
}

function unexpected(problem: string): Failure {
  return {
    problem,
    remedy: vscode.l10n.t("The log says why; “Synapse: Restart Server” tries again."),
  };
}
