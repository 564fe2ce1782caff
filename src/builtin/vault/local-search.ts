import { showPath } from "../../file/index.ts";
import type { TextHit, TextRange } from "../../store/index.ts";
import type { Zone } from "../time/zone.ts";
import { isoIn } from "./note-time.ts";
import { mostHeadings } from "./parse-note.ts";
import { vaultFailure } from "./vault-reasons.ts";
import type { NoteMeta, VaultParts } from "./vault-parts.ts";

/** What to look for in the notes. */
export interface LocalSearchQuery {
  /** Without it and without terms: all notes of that time and with these tags, the newest first. */
  readonly query?: string;
  /** The words and phrases that matter most, synonyms among them; notes that have only these are found too. */
  readonly salientTerms?: readonly string[];
  /** Of `startTime` or later, and before `endTime`, in epoch milliseconds. */
  readonly timeRange?: { readonly startTime: number; readonly endTime: number };
  readonly tags?: readonly string[];
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** A note that was found. */
export interface FoundNote {
  readonly path: string;
  readonly title: string;
  readonly snippet: string;
  /** What to highlight in the snippet, as UTF-16 offsets. */
  readonly highlights: readonly TextRange[];
  /** 1 for the best note of an answer. */
  readonly score: number;
  /** The time of the note (see `timeOfNote`) as ISO 8601, by the clocks of the vault's zone. */
  readonly modified: string;
  /** The same in epoch milliseconds. */
  readonly mtime: number;
  readonly tags: readonly string[];
  /** The heading above the snippet. */
  readonly heading?: string;
  /** The line of the snippet in the file. */
  readonly line: number;
  /** How to cite it: `path:line`, with the line on which its section begins. `read_note` takes it. */
  readonly cite: string;
}

/** Half of the advantage of a new note is gone after a month. */
const halfLifeMs = 30 * 24 * 60 * 60 * 1000;

/** Finds notes by their words; new ones first among equals. */
export async function localSearch(parts: VaultParts, asked: LocalSearchQuery): Promise<readonly FoundNote[]> {
  const { query, salientTerms = [], timeRange, tags, limit, signal } = asked;
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
      ...(tags !== undefined && { tags }),
      ...(limit !== undefined && { limit }),
    },
    signal,
  );
  const best = hits[0]?.score ?? 0;
  return hits.map((hit) => foundNote(hit, { score: best === 0 ? 1 : hit.score / best, zone: parts.zone }));
}

function foundNote(hit: TextHit, { score, zone }: { readonly score: number; readonly zone: Zone }): FoundNote {
  const { id, title, snippet, highlights, at, tags, line } = hit;
  // Written by `indexVault`.
  const { headings } = hit.meta as NoteMeta;
  const above = headings.findLast((one) => one.line <= line);
  // Behind the last heading that was kept there may be others.
  const heading = above === headings[mostHeadings - 1] ? undefined : above;
  const path = showPath(id);
  return {
    path,
    title,
    snippet,
    highlights,
    score: Number(score.toFixed(4)),
    modified: isoIn(zone, at),
    mtime: Math.round(at),
    tags,
    ...(heading !== undefined && { heading: heading.text }),
    line,
    cite: `${path}:${heading?.line ?? line}`,
  };
}
