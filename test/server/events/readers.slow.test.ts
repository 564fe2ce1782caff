import { get } from "node:http";
import { expect, test } from "vitest";
import { createClient } from "../../../src/client.ts";
import { adminToken, serveWorkspace } from "../serve-workspace.ts";
import { ReceivedRun, manySteps } from "./many-steps.ts";

test(
  "500 readers over 50 runs get every event in order, and memory stays bounded [P03]",
  { timeout: 240_000 },
  async () => {
    const { url, workspace } = await serveWorkspace(manySteps);
    const client = createClient({ url, token: adminToken });
    const ids = Array.from({ length: 50 }, (_, index) => `run-${index}`);
    const before = process.memoryUsage();
    let maxBytes = 0;
    const measure = setInterval(() => {
      const { heapUsed, external } = process.memoryUsage();
      maxBytes = Math.max(maxBytes, heapUsed + external - before.heapUsed - before.external);
    }, 100);
    for (const runId of ids) await client.runs.start("many", { count: 20, size: 200 }, { runId });
    const readers = ids.flatMap((id) => Array.from({ length: 10 }, () => ({ id, received: new ReceivedRun() })));
    await Promise.all(
      readers.map(async ({ id, received }) => {
        for await (const event of client.runs.follow(id)) received.take(event);
      }),
    );
    clearInterval(measure);
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (await workspace.runs.read(id)).events.length);
    expect(Math.min(...counts.values())).toBe(41);
    const wrong = readers.filter(({ id, received }) => !received.isWhole(counts.get(id) ?? 0));
    expect(wrong).toEqual([]);
    expect(new Set(readers.map(({ received }) => received.ids.join())).size).toBe(50);
    expect(maxBytes).toBeLessThan(400 << 20);
  },
);

/** Reads the stream of a run until its connection ends; does not read at all while `paused`. */
function readRaw(url: string, paused: Promise<unknown>): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { authorization: `Bearer ${adminToken}` } }, (response) => {
      let text = "";
      const done = (): void => resolve({ text, isWhole: response.complete });
      response.pause();
      void paused.then(() => {
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (text += piece));
        response.on("error", done).on("end", done).on("close", done);
        response.resume();
      });
    });
    request.on("error", reject);
  });
}

test("a reader that stops reading is dropped, and catches up by its last id [P03]", { timeout: 240_000 }, async () => {
  const { url, workspace } = await serveWorkspace(manySteps);
  const client = createClient({ url, token: adminToken });
  const { run_id: id } = await client.runs.start("many", { count: 600, size: 60_000, delay: 5 });
  const settled = workspace.runs.settled(id);
  const { text, isWhole } = await readRaw(`${url}/v1/events?topics=run:${id}`, settled);
  const { events } = await workspace.runs.read(id);
  expect(isWhole).toBe(false);
  // Only whole events count.
  const blocks = text.split("\n\n").slice(0, -1);
  const ids = blocks.flatMap((block) => /^id: (.*)$/m.exec(block)?.[1] ?? []);
  const seqs = blocks.flatMap((block) => /^data: .*"seq":(\d+)/m.exec(block)?.[1] ?? []).map(Number);
  expect(seqs.length).toBeGreaterThan(0);
  expect(seqs.length).toBeLessThan(events.length);
  const rest = new ReceivedRun();
  for await (const event of client.runs.follow(id, { after: ids.at(-1) })) rest.take(event);
  expect([...seqs, ...rest.seqs]).toEqual(events.map(({ seq }) => seq));
  expect(rest.statuses.at(-1)).toBe("success");
  expect(rest.ids.filter((each) => ids.includes(each))).toEqual([]);
});
