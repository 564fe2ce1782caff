import { type Clock, type FailureError, isFailureError, orAborted } from "../../base/index.ts";
import type { Door, HttpRequest, HttpResponse } from "../../net/index.ts";
import { type RobotsRules, noRules, parseRobots } from "./robots-rules.ts";
import { webFailure } from "./web-reasons.ts";

/** What {@link RobotsFiles} works with. */
export interface RobotsFilesOptions {
  readonly door: Door;
  readonly clock: Clock;
  /** The name by which a robots.txt may speak to us, and the whole `User-Agent`. */
  readonly agent: string;
  readonly userAgent: string;
  /** A robots.txt that could not be read is asked for again after this. */
  readonly restMs: number;
}

/** How to wait for the rules of a site. */
export interface RulesRequest {
  readonly signal: AbortSignal;
  /** For the robots.txt, where nobody has asked for it yet. */
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
  async rulesFor(url: URL, { signal, timeoutMs }: RulesRequest): Promise<RobotsRules> {
    // Nothing is asked of a site for an address that the door refuses for itself.
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return noRules;
    const entry = this.#current(url.origin) ?? this.#start(url.origin, timeoutMs);
    entry.waiting++;
    try {
      return await orAborted(entry.rules, signal, () =>
        webFailure("aborted", "the fetching was cancelled", { cause: signal.reason }),
      );
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

  #start(origin: string, timeoutMs: number): Entry {
    const controller = new AbortController();
    const { clock, restMs } = this.#options;
    const rules = this.#fetch(origin, { signal: controller.signal, timeoutMs });
    const entry: Entry = { rules, controller, waiting: 0, settled: false, until: Infinity };
    const settle = (ms: number): void => {
      entry.settled = true;
      entry.until = clock.elapsed() + ms;
    };
    rules.then(
      () => settle(hour),
      () => settle(restMs),
    );
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    const [oldest] = this.#entries;
    if (this.#entries.size > mostOrigins && oldest?.[1].settled === true) this.#entries.delete(oldest[0]);
    return entry;
  }

  async #fetch(origin: string, asked: RulesRequest): Promise<RobotsRules> {
    const host = new URL(origin).host;
    try {
      return this.#read(await this.#request(origin, asked), host);
    } catch (error) {
      if (!isFailureError(error) || error.reason === "robots_unreachable") throw error;
      if (ofTheHost.has(error.reason) || error.code === "cancelled") throw error;
      // RFC 9309: a file behind too many redirects is none.
      if (error.reason === "too_many_redirects") return noRules;
      if (!isRefusal(error)) throw this.#unreachable(host, `cannot be read (${error.message})`, { cause: error });
      if (await this.#isRefusedItself(origin, asked)) return noRules;
      throw this.#unreachable(host, `leads to where nothing may be fetched (${error.message})`, {
        cause: error,
        retry: "never",
      });
    }
  }

  #request(origin: string, asked: RulesRequest & Pick<HttpRequest, "maxRedirects">): Promise<HttpResponse> {
    const { door, userAgent } = this.#options;
    const headers = { "user-agent": userAgent, accept: "text/plain, */*;q=0.5" };
    return door.request({ ...asked, url: `${origin}/robots.txt`, headers, maxBytes: mostBytes });
  }

  /** RFC 9309: without the file everything is allowed; while the server fails, nothing is. */
  #read({ status, body, truncated }: HttpResponse, host: string): RobotsRules {
    if (status >= 200 && status < 300) {
      const text = new TextDecoder().decode(body);
      // The line that the limit cut may have meant something else.
      return parseRobots(truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text, this.#options.agent);
    }
    if (status !== 429 && status < 500) return noRules;
    throw this.#unreachable(host, `cannot be read (it answered ${status})`);
  }

  /** What the door refuses the site for, it refuses every page of it for: the page's own failure says so better. */
  async #isRefusedItself(origin: string, asked: RulesRequest): Promise<boolean> {
    try {
      await this.#request(origin, { ...asked, maxRedirects: 0 });
      return false;
    } catch (error) {
      return isFailureError(error) && isRefusal(error);
    }
  }

  #unreachable(host: string, why: string, options: { readonly cause?: unknown; readonly retry?: "never" } = {}): Error {
    const advice = options.retry === "never" ? "use another source" : "try again later";
    const message = `the robots.txt of ${host} ${why}, so nobody knows what the site allows; ${advice}`;
    const again = options.retry === "never" ? {} : { retryAfterMs: this.#options.restMs };
    return webFailure("robots_unreachable", message, { ...again, ...options });
  }
}

/** No connection is the page's own failure. */
const ofTheHost: ReadonlySet<string | undefined> = new Set(["dns_failed", "connect_failed", "tls_failed", "closed"]);

/** Does the door not let anybody there? */
function isRefusal({ code }: FailureError): boolean {
  return code === "permission_denied" || code === "validation_error";
}
