import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { createEngine } from "../../engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import { DurableCalls } from "./durable-calls.ts";
import { RunService } from "./run-service.ts";

/** Durable calls of `note`, which another process than the one that submitted them makes. */
function machine(secrets: Readonly<Record<string, string>> = {}) {
  const approvals = createInMemoryApprovals();
  const journal = createInMemoryRunJournal({ approvals });
  const received: unknown[] = [];
  const open = () => {
    const tool = sampleTool((args) => received.push(args), { name: "note", effect: "once", input: { type: "object" } });
    const engine = createEngine({ tools: [tool], secrets });
    return new DurableCalls({ engine, service: new RunService({ journal, approvals, secrets: engine }) });
  };
  const [client, worker] = [open(), open()];
  /** Returns the arguments that the tool receives of a call that is started, and of one that is submitted. */
  const pass = async (args: unknown): Promise<unknown[]> => {
    received.length = 0;
    const started = await client.start("note", args);
    const { runId } = await client.submit("note", args);
    const submitted = await worker.resume(runId);
    expect([started.status, submitted.status]).toEqual(["success", "success"]);
    return received;
  };
  return { client, journal, pass };
}

describe("[N12] the arguments of a durable call arrive as they were submitted", () => {
  const handle = ["", ["KEY", "AAAAAA"], ""];
  test.each([
    ["{ $sealed_run: 1 }", { $sealed_run: 1 }],
    ["{ $sealed_run: { … } }", { $sealed_run: { a: 1 } }],
    ["more beside $sealed_run", { $sealed_run: { a: 1 }, b: 2 }],
    ["a sealed object", { $sealed_run: { $sealed: { object: { a: 1 } } } }],
    ["a handle", { a: { $sealed: handle } }],
    ["a handle in a sealed run", { $sealed_run: { a: { $sealed: handle } } }],
    ["{ $secret: … }", { $secret: "KEY", a: { $secret: "KEY" } }],
    ["an expression", { a: "${secret.KEY}" }],
    ["the text of a handle", { a: "[secret KEY]" }],
    ["a key named __proto__", JSON.parse('{"__proto__":{"a":1}}')],
  ])("if they have %s", async (_what, args) => {
    for (const secrets of [{}, { KEY: "correct-horse-battery" }])
      expect((await machine(secrets).pass(args)).map((one) => JSON.stringify(one))).toEqual([
        JSON.stringify(args),
        JSON.stringify(args),
      ]);
  });

  test("for any JSON", async () => {
    const { pass } = machine({ KEY: "correct-horse-battery", PIN: "user" });
    const marker = fc.constantFrom("$sealed_run", "$sealed", "$secret", "object", "user", "__proto__");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), marker, fc.constant(handle)),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.oneof(marker, fc.string()), tie("value"), { maxKeys: 3 }),
      ),
    }));
    const args = fc.dictionary(fc.oneof(marker, fc.string()), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(args, async (one) => {
        const text = JSON.stringify(one);
        expect((await pass(one)).map((got) => JSON.stringify(got))).toEqual([text, text]);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  test.each(["is", "is user", "user", "userpin"])("if they have the text of a short secret: %s", async (text) => {
    const { pass } = machine({ PIN: "user", OTHER: "is", SEVEN: "userpin" });
    const args = { text, [text]: [text, `the ${text}s`] };
    expect(await pass(args)).toEqual([args, args]);
  });
});

test("[N12] a secret of eight characters is refused in the arguments of a durable call", async () => {
  const { client, journal } = machine({ KEY: "eightchr" });
  for (const args of [{ a: "eightchr" }, { a: ["its eightchrs"] }, { eightchr: 1 }]) {
    await expect(client.start("note", args)).rejects.toMatchObject({ reason: "secret_argument" });
    await expect(client.submit("note", args)).rejects.toMatchObject({ reason: "secret_argument" });
  }
  expect(await journal.list()).toEqual([]);
});

describe("[N12] arguments that JSON cannot represent are refused", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = { cycle };
  let deep: unknown = 1;
  for (let level = 0; level < 5000; level++) deep = [deep];
  const hostile = {
    get value(): never {
      throw new Error("no");
    },
  };
  test.each<[string, unknown, readonly (string | number)[], string]>([
    ["a BigInt", { ids: [1, 2n] }, ["ids", 1], "ids[1] is a BigInt"],
    ["a function", { a: { b: () => 1 } }, ["a", "b"], "a.b is a function"],
    ["a symbol", { a: Symbol("s") }, ["a"], "a is a symbol"],
    ["NaN", { a: Number.NaN }, ["a"], "a is NaN"],
    ["Infinity", [{ a: -Infinity }], [0, "a"], "[0].a is -Infinity"],
    ["a date", { at: new Date(0) }, ["at"], "at is an object of class Date"],
    ["a map", { a: new Map() }, ["a"], "a is an object of class Map"],
    ["bytes", { a: new Uint8Array(2) }, ["a"], "a is an object of class Uint8Array"],
    ["undefined in a list", { a: [1, undefined] }, ["a", 1], "a[1] is undefined"],
    ["a hole in a list", { a: [...Array(1), 1] }, ["a", 0], "a[0] is undefined"],
    ["a very long list of holes", Array(4e9), [0], "[0] is undefined"],
    ["a cycle", { cycle }, ["cycle", "self", "cycle"], "cycle.self.cycle contains itself"],
    ["too many levels", { deep }, [], "JSON: it is nested too deeply"],
    ["a getter that throws", { hostile }, [], "JSON: reading it threw an error"],
    ["a function as the whole", () => 1, [], "JSON: it is a function"],
    ["a BigInt as the whole", 1n, [], "JSON: it is a BigInt"],
  ])("%s, with its path", async (_what, args, path, message) => {
    const { client, journal } = machine();
    const refused = {
      code: "validation_error",
      message: expect.stringContaining(message),
      issues: [{ path, code: "type", message: expect.any(String) }],
    };
    await expect(client.start("note", args)).rejects.toMatchObject(refused);
    await expect(client.submit("note", args)).rejects.toMatchObject(refused);
    expect(await journal.list()).toEqual([]);
  });

  test("an undefined member of an object counts as absent, and the same object may occur twice", async () => {
    const { pass } = machine();
    const twice = { a: 1 };
    expect(await pass({ limit: undefined, twice: [twice, twice] })).toEqual([
      { twice: [{ a: 1 }, { a: 1 }] },
      { twice: [{ a: 1 }, { a: 1 }] },
    ]);
    expect(await pass(undefined)).toEqual([{}, {}]);
  });
});
