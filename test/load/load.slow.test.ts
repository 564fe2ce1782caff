import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isRecord, listOf } from "../../src/schema/index.ts";
import { seeded } from "../crash/runs/seeded.ts";
import { type ServedProcess, serveAsProcess } from "../support/served-process.ts";
import { LoadClients } from "./load-clients.ts";
import { effectsIn, files } from "./workload.ts";

/** `npm run soak -- load` sets another seed for each round. */
const seed = Number(process.env["WINDLASS_SEED"] ?? 1);
const loadMs = 60_000;
const drainMs = 90_000;
const clients = 8;

/** Kills the server every few seconds, and starts it again, until both the time and the work are enough. */
async function killForever(
  served: ServedProcess,
  load: LoadClients,
  random: ReturnType<typeof seeded>,
): Promise<number> {
  const until = Date.now() + loadMs;
  for (let kills = 0; ; kills++) {
    // On a busy machine the same work takes longer.
    const isEnough = kills >= 6 && Math.min(load.runs.size, load.paid.length) > 20;
    if (isEnough && Date.now() > until) return kills;
    await pause(1_500 + random.upTo(3_500));
    await served.kill();
    await served.start();
  }
}

/** Waits until no run is open. Returns those that are. */
async function openRuns({ requests }: LoadClients): Promise<unknown[]> {
  const until = Date.now() + drainMs;
  for (;;) {
    const open: unknown[] = [];
    for (const status of ["running", "waiting", "interrupted"]) {
      const answer = await requests.send("GET", `/v1/runs?status=${status}&limit=200`);
      open.push(...(answer === "lost" ? ["unknown"] : listOf(answer.body["items"])));
    }
    if (open.length === 0 || Date.now() > until) return open;
    await pause(200);
  }
}

function doubled(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.has(id) || !seen.add(id));
}

test("under load, while the server is killed every few seconds, no run is lost, no once effect is doubled, and a key runs once [P11]", async () => {
  const served = await serveAsProcess(files);
  const load = new LoadClients(served, seeded(seed));
  const deciding = new AbortController();
  const others = [load.decide(deciding.signal), load.watch()];
  const working = load.work(clients);
  const kills = await killForever(served, load, seeded(seed + 1));
  load.stop();
  await working;
  expect(await openRuns(load)).toEqual([]);
  // Of the last run, too.
  await expect
    .poll(() => [...load.runs.keys()].filter((id) => !load.endedRuns.has(id)), { timeout: 20_000 })
    .toEqual([]);
  deciding.abort();
  load.stopWatching();
  await Promise.all(others);

  const { answered, refused, lost } = load.requests.counts;
  console.log(
    `${kills} kills; ${answered} answered, ${refused} refused, ${lost} lost; ${load.runs.size} runs, ${load.paid.length} keys`,
  );
  expect(load.requests.unclean).toEqual([]);
  expect(load.wrong).toEqual([]);
  const once = await effectsIn(served.dir, "once");
  expect(doubled(once)).toEqual([]);
  const ofRuns = [...load.runs].flatMap(([id, chain]) => {
    const own = id.replace("run-", "");
    return chain === "order" ? [`${own}/pay`, `${own}/send`] : [`${own}/pay`];
  });
  expect(once.toSorted()).toEqual([...load.paid, ...ofRuns].toSorted());
  const notSuccessful: unknown[] = [];
  // One after the other: a token has a limited number of requests at the same time.
  for (const id of load.runs.keys()) {
    const answer = await load.requests.send("GET", `/v1/runs/${id}`);
    const isSuccess = isRecord(answer) && isRecord(answer.body) && answer.body["status"] === "success";
    if (!isSuccess) notSuccessful.push([id, answer]);
  }
  expect(notSuccessful).toEqual([]);
  expect([...load.runs.keys()].filter((id) => load.endedRuns.get(id) !== "success")).toEqual([]);
  expect([doubled(load.events), load.resets]).toEqual([[], 0]);
}, 300_000);
