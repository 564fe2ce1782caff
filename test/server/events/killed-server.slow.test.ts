import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openWorkspace } from "../../../src/app/index.ts";
import { createClient } from "../../../src/client.ts";
import { folderWith } from "../../support/workspace.ts";
import { adminToken } from "../serve-workspace.ts";
import { ReceivedRun, manySteps } from "./many-steps.ts";
import { freePort, kill, startServer } from "./server-process.ts";

test(
  "the server is killed and restarted while clients follow runs: no journaled event is lost or repeated [P03] [P08]",
  { timeout: 240_000 },
  async () => {
    const dir = await folderWith(manySteps);
    const port = await freePort();
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: adminToken, maxRetries: 100 });
    let server = await startServer(dir, port);
    const ids = ["one", "two", "three", "four"];
    for (const runId of ids) await client.runs.start("many", { count: 120, delay: 40 }, { runId });
    const received = ids.map(() => new ReceivedRun());
    const all = new ReceivedRun();
    const stop = new AbortController();
    let disconnects = 0;
    const following = ids.map(async (id, index) => {
      for await (const event of client.runs.follow(id, { onDisconnect: () => void disconnects++ }))
        received[index]?.take(event);
    });
    const watching = (async () => {
      for await (const event of client.events({ topics: ["runs"], signal: stop.signal })) all.take(event);
    })().catch(() => {});
    let kills = 0;
    const isOver = Promise.all(following).then(() => true);
    while (!(await Promise.race([isOver, pause(900 + 200 * (kills % 4), false)])) && kills < 6) {
      await kill(server);
      kills++;
      server = await startServer(dir, port);
    }
    await isOver;
    stop.abort();
    await watching;
    await kill(server);
    const workspace = await openWorkspace(dir, { reload: false });
    for (const [index, id] of ids.entries()) {
      const { run, events } = await workspace.runs.read(id);
      expect([id, run.status]).toEqual([id, "success"]);
      expect(received[index]?.seqs).toEqual(events.map(({ seq }) => seq));
      expect(received[index]?.isWhole(events.length)).toBe(true);
    }
    await workspace.close();
    expect(new Set(all.ids).size).toBe(all.ids.length);
    expect(kills).toBeGreaterThan(1);
    expect(disconnects).toBeGreaterThan(ids.length);
  },
);
