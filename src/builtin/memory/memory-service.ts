import { type Clock, nodeCrypto, systemClock } from "../../base/index.ts";
import type { Memory, MemoryHit, MemoryStats, MemoryStore, StoreMemoryResult } from "../../store/index.ts";
import { memoryFailure } from "./memory-reasons.ts";
import { type RememberInput, checkNamespace, newMemory, withTitle } from "./new-memory.ts";

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
export interface ForgetQuery {
  readonly id?: string;
  readonly query?: string;
  readonly namespace?: string;
  readonly tags?: readonly string[];
  /** Token from {@link ForgetResult} that confirms exactly these memories; without it a query deletes nothing. */
  readonly confirm?: string;
  readonly signal?: AbortSignal;
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
