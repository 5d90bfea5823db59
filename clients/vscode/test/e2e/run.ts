/** Runs suites in a window of their own: a new copy of the showcase, then the checks. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import type { CodeServer, Installation, Settings } from "./codeServer.ts";
import { serverIn, until } from "./processes.ts";
import type { Report } from "./report.ts";
import type { Place, Suite, Suites, Target } from "./suite.ts";
import { Workbench } from "./workbench.ts";

/** What all windows share. */
export interface Stage {
  readonly report: Report;
  /** What each window gets a copy of. */
  readonly template: string;
  readonly pictures: string;
  readonly python: string;
}

/** What one window after another is shown in, while another lane shows others. */
export interface Lane {
  readonly browser: Browser;
  readonly code: Installation;
  /** The folder in which all of it happens. */
  readonly folder: string;
}

export async function runWindow(suites: Suites, lane: Lane, stage: Stage): Promise<void> {
  const { browser, code } = lane;
  const { report, pictures } = stage;
  const name = Object.keys(suites).join(", ");
  const chapter = report.chapter(name);
  const place = placeOf(Object.keys(suites).join("-"), lane, stage);
  cpSync(stage.template, place.workspace, { recursive: true });
  const settings = merged(suites, (suite) => suite.settings);
  code.set(settings);

  let server: CodeServer | undefined;
  let window: Workbench | undefined;
  const shot = async (file: string): Promise<void> => {
    await window?.page.screenshot({ path: file, animations: "disabled" });
  };
  // Beside what else is left behind, where the next run does not clear it away.
  const onFailure = (title: string): Promise<void> =>
    shot(path.join(place.scratch, `${title}.png`));
  try {
    const { folder = place.workspace, file } = await prepared(suites, place);
    server = await code.start(merged(suites, (suite) => suite.environment));
    window = await Workbench.open(browser, server.authority, folder, file);
    for (const [index, suite] of Object.values(suites).entries()) {
      if (index > 0) {
        await window.tidy();
      }
      await suite.checks({
        ...place,
        window,
        picture: (title) => shot(path.join(pictures, `${title}.png`)),
        check: (title, body) => chapter.check(title, body, onFailure),
        set: (changes: Settings) => code.set({ ...settings, ...changes }),
        server: () => serverIn(lane.folder),
        measured: (title, milliseconds) => report.measured(title, milliseconds),
      });
    }
  } catch (error) {
    const broken = (): Promise<void> => Promise.reject(error);
    await chapter.check(`${name}: the window opens and the checks run`, broken, onFailure);
  }
  await window?.close();
  await server?.stop();
  await until(() => serverIn(lane.folder) === undefined); // What the window has started ends with it.
  chapter.close();
}

function placeOf(name: string, { code, folder }: Lane, { python }: Stage): Place {
  const scratch = path.join(folder, name);
  const workspace = path.join(scratch, "showcase");
  return {
    workspace,
    scratch,
    profile: code.profile,
    python,
    read: (file) => readFileSync(path.join(workspace, file), "utf8"),
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
      writeFileSync(path.join(workspace, file), text);
    },
  };
}

/** What is opened, once each suite has changed the copy as it wants it. */
async function prepared(suites: Suites, place: Place): Promise<Target> {
  let target: Target = {};
  for (const suite of Object.values(suites)) {
    target = { ...target, ...(await suite.prepare?.(place)) };
  }
  return target;
}

function merged<T extends object>(suites: Suites, of: (suite: Suite) => T | undefined): T {
  return Object.assign({}, ...Object.values(suites).map(of));
}
