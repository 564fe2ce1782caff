import { readFile, realpath } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { isBelow } from "../../base/index.ts";

/** A tool whose code is spread over more files than this is known by the first of them. */
const mostModules = 200;

/** `from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`, `require("./x.cjs")`. One in a comment does no harm. */
const relativeImport = /\b(?:from|import|require)\b\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]{1,500})\1/g;

/**
 * The names and texts of modules and of everything of the workspace that they import, each once and in a fixed order:
 * what decides what their tools do. Packages have versions of their own and are left out.
 */
export async function moduleTexts(modules: readonly string[], root: string): Promise<string[]> {
  const paths = new Set(modules);
  const texts: string[] = [];
  // A module may be named by where it really is, or by a link.
  const roots = [root, await realpath(root).catch(() => root)];
  // A set that grows while it is gone through: what is found is looked into in turn.
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const from = roots.find((folder) => isBelow(path, folder)) ?? root;
    texts.push(relative(from, path).split(sep).join("/"), text);
    for (const found of importsIn(text, path)) if (paths.size < mostModules && isOwn(found, roots)) paths.add(found);
  }
  return texts;
}

/** The files that the text of a module imports by a relative path. */
export function importsIn(text: string, path: string): string[] {
  return [...text.matchAll(relativeImport)].map(([, , specifier = ""]) =>
    // A query makes another module of the same file.
    resolve(dirname(path), specifier.replace(/[?#].*$/, "")),
  );
}

function isOwn(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(path, root)) && !path.split(sep).includes("node_modules");
}
