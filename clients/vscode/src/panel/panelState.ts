/**
 * This module parses the stored state of the Context panel and turns a simulation into request
 * parameters. Pure.
 */

import type { QuestionParams } from "../protocol";
import { type ComparisonBase, type PanelState, type Simulation, TABS } from "./panelMessages";

const TEXT_FIELDS = [
  "prompt",
  "bracket",
  "agent",
  "workflow",
  "phase",
  "task",
  "story",
  "squad",
] as const;

/** The state without a simulation, with all parts folded as they come. */
export const INITIAL_STATE: PanelState = { simulation: {}, tab: "layers" };

/** Returns whether anything is simulated. */
export function isSimulated(simulation: Simulation): boolean {
  return Object.keys(simulation).length > 0;
}

export function simulationParams(simulation: Simulation, root: string): QuestionParams {
  return { ...simulation, uri: root };
}

/** Returns the valid simulation fields of a command's argument or a stored state. */
export function parseSimulation(data: unknown): Simulation {
  const fields = dataFields(data);
  const simulation: Record<string, string | number> = {};
  for (const name of TEXT_FIELDS) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") {
      simulation[name] = value;
    }
  }
  const { remaining, session } = fields;
  if (typeof remaining === "number" && remaining >= 0 && remaining <= 100) {
    simulation.remaining = remaining;
  }
  if (typeof session === "string") {
    simulation.session = session;
  }
  return simulation;
}

export function parsePanelState(data: unknown): PanelState {
  const fields = dataFields(data);
  return {
    simulation: parseSimulation(fields.simulation),
    tab: TABS.find((tab) => tab === fields.tab) ?? "layers",
    kept: parseComparisonBase(fields.kept),
    folded: Object.fromEntries(
      Object.entries(dataFields(fields.folded)).filter(
        (entry): entry is [string, boolean] => typeof entry[1] === "boolean",
      ),
    ),
  };
}

function parseComparisonBase(data: unknown): ComparisonBase | undefined {
  const { simulation, label } = dataFields(data);
  return typeof label === "string" ? { simulation: parseSimulation(simulation), label } : undefined;
}

function dataFields(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
}
