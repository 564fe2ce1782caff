import { type Clock, type FailureError, isFailureError, raceAbort } from "../../base/index.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../net/index.ts";
import { type RobotsRules, noRules, parseRobots } from "./robots-rules.ts";
import { webFailure } from "./web-reasons.ts";

/** Dependencies of {@link RobotsFiles}. */
export interface RobotsFilesOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** The name by which a robots.txt may speak to us, and the whole `User-Agent`. */
  readonly agent: string;
  readonly userAgent: string;
  /** A robots.txt that could not be read is requested again after this time. */
  readonly restMs: number;
}

/** Options of waiting for the rules of a site. */
export interface RulesRequest {
  readonly signal: AbortSignal;
  /** Time limit for the robots.txt, if it is not loaded yet. */
  readonly timeoutMs: number;
}

interface Entry {
  readonly rules: Promise<RobotsRules>;
  readonly controller: AbortController;
  waiting: number;
  settled: boolean;
  /** Moment of the clock at which the entry expires. */
  until: number;
}

const hour = 3_600_000;
const maxRobotsBytes = 512 * 1024;
const maxOrigins = 2000;

/** The rules of sites. Each robots.txt is fetched once and cached for an hour. */
export class RobotsFiles {
  readonly #options: RobotsFilesOptions;
  /** By origin; the oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: RobotsFilesOptions) {
    this.#options = options;
  }

  /** Returns the rules of the site of this URL. Fails if they cannot be determined. */
  async rulesFor(url: URL, { signal, timeoutMs }: RulesRequest): Promise<RobotsRules> {
    // No robots.txt is requested for an address that the HTTP client refuses anyway.
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return noRules;
    const entry = this.#current(url.origin) ?? this.#start(url.origin, timeoutMs);
    entry.waiting++;
    try {
      return await raceAbort(entry.rules, signal, () =>
        webFailure("aborted", "the fetching was cancelled", { cause: signal.reason }),
      );
    } finally {
      entry.waiting--;
      // A request that no caller waits for any more must not hold a socket.
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
    const rules = this.#fetch(origin, { signal: controller.signal, timeoutMs });
    const entry: Entry = { rules, controller, waiting: 0, settled: false, until: Infinity };
    const settle = (ms: number): void => {
      entry.settled = true;
      entry.until = this.#options.clock.elapsed() + ms;
    };
    rules.then(
      () => settle(hour),
      () => settle(this.#options.restMs),
    );
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    const [oldest] = this.#entries;
    if (this.#entries.size > maxOrigins && oldest?.[1].settled === true) this.#entries.delete(oldest[0]);
    return entry;
  }

  async #fetch(origin: string, requested: RulesRequest): Promise<RobotsRules> {
    const host = new URL(origin).host;
    try {
      return this.#read(await this.#request(origin, requested), host);
    } catch (error) {
      if (!isFailureError(error) || error.reason === "robots_unreachable") throw error;
      if (ofTheHost.has(error.reason) || error.code === "cancelled") throw error;
      // RFC 9309: a file behind too many redirects counts as missing.
      if (error.reason === "too_many_redirects") return noRules;
      if (!isRefusal(error)) throw this.#unreachable(host, `cannot be read (${error.message})`, { cause: error });
      if (await this.#isRefusedItself(origin, requested)) return noRules;
      throw this.#unreachable(host, `redirects to an address that may not be fetched (${error.message})`, {
        cause: error,
        retry: "never",
      });
    }
  }

  #request(origin: string, requested: RulesRequest & Pick<HttpRequest, "maxRedirects">): Promise<HttpResponse> {
    const headers = { "user-agent": this.#options.userAgent, accept: "text/plain, */*;q=0.5" };
    return this.#options.http.request({ ...requested, url: `${origin}/robots.txt`, headers, maxBytes: maxRobotsBytes });
  }

  /** RFC 9309: without the file everything is allowed; while the server fails, nothing is. */
  #read({ status, body, truncated }: HttpResponse, host: string): RobotsRules {
    if (status >= 200 && status < 300) {
      const text = new TextDecoder().decode(body);
      // The line cut by the limit may have a different meaning.
      return parseRobots(truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text, this.#options.agent);
    }
    if (status !== 429 && status < 500) return noRules;
    throw this.#unreachable(host, `cannot be read (it answered ${status})`);
  }

  /**
   * If the HTTP client refuses the site itself, it refuses each of its pages, and the page's own failure is clearer.
   */
  async #isRefusedItself(origin: string, requested: RulesRequest): Promise<boolean> {
    try {
      await this.#request(origin, { ...requested, maxRedirects: 0 });
      return false;
    } catch (error) {
      return isFailureError(error) && isRefusal(error);
    }
  }

  #unreachable(host: string, why: string, options: { readonly cause?: unknown; readonly retry?: "never" } = {}): Error {
    const advice = options.retry === "never" ? "use another source" : "try again later";
    const message = `the robots.txt of ${host} ${why}, so it is unknown what the site allows; ${advice}`;
    const again = options.retry === "never" ? {} : { retryAfterMs: this.#options.restMs };
    return webFailure("robots_unreachable", message, { ...again, ...options });
  }
}

/** No connection is the page's own failure. */
const ofTheHost: ReadonlySet<string | undefined> = new Set(["dns_failed", "connect_failed", "tls_failed", "closed"]);

/** True if the HTTP client refuses this address. */
function isRefusal({ code }: FailureError): boolean {
  return code === "permission_denied" || code === "validation_error";
}
