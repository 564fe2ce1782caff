import { type Clock, isFailureError } from "../../base/index.ts";
import type { Door, HttpResponse } from "../../net/index.ts";
import { type RobotsRules, noRules, parseRobots } from "./robots-rules.ts";
import { webFailure } from "./web-reasons.ts";

/** What {@link RobotsFiles} works with. */
export interface RobotsFilesOptions {
  readonly door: Door;
  readonly clock: Clock;
  /** The name by which a robots.txt may speak to us, and the whole `User-Agent`. */
  readonly agent: string;
  readonly userAgent: string;
  /** For one robots.txt. */
  readonly timeoutMs: number;
}

interface Entry {
  readonly rules: Promise<RobotsRules>;
  readonly controller: AbortController;
  waiting: number;
  settled: boolean;
  /** Asked again after this moment of the clock. */
  until: number;
}

const hour = 3_600_000;
const keptMs = { rules: hour, failure: 30_000 } as const;
const mostBytes = 512 * 1024;
const mostOrigins = 2000;

/** The rules of the sites that were asked, each robots.txt fetched once and kept for an hour. */
export class RobotsFiles {
  readonly #options: RobotsFilesOptions;
  /** By origin; the oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: RobotsFilesOptions) {
    this.#options = options;
  }

  /** What the site of this URL asks of us. Fails where nobody can say. */
  async rulesFor(url: URL, signal: AbortSignal): Promise<RobotsRules> {
    // Nothing is asked of a site for an address that the door refuses for itself.
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return noRules;
    const entry = this.#current(url.origin) ?? this.#start(url.origin);
    entry.waiting++;
    try {
      return await orAborted(entry.rules, signal);
    } finally {
      entry.waiting--;
      // A request that nobody waits for any more must not hold a socket.
      if (entry.waiting === 0 && !entry.settled) this.#drop(url.origin, entry);
    }
  }

  #current(origin: string): Entry | undefined {
    const entry = this.#entries.get(origin);
    return entry === undefined || entry.until <= this.#options.clock.elapsed() ? undefined : entry;
  }

  #drop(origin: string, entry: Entry): void {
    if (this.#entries.get(origin) === entry) this.#entries.delete(origin);
    entry.controller.abort();
  }

  #start(origin: string): Entry {
    const controller = new AbortController();
    const { clock } = this.#options;
    const rules = this.#fetch(origin, controller.signal);
    const entry: Entry = { rules, controller, waiting: 0, settled: false, until: Infinity };
    const settle = (ms: number): void => {
      entry.settled = true;
      entry.until = clock.elapsed() + ms;
    };
    rules.then(
      () => settle(keptMs.rules),
      () => settle(keptMs.failure),
    );
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    const [oldest] = this.#entries;
    if (this.#entries.size > mostOrigins && oldest?.[1].settled === true) this.#entries.delete(oldest[0]);
    return entry;
  }

  async #fetch(origin: string, signal: AbortSignal): Promise<RobotsRules> {
    const { door, agent, userAgent, timeoutMs } = this.#options;
    const host = new URL(origin).host;
    try {
      const headers = { "user-agent": userAgent, accept: "text/plain, */*;q=0.5" };
      const answer = await door.request({
        url: `${origin}/robots.txt`,
        headers,
        signal,
        timeoutMs,
        maxBytes: mostBytes,
      });
      return readAnswer(answer, host, agent);
    } catch (error) {
      return readFailure(error, host);
    }
  }
}

/** RFC 9309: without the file everything is allowed; while the server fails, nothing is. */
function readAnswer({ status, body, truncated }: HttpResponse, host: string, agent: string): RobotsRules {
  if (status >= 200 && status < 300) {
    const text = new TextDecoder().decode(body);
    // The line that the limit cut may have meant something else.
    return parseRobots(truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text, agent);
  }
  if (status !== 429 && status < 500) return noRules;
  throw webFailure("robots_unreachable", `${host} answered ${status} for its robots.txt; try again later`, {
    retryAfterMs: keptMs.failure,
  });
}

/** No connection is the page's own failure; what the door refuses, it refuses for the page as well. */
const ofTheHost: ReadonlySet<string | undefined> = new Set(["dns_failed", "connect_failed", "tls_failed", "closed"]);
const ofTheAnswer: ReadonlySet<string | undefined> = new Set(["reset", "timeout", "bad_response"]);

function readFailure(error: unknown, host: string): RobotsRules {
  if (!isFailureError(error) || error.reason === "robots_unreachable") throw error;
  if (ofTheHost.has(error.reason) || error.code === "cancelled") throw error;
  if (!ofTheAnswer.has(error.reason)) return noRules;
  throw webFailure(
    "robots_unreachable",
    `the robots.txt of ${host} cannot be read (${error.message}); try again later`,
    {
      retryAfterMs: keptMs.failure,
      cause: error,
    },
  );
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(webFailure("aborted", "the fetching was cancelled", { cause: signal.reason }));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
