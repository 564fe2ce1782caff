import { basename, extname } from "node:path";
import { hasErrors } from "../../text/index.ts";
import type { FileState } from "./refresh-file.ts";

/** A name as files of tools write it, in YAML and in code. */
const written = /\bname["']?\s*:\s*["'`]?([\p{L}_][\p{L}\p{N}_.-]*)/gu;

/**
 * Names that the tools of broken files would have, as far as can be told: those that a file writes, and its own. They
 * stay theirs, so that a tool that is being mended is not quietly replaced by a stranger's of the same name.
 */
export function takenNames(files: ReadonlyMap<string, FileState>): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const { file, source, tools, problems } of files.values()) {
    if (tools.length > 0 || !hasErrors(problems)) continue;
    taken.add(basename(file, extname(file)));
    for (const [, name = ""] of source.matchAll(written)) taken.add(name);
  }
  return taken;
}
