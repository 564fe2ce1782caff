import { definedOnly } from "../../base/index.ts";
import { showPath } from "../../file/index.ts";
import type { TextHit, TextRange } from "../../store/index.ts";
import type { Zone } from "../time/zone.ts";
import type { VaultIndexProgress, NoteMeta, VaultDeps } from "./vault-deps.ts";
import { toIsoInZone } from "./note-time.ts";
import { maxNoteHeadings } from "./parse-note.ts";
import { vaultFailure } from "./vault-reasons.ts";

/** Query for the notes of a vault. */
export interface LocalSearchQuery {
  /** Without it and without terms: all notes of that time and with these tags, the newest first. */
  readonly query?: string;
  /** The most important words and phrases, including synonyms; notes that have only these are found too. */
  readonly salientTerms?: readonly string[];
  /** Only notes from `startTime` on and before `endTime`, in epoch milliseconds. */
  readonly timeRange?: { readonly startTime: number; readonly endTime: number };
  readonly tags?: readonly string[];
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** Called from time to time if the notes have to be indexed first. */
  readonly onProgress?: (progress: VaultIndexProgress) => void;
}

/** A note that was found. */
export interface FoundNote {
  readonly path: string;
  readonly title: string;
  readonly snippet: string;
  /** Ranges to highlight in the snippet, as UTF-16 offsets. */
  readonly highlights: readonly TextRange[];
  /** 1 for the best note of an answer. */
  readonly score: number;
  /** The time of the note (see `resolveNoteTime`) as ISO 8601, by the clocks of the vault's zone. */
  readonly modified: string;
  /** The same in epoch milliseconds. */
  readonly mtime: number;
  readonly tags: readonly string[];
  /** The heading above the snippet. */
  readonly heading?: string;
  /** The line of the snippet in the file. */
  readonly line: number;
  /** Citation: `path:line`, with the line on which its section begins. `read_note` accepts it. */
  readonly cite: string;
}

/** Half of the advantage of a new note is gone after a month. */
const halfLifeMs = 30 * 24 * 60 * 60 * 1000;

/** Finds notes by their words; among equals, newer ones come first. */
export async function localSearch(parts: VaultDeps, request: LocalSearchQuery): Promise<readonly FoundNote[]> {
  const { query, salientTerms = [], timeRange, tags, limit, signal } = request;
  if (timeRange !== undefined && !(timeRange.endTime > timeRange.startTime)) {
    throw vaultFailure("bad_range", "timeRange.endTime must be after timeRange.startTime", {
      issues: [{ path: ["timeRange", "endTime"], code: "bad_range", message: "must be after startTime" }],
    });
  }
  const hits = await parts.index.search(
    parts.collection,
    {
      ...(query !== undefined && { text: query }),
      terms: salientTerms,
      recency: { now: parts.clock.now(), halfLifeMs, weight: 0.5 },
      ...(timeRange !== undefined && { from: timeRange.startTime, to: timeRange.endTime }),
      ...definedOnly({ tags, limit }),
    },
    signal,
  );
  const best = hits[0]?.score ?? 0;
  return hits.map((hit) => toFoundNote(hit, { score: best === 0 ? 1 : hit.score / best, zone: parts.zone }));
}

function toFoundNote(hit: TextHit, { score, zone }: { readonly score: number; readonly zone: Zone }): FoundNote {
  const { id, title, snippet, highlights, at, tags, line } = hit;
  // Written by `index_vault`.
  const { headings } = hit.meta as NoteMeta;
  const above = headings.findLast((one) => one.line <= line);
  // After the last stored heading there may be others.
  const heading = above === headings[maxNoteHeadings - 1] ? undefined : above;
  const path = showPath(id);
  return {
    path,
    title,
    snippet,
    highlights,
    score: Number(score.toFixed(4)),
    modified: toIsoInZone(zone, at),
    mtime: Math.round(at),
    tags,
    ...(heading !== undefined && { heading: heading.text }),
    line,
    cite: `${path}:${heading?.line ?? line}`,
  };
}
