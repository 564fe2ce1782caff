import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { folderWith } from "../support/workspace.ts";
import { type CallBody, answerOf, call, eventually, files, notesIn, release } from "./call-workspace.ts";
import type { Received } from "./serve-workspace.ts";
import { type ServerProcess, killPoints, startServer } from "./server-process.ts";

const noConnection = "no connection";

/** The response to a call, or undefined if the server has died. */
async function tried(server: ServerProcess, tool: string, text: string, key: string): Promise<Received | undefined> {
  try {
    return await call(server, tool, text, { key });
  } catch {
    return undefined;
  }
}

test.each(killPoints)("a server that is killed %s makes the call of a key once [P11]", async (point) => {
  const dir = await folderWith(files);
  const first = await startServer(dir, point);
  expect(await tried(first, "note", "once", "k1")).toBeUndefined();
  const second = await startServer(dir);
  const result = await eventually(async () => {
    const again = await call(second, "note", "once", { key: "k1" });
    expect([again.status, answerOf(again)]).toEqual([200, "200"]);
    return again;
  });
  expect(result.body).toMatchObject({ success: true, output: { text: "once" } });
  expect((await call(second, "note", "once", { key: "k1" })).text).toBe(result.text);
  expect(await notesIn({ dir })).toEqual(["once"]);
  expect((await second.send("GET", "/v1/runs?kind=call")).body).toMatchObject({ items: [{ status: "success" }] });
});

test("a call that must happen once and was running when its server was killed has an unknown outcome, until a person decides [P05] [P11]", async () => {
  const dir = await folderWith(files);
  const first = await startServer(dir);
  const lost = tried(first, "rough", "go", "k1");
  await eventually(async () => expect(await notesIn({ dir })).toEqual(["go"]));
  await first.kill();
  expect(await lost).toBeUndefined();

  const second = await startServer(dir);
  const unknown = await eventually(async () => {
    const again = await call(second, "rough", "go", { key: "k1" });
    expect(answerOf(again)).toBe("409 unknown_outcome");
    return again;
  });
  const { approval_id: approval = "", run_id: id } = unknown.body as CallBody;
  expect(answerOf(await call(second, "rough", "gone", { key: "k1" }))).toBe("422 idempotency_mismatch");
  const decision = { decision: "done", output: { text: "it was done" } };
  expect(await second.send("POST", `/v1/approvals/${approval}`, { body: decision })).toMatchObject({ status: 200 });
  await second.send("GET", `/v1/calls/${id}`, { headers: { prefer: "wait=30" } });
  const result = await call(second, "rough", "go", { key: "k1" });
  expect(result).toMatchObject({ status: 200, body: { output: { text: "it was done" } } });
  expect(await notesIn({ dir })).toEqual(["go"]);
});

test("a call that may be repeated continues after its server was killed, and its key gets the result [P11]", async () => {
  const dir = await folderWith(files);
  const first = await startServer(dir);
  const lost = tried(first, "hold", "go", "k1");
  await eventually(async () => expect(await notesIn({ dir })).toEqual(["hold"]));
  await first.kill();
  await lost;
  const second = await startServer(dir);
  await eventually(async () => expect(await notesIn({ dir })).toEqual(["hold", "hold"]));
  expect(answerOf(await call(second, "hold", "go", { key: "k1" }))).toBe("409 conflict in_progress");
  await release({ dir }, "go");
  await eventually(async () => {
    expect(await call(second, "hold", "go", { key: "k1" })).toMatchObject({
      status: 200,
      body: { output: { text: "go" } },
    });
  });
});

/** Decides about a call with an unknown outcome, as a person who looks whether its work was done. */
async function decideUnknown(server: ServerProcess, dir: string, { body }: Received, key: string): Promise<void> {
  const { approval_id: approval = "" } = body as CallBody;
  const wasDone = (await notesIn({ dir })).includes(key);
  const decision = wasDone ? { decision: "done", output: { text: key } } : { decision: "approve" };
  await server.send("POST", `/v1/approvals/${approval}`, { body: decision }).catch(() => undefined);
}

/** Repeats a call at any of the servers until it succeeds; returns the other answers. */
async function callUntilDone(
  { servers, dir, from }: { readonly servers: readonly ServerProcess[]; readonly dir: string; readonly from: number },
  key: string,
): Promise<readonly unknown[]> {
  const others: unknown[] = [];
  for (let attempt = from; ; attempt++) {
    const server = servers[attempt % 2] as ServerProcess;
    const answer = await tried(server, "note", key, key);
    if (answer?.status === 200) return others;
    const what = answer === undefined ? noConnection : answerOf(answer);
    others.push(what);
    if (answer !== undefined && what === "409 unknown_outcome") await decideUnknown(server, dir, answer, key);
    await sleep(20);
  }
}

test("while two servers are killed again and again, every key gets an answer, and its call is made once [P11]", async () => {
  const dir = await folderWith(files);
  const servers = await Promise.all([startServer(dir), startServer(dir)]);
  const over = new AbortController();
  const killing = (async () => {
    for (let round = 0; round < 4; round++) {
      await sleep(400);
      await servers[round % 2]?.kill();
      servers[round % 2] = await startServer(dir);
    }
    over.abort();
  })();
  const keys: string[] = [];
  const others = new Set<unknown>();
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const key = `key-${client}-${count}`;
      keys.push(key);
      // Two programs send the same request at the same time.
      const answers = await Promise.all([0, 1].map((from) => callUntilDone({ servers, dir, from }, key)));
      for (const answer of answers.flat()) others.add(answer);
    }
  });
  await Promise.all([killing, ...clients]);
  expect(keys.length).toBeGreaterThan(20);
  expect((await notesIn({ dir })).toSorted()).toEqual(keys.toSorted());
  const expected = new Set<unknown>([noConnection, "409 conflict in_progress", "409 unknown_outcome"]);
  expect([...others].filter((answer) => !expected.has(answer))).toEqual([]);
}, 120_000);
