import { readFile, readdir, statfs } from "node:fs/promises";
import { memoryFolders } from "./bubblewrap-arguments.ts";

/** Approximate kernel memory of a file or folder besides its content. */
const entryBytes = 1024;

/**
 * Returns the memory in use by the first process of a sandbox, its descendants, and their files in the memory folders.
 * Shared memory counts for each process; a process that ends while it is measured does not count.
 */
export async function memoryUse(first: number): Promise<number> {
  let bytes = await folderBytes(first);
  const waiting = [first];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [own, children] = await Promise.all([processBytes(next), childrenOf(next)]);
    bytes += own;
    waiting.push(...children);
  }
  return bytes;
}

/** Excludes the mapped program files, which the system shares. */
async function processBytes(pid: number): Promise<number> {
  const status = await read(`/proc/${pid}/status`);
  const kibibytes = status.matchAll(/^(?:RssAnon|RssShmem):\s*(\d+) kB$/gm);
  return kibibytes.reduce((sum, [, count]) => sum + Number(count) * 1024, 0);
}

async function folderBytes(pid: number): Promise<number> {
  const sizes = memoryFolders.map(async ({ path }) => {
    const stats = await statfs(`/proc/${pid}/root${path}`).catch(() => undefined);
    if (stats === undefined) return 0;
    return (stats.blocks - stats.bfree) * stats.bsize + (stats.files - stats.ffree) * entryBytes;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function read(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
