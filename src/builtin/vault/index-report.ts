/** How to index. */
export interface IndexOptions {
  /** Only what changed at these paths: notes, or folders of notes. The whole vault where absent. */
  readonly paths?: readonly string[];
  /** Read every note again, whether its time and size changed or not. */
  readonly full?: boolean;
  /** Told of the progress now and then. */
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** How far indexing is. */
export interface IndexProgress {
  /** Notes looked at. */
  readonly seen: number;
  /** Notes read and indexed. */
  readonly indexed: number;
}

/** A note or a folder that could not be indexed, and why. */
export interface SkippedNote {
  readonly path: string;
  readonly why: string;
}

/** What indexing did. */
export interface IndexReport {
  /** New to the index. */
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Of those added and removed, notes that have only got another path. */
  readonly renamed: number;
  readonly unchanged: number;
  /** The first hundred that could not be indexed. */
  readonly skipped: readonly SkippedNote[];
  readonly skippedCount: number;
  /** There are more notes than are indexed. */
  readonly truncated: boolean;
  readonly durationMs: number;
}
