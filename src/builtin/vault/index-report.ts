/** Options of indexing. */
export interface IndexVaultOptions {
  /** Only these changed paths: notes, or folders of notes. Default: the whole vault. */
  readonly paths?: readonly string[];
  /** Read every note again, whether its time and size changed or not. */
  readonly full?: boolean;
  /** Called with the progress from time to time. */
  readonly onProgress?: (progress: VaultIndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** Progress of indexing. */
export interface VaultIndexProgress {
  /** Notes checked so far. */
  readonly seen: number;
  /** Notes read and indexed. */
  readonly indexed: number;
  /** All notes, once they are counted. */
  readonly total?: number;
}

/** A note or a folder that could not be indexed, and why. */
export interface SkippedNote {
  readonly path: string;
  readonly why: string;
}

/** Result of indexing. */
export interface VaultIndexReport {
  /** New to the index. */
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Notes with a new path and the same content; each is also counted as added and as removed. */
  readonly renamed: number;
  readonly unchanged: number;
  /** The first hundred that could not be indexed. */
  readonly skipped: readonly SkippedNote[];
  readonly skippedCount: number;
  /** There are more notes than are indexed. */
  readonly truncated: boolean;
  readonly durationMs: number;
}
