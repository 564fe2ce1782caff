import { isRecord } from "../../src/schema/index.ts";
import { processToken } from "../support/served-process.ts";

/** A response, parsed; or nothing, because the server was killed or is not there. */
export type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> } | "lost";

export interface SentBody {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every request ends by itself well before this time; one that does not hangs. */
const hangsMs = 90_000;

/** Sends requests, counts them, and lists every answer that is neither a result nor a clean failure. */
export class Requests {
  readonly #url: string;
  readonly counts = { answered: 0, refused: 0, lost: 0 };
  readonly unclean: string[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async send(method: string, path: string, { body, headers }: SentBody = {}): Promise<Answer> {
    const signal = AbortSignal.timeout(hangsMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#url + path, {
        method,
        headers: {
          authorization: `Bearer ${processToken}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
      text = await response.text();
    } catch {
      if (signal.aborted) this.unclean.push(`${method} ${path} got no answer`);
      this.counts.lost++;
      return "lost";
    }
    return this.#checked(`${method} ${path}`, response, text);
  }

  #checked(what: string, { status, ok, headers }: Response, text: string): Answer {
    const type = headers.get("content-type");
    const body = parsed(text);
    const isClean = type === (ok ? "application/json" : "application/problem+json") && isRecord(body);
    if (!isClean || (!ok && body["status"] !== status) || status === 500)
      this.unclean.push(`${what}: ${status} ${type} ${text.slice(0, 300)}`);
    this.counts[ok ? "answered" : "refused"]++;
    return { status, body: isRecord(body) ? body : {} };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
