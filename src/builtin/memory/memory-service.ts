import { type Clock, nodeCrypto, systemClock, canonicalJson, jsonText, plainJsonSize } from "../../base/index.ts";
import {
  type Memory,
  type MemoryHit,
  type MemoryStats,
  type MemoryStore,
  type StoreMemoryResult,
  type NewMemory,
  mergeTags,
} from "../../store/index.ts";
import { memoryFailure } from "./memory-reasons.ts";
import { isRecord } from "../../schema/index.ts";
import { prettyPrintJson } from "../../text/index.ts";

/** Query for memories. */
export interface RecallQuery {
  readonly query: string;
  readonly namespace?: string;
  /** Has all of these. */
  readonly tags?: readonly string[];
  /** Maximum number of memories. Default: 5. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Selects the memories to delete: one by its id, or all that contain every word of the query. */
export interface ForgetQuery extends Partial<Omit<RecallQuery, "limit">> {
  readonly id?: string;
  /** Token from {@link ForgetResult} that confirms exactly these memories; without it a query deletes nothing. */
  readonly confirm?: string;
}

/** Memories that were deleted or, without a confirmation, would be. */
export interface ForgetResult {
  readonly forgotten: number;
  /** Deleted memories or, without a confirmation, the matches; at most a hundred. */
  readonly matches: readonly Memory[];
  /** Token for exactly these memories. */
  readonly confirm: string;
  /** More memories match than are deleted at a time. */
  readonly truncated: boolean;
}

/** Memories that persist between runs and conversations. */
export interface MemoryService {
  /**
   * Stores a memory; the same content in the same namespace is one memory, to which the new metadata and tags are
   * added.
   */
  store(input: RememberInput): Promise<StoreMemoryResult>;
  /** A memory by its id, or by its address `memory:<id>`. */
  get(id: string): Promise<Memory | undefined>;
  recall(recallQuery: RecallQuery): Promise<readonly MemoryHit[]>;
  /** The memories stored last, newest first. */
  latest(namespace?: string, limit?: number): Promise<readonly Memory[]>;
  forget(query: ForgetQuery): Promise<ForgetResult>;
  stats(): Promise<MemoryStats>;
}

/** Forgotten by one query at most. */
const maxForgotten = 100;
/** Half of the advantage of a new memory is gone after three months. */
const halfLifeMs = 90 * 24 * 60 * 60 * 1000;

/**
 * Memories over a store.
 *
 * @example
 * ```ts
 * const memories = createMemoryService({ store: createInMemoryMemoryStore() });
 * const { memory } = await memories.store({ content: "Rope shrinks when wet", tags: ["rope"] });
 * await memories.recall({ query: "wet rope" });
 * ```
 */
export function createMemoryService(parts: { readonly store: MemoryStore; readonly clock?: Clock }): MemoryService {
  const { store, clock = systemClock } = parts;
  return {
    store: async (input) => {
      // Uses the validated form, so that a store never gets a value that it cannot persist.
      const memory = newMemory(input);
      return await store.store(withTitle(memory, await store.get(memory.id)), clock.now());
    },
    get: (id) => store.get(bareId(id)),
    recall: async ({ query, namespace, signal, ...rest }) => {
      const recency = { now: clock.now(), halfLifeMs, weight: 0.25 };
      const recallQuery = {
        ...rest,
        text: query,
        namespace: checkNamespace(namespace),
        recency,
        limit: rest.limit ?? 5,
      };
      return await store.search(recallQuery, signal);
    },
    latest: async (namespace, limit = 10) => await store.latest(checkNamespace(namespace), limit),
    forget: (query) => (query.id === undefined ? forgetByQuery(store, query) : forgetById(store, query.id)),
    stats: () => store.stats(),
  };
}

/** Before an id, it makes an address that other tools can follow. */
export const memoryScheme = "memory:";

function bareId(id: string): string {
  const trimmed = id.trim();
  return trimmed.startsWith(memoryScheme) ? trimmed.slice(memoryScheme.length) : trimmed;
}

async function forgetById(store: MemoryStore, id: string): Promise<ForgetResult> {
  const memory = await store.get(bareId(id));
  // A memory that is already gone counts as deleted.
  const matches = memory === undefined ? [] : [memory];
  return { ...(await forgetAll(store, matches)), truncated: false };
}

async function forgetAll(store: MemoryStore, matches: readonly Memory[]): Promise<Omit<ForgetResult, "truncated">> {
  const ids = matches.map((memory) => memory.id);
  return { forgotten: ids.length === 0 ? 0 : await store.forget(ids), matches, confirm: markOf(matches) };
}

/** Identifies a set of memories independent of their order: their number and a hash of their ids. */
function markOf(memories: readonly Memory[]): string {
  const ids = memories.map(({ id }) => id).toSorted();
  return `${ids.length}-${nodeCrypto().hash("sha256", JSON.stringify(ids), "hex").slice(0, 16)}`;
}

async function forgetByQuery(store: MemoryStore, options: ForgetQuery): Promise<ForgetResult> {
  const { query, namespace, tags, confirm, signal } = options;
  if (query === undefined || query.trim() === "") {
    throw memoryFailure("missing_selector", "pass the id of the memory to forget, or a query");
  }
  // One more, to know whether there are others.
  const recallQuery = {
    text: query,
    namespace: checkNamespace(namespace),
    match: "all",
    limit: maxForgotten + 1,
  } as const;
  const hits = await store.search({ ...recallQuery, ...(tags !== undefined && { tags }) }, signal);
  const matches = hits.slice(0, maxForgotten).map(({ memory }) => memory);
  const truncated = hits.length > maxForgotten;
  const mark = markOf(matches);
  if (confirm === undefined) return { forgotten: 0, matches, confirm: mark, truncated };
  // Confirmed memories that are already gone count as deleted.
  if (confirm !== mark && matches.length > 0) {
    const message =
      `confirm does not match the memories that the query finds now (${matches.length}); ` +
      "call it without confirm first, check the matches, and pass the token that it returns";
    throw memoryFailure("matches_differ", message, {
      issues: [{ path: ["confirm"], code: "matches_differ", message }],
    });
  }
  return { ...(await forgetAll(store, matches)), truncated };
}

/** A memory to store, as the caller passes it. */
export interface RememberInput {
  /** A text, or any other JSON value. */
  readonly content: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  /** Memories of one namespace are not found from another. Default: `default`. */
  readonly namespace?: string;
  /** Kind of memory, such as `research`. */
  readonly type?: string;
}

/** Larger contents are documents, not memories. */
const maxContentBytes = 256 * 1024;
const maxMetadataBytes = 32 * 1024;
const maxTags = 50;
const maxTagLength = 100;
const maxTitleLength = 100;

/** Namespace used if none is given. */
const defaultNamespace = "default";

/** Validates a memory and derives its title, and an id that is always the same for the same content. */
function newMemory(input: RememberInput): NewMemory {
  const { content, metadata = {} } = input;
  const namespace = checkNamespace(input.namespace);
  const text = contentToText(content);
  if (text.trim() === "") throw refusal("empty_content", "content is empty: pass the text to remember", "content");
  if (Buffer.byteLength(text) > maxContentBytes) {
    throw refusal("too_large", `content has more than ${maxContentBytes} bytes: store a summary of it`, "content");
  }
  checkMetadata(metadata);
  const type = input.type ?? (typeof metadata["type"] === "string" ? metadata["type"] : undefined);
  return {
    id: idOf(namespace, content),
    namespace,
    title: titleOf(content, text, metadata),
    text,
    ...(typeof content !== "string" && { content }),
    ...(type !== undefined && { type: type.slice(0, maxTagLength) }),
    tags: mergeTags([], input.tags ?? [])
      .slice(0, maxTags)
      .map((tag) => tag.slice(0, maxTagLength)),
    metadata,
  };
}

/** A namespace in its one form. */
function checkNamespace(namespace: string = defaultNamespace): string {
  const name = namespace.trim().normalize("NFC");
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/-]{0,127}$/u.test(name)) return name;
  const message =
    "namespace must begin with a letter or a digit and have at most 128 letters, digits, . _ - : @ / or spaces";
  throw refusal("bad_namespace", message, "namespace");
}

function contentToText(content: unknown): string {
  if (typeof content === "string") return content;
  // Counted before it is written: it may be very large.
  if (plainJsonSize(content, 2 * maxContentBytes) === Infinity) {
    throw refusal("too_large", `content has more than ${maxContentBytes} bytes: store a summary of it`, "content");
  }
  const written = jsonText(content);
  if ("problem" in written) throw refusal("not_json", `content cannot be stored: ${written.problem}`, "content");
  if (content === null || isEmpty(content)) return "";
  return typeof content === "object" ? readable(written.text) : written.text;
}

/** Pretty-printed if there is room: deeply nested values can get a thousand times as long that way. */
function readable(json: string): string {
  const { text, cut } = prettyPrintJson(json, maxContentBytes);
  return cut || Buffer.byteLength(text) > maxContentBytes ? json : text;
}

function isEmpty(content: unknown): boolean {
  return typeof content === "object" && content !== null && Object.keys(content).length === 0;
}

function checkMetadata(metadata: Readonly<Record<string, unknown>>): void {
  const written = jsonText(metadata);
  if ("problem" in written) throw refusal("not_json", `metadata cannot be stored: ${written.problem}`, "metadata");
  if (Buffer.byteLength(written.text) > maxMetadataBytes) {
    throw refusal(
      "too_large",
      `metadata has more than ${maxMetadataBytes} bytes: put long texts into content`,
      "metadata",
    );
  }
}

/**
 * The same for texts that differ only in their line ends and in blank lines around them, and for objects that differ
 * only in the order of their keys. White space within a text counts: in code it may be all that differs.
 */
function idOf(namespace: string, content: unknown): string {
  const same = typeof content === "string" ? `text ${trimLines(content.normalize("NFC"))}` : canonicalJson(content);
  return `mem-${nodeCrypto().hash("sha256", `${namespace}\n${same}`, "hex").slice(0, 32)}`;
}

function trimLines(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").trimEnd();
  const first = lines.search(/\S/);
  return lines.slice(lines.lastIndexOf("\n", first) + 1);
}

/** Returns the memory with the title that follows from the new and the stored metadata together. */
function withTitle(input: NewMemory, before: Memory | undefined): NewMemory {
  const { content, text } = input;
  return { ...input, title: titleOf(content ?? text, text, { ...before?.metadata, ...input.metadata }) };
}

function titleOf(content: unknown, text: string, metadata: Readonly<Record<string, unknown>>): string {
  const own = isRecord(content) ? content["title"] : undefined;
  const named = [metadata["title"], own, metadata["topic"]].find((one) => typeof one === "string" && one.trim() !== "");
  const line = typeof named === "string" ? named : firstLine(text);
  const title = line.replaceAll(/\s+/g, " ").trim();
  return title.length > maxTitleLength ? `${title.slice(0, maxTitleLength).toWellFormed()}…` : title;
}

function firstLine(text: string): string {
  const lines = text.slice(0, 2000).split("\n");
  const bare = lines.map((line) => line.replace(/^[\s#>*\-{["]+/, "").trim());
  return bare.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? text.slice(0, maxTitleLength).trim();
}

function refusal(reason: Parameters<typeof memoryFailure>[0], message: string, parameter: string): Error {
  return memoryFailure(reason, message, { issues: [{ path: [parameter], code: reason, message }] });
}
