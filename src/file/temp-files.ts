import { readFileSync, readlinkSync } from "node:fs";
import { opendir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { nodeCrypto, orElse, processExists } from "../base/index.ts";
import type { Folder } from "./folder.ts";

/** Names of files that are being written: their machine and process, and a random part that cannot be guessed. */
const shape = /^\.windlass-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp$/;

/** Age after which an untouched file of another machine's process counts as abandoned. */
const foreignAgeMs = 86_400_000;

/** Those that this process is writing. */
const ownTempFiles = new Set<string>();

/** A name for a file that becomes another one when it is complete. */
export function tempName(): string {
  const name = `.windlass-${machine()}-${process.pid}-${nodeCrypto().randomBytes(8).toString("hex")}.tmp`;
  ownTempFiles.add(name);
  return name;
}

/** This process is done with the file. */
export function forgetTemp(name: string): void {
  ownTempFiles.delete(name);
}

/** True if this is a temporary file of an unfinished write. Lists omit those. */
export function isTempName(name: string): boolean {
  return shape.test(name);
}

/** Removes temporary files of processes that ended while they wrote here. */
export async function sweepTemps(folder: Folder, now: number): Promise<void> {
  for await (const { name } of await opendir(folder.base, { bufferSize: 256 })) {
    if (!name.startsWith(".windlass-")) continue;
    if (await isOrphanedTempFile(folder, name, now)) await unlink(folder.at(name)).catch(() => {});
  }
}

async function isOrphanedTempFile(folder: Folder, name: string, now: number): Promise<boolean> {
  const [, where, pid] = shape.exec(name) ?? [];
  if (where === undefined || pid === undefined || ownTempFiles.has(name)) return false;
  if (where === machine()) return Number(pid) === process.pid || !processExists(Number(pid));
  const stats = await stat(folder.at(name)).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs > foreignAgeMs;
}

let machineName: string | undefined;

/** Scope in which process ids are unique: this boot of this machine, and this container on it. */
function machine(): string {
  machineName ??= nodeCrypto()
    .createHash("sha256")
    .update([hostname(), orElse(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), "")].join("\n"))
    .update(orElse(() => readlinkSync("/proc/self/ns/pid"), ""))
    .digest("hex")
    .slice(0, 8);
  return machineName;
}
