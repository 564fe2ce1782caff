import { type Dirent } from "node:fs";
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { stripUnsafe } from "../../text/index.ts";
import type { TextDocument } from "../../store/index.ts";
import { searchFailure } from "./search-reasons.ts";

const maxFiles = 5000;
const maxBytes = 2 * 2 ** 20;
const maxDepth = 8;
const kinds = /\.(?:md|markdown|txt|html?)$/i;

/** The texts of a folder, and of its subfolders. Links and hidden files are skipped. */
export async function readCorpus(folder: string): Promise<readonly TextDocument[]> {
  const documents: TextDocument[] = [];
  for (const path of await listFiles(folder, "", 0)) {
    const document = await readText(folder, path);
    if (document !== undefined) documents.push(document);
    if (documents.length >= maxFiles) break;
  }
  return documents;
}

async function listFiles(folder: string, below: string, depth: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await entriesOf(join(folder, below), depth)) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory() && depth < maxDepth) paths.push(...(await listFiles(folder, path, depth + 1)));
    else if (entry.isFile() && kinds.test(entry.name)) paths.push(path);
    if (paths.length > maxFiles) break;
  }
  return paths;
}

async function entriesOf(path: string, depth: number): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (depth > 0) return [];
    throw searchFailure("provider_error", "the folder of the corpus cannot be read; check its path", {
      retry: "never",
      cause,
    });
  }
}

async function readText(folder: string, path: string): Promise<TextDocument | undefined> {
  try {
    const file = join(folder, path);
    const { size, mtimeMs } = await stat(file);
    if (size > maxBytes) return undefined;
    const bytes = await readFile(file);
    const { title, body } = await readBody(bytes, path);
    return { id: path, title, body, tags: [], at: Math.round(mtimeMs), path };
  } catch {
    // One file that cannot be read does not hide the others.
    return undefined;
  }
}

async function readBody(bytes: Uint8Array, path: string): Promise<{ readonly title: string; readonly body: string }> {
  if (/\.html?$/i.test(path)) {
    const { extractDocument } = await import("../extract/index.ts");
    const { title, markdown } = await extractDocument(bytes, { contentType: "text/html" });
    return { title: title === "" ? fileTitle(path) : title, body: markdown };
  }
  const body = stripUnsafe(new TextDecoder().decode(bytes));
  const [, heading] = /^#{1,2}[ \t]+(.{1,300})$/m.exec(body) ?? [];
  return { title: heading?.trim() ?? fileTitle(path), body };
}

function fileTitle(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(kinds, "");
}
