import { type Recency, type TextDocument, type TextHit, normalizeTag } from "./text-index.ts";
import type { TextRange } from "./text-snippet.ts";

/** Something to remember. */
export interface NewMemory {
  /** The same for the same content in the same namespace. */
  readonly id: string;
  readonly namespace: string;
  readonly title: string;
  /** The content as text, for search and display. */
  readonly text: string;
  /** The original content, if it was not text. */
  readonly content?: unknown;
  /** Kind of memory, such as `research`. */
  readonly type?: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A stored memory. */
export interface Memory extends NewMemory {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Time of the last update in epoch milliseconds. */
  readonly updatedAt: number;
}

/** Result of storing a memory. */
export interface StoreMemoryResult {
  readonly memory: Memory;
  /** False if the memory already existed, and only gained metadata or tags. */
  readonly created: boolean;
}

/** A search for memories. */
export interface MemoryQuery {
  /** Words as a person types them. */
  readonly text: string;
  readonly namespace: string;
  /** Has all of these. */
  readonly tags?: readonly string[];
  readonly limit?: number;
  readonly recency?: Recency;
  /**
   * `all`: only memories with all words. `best`, the default: memories with some of the words follow if there are not
   * enough.
   */
  readonly match?: "all" | "best";
}

/** A memory that was found. */
export interface MemoryHit {
  readonly memory: Memory;
  readonly score: number;
  readonly snippet: string;
  readonly highlights: readonly TextRange[];
}

/** Size of a memory store. */
export interface MemoryStats {
  readonly memories: number;
  /** Memories per namespace. */
  readonly namespaces: Readonly<Record<string, number>>;
}

/**
 * Stores memories in namespaces that are isolated from each other. A memory is as durable as the store allows when
 * `store` resolves. Every implementation passes `test/conformance/memory-store.ts`.
 */
export interface MemoryStore {
  /**
   * Stores a memory. If the id already exists, it keeps its content, gains the tags and the metadata, and gets the new
   * title; of two values for one key the later wins.
   */
  store(memory: NewMemory, now: number): Promise<StoreMemoryResult>;
  get(id: string): Promise<Memory | undefined>;
  search(query: MemoryQuery, signal?: AbortSignal): Promise<readonly MemoryHit[]>;
  /** Returns the memories stored last, newest first; at most 200. */
  latest(namespace: string, limit: number): Promise<readonly Memory[]>;
  /** Removes memories, and returns how many existed. */
  forget(ids: readonly string[]): Promise<number>;
  stats(): Promise<MemoryStats>;
  close(): Promise<void>;
}

/** Returns the memory after storing: the first content with the latest metadata. */
export function mergeMemory(before: Memory | undefined, input: NewMemory, now: number): Memory {
  if (before === undefined) return { ...input, createdAt: now, updatedAt: now };
  const type = input.type ?? before.type;
  return {
    ...before,
    title: input.title,
    ...(type !== undefined && { type }),
    tags: mergeTags(before.tags, input.tags),
    metadata: { ...before.metadata, ...input.metadata },
    updatedAt: now,
  };
}

/** Returns both lists without duplicates; tags that differ only in case are equal. */
export function mergeTags(before: readonly string[], more: readonly string[]): string[] {
  const byFold = new Map<string, string>();
  for (const tag of [...before, ...more]) {
    const folded = normalizeTag(tag);
    if (folded !== "" && !byFold.has(folded)) byFold.set(folded, tag.trim().replace(/^#+/, ""));
  }
  return [...byFold.values()];
}

type MemoryMeta = Pick<Memory, "namespace" | "metadata" | "createdAt" | "type" | "content">;

/** Converts a memory to a document of a text index. */
export function memoryDocument(memory: Memory): TextDocument {
  const { id, title, text, tags, updatedAt, namespace, metadata, createdAt, type, content } = memory;
  const meta: MemoryMeta = {
    namespace,
    metadata,
    createdAt,
    ...(type !== undefined && { type }),
    ...(content !== undefined && { content }),
  };
  return { id, title, body: text, tags, at: updatedAt, meta };
}

/** Returns the memory of a document. */
export function documentMemory(document: Omit<TextDocument, "version">): Memory {
  const { id, title, body, tags, at, meta } = document;
  // Written by `memoryDocument`.
  return { id, title, text: body, tags, updatedAt: at, ...(meta as MemoryMeta) };
}

/** Returns the memory of a search hit. */
export function memoryHit(hit: TextHit, body: string): MemoryHit {
  const { score, snippet, highlights } = hit;
  return { memory: documentMemory({ ...hit, body }), score, snippet, highlights };
}
