import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import type { Problem } from "../../text/index.ts";
import { systemErrorCode } from "../../base/index.ts";

/** The text of a file, or why there is none. */
export type FileText = { readonly source: string; readonly problem?: undefined } | { readonly problem: Problem };

/** Maximum size of a workspace file. */
const maxBytes = 4 * 1024 * 1024;

/** Reads a text file; `name` is its name in problems. Never throws. */
export async function readText({ path, name }: { readonly path: string; readonly name: string }): Promise<FileText> {
  const wrong = (code: string, message: string): FileText => ({ problem: fileProblem(name, code, message) });
  try {
    const bytes = await readFile(path);
    if (bytes.length > maxBytes)
      return wrong("too_large", `the file has ${bytes.length} bytes, ${maxBytes} are allowed`);
    return isUtf8(bytes) ? { source: bytes.toString("utf8") } : wrong("not_utf8", "the file is not UTF-8 text");
  } catch (error) {
    const code = systemErrorCode(error) ?? "unknown";
    return wrong("not_readable", `the file cannot be read (${code})`);
  }
}

/** A problem with a file as a whole. */
export function fileProblem(file: string, code: string, message: string): Problem {
  return { severity: "error", code, message, file, line: 1, column: 1 };
}
