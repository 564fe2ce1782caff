import { isFailureError } from "../../base/index.ts";
import { type WalkEntry, type WalkOptions, readShownPath } from "../../file/index.ts";
import type { IndexOptions, IndexReport } from "./index-report.ts";
import { isIgnored } from "./is-ignored.ts";
import { NoteReader } from "./note-reader.ts";
import { type VaultParts, isNote, trimPath } from "./vault-parts.ts";

/**
 * Brings the index up to date with the folder: only notes whose time or size differ are read, and only those whose
 * content differs are indexed again. Stopped halfway, it goes on from there the next time.
 */
export async function indexVault(parts: VaultParts, options: IndexOptions = {}): Promise<IndexReport> {
  const begun = parts.clock.elapsed();
  const paths = options.paths?.map(trimPath);
  // A path may be given as it is shown; the index has it as it is.
  const places = paths && [...new Set(paths.flatMap((path) => [path, readShownPath(path) ?? path]))];
  const known = await knownAt(parts, places ?? [""]);
  const reader = new NoteReader(parts, known, options);
  if (paths === undefined) await walkNotes(parts, ".", reader);
  else for (const path of paths) await lookAt(parts, path, reader);
  await reader.finish();
  const gone = goneFrom(known, reader, places);
  options.signal?.throwIfAborted();
  if (gone.length > 0) await parts.index.remove(parts.collection, gone);
  return reader.report(gone, parts.clock.elapsed() - begun);
}

/** What the index knows of these places, and perhaps of others. */
async function knownAt({ index, collection }: VaultParts, paths: readonly string[]): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const path of paths) for (const [id, version] of await index.versions(collection, path)) known.set(id, version);
  return known;
}

/** More than this many names are no vault. */
const maxEntries = 2_000_000;

async function walkNotes({ files, limits }: VaultParts, from: string, reader: NoteReader): Promise<void> {
  const walk = files.walk(from, { maxEntries, signal: reader.signal } satisfies WalkOptions);
  try {
    for (let step = await walk.next(); ; step = await walk.next()) {
      if (step.done === true) {
        reader.unreadable(step.value.unreadable);
        if (step.value.truncated) reader.tooMany();
        return;
      }
      const entry: WalkEntry = step.value;
      const isOne = entry.type === "file" && isNote(entry.path, limits);
      if (isOne && !(await reader.take(entry))) return;
    }
  } finally {
    // Lets go of the folders that are open, however it ends.
    await walk.return({ entries: 0, truncated: true, unreadable: [] });
  }
}

async function lookAt(parts: VaultParts, path: string, reader: NoteReader): Promise<void> {
  const { files, limits } = parts;
  if (path === "") return walkNotes(parts, ".", reader);
  try {
    const file = await files.read(path, { maxBytes: limits.maxFileBytes, signal: reader.signal });
    if (isNote(file.path, limits) && !(await isIgnored(files, file.path))) await reader.takeFile(file.path, file);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    if (error.reason === "not_a_file" && !(await isIgnored(files, path))) return walkNotes(parts, path, reader);
    reader.missed(path, error);
  }
}

/** Notes in the index that are there no longer. What could not be looked at may be there still, and stays. */
function goneFrom(
  known: ReadonlyMap<string, string>,
  reader: NoteReader,
  paths: readonly string[] | undefined,
): string[] {
  const within = (path: string): boolean =>
    paths === undefined || paths.some((place) => place === "" || path === place || path.startsWith(`${place}/`));
  return [...known.keys()].filter((path) => within(path) && !reader.mayExist(path));
}
