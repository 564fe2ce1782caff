import { readFile, stat } from "node:fs/promises";
import type { QuestionImage } from "../agent/index.ts";
import { formatBytes } from "./format-figures.ts";
import { UsageError } from "./usage-error.ts";

/** No model takes larger ones. */
const mostBytes = 20 * 1024 * 1024;

/** How the kinds of images begin that models take. */
const kinds: readonly (readonly [mimeType: string, begins: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))],
  ["image/webp", (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString("latin1", 0, 12))],
];

/** Reads images for a question. What they are is told by what is in them, not by their names. */
export function readImages(files: readonly string[]): Promise<QuestionImage[]> {
  return Promise.all(files.map(readImage));
}

async function readImage(file: string): Promise<QuestionImage> {
  const shown = JSON.stringify(file);
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`--image: there is no file ${shown}`);
  if (found.size > mostBytes) {
    throw new UsageError(`--image: ${shown} has ${formatBytes(found.size)}, and ${formatBytes(mostBytes)} is the most`);
  }
  const bytes = await readFile(file);
  const mimeType = kinds.find(([, begins]) => begins(bytes))?.[0];
  if (mimeType === undefined) throw new UsageError(`--image: ${shown} is no PNG, JPEG, GIF or WebP`);
  return { mimeType, data: bytes.toString("base64") };
}
