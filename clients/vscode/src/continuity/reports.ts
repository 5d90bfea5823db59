/** What `synapse recover` and `handoff` print with `--format json`. Types only. */

export interface Recovery {
  readonly session: string;
  readonly agent: string;
  readonly bracket: string;
  /** Percent of the window that is left. */
  readonly remaining: number;
  readonly counters: { readonly compactions: number; readonly critical_streak: number };
  readonly decision: {
    readonly action: "continue" | "handoff" | "spawn";
    readonly reasons: readonly { readonly why: string }[];
  };
  /** The file that says where the session is, where there is one. */
  readonly continuation: string | null;
  /** How a new session is begun in its client. */
  readonly level2: {
    readonly title: string;
    readonly command: string | null;
    readonly say: string;
  };
}

export interface HandOff {
  /** Null where nothing was written. */
  readonly path: string | null;
}
