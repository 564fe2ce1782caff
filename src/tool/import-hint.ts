import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInsideFolder } from "../base/index.ts";

/** Packages that only describe inputs; a workspace works without them. */
const schemaPackages: ReadonlySet<string> = new Set(["zod", "valibot", "arktype"]);

/** Messages of Node for the syntax of ES modules in a file that it reads as CommonJS. */
const esSyntax =
  /^(?:Unexpected token 'export'|Cannot use import statement outside a module|Cannot use 'import\.meta')/;

/** The module that could not be imported, and its workspace. */
export interface FailedModule {
  readonly path: string;
  readonly root: string;
}

/** Advice for an import that failed because of a missing package or the type of a package; else undefined. */
export function importHint(error: unknown, module: FailedModule): string | undefined {
  const message = error instanceof Error ? error.message : "";
  if (esSyntax.test(message)) return moduleTypeHint(module);
  const name = /^Cannot find package '([^']+)'/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const install = `npm install ${name}`;
  return schemaPackages.has(name)
    ? `${install} in the workspace, or write the schema as plain JSON Schema, which needs no package`
    : `${install} in the workspace`;
}

/** The package of a workspace decides whether Node reads `.ts` and `.js` files as ES modules. */
function moduleTypeHint({ path, root }: FailedModule): string | undefined {
  const renamed = basename(path).replace(/\.([jt]s)$/, ".m$1");
  if (renamed === basename(path)) return undefined;
  const own = nearestPackage(dirname(path));
  const file = own === undefined ? undefined : relative(root, own.path).split(sep).join("/");
  const set =
    file === undefined || own === undefined || !isInsideFolder(own.path, root)
      ? 'create a package.json with { "type": "module" } in the workspace'
      : `set "type": "module" in ${file}`;
  return `Node reads it as CommonJS; ${set}, or rename the file to ${renamed}`;
}

/** The nearest package.json of a folder or its parents, with its `type`; undefined if there is none. */
export function nearestPackage(folder: string): { readonly path: string; readonly type: unknown } | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    const path = join(dir, "package.json");
    try {
      const json: unknown = JSON.parse(readFileSync(path, "utf8"));
      return { path, type: typeof json === "object" && json !== null && "type" in json ? json.type : undefined };
    } catch (error) {
      // Node stops at a file that it cannot parse, too.
      if (error instanceof SyntaxError) return { path, type: undefined };
    }
    if (dir === dirname(dir)) return undefined;
  }
}
