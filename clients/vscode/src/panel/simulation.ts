/** What a person tries out in the Context panel, as the server is asked. Pure. */

import type { QuestionParams } from "../protocol";
import { type Kept, type Saved, type Simulation, TABS } from "./messages";

const NAMES = [
  "prompt",
  "bracket",
  "agent",
  "workflow",
  "phase",
  "task",
  "story",
  "squad",
] as const;

/** Nothing is tried out, and all parts are folded as they come. */
export const NOTHING: Saved = { simulation: {}, tab: "layers" };

/** Whether anything is tried out. */
export function isSimulated(simulation: Simulation): boolean {
  return Object.keys(simulation).length > 0;
}

export function questionOf(simulation: Simulation, root: string): QuestionParams {
  return { ...simulation, uri: root };
}

/** What an argument of a command, or another version's state, has of a simulation. */
export function simulationIn(data: unknown): Simulation {
  const given = fieldsOf(data);
  const found: Record<string, string | number> = {};
  for (const name of NAMES) {
    const value = given[name];
    if (typeof value === "string" && value !== "") {
      found[name] = value;
    }
  }
  const { remaining, session } = given;
  if (typeof remaining === "number" && remaining >= 0 && remaining <= 100) {
    found.remaining = remaining;
  }
  if (typeof session === "string") {
    found.session = session;
  }
  return found;
}

export function savedIn(data: unknown): Saved {
  const given = fieldsOf(data);
  return {
    simulation: simulationIn(given.simulation),
    tab: TABS.find((tab) => tab === given.tab) ?? "layers",
    kept: keptIn(given.kept),
    folded: Object.fromEntries(
      Object.entries(fieldsOf(given.folded)).filter(
        (entry): entry is [string, boolean] => typeof entry[1] === "boolean",
      ),
    ),
  };
}

function keptIn(data: unknown): Kept | undefined {
  const { simulation, label } = fieldsOf(data);
  return typeof label === "string" ? { simulation: simulationIn(simulation), label } : undefined;
}

function fieldsOf(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
}
