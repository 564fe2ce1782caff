import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { SourceRange } from "../../text/index.ts";

/** Position in a module at which its loading failed: as exact as possible, else its first line. */
export async function locateLoadError(
  error: unknown,
  { path, source }: { readonly path: string; readonly source: string },
): Promise<SourceRange> {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const position = positionInStack(stack, path) ?? positionOfName(error, source);
  if (position !== undefined) return position;
  const isSyntax = error instanceof Error && error.name === "SyntaxError";
  return (isSyntax ? await positionOfSyntaxError(path) : undefined) ?? { line: 1, column: 1 };
}

function positionInStack(stack: string, path: string): SourceRange | undefined {
  const { href } = pathToFileURL(path);
  for (const line of stack.split("\n")) {
    const name = [href, path].find((text) => line.includes(text));
    if (name === undefined) continue;
    const rest = line.slice(line.indexOf(name) + name.length);
    const match = /^(?:\?[^:\s]*)?:(\d+)(?::(\d+))?/.exec(rest);
    if (match) return { line: Number(match[1]), column: Number(match[2] ?? 1) };
  }
  return undefined;
}

/** A module or a name that was not found is quoted in the message and written in the source. */
function positionOfName(error: unknown, source: string): SourceRange | undefined {
  const message = error instanceof Error ? error.message : "";
  for (const [, quoted = ""] of message.matchAll(/'([^'\n]{1,300})'/g)) {
    const name = quoted.split(/[/\\]/).at(-1) ?? "";
    const at = name.length < 2 || !/Cannot find|does not provide/.test(message) ? -1 : source.indexOf(name);
    if (at === -1) continue;
    const before = source.slice(0, at).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, length: name.length };
  }
  return undefined;
}

/** An import that fails with a syntax error does not report the position; Node's own check does. */
async function positionOfSyntaxError(path: string): Promise<SourceRange | undefined> {
  try {
    await promisify(execFile)(process.execPath, ["--check", path], { timeout: 5_000 });
    return undefined;
  } catch (error) {
    const stderr = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "";
    const match = /:(\d+)\n(.*)\n( *)\^/.exec(stderr);
    return match ? { line: Number(match[1]), column: (match[3]?.length ?? 0) + 1 } : undefined;
  }
}
