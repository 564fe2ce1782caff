/** The version in the package's own package.json, regardless of where the bundle has put this module. */
export function windlassVersion(from: string = import.meta.url): string {
  for (let folder = new URL(".", from); ; folder = new URL("..", folder)) {
    const found = readPackage(new URL("package.json", folder));
    if (found?.name === "windlass") return found.version ?? "unknown";
    if (folder.href === new URL("..", folder).href) return "unknown";
  }
}

function readPackage(url: URL): { name?: string; version?: string } | undefined {
  try {
    // Not imported: importing node:fs loads all of it, and most commands do not need the version.
    const { readFileSync } = process.getBuiltinModule("node:fs");
    // A package.json is an object; any other value has neither key.
    return JSON.parse(readFileSync(url, "utf8")) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}
