import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Position } from "../../text/index.ts";

interface Failed {
  readonly path: string;
  readonly source: string;
}

/** Where in a module its loading failed: as exactly as can be found out, else its first line. */
export async function errorPlace(error: unknown, { path, source }: Failed): Promise<Position> {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const place = placeInStack(stack, path) ?? placeOfName(error, source);
  if (place !== undefined) return place;
  const isSyntax = error instanceof Error && error.name === "SyntaxError";
  return (isSyntax ? await placeBySyntax(path) : undefined) ?? { line: 1, column: 1 };
}

function placeInStack(stack: string, path: string): Position | undefined {
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
function placeOfName(error: unknown, source: string): Position | undefined {
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

/** An import that fails over syntax does not say where; Node's own check does. */
async function placeBySyntax(path: string): Promise<Position | undefined> {
  try {
    await promisify(execFile)(process.execPath, ["--check", path], { timeout: 5_000 });
    return undefined;
  } catch (error) {
    const stderr = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "";
    const match = /:(\d+)\n(.*)\n( *)\^/.exec(stderr);
    return match ? { line: Number(match[1]), column: (match[3]?.length ?? 0) + 1 } : undefined;
  }
}
