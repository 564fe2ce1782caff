import { isFailureError } from "../../base/index.ts";
import { type WalkEntry, type WalkOptions, readShownPath } from "../../file/index.ts";
import { type IndexVaultOptions, type VaultIndexReport, type VaultDeps, isNote, trimPath } from "./vault-deps.ts";
import { isGitIgnored } from "./is-ignored.ts";
import { NoteReader } from "./note-reader.ts";

/**
 * Brings the index up to date with the folder: only notes whose time or size differ are read, and only those whose
 * content differs are indexed again. If interrupted, the next run continues from there.
 */
export async function indexVault(parts: VaultDeps, options: IndexVaultOptions = {}): Promise<VaultIndexReport> {
  const begun = parts.clock.elapsed();
  const paths = options.paths?.map(trimPath);
  // A path may be in its shown form; the index has the real one.
  const positions = paths && [...new Set(paths.flatMap((path) => [path, readShownPath(path) ?? path]))];
  const known = await knownAt(parts, positions ?? [""]);
  const reader = new NoteReader(parts, known, options);
  if (paths === undefined) await walkCounted(parts, reader, options);
  else for (const path of paths) await lookAt(parts, path, reader);
  await reader.finish();
  const gone = goneFrom(known, reader, positions);
  options.signal?.throwIfAborted();
  if (gone.length > 0) await parts.index.remove(parts.collection, gone);
  return reader.report(gone, parts.clock.elapsed() - begun);
}

/** The indexed versions of notes at these paths, and possibly of others. */
async function knownAt({ index, collection }: VaultDeps, paths: readonly string[]): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const path of paths) for (const [id, version] of await index.versions(collection, path)) known.set(id, version);
  return known;
}

/** Maximum number of entries in a vault. */
const maxEntries = 2_000_000;

/** Counts the notes while they are read, for progress with a total: counting is much faster. */
async function walkCounted(parts: VaultDeps, reader: NoteReader, { onProgress }: IndexVaultOptions): Promise<void> {
  const over = new AbortController();
  const counted = onProgress === undefined ? undefined : countNotes(parts, over.signal);
  // Without the number, progress has no total.
  void counted?.then((total) => (reader.total = total)).catch(() => undefined);
  try {
    await walkNotes(parts, ".", reader);
  } finally {
    over.abort();
    await counted?.catch(() => undefined);
  }
}

async function countNotes({ files, limits }: VaultDeps, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const { type, path } of files.walk(".", { maxEntries, signal })) {
    if (type === "file" && isNote(path, limits)) count++;
  }
  return count;
}

async function walkNotes({ files, limits }: VaultDeps, from: string, reader: NoteReader): Promise<void> {
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
    // Closes the open folders in any case.
    await walk.return({ entries: 0, truncated: true, unreadable: [] });
  }
}

async function lookAt(parts: VaultDeps, path: string, reader: NoteReader): Promise<void> {
  const { files, limits } = parts;
  if (path === "") return walkNotes(parts, ".", reader);
  try {
    const file = await files.read(path, { maxBytes: limits.maxFileBytes, signal: reader.signal });
    if (isNote(file.path, limits) && !(await isGitIgnored(files, file.path))) await reader.takeFile(file.path, file);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    if (error.reason === "not_a_file" && !(await isGitIgnored(files, path))) return walkNotes(parts, path, reader);
    reader.missed(path, error);
  }
}

/** Notes in the index that no longer exist. Notes in folders that could not be read may still exist, and stay. */
function goneFrom(
  known: ReadonlyMap<string, string>,
  reader: NoteReader,
  paths: readonly string[] | undefined,
): string[] {
  const within = (path: string): boolean =>
    paths === undefined ||
    paths.some((section) => section === "" || path === section || path.startsWith(`${section}/`));
  return [...known.keys()].filter((path) => within(path) && !reader.mayExist(path));
}
