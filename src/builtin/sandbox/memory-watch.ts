import { readFile, readdir } from "node:fs/promises";
import type { Clock, Timer } from "../../base/index.ts";

/** Between two looks. */
const everyMs = 100;

/** How much is in use is counted in these. */
const pageBytes = 4096;

/** Watches how much memory a process and all below it use together; each alone is held by its own limit. */
export class MemoryWatch {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #exceeded: () => void;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(maxBytes: number, exceeded: () => void, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#exceeded = exceeded;
    this.#clock = clock;
  }

  start(pid: number): void {
    if (this.#stopped) return;
    this.#timer = this.#clock.after(everyMs, () => {
      void this.#look(pid);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(pid: number): Promise<void> {
    const bytes = await memoryBelow(pid);
    if (this.#stopped) return;
    if (bytes > this.#maxBytes) this.#exceeded();
    else this.start(pid);
  }
}

/** Memory that a process and its descendants have in use; what ends meanwhile does not count. */
async function memoryBelow(pid: number): Promise<number> {
  let bytes = 0;
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [pages, children] = await Promise.all([privatePages(next), childrenOf(next)]);
    bytes += pages * pageBytes;
    waiting.push(...children);
  }
  return bytes;
}

/** Without what it shares with others, such as the text of its program. */
async function privatePages(pid: number): Promise<number> {
  const [, resident = 0, shared = 0] = (await read(`/proc/${pid}/statm`)).split(" ").map(Number);
  return resident - shared;
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function read(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
