import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { folderWith } from "../support/workspace.ts";
import { type CallBody, answerOf, call, files, notesIn, release } from "./call-workspace.ts";
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
  const result = await vi.waitFor(
    async () => {
      const again = await call(second, "note", "once", { key: "k1" });
      expect([again.status, answerOf(again)]).toEqual([200, "200"]);
      return again;
    },
    { timeout: 30_000, interval: 50 },
  );
  expect(result.body).toMatchObject({ success: true, output: { text: "once" } });
  expect((await call(second, "note", "once", { key: "k1" })).text).toBe(result.text);
  expect(await notesIn({ dir })).toEqual(["once"]);
  expect((await second.send("GET", "/v1/runs?kind=call")).body).toMatchObject({ items: [{ status: "success" }] });
});

test("a call that must happen once and was running when its server was killed has an unknown outcome, until a person decides [P05] [P11]", async () => {
  const dir = await folderWith(files);
  const first = await startServer(dir);
  const lost = tried(first, "rough", "go", "k1");
  await vi.waitFor(async () => expect(await notesIn({ dir })).toEqual(["go"]), { timeout: 10_000 });
  await first.kill();
  expect(await lost).toBeUndefined();

  const second = await startServer(dir);
  const unknown = await vi.waitFor(
    async () => {
      const again = await call(second, "rough", "go", { key: "k1" });
      expect(answerOf(again)).toBe("409 unknown_outcome");
      return again;
    },
    { timeout: 30_000, interval: 50 },
  );
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
  await vi.waitFor(async () => expect(await notesIn({ dir })).toEqual(["hold"]), { timeout: 10_000 });
  await first.kill();
  await lost;
  const second = await startServer(dir);
  await vi.waitFor(async () => expect(await notesIn({ dir })).toEqual(["hold", "hold"]), { timeout: 30_000 });
  expect(answerOf(await call(second, "hold", "go", { key: "k1" }))).toBe("409 conflict in_progress");
  await release({ dir }, "go");
  await vi.waitFor(async () => {
    expect(await call(second, "hold", "go", { key: "k1" })).toMatchObject({
      status: 200,
      body: { output: { text: "go" } },
    });
  });
});

test("while two servers are killed again and again, every key gets an answer, and its call is made once [P11]", async () => {
  const dir = await folderWith(files);
  const servers = await Promise.all([startServer(dir), startServer(dir)]);
  let isOver = false;
  const killing = (async () => {
    for (let round = 0; round < 4; round++) {
      await sleep(400);
      const at = round % 2;
      await servers[at]?.kill();
      servers[at] = await startServer(dir);
    }
    isOver = true;
  })();
  const keys: string[] = [];
  const answers = new Map<string, number>();
  /** Repeats a call at any server until it has an answer. A person decides what a killed server leaves open. */
  const callUntilAnswered = async (key: string, from: number): Promise<void> => {
    for (let attempt = from; ; attempt++) {
      const server = servers[attempt % 2];
      const answer = server === undefined ? undefined : await tried(server, "note", key, key);
      const what = answer === undefined ? noConnection : answerOf(answer);
      if (what === "409 unknown_outcome" && server !== undefined) {
        const { approval_id: approval = "" } = answer?.body as CallBody;
        const wasNoted = (await notesIn({ dir })).includes(key);
        const decision = wasNoted ? { decision: "done", output: { text: key } } : { decision: "approve" };
        await server.send("POST", `/v1/approvals/${approval}`, { body: decision }).catch(() => undefined);
      } else if (answer?.status === 200) {
        expect(answer.body).toMatchObject({ output: { text: key } });
        answers.set(key, (answers.get(key) ?? 0) + 1);
        return;
      } else if (what !== noConnection) expect(what).toMatch(/^409 conflict in_progress$|^503 /);
      await sleep(20);
    }
  };
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let count = 0; !isOver; count++) {
      const key = `key-${client}-${count}`;
      keys.push(key);
      // Two programs send the same request at the same time.
      await Promise.all([callUntilAnswered(key, 0), callUntilAnswered(key, 1)]);
    }
  });
  await Promise.all([killing, ...clients]);
  expect(keys.length).toBeGreaterThan(20);
  expect([...answers.values()].every((count) => count === 2)).toBe(true);
  expect((await notesIn({ dir })).toSorted()).toEqual(keys.toSorted());
}, 120_000);
