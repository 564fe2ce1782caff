import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { FailureError, replaceFile, errorMessage } from "../../base/index.ts";
import { configFiles } from "./mcp-names.ts";
import { type ServerEntryJson, addServer, removeServer } from "./edit-config.ts";
import { readConfigText } from "./config-file.ts";

/** Adds a server to `mcp.json` of a workspace, which is created if there is none. */
export function addServerToConfig(dir: string, name: string, entry: ServerEntryJson): void {
  const file = join(dir, configFiles[0]);
  write(file, addServer(readExistingConfig(file), name, entry));
}

/** True if a file of a workspace has an entry of this name, also an incomplete one, or cannot be read. */
export function hasServerEntry(dir: string, name: string): boolean {
  return configFiles.some((each) => {
    try {
      const text = readExistingConfig(join(dir, each));
      return text !== undefined && removeServer(text, name) !== undefined;
    } catch {
      return true;
    }
  });
}

/** Removes a server from the files of a workspace; returns the names of the changed files. */
export function deleteServer(dir: string, name: string): readonly string[] {
  return configFiles.filter((each) => {
    const file = join(dir, each);
    const text = readExistingConfig(file);
    const without = text === undefined ? undefined : removeServer(text, name);
    if (without !== undefined) write(file, without);
    return without !== undefined;
  });
}

function readExistingConfig(file: string): string | undefined {
  try {
    return readConfigText(file);
  } catch (error) {
    throw new FailureError(`${basename(file)} cannot be read: ${errorMessage(error)}`, {
      code: "file_invalid",
      cause: error,
    });
  }
}

/**
 * Writes atomically and preserves the permissions of the file: it may contain keys. A link still points to the file
 * afterwards.
 */
function write(path: string, text: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw new FailureError(`${basename(path)} is a link that leads to nothing`, { code: "file_invalid" });
  const file = mode === undefined ? path : realpathSync(path);
  replaceFile(file, text, mode === undefined ? 0o644 : mode & 0o777);
}
