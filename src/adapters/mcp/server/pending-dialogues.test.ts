import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { ClientLink } from "./client-link.ts";
import { PendingDialogues } from "./dialogue.ts";
import { type InputRequiredResult, type ServerContext, loadServerSdk } from "./sdk.ts";

const request = { method: "roots/list" } as const;
const sdk = await loadServerSdk();

/** One request of a client, as the protocol's SDK passes it on. */
function round(more: { state?: unknown; answers?: Record<string, unknown>; signal?: AbortSignal } = {}): ServerContext {
  const { state, answers, signal = new AbortController().signal } = more;
  const mcpReq = {
    requestState: () => state,
    inputResponses: answers,
    signal,
    notify: async () => {},
    log: async () => {},
  };
  return { mcpReq } as unknown as ServerContext;
}

function setup(options: { maxDialogues?: number; ttlMs?: number } = {}) {
  const clock = new FakeClock();
  const held = new PendingDialogues({ sdk, clock, ...options });
  const seen = { runs: 0, aborted: 0 };
  const work = async (link: ClientLink, signal: AbortSignal) => {
    seen.runs++;
    signal.addEventListener("abort", () => seen.aborted++);
    const first = await link.request(request, { key: "a" });
    const both = await Promise.all([link.request(request, { key: "a" }), link.request(request, { key: "b" })]);
    return { answers: [first, ...both] };
  };
  const go = (context: ServerContext, subject: readonly unknown[] = ["t"]) =>
    held.round({ context, subject, capabilities: {}, work }) as Promise<InputRequiredResult & { text?: unknown[] }>;
  return { clock, held, seen, go };
}

test("work starts once, requests input in rounds, and continues where it stopped", async () => {
  const { held, seen, go } = setup();
  const first = await go(round());
  expect(first).toEqual({
    resultType: "input_required",
    inputRequests: { a: request },
    requestState: expect.any(String) as string,
  });
  const second = await go(round({ state: first.requestState, answers: { a: { n: 1 }, x: {} } }));
  expect(Object.keys(second.inputRequests ?? {})).toEqual(["a_2", "b"]);
  expect(second.requestState).not.toBe(first.requestState);
  const answers = { a_2: { n: 2 }, b: { n: 3 } };
  expect(await go(round({ state: second.requestState, answers }))).toEqual({ answers: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  expect(seen).toEqual({ runs: 1, aborted: 0 });
  expect(held.size).toBe(0);
});

test("an unanswered input request is sent again", async () => {
  const { go } = setup();
  const first = await go(round());
  for (const answers of [undefined, {}, { a: 1 }, { a: null }, { a: [] }]) {
    const again = await go(round({ state: first.requestState, ...(answers && { answers }) }));
    expect(again.inputRequests).toEqual({ a: request });
    first.requestState = again.requestState as string;
  }
});

test.each([
  ["made up", "x"],
  ["no text", 1],
])("a state that is %s is refused", async (_what, state) => {
  const { go, seen } = setup();
  await expect(go(round({ state }))).rejects.toMatchObject({ code: -32_602 });
  expect(seen.runs).toBe(0);
});

test("a state is valid for one round, and only for its own request", async () => {
  const { go } = setup();
  const { requestState: state } = await go(round());
  await expect(go(round({ state: `${state}x` }))).rejects.toThrow(/requestState/);
  await expect(go(round({ state }), ["other"])).rejects.toThrow(/requestState/);
  await go(round({ state, answers: { a: {} } }));
  await expect(go(round({ state, answers: { a: {} } }))).rejects.toThrow(/requestState/);
});

test("the work of a client that does not return is aborted", async () => {
  const { clock, go, seen, held } = setup({ ttlMs: 1000 });
  const { requestState: state } = await go(round());
  await clock.pass(1000);
  expect([seen.aborted, held.size]).toEqual([1, 0]);
  await expect(go(round({ state }))).rejects.toThrow(/requestState/);
});

test("the number of dialogues is limited: the oldest is aborted", async () => {
  const { go, seen, held } = setup({ maxDialogues: 2 });
  const states = [];
  for (let n = 0; n < 5; n++) states.push((await go(round())).requestState);
  expect([held.size, seen.aborted]).toEqual([2, 3]);
  expect(await go(round({ state: states[4], answers: { a: {} } }))).toHaveProperty("inputRequests");
  held.close();
  expect(seen.aborted).toBe(5);
});

test("a request that is cancelled takes its work with it", async () => {
  const { held, seen } = setup();
  const stop = new AbortController();
  const ended = held.round({
    context: round({ signal: stop.signal }),
    subject: [],
    capabilities: {},
    work: (_link, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ ended: true }));
        seen.runs++;
      }),
  });
  stop.abort();
  expect(await ended).toEqual({ ended: true });
});

test("a withdrawn input request is not sent", async () => {
  const { held } = setup();
  const withdrawn = AbortSignal.abort();
  const result = await held.round({
    context: round(),
    subject: [],
    capabilities: {},
    work: async (link) => {
      const stop = new AbortController();
      const answer = link.request(request, { key: "a", signal: stop.signal });
      stop.abort();
      return { answer: await answer, late: await link.request(request, { key: "b", signal: withdrawn }) };
    },
  });
  expect(result).toEqual({ answer: undefined, late: undefined });
});
