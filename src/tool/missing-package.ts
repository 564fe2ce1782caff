/** Describe what a tool takes; a workspace can do without them. */
const schemaPackages: ReadonlySet<string> = new Set(["zod", "valibot", "arktype"]);

/** What to do where a module needs a package that is not installed; undefined for every other failure to load one. */
export function missingPackageHint(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : "";
  const name = /^Cannot find package '([^']+)'/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const install = `npm install ${name}`;
  return schemaPackages.has(name)
    ? `${install} in the workspace, or write the schema as plain JSON Schema, which needs no package`
    : `${install} in the workspace`;
}
