import { type Recency, type TextDocument, type TextHit, foldTag } from "./text-index.ts";
import type { TextRange } from "./text-snippet.ts";

/** Something to remember. */
export interface NewMemory {
  /** The same for the same content in the same namespace. */
  readonly id: string;
  readonly namespace: string;
  readonly title: string;
  /** The content as text: what is searched and shown. */
  readonly text: string;
  /** The content as it was given, where that was no text. */
  readonly content?: unknown;
  /** What kind of memory it is, such as `research`. */
  readonly type?: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Something that is remembered. */
export interface Memory extends NewMemory {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When it was last stored, in epoch milliseconds. */
  readonly updatedAt: number;
}

/** What storing did. */
export interface StoredMemory {
  readonly memory: Memory;
  /** False when it was remembered already, and only gained metadata or tags. */
  readonly created: boolean;
}

/** What to remember. */
export interface MemoryQuery {
  /** Words as a person types them. */
  readonly text: string;
  readonly namespace: string;
  /** Has all of these. */
  readonly tags?: readonly string[];
  readonly limit?: number;
  readonly recency?: Recency;
  /** `all`: only what has all words; `best`, the default: what has some of them follows when there are not enough. */
  readonly match?: "all" | "best";
}

/** A memory that was found. */
export interface MemoryHit {
  readonly memory: Memory;
  readonly score: number;
  readonly snippet: string;
  readonly highlights: readonly TextRange[];
}

/** How much is remembered. */
export interface MemoryStats {
  readonly memories: number;
  /** Memories per namespace. */
  readonly namespaces: Readonly<Record<string, number>>;
}

/**
 * What is remembered, in namespaces that do not see each other. A memory is there, as safely as this store can keep it,
 * when `store` resolves. Every implementation passes `test/conformance/memory-store.ts`.
 */
export interface MemoryStore {
  /**
   * Remembers. What is remembered already under this id keeps its content, gains the tags and the metadata, and takes
   * the new title; of two values for one key the later stays.
   */
  store(memory: NewMemory, now: number): Promise<StoredMemory>;
  get(id: string): Promise<Memory | undefined>;
  search(query: MemoryQuery, signal?: AbortSignal): Promise<readonly MemoryHit[]>;
  /** The memories stored last, newest first; at most 200. */
  latest(namespace: string, limit: number): Promise<readonly Memory[]>;
  /** Forgets, and says how many there were. */
  forget(ids: readonly string[]): Promise<number>;
  stats(): Promise<MemoryStats>;
  close(): Promise<void>;
}

/** What is remembered after storing: the first content, the newest facts about it. */
export function mergeMemory(before: Memory | undefined, given: NewMemory, now: number): Memory {
  if (before === undefined) return { ...given, createdAt: now, updatedAt: now };
  const type = given.type ?? before.type;
  return {
    ...before,
    title: given.title,
    ...(type !== undefined && { type }),
    tags: joinTags(before.tags, given.tags),
    metadata: { ...before.metadata, ...given.metadata },
    updatedAt: now,
  };
}

/** Both lists without repetitions; tags that differ only in case are one. */
export function joinTags(before: readonly string[], more: readonly string[]): string[] {
  const byFold = new Map<string, string>();
  for (const tag of [...before, ...more]) {
    const folded = foldTag(tag);
    if (folded !== "" && !byFold.has(folded)) byFold.set(folded, tag.trim().replace(/^#+/, ""));
  }
  return [...byFold.values()];
}

type MemoryMeta = Pick<Memory, "namespace" | "metadata" | "createdAt" | "type" | "content">;

/** A memory as a document of a text index. */
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

/** The memory that a document holds. */
export function documentMemory(document: Omit<TextDocument, "version">): Memory {
  const { id, title, body, tags, at, meta } = document;
  // Written by `memoryDocument`.
  return { id, title, text: body, tags, updatedAt: at, ...(meta as MemoryMeta) };
}

/** The memory that was found. */
export function memoryHit(hit: TextHit, body: string): MemoryHit {
  const { score, snippet, highlights } = hit;
  return { memory: documentMemory({ ...hit, body }), score, snippet, highlights };
}
