/** This module runs only the latest of several requests and aborts those before it. Pure. */

export class LatestRequest {
  private controller: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `request` gets a signal that is aborted when its answer is no longer needed. */
  constructor(private readonly request: (signal: AbortSignal) => Promise<void>) {}

  /** Starts the request after a pause in milliseconds; a later call replaces this one. */
  schedule(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.start(), pause);
  }

  async start(): Promise<void> {
    this.cancel();
    const controller = new AbortController();
    this.controller = controller;
    await this.request(controller.signal);
  }

  /** Aborts the current request and the scheduled one. */
  cancel(): void {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = undefined;
  }
}
