import { type Clock, nodeCrypto, systemClock } from "../../base/index.ts";
import type { Memory, MemoryHit, MemoryStats, MemoryStore, StoredMemory } from "../../store/index.ts";
import { memoryFailure } from "./memory-reasons.ts";
import { type Remembered, checkNamespace, newMemory, withTitle } from "./new-memory.ts";

/** What to recall. */
export interface Recall {
  readonly query: string;
  readonly namespace?: string;
  /** Has all of these. */
  readonly tags?: readonly string[];
  /** At most this many; 5 where absent. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** What to forget: by its id, or what has all words of the query. */
export interface Forget {
  readonly id?: string;
  readonly query?: string;
  readonly namespace?: string;
  readonly tags?: readonly string[];
  /** Which memories are to be forgotten by the query, as {@link Forgotten} told; none are while this is absent. */
  readonly confirm?: string;
  readonly signal?: AbortSignal;
}

/** What was forgotten, or would be. */
export interface Forgotten {
  readonly forgotten: number;
  /** What was forgotten or, while nothing is confirmed, would be; at most a hundred. */
  readonly matches: readonly Memory[];
  /** Stands for just these memories. */
  readonly confirm: string;
  /** More fits than is forgotten at a time. */
  readonly truncated: boolean;
}

/** What Windlass remembers between runs and conversations. */
export interface Memories {
  /** Remembers; the same content in the same namespace is one memory, which gains the new metadata and tags. */
  store(given: Remembered): Promise<StoredMemory>;
  /** A memory by its id, or by its address `memory:<id>`. */
  get(id: string): Promise<Memory | undefined>;
  recall(asked: Recall): Promise<readonly MemoryHit[]>;
  /** The memories stored last, newest first. */
  latest(namespace?: string, limit?: number): Promise<readonly Memory[]>;
  forget(what: Forget): Promise<Forgotten>;
  stats(): Promise<MemoryStats>;
}

/** Forgotten by one query at most. */
const mostForgotten = 100;
/** Half of the advantage of a new memory is gone after three months. */
const halfLifeMs = 90 * 24 * 60 * 60 * 1000;

/**
 * Memories over a store.
 *
 * @example
 * ```ts
 * const memories = createMemories({ store: createMemoryMemories() });
 * const { memory } = await memories.store({ content: "Rope shrinks when wet", tags: ["rope"] });
 * await memories.recall({ query: "wet rope" });
 * ```
 */
export function createMemories(parts: { readonly store: MemoryStore; readonly clock?: Clock }): Memories {
  const { store, clock = systemClock } = parts;
  return {
    store: async (given) => {
      // As it was validated, so that a store never sees what it cannot keep.
      const memory = newMemory(given);
      return await store.store(withTitle(memory, await store.get(memory.id)), clock.now());
    },
    get: (id) => store.get(bareId(id)),
    recall: async ({ query, namespace, signal, ...rest }) => {
      const recency = { now: clock.now(), halfLifeMs, weight: 0.25 };
      const asked = { ...rest, text: query, namespace: checkNamespace(namespace), recency, limit: rest.limit ?? 5 };
      return await store.search(asked, signal);
    },
    latest: async (namespace, limit = 10) => await store.latest(checkNamespace(namespace), limit),
    forget: (what) => (what.id === undefined ? forgetByQuery(store, what) : forgetById(store, what.id)),
    stats: () => store.stats(),
  };
}

/** Before an id, it makes an address that other tools can follow. */
export const memoryScheme = "memory:";

function bareId(id: string): string {
  const trimmed = id.trim();
  return trimmed.startsWith(memoryScheme) ? trimmed.slice(memoryScheme.length) : trimmed;
}

async function forgetById(store: MemoryStore, id: string): Promise<Forgotten> {
  const memory = await store.get(bareId(id));
  // Gone already is as good as forgotten.
  const matches = memory === undefined ? [] : [memory];
  return { ...(await forgetAll(store, matches)), truncated: false };
}

async function forgetAll(store: MemoryStore, matches: readonly Memory[]): Promise<Omit<Forgotten, "truncated">> {
  const ids = matches.map((memory) => memory.id);
  return { forgotten: ids.length === 0 ? 0 : await store.forget(ids), matches, confirm: markOf(matches) };
}

/** The same for the same memories only, whatever their order: their number, and a hash of their ids. */
function markOf(memories: readonly Memory[]): string {
  const ids = memories.map(({ id }) => id).toSorted();
  return `${ids.length}-${nodeCrypto().hash("sha256", JSON.stringify(ids), "hex").slice(0, 16)}`;
}

async function forgetByQuery(store: MemoryStore, what: Forget): Promise<Forgotten> {
  const { query, namespace, tags, confirm, signal } = what;
  if (query === undefined || query.trim() === "") {
    throw memoryFailure("nothing_named", "pass the id of the memory to forget, or a query");
  }
  // One more, to know whether there are others.
  const asked = { text: query, namespace: checkNamespace(namespace), match: "all", limit: mostForgotten + 1 } as const;
  const hits = await store.search({ ...asked, ...(tags !== undefined && { tags }) }, signal);
  const matches = hits.slice(0, mostForgotten).map(({ memory }) => memory);
  const truncated = hits.length > mostForgotten;
  const mark = markOf(matches);
  if (confirm === undefined) return { forgotten: 0, matches, confirm: mark, truncated };
  // What was confirmed and is gone already is as good as forgotten.
  if (confirm !== mark && matches.length > 0) {
    const message =
      `confirm does not stand for the memories that fit now (${matches.length}); ` +
      "look at them without confirm first, and pass the sign that this gives";
    throw memoryFailure("matches_differ", message, {
      issues: [{ path: ["confirm"], code: "matches_differ", message }],
    });
  }
  return { ...(await forgetAll(store, matches)), truncated };
}
