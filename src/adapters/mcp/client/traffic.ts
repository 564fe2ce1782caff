import type { Clock } from "../../../base/index.ts";

/** After this long without a pause, others get their turn. */
const turnMs = 5;

/** What {@link Traffic} needs. */
export interface TrafficOptions {
  readonly server: string;
  readonly clock: Clock;
  /** More notifications than this are a flood. */
  readonly perSecond: number;
  /** Told of the first flood. */
  readonly log: (message: string) => void;
}

/**
 * Keeps a server that talks too much from taking the whole process: pauses between turns, and beyond so many
 * notifications in a second until the second is over. Whoever does not read stops whoever writes.
 */
export class Traffic {
  readonly #clock: Clock;
  readonly #options: TrafficOptions;
  #turn: number;
  #second: number;
  #count = 0;
  #told = false;

  constructor(options: TrafficOptions) {
    const { clock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#turn = clock.elapsed();
    this.#second = this.#turn;
  }

  /** A new piece of input begins a turn. */
  begin(): void {
    this.#turn = this.#clock.elapsed();
  }

  /** To be awaited where it is not undefined, before the next message is taken. */
  after(isNotification: boolean): Promise<void> | undefined {
    const now = this.#clock.elapsed();
    if (now - this.#second >= 1_000) {
      this.#second = now;
      this.#count = 0;
    }
    if (isNotification && ++this.#count > this.#options.perSecond) {
      this.#tell();
      return this.#pause(1_000 - (now - this.#second));
    }
    return now - this.#turn < turnMs ? undefined : this.#breathe();
  }

  #tell(): void {
    const { server, log } = this.#options;
    if (!this.#told) log(`the MCP server "${server}" floods notifications; it is read more slowly`);
    this.#told = true;
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#clock.after(Math.max(1, ms), resolve));
    this.begin();
  }

  async #breathe(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    this.begin();
  }
}
