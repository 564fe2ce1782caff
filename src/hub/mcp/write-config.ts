import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeCrypto } from "../../base/index.ts";
import { configFiles } from "./has-mcp-config.ts";
import { type ServerEntryJson, addServer, removeServer } from "./edit-config.ts";

/** Writes one more server into `mcp.json` of a workspace, which is made where there is none. */
export function writeServer(dir: string, name: string, entry: ServerEntryJson): void {
  const file = join(dir, configFiles[0]);
  write(file, addServer(textOf(file), name, entry));
}

/** Takes a server out of the files of a workspace; gives the names of those that had it. */
export function eraseServer(dir: string, name: string): readonly string[] {
  return configFiles.filter((each) => {
    const file = join(dir, each);
    const text = textOf(file);
    const without = text === undefined ? undefined : removeServer(text, name);
    if (without !== undefined) write(file, without);
    return without !== undefined;
  });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whole or not at all, with the rights that the file had: it may hold keys. */
function write(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const temporary = `${file}.${process.pid}-${nodeCrypto().randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
    chmodSync(temporary, mode === undefined ? 0o644 : mode & 0o777);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
