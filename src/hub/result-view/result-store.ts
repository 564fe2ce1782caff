import { type Clock, nodeCrypto, systemClock } from "../../base/index.ts";
import { type PageCache, createMemoryPages } from "../../store/index.ts";
import { formatDuration, quoteText } from "../../text/index.ts";
import type { ToolSuccess } from "../../tool/index.ts";
import { cleanJson } from "./clean-json.ts";
import { OwnerShares } from "./owner-shares.ts";
import { type Redact, redactOutput } from "./redact-output.ts";
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
  /** The results of one owner take no more together: older ones make room. 16 MiB where absent. */
  readonly maxOwnerBytes?: number;
  /** How long they can be read; a day where absent. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
  /** Takes secrets out of what is kept, and of what is shown of it. */
  readonly redact?: Redact;
  /** Makes handles that nobody can guess. */
  readonly newHandle?: () => string;
}

const day = 86_400_000;
const mostBytes = 16 * 2 ** 20;
const handleForm = /^result:[\w.:-]{1,200}$/;

/**
 * Keeps large results whole, each under a handle that only those can use for whom it was made. A handle cannot be guessed
 * either: where callers have no name and no conversation, it is all that keeps them apart.
 */
export class ResultShelf {
  readonly #pages: PageCache;
  readonly #maxResultBytes: number;
  readonly #shares: OwnerShares;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  readonly #redact: Redact | undefined;
  readonly #newHandle: () => string;
  /** Results that have no secrets any more: none is looked through twice. */
  readonly #clean = new WeakSet<object>();
  /** Whoever reads one part reads the next one too. */
  #last: { readonly key: string; readonly result: ShelvedResult } | undefined;

  constructor(options: ShelfOptions = {}) {
    this.#pages = options.pages ?? createMemoryPages({ maxPages: 1000 });
    this.#maxResultBytes = options.maxResultBytes ?? mostBytes;
    this.#shares = new OwnerShares(options.maxOwnerBytes ?? mostBytes);
    this.#maxAgeMs = options.maxAgeMs ?? day;
    this.#clock = options.clock ?? systemClock;
    this.#redact = options.redact;
    this.#newHandle = options.newHandle ?? randomHandle;
  }

  /** The result without secrets: what of it is shown has to be of the same output as what is kept. */
  async redacted<R extends Pick<ToolSuccess, "output">>(result: R): Promise<R> {
    if (this.#redact === undefined || this.#clean.has(result)) return result;
    const output = await redactOutput(result.output, this.#redact);
    const safe = output === result.output ? result : { ...result, output };
    this.#clean.add(safe);
    return safe;
  }

  /** Keeps the output of a call and gives its handle; undefined where it is too large even for this. */
  async keep(result: Pick<ToolSuccess, "tool" | "output">, owner: ResultOwner): Promise<string | undefined> {
    const { tool, output } = await this.redacted(result);
    const json = cleanJson(output);
    if (json === undefined) return undefined;
    const now = this.#clock.now();
    const body = Buffer.from(`{"tool":${JSON.stringify(tool)},"at":${now},"output":${json}}`);
    if (body.byteLength > this.#maxResultBytes) return undefined;
    const handle = this.#newHandle();
    const freshUntil = now + this.#maxAgeMs;
    const page = { finalUrl: handle, contentType: "application/json", body, checkedAt: now, freshUntil };
    const key = keyOf(handle, owner);
    for (const old of this.#shares.take(ownerKey(owner), { key, bytes: body.byteLength }))
      await this.#pages.delete(old);
    await this.#pages.set(key, page);
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
      throw refuseResult("unknown_result", message);
    }
    // Written by `keep` and by nobody else.
    return { handle, ...(JSON.parse(Buffer.from(page.body).toString()) as Omit<ShelvedResult, "handle">) };
  }
}

function randomHandle(): string {
  return `result:${nodeCrypto().randomBytes(15).toString("base64url")}`;
}

/** Others who learn of a handle look under another key. */
function keyOf(handle: string, { principal, conversationId }: ResultOwner): string {
  return JSON.stringify([handle, principal ?? null, conversationId ?? null]);
}

function ownerKey({ principal, conversationId }: ResultOwner): string {
  return JSON.stringify([principal ?? null, conversationId ?? null]);
}
