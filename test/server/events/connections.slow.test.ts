import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createClient } from "../../../src/client.ts";
import { folderWith } from "../../support/workspace.ts";
import { adminToken } from "../serve-workspace.ts";
import { manySteps } from "./many-steps.ts";
import { freePort, kill, startServer } from "./server-process.ts";

const count = Number(process.env["WINDLASS_CONNECTIONS"] ?? 1_000);
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/** One connection, which only counts: thousands of them share this process. */
class Connection {
  isReady = false;
  readonly ids: string[] = [];
  readonly #url: string;
  #rest = "";

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves when the server has sent what there was before; retries while the token sends too many requests. */
  async open(): Promise<void> {
    while (!(await this.#attempt())) await pause(1_000);
  }

  #attempt(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${adminToken}` };
      get(this.#url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          resolve(false);
          return;
        }
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          this.#take(text);
          if (this.isReady) resolve(true);
        });
        response.on("error", () => {});
      }).on("error", reject);
    });
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.includes("event: ready")) this.isReady = true;
      else if (block.startsWith("id: ")) this.ids.push(block.slice(4, block.indexOf("\n")));
    }
  }
}

/** Resident memory of a process in MiB; 0 on other systems than Linux. */
function residentMb(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

test(`${count} connections to one server receive the same events [P03]`, { timeout: 900_000 }, async () => {
  const dir = await folderWith(manySteps);
  const port = await freePort();
  const server = await startServer(dir, port);
  const url = `http://127.0.0.1:${port}`;
  const connections = Array.from({ length: count }, () => new Connection(`${url}/v1/events?topics=runs`));
  const before = residentMb(server.pid);
  for (let from = 0; from < count; from += 200)
    await Promise.all(connections.slice(from, from + 200).map((each) => each.open()));
  const client = createClient({ url, token: adminToken });
  for (let run = 0; run < 5; run++) await client.runs.start("many", { count: 2 }, { waitMs: 50_000 });
  const expected = 5 * 3;
  while (connections.some(({ ids }) => ids.length < expected)) await pause(100);
  expect(new Set(connections.map(({ ids }) => ids.join(" "))).size).toBe(1);
  expect(new Set(connections[0]?.ids).size).toBe(expected);
  // A connection takes far less than its limit of 1 MiB.
  expect(residentMb(server.pid) - before).toBeLessThan(200 + count * 0.1);
  await kill(server);
  agent.destroy();
});
