import { type Clock, sleep } from "../../../base/index.ts";

/** Time after which reading yields to other work. */
const turnMs = 5;

/** Options of {@link Traffic}. */
export interface TrafficOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Maximum rate; more notifications are a flood. */
  readonly perSecond: number;
  /** Called for the first flood. */
  readonly log: (message: string) => void;
}

/**
 * Keeps a server that floods us with messages from blocking the process: yields between turns, and above the maximum of
 * notifications per second pauses until the second is over. A paused reader applies backpressure to the writer.
 */
export class Traffic {
  readonly #clock: Clock;
  readonly #options: TrafficOptions;
  #turn: number;
  #second: number;
  #count = 0;
  #warned = false;

  constructor(options: TrafficOptions) {
    const { clock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#turn = clock.elapsed();
    this.#second = this.#turn;
  }

  /** A new chunk of input begins a turn. */
  begin(): void {
    this.#turn = this.#clock.elapsed();
  }

  /** To be awaited, if defined, before the next message is read. */
  after(isNotification: boolean): Promise<void> | undefined {
    const now = this.#clock.elapsed();
    if (now - this.#second >= 1_000) {
      this.#second = now;
      this.#count = 0;
    }
    if (isNotification && ++this.#count > this.#options.perSecond) {
      this.#warn();
      return this.#pause(1_000 - (now - this.#second));
    }
    return now - this.#turn < turnMs ? undefined : this.#breathe();
  }

  #warn(): void {
    const { server, log } = this.#options;
    if (!this.#warned) log(`the MCP server "${server}" floods us with notifications; it is read more slowly`);
    this.#warned = true;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(this.#clock, Math.max(1, ms));
    this.begin();
  }

  async #breathe(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    this.begin();
  }
}
