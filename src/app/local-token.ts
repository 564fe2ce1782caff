import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDataFolder, isOwnDataFolder, nodeCrypto, replaceFile, systemErrorCode } from "../base/index.ts";

/** 32 random bytes. */
const format = /^wlt_local_[\w-]{43}$/;

/**
 * The token with which programs of this user reach a server on this machine: `.windlass/token`, created when a server
 * starts for the first time, readable by this user only. A file that others could read or have written is replaced; a data
 * folder of someone else stays unchanged, and the token is then valid for this process only.
 */
export function localToken(dir: string): string {
  const data = join(dir, ".windlass");
  const created = `wlt_local_${nodeCrypto().randomBytes(32).toString("base64url")}`;
  if (!isOwnDataFolder(data)) return created;
  const known = readLocalToken(dir);
  if (known !== undefined) return known;
  createDataFolder(data);
  return firstOf(join(data, "token"), created) ?? readLocalToken(dir) ?? replaced(join(data, "token"), created);
}

/** The local token of a workspace; undefined if there is none, or one that others could read or have written. */
export function readLocalToken(dir: string): string | undefined {
  const data = join(dir, ".windlass");
  const file = join(data, "token");
  try {
    const { mode, uid } = lstatSync(file);
    const isPrivate = (mode & 0o170_077) === 0o100_000 && uid === (process.getuid?.() ?? uid);
    const text = isPrivate && isOwnDataFolder(data) ? readFileSync(file, "utf8").trim() : "";
    return format.test(text) ? text : undefined;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Creates the file with its content at once; undefined if it exists, as when two servers start at the same time. */
function firstOf(file: string, token: string): string | undefined {
  const temporary = `${file}.${nodeCrypto().randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, `${token}\n`, { mode: 0o600, flag: "wx" });
    linkSync(temporary, file);
    return token;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return undefined;
    // Not every file system has links.
    return replaced(file, token);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function replaced(file: string, token: string): string {
  replaceFile(file, `${token}\n`);
  return token;
}
