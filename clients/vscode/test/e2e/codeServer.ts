/** A real VS Code: its server, with the packaged extension installed, in folders of its own. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findServerProcess } from "./processes.ts";

/** The variable by which one knows what an installation has started. */
const MARK = "SYNAPSE_TEST_FOLDER";

export interface Settings {
  readonly [name: string]: unknown;
}

/** Variables over those of this process. */
export interface Environment {
  readonly [name: string]: string;
}

/** What several installations share. */
export interface Program {
  /** VS Code's `server-main.js`. */
  readonly main: string;
  /** The folder of what is installed. */
  readonly extensions: string;
}

/** One person's VS Code; servers are started from it. */
export class CodeInstallation {
  private readonly program: Program;
  private readonly folder: string;
  private readonly settings: Settings;

  /** What is written while it runs goes into `folder`. */
  constructor(program: Program, folder: string, settings: Settings) {
    this.program = program;
    this.folder = folder;
    this.settings = settings;
    mkdirSync(this.home, { recursive: true });
  }

  /** The folder of the person's own settings. */
  get profile(): string {
    return path.join(this.folder, "data", "data", "User");
  }

  async install(vsix: string): Promise<void> {
    const args = [...this.args, "--install-extension", vsix];
    const log = this.openLog();
    const env = this.environment({});
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", log, log] });
    const [code] = await once(child, "exit");
    assert.equal(code, 0, `${vsix} cannot be installed; ${this.folder} has the log`);
  }

  /**
   * Settings that hold in the place of the usual ones; VS Code watches the files. A remote window
   * reads application settings from the first, machine settings from the second.
   */
  writeSettings(changes: Settings): void {
    for (const scope of ["User", "Machine"]) {
      const file = path.join(this.folder, "data", "data", scope, "settings.json");
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ ...this.settings, ...changes }, null, 2));
    }
  }

  async start(environment: Environment = {}): Promise<CodeServer> {
    const listen = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token"];
    const child = spawn(process.execPath, [...this.args, ...listen, "--telemetry-level", "off"], {
      env: this.environment(environment),
      stdio: ["ignore", "pipe", this.openLog()],
    });
    const end = (): unknown => child.kill();
    process.once("exit", end); // whatever becomes of the checks
    child.once("exit", () => process.off("exit", end));
    return new CodeServer(`127.0.0.1:${await readPort(child)}`, child);
  }

  /** The id of the language server's process, if it runs. */
  serverProcess(): number | undefined {
    return findServerProcess(MARK, this.folder);
  }

  private get home(): string {
    return path.join(this.folder, "home");
  }

  private get args(): readonly string[] {
    const { main, extensions } = this.program;
    return [
      main,
      "--server-data-dir",
      path.join(this.folder, "data"),
      "--extensions-dir",
      extensions,
      "--accept-server-license-terms",
    ];
  }

  /** With VSCODE_CLI it takes the variables that it is given, and asks no shell for others. */
  private environment(changes: Environment): NodeJS.ProcessEnv {
    const own = { HOME: this.home, EXTENSIONS_GALLERY: "{}", VSCODE_CLI: "1", [MARK]: this.folder };
    return { ...process.env, ...own, ...changes };
  }

  private openLog(): number {
    return openSync(path.join(this.folder, "server.log"), "a");
  }
}

export class CodeServer {
  /** Host and port. */
  readonly authority: string;
  private readonly process: ChildProcess;

  constructor(authority: string, process: ChildProcess) {
    this.authority = authority;
    this.process = process;
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill();
    await gone;
  }
}

function readPort(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (data) => {
      output += data;
      const port = /listening on (\d+)/.exec(output)?.[1];
      if (port !== undefined) {
        resolve(port);
      }
    });
    child.once("exit", (code) => reject(new Error(`VS Code left with ${code}: ${output}`)));
  });
}
