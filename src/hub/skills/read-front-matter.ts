import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Problem, findFrontMatter } from "../../text/index.ts";
import { fileProblem } from "../tool-folder/read-text.ts";
import { systemErrorCode } from "../../base/index.ts";

/** The front matter of a file, read without the rest, or the reason why there is none. */
export type ReadFrontMatter =
  | {
      readonly problem?: undefined;
      /** From the first line to the second `---`. */
      readonly text: string;
      /** The YAML between them, on its lines. */
      readonly yaml: string;
      /** The file starts with a byte order mark, which is not part of the text. */
      readonly bom: boolean;
    }
  | { readonly problem: Problem };

/** Maximum size of a SKILL.md: a model could not read a larger one. */
export const maxSkillBytes = 1_048_576;

/** Most front matters fit into the first block; the following blocks grow, so that a long one takes few reads. */
const firstBlock = 1_024;

const maxFrontMatter = 65_536;

/** Reads a SKILL.md up to the block in which its front matter ends. Never throws, and never waits for a pipe. */
export async function readFrontMatter(path: string, name: string): Promise<ReadFrontMatter> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await readFrom(handle, name);
  } catch (error) {
    const code = systemErrorCode(error) ?? "unknown";
    return wrong(name, "not_readable", `the file cannot be read (${code})`);
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

async function readFrom(handle: FileHandle, name: string): Promise<ReadFrontMatter> {
  const stats = await handle.stat();
  if (!stats.isFile()) return wrong(name, "not_a_file", "SKILL.md is not a regular file");
  if (stats.size > maxSkillBytes) {
    return wrong(name, "too_large", `the file has ${stats.size} bytes, ${maxSkillBytes} are allowed`);
  }
  const { bytes, whole } = await readBlocks(handle);
  const bom = startsWithMark(bytes);
  const body = bom ? bytes.subarray(3) : bytes;
  // One character per byte: the offsets are those of the bytes.
  const found = findFrontMatter(body.toString("latin1"), { whole });
  if (found.kind !== "found") return { problem: missing(found.kind, name, whole) };
  const head = body.subarray(0, found.end);
  if (!isUtf8(head)) return wrong(name, "not_utf8", "the front matter is not UTF-8 text");
  const text = head.toString("utf8");
  const inText = findFrontMatter(text);
  return { text, yaml: inText.kind === "found" ? inText.yaml : "", bom };
}

async function readBlocks(handle: FileHandle): Promise<{ bytes: Buffer; whole: boolean }> {
  let bytes = Buffer.alloc(0);
  for (let size = firstBlock; bytes.length < maxFrontMatter; size = bytes.length) {
    const block = Buffer.alloc(Math.min(size, maxFrontMatter - bytes.length));
    const { bytesRead } = await handle.read(block, 0, block.length, bytes.length);
    bytes = Buffer.concat([bytes, block.subarray(0, bytesRead)]);
    if (bytesRead === 0) return { bytes, whole: true };
    const found = findFrontMatter((startsWithMark(bytes) ? bytes.subarray(3) : bytes).toString("latin1"), {
      whole: false,
    });
    if (found.kind === "found") return { bytes, whole: false };
    // If the first line is something else, there is no front matter; the rest is not read.
    if (found.kind === "none" && bytes.includes(0x0a)) return { bytes, whole: false };
  }
  return { bytes, whole: false };
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function missing(kind: "none" | "open", name: string, whole: boolean): Problem {
  if (kind === "none") {
    const message = "the file does not start with front matter: a line of ---, name and description, a line of ---";
    return fileProblem(name, "no_front_matter", message);
  }
  return whole
    ? fileProblem(name, "unclosed_front_matter", "the front matter has no end: a second line of --- is missing")
    : fileProblem(name, "front_matter_too_large", `the front matter has no end within ${maxFrontMatter} bytes`);
}

function wrong(name: string, code: string, message: string): ReadFrontMatter {
  return { problem: fileProblem(name, code, message) };
}
