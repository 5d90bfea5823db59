/** Of questions that come one after another only the newest is answered. Pure. */

export class Newest {
  private current: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `ask` is told by the signal that nobody waits for its answer any more. */
  constructor(private readonly ask: (signal: AbortSignal) => Promise<void>) {}

  /** Asks after a pause, in milliseconds; one that comes meanwhile takes the place of this one. */
  soon(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.now(), pause);
  }

  async now(): Promise<void> {
    this.drop();
    const current = new AbortController();
    this.current = current;
    await this.ask(current.signal);
  }

  /** Nobody waits for what is under way. */
  drop(): void {
    clearTimeout(this.timer);
    this.current?.abort();
    this.current = undefined;
  }
}
