/** What `synapse profile list`, `show` and `diff` print with `--format json`. Types only. */

export interface ProfileLine {
  readonly name: string;
  /** Whether the tree is served with it. */
  readonly in_force: boolean;
  /** Whether the tree's own configuration describes it, based on the one that it `extends`. */
  readonly own: boolean;
  readonly extends: string;
  /** Whose files it reads. */
  readonly reads: string;
  /** What of its description does not count, in sentences. */
  readonly faults: readonly string[];
}

export interface ProfileBracket {
  readonly name: string;
  /** How much of the window is left in it. */
  readonly label: string;
  /** Tokens. */
  readonly budget: number;
  readonly layers: readonly string[];
  readonly memory: string;
  readonly handoff: boolean;
  /** Prompts after which all of it is told again. */
  readonly refresh: number;
}

export interface ProfileReport extends ProfileLine {
  readonly frame: { readonly open: string; readonly close: string };
  readonly layers: readonly { readonly id: string }[];
  readonly brackets: readonly ProfileBracket[];
  readonly sections: readonly string[];
  /** What goes first when a block is too large. */
  readonly drop: readonly string[];
  readonly protected: readonly string[];
  /** Prompts for which a match counts. */
  readonly recall_prompts: number;
}

export interface Differences {
  readonly one: string;
  readonly other: string;
  readonly differences: readonly {
    /** A dotted place. */
    readonly at: string;
    /** Null for what is not there. */
    readonly before: unknown;
    readonly after: unknown;
  }[];
}
