import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { isFinished } from "../../src/store/index.ts";
import { triggerFolder } from "./trigger-servers.ts";

/** A program that serves a workspace, without an end. */
const program = `
import { openWorkspace } from ${JSON.stringify(new URL("../../src/app/index.ts", import.meta.url).href)};
import { createServer } from ${JSON.stringify(new URL("../../src/server/index.ts", import.meta.url).href)};
const workspace = await openWorkspace(process.argv[1], { reload: false });
await createServer(workspace).listen(0);
console.log("listening");
`;

async function startServer(dir: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout ?? child, "data");
  return child;
}

test(
  "of two servers that are killed again and again, each second of a schedule runs once [P09]",
  { timeout: 300_000 },
  async () => {
    const dir = await triggerFolder({
      "chains/tick.yaml": `name: tick
input: { text: string }
on:
  - { id: tick, schedule: "* * * * * *", timezone: UTC, missed: all, overlap: parallel, input: { text: "\${event.time}" } }
steps:
  - { id: say, tool: calculator, params: { expression: "1+1" } }
output: "\${input.text}"
`,
    });
    const servers = await Promise.all([startServer(dir), startServer(dir)]);
    for (let kill = 0; kill < 6; kill++) {
      await setTimeout(700 + ((kill * 937) % 1_500));
      const [killed] = servers.splice(kill % 2, 1);
      const ended = killed && once(killed, "exit");
      killed?.kill("SIGKILL");
      await ended;
      servers.push(await startServer(dir));
    }
    await setTimeout(2_000);
    for (const server of servers) server.kill("SIGKILL");
    for (const server of servers)
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");

    const workspace = await openWorkspace(dir, { reload: false });
    const stop = new AbortController();
    const serving = workspace.runs.serve({ signal: stop.signal });
    try {
      // Firings that were stored and not started yet are started; nothing new fires.
      await expect
        .poll(async () => (await workspace.runs.list({ limit: 1_000 })).every(({ status }) => isFinished(status)), {
          timeout: 60_000,
        })
        .toBe(true);
      const runs = await workspace.runs.list({ limit: 1_000 });
      const times = runs.map(({ id }) => id.replace("tick-", "")).toSorted();
      const open = (await workspace.store?.triggers.open("tick")) ?? [];
      const all = [...new Set([...times, ...open.map(({ key }) => key)])].toSorted();
      const seconds = all.map(
        (key) => Date.parse(key.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, "$1-$2-$3T$4:$5:$6Z")) / 1_000,
      );
      expect(seconds.length).toBeGreaterThan(8);
      // No gap and nothing twice.
      expect(seconds).toEqual(seconds.map((_, index) => (seconds[0] ?? 0) + index));
      expect(runs.filter(({ status }) => status !== "success")).toEqual([]);
      expect(new Set(runs.map(({ output }) => output)).size).toBe(runs.length);
    } finally {
      stop.abort();
      await serving;
      await workspace.close();
    }
  },
);
