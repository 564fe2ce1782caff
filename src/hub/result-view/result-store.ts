import { type Clock, nodeCrypto, systemClock } from "../../base/index.ts";
import { type PageCache, createInMemoryPageCache } from "../../store/index.ts";
import { formatDuration, quoteText, stripUnsafe } from "../../text/index.ts";
import type { ToolSuccess } from "../../tool/index.ts";
import { type Redact, redactOutput } from "./redact-output.ts";
import { resultStoreFailure } from "../hub-reasons.ts";
import { isRecord } from "../../schema/index.ts";

/** Owner of a result: no one else can read it. */
export interface ResultOwner {
  readonly principal?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** A result that was too large to be shown, whole. */
export interface StoredResult {
  readonly handle: string;
  readonly tool: string;
  /** Time of storing, in epoch milliseconds. */
  readonly at: number;
  readonly output: unknown;
}

/** Options of {@link ResultStore}. */
export interface ResultStoreOptions {
  /** Storage of the results. Default: 64 MiB in memory. */
  readonly pages?: PageCache;
  /** A larger result is not stored. Default: 16 MiB. Must not exceed the capacity of `pages`. */
  readonly maxResultBytes?: number;
  /** Maximum total size of the results of one owner: older ones are evicted. Default: 16 MiB. */
  readonly maxOwnerBytes?: number;
  /** Lifetime of a result. Default: one day. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
  /** Redacts secrets in stored results and in their views. */
  readonly redact?: Redact;
  /** Generates handles that cannot be guessed. */
  readonly newHandle?: () => string;
}

const day = 86_400_000;
const maxBytes = 16 * 2 ** 20;
const handleForm = /^result:[\w.:-]{1,200}$/;

/**
 * Stores large results completely, each under a handle that only its owner can use. A handle cannot be guessed either:
 * for callers without a name and a conversation, it is the only separation.
 *
 * @see docs/guide/hub.md
 */
export class ResultStore {
  readonly #pages: PageCache;
  readonly #maxResultBytes: number;
  readonly #shares: OwnerQuotas;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  readonly #redact: Redact | undefined;
  readonly #newHandle: () => string;
  /** Results that are already redacted: none is processed twice. */
  readonly #clean = new WeakSet<object>();
  /** The last result read: its next part is usually read too. */
  #last: { readonly key: string; readonly result: StoredResult } | undefined;

  constructor(options: ResultStoreOptions = {}) {
    this.#pages = options.pages ?? createInMemoryPageCache({ maxPages: 1000 });
    this.#maxResultBytes = options.maxResultBytes ?? maxBytes;
    this.#shares = new OwnerQuotas(options.maxOwnerBytes ?? maxBytes);
    this.#maxAgeMs = options.maxAgeMs ?? day;
    this.#clock = options.clock ?? systemClock;
    this.#redact = options.redact;
    this.#newHandle = options.newHandle ?? (() => `result:${nodeCrypto().randomBytes(15).toString("base64url")}`);
  }

  /** Redacts a result: the view and the stored result have to be of the same output. */
  async redact<R extends Pick<ToolSuccess, "output">>(result: R): Promise<R> {
    if (this.#redact === undefined || this.#clean.has(result)) return result;
    const output = await redactOutput(result.output, this.#redact);
    const safe = output === result.output ? result : { ...result, output };
    this.#clean.add(safe);
    return safe;
  }

  /** Stores the output of a call and returns its handle; undefined if it is too large even for the store. */
  async put(result: Pick<ToolSuccess, "tool" | "output">, owner: ResultOwner): Promise<string | undefined> {
    const { tool, output } = await this.redact(result);
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

  /** The whole result; throws if there is none of this handle for this owner, or it has expired. */
  async get(handle: string, owner: ResultOwner): Promise<StoredResult> {
    if (!handleForm.test(handle)) {
      const message = `${quoteText(handle)} is not a handle of a result; handles look like result:… and are in the view of a result`;
      throw resultStoreFailure("bad_handle", message, { parameter: "handle" });
    }
    const key = keyOf(handle, owner);
    const result = this.#last?.key === key ? this.#last.result : await this.#read(handle, key);
    if (this.#clock.now() - result.at <= this.#maxAgeMs) {
      this.#last = { key, result };
      return result;
    }
    this.#last = undefined;
    await this.#pages.delete(key);
    const message = `${handle} was stored for ${formatDuration(this.#maxAgeMs)} and has expired; call ${result.tool} again`;
    throw resultStoreFailure("result_expired", message);
  }

  async #read(handle: string, key: string): Promise<StoredResult> {
    const page = await this.#pages.get(key);
    if (page === undefined) {
      const message = `no result is stored as ${handle} for this caller in this conversation; it may have been evicted for newer ones: repeat the call`;
      throw resultStoreFailure("unknown_result", message);
    }
    // Only `keep` writes these entries.
    return { handle, ...(JSON.parse(Buffer.from(page.body).toString()) as Omit<StoredResult, "handle">) };
  }
}

/** Another caller who learns a handle looks up another key. */
function keyOf(handle: string, { principal, conversationId }: ResultOwner): string {
  return JSON.stringify([handle, principal ?? null, conversationId ?? null]);
}

function ownerKey({ principal, conversationId }: ResultOwner): string {
  return JSON.stringify([principal ?? null, conversationId ?? null]);
}

/** A stored entry and its size. */
interface QuotaEntry {
  readonly key: string;
  readonly bytes: number;
}

/** Maximum number of entries that are counted; beyond it, the oldest are dropped. */
const maxCounted = 1000;

/** Counts the stored bytes of each owner, so that an owner with many results evicts only its own. */
class OwnerQuotas {
  readonly #max: number;
  /** Oldest first. */
  #stored: (QuotaEntry & { readonly owner: string })[] = [];

  /** @param max Bytes of one owner. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more entry of an owner, and returns the keys to evict for it. */
  take(owner: string, { key, bytes }: QuotaEntry): string[] {
    const own = this.#stored.filter((each) => each.owner === owner);
    let left = this.#max - bytes - own.reduce((sum, each) => sum + each.bytes, 0);
    const gone = new Set<string>();
    for (const old of own) {
      if (left >= 0) break;
      left += old.bytes;
      gone.add(old.key);
    }
    this.#stored = [...this.#stored.filter((each) => !gone.has(each.key)), { owner, key, bytes }].slice(-maxCounted);
    return [...gone];
  }
}

/** JSON writes control characters as escapes: a text that looks clean may contain them once it is parsed. */
const escapes = /\\[ubfr]/;

/**
 * Serializes an output as JSON, without invisible characters in its texts and keys; undefined if it is not JSON.
 * Cleaned value by value: in the serialized text, an escape sequence that one value begins could swallow the quote
 * after it.
 */
export function cleanJson(output: unknown): string | undefined {
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : cleanText(text, output);
  } catch {
    // The value is cyclic, or a getter threw; the engine rejects such outputs.
    return undefined;
  }
}

/** The same for an output that is already serialized. */
export function cleanText(text: string, output: unknown): string {
  if (!escapes.test(text) && stripUnsafe(text) === text) return text;
  return JSON.stringify(output, (_key, value: unknown) => {
    if (typeof value === "string") return stripUnsafe(value);
    return isRecord(value) ? withCleanKeys(value) : value;
  });
}

function withCleanKeys(value: Readonly<Record<string, unknown>>): object {
  const keys = Object.keys(value);
  if (keys.every((key) => stripUnsafe(key) === key)) return value;
  const taken = new Set(keys);
  return Object.fromEntries(keys.map((key) => [uniqueKey(key, taken), value[key]]));
}

/** Keys that differ only by invisible characters stay separate: a cleaned key yields to the key that has the name. */
function uniqueKey(key: string, taken: Set<string>): string {
  const clean = stripUnsafe(key);
  if (clean === key) return key;
  let own = clean;
  for (let count = 2; taken.has(own); count++) own = `${clean} (${count})`;
  taken.add(own);
  return own;
}
