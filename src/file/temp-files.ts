import { readFileSync, readlinkSync } from "node:fs";
import { opendir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { nodeCrypto } from "../base/index.ts";
import { systemCode } from "./file-reasons.ts";
import type { Folder } from "./folder.ts";

/** Names of files that are being written: whose they are, and a part that no one can guess. */
const shape = /^\.windlass-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp$/;

/** A file of another machine's process is left over when nobody has touched it for this long. */
const foreignAgeMs = 86_400_000;

/** Those that this process is writing. */
const own = new Set<string>();

/** A name for a file that becomes another one when it is complete. */
export function tempName(): string {
  const name = `.windlass-${machine()}-${process.pid}-${nodeCrypto().randomBytes(8).toString("hex")}.tmp`;
  own.add(name);
  return name;
}

/** This process is done with the file. */
export function forgetTemp(name: string): void {
  own.delete(name);
}

/** Is this a file in the making? Lists leave those out. */
export function isTempName(name: string): boolean {
  return shape.test(name);
}

/** Removes what processes left behind that ended while they wrote here. */
export async function sweepTemps(folder: Folder, now: number): Promise<void> {
  for await (const { name } of await opendir(folder.base, { bufferSize: 256 })) {
    if (!name.startsWith(".windlass-")) continue;
    if (await isLeftOver(folder, name, now)) await unlink(folder.at(name)).catch(() => {});
  }
}

async function isLeftOver(folder: Folder, name: string, now: number): Promise<boolean> {
  const [, where, pid] = shape.exec(name) ?? [];
  if (where === undefined || pid === undefined || own.has(name)) return false;
  if (where === machine()) return Number(pid) === process.pid || !isAlive(Number(pid));
  const stats = await stat(folder.at(name)).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs > foreignAgeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

let machineName: string | undefined;

/** Where process ids mean the same: this boot of this machine, and this container on it. */
function machine(): string {
  machineName ??= nodeCrypto()
    .createHash("sha256")
    .update([hostname(), linuxFact(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))].join("\n"))
    .update(linuxFact(() => readlinkSync("/proc/self/ns/pid")))
    .digest("hex")
    .slice(0, 8);
  return machineName;
}

function linuxFact(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
