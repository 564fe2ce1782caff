import { type Clock, systemClock } from "../../base/index.ts";
import { type PageCache, createMemoryPages } from "../../store/index.ts";
import { formatDuration, quoteText } from "../../text/index.ts";
import type { ToolSuccess } from "../../tool/index.ts";
import { cleanJson } from "./clean-json.ts";
import { refuseResult } from "./shelf-reasons.ts";

/** Whose a result is: nobody else finds it. */
export interface ResultOwner {
  readonly principal?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** A result that was too large to be shown, whole. */
export interface ShelvedResult {
  readonly handle: string;
  readonly tool: string;
  /** When it was kept, in epoch milliseconds. */
  readonly at: number;
  readonly output: unknown;
}

/** What {@link ResultShelf} takes. */
export interface ShelfOptions {
  /** Where the results are; in memory, 64 MiB of them, where absent. */
  readonly pages?: PageCache;
  /** A larger one is not kept; 16 MiB where absent. No more than `pages` has room for. */
  readonly maxResultBytes?: number;
  /** How long they can be read; a day where absent. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
  /** Takes secrets out of what is kept. */
  readonly redact?: (output: unknown) => unknown;
}

const day = 86_400_000;
const mostBytes = 16 * 2 ** 20;
const handleForm = /^result:[\w.:-]{1,200}$/;

/** Keeps large results whole, each under a handle that only those can use for whom it was made. */
export class ResultShelf {
  readonly #pages: PageCache;
  readonly #maxResultBytes: number;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  readonly #redact: (output: unknown) => unknown;
  /** Whoever reads one part reads the next one too. */
  #last: { readonly key: string; readonly result: ShelvedResult } | undefined;

  constructor(options: ShelfOptions = {}) {
    this.#pages = options.pages ?? createMemoryPages({ maxPages: 1000 });
    this.#maxResultBytes = options.maxResultBytes ?? mostBytes;
    this.#maxAgeMs = options.maxAgeMs ?? day;
    this.#clock = options.clock ?? systemClock;
    this.#redact = options.redact ?? ((output) => output);
  }

  /** Keeps the output of a call and gives its handle; undefined where it is too large even for this. */
  async keep(
    { tool, output, meta }: Pick<ToolSuccess, "tool" | "output" | "meta">,
    owner: ResultOwner,
  ): Promise<string | undefined> {
    const handle = `result:${meta.callId}`;
    const json = cleanJson(this.#redact(output));
    if (json === undefined || !handleForm.test(handle)) return undefined;
    const now = this.#clock.now();
    const body = Buffer.from(`{"tool":${JSON.stringify(tool)},"at":${now},"output":${json}}`);
    if (body.byteLength > this.#maxResultBytes) return undefined;
    const freshUntil = now + this.#maxAgeMs;
    const page = { finalUrl: handle, contentType: "application/json", body, checkedAt: now, freshUntil };
    await this.#pages.set(keyOf(handle, owner), page);
    return handle;
  }

  /** The whole result; throws where there is none of this handle for this owner, or its time is up. */
  async find(handle: string, owner: ResultOwner): Promise<ShelvedResult> {
    if (!handleForm.test(handle)) {
      const message = `${quoteText(handle)} is no handle of a result; they look like result:… and stand in the view of a result`;
      throw refuseResult("bad_handle", message, { parameter: "handle" });
    }
    const key = keyOf(handle, owner);
    const result = this.#last?.key === key ? this.#last.result : await this.#read(handle, key);
    if (this.#clock.now() - result.at <= this.#maxAgeMs) {
      this.#last = { key, result };
      return result;
    }
    this.#last = undefined;
    await this.#pages.delete(key);
    const message = `${handle} was kept for ${formatDuration(this.#maxAgeMs)} and is gone; call ${result.tool} again`;
    throw refuseResult("result_expired", message);
  }

  async #read(handle: string, key: string): Promise<ShelvedResult> {
    const page = await this.#pages.get(key);
    if (page === undefined) {
      const message = `no result is kept as ${handle} for this caller in this conversation; it may have made room for newer ones: make the call again`;
      throw refuseResult("unknown_result", message, { parameter: "handle" });
    }
    // Written by `keep` and by nobody else.
    return { handle, ...(JSON.parse(Buffer.from(page.body).toString()) as Omit<ShelvedResult, "handle">) };
  }
}

/** Others who learn of a handle look under another key. */
function keyOf(handle: string, { principal, conversationId }: ResultOwner): string {
  return JSON.stringify([handle, principal ?? null, conversationId ?? null]);
}
