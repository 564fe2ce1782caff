import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromStandard } from "./from-standard.ts";
import type { ZodNode } from "./zod-node.ts";
import { type Revive, zodRevival } from "./zod-revival.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

const text = "2026-01-31T10:00:00.000Z";
const date = new Date(text);

function revival(schema: z.ZodType): Revive | undefined {
  // Zod's own type of a definition has no index signature.
  return zodRevival(schema as unknown as ZodNode);
}

function revive(schema: z.ZodType, value: unknown): unknown {
  const result = fromStandard(z.object({ p: schema })).validate({ p: value }) as {
    value?: { p: unknown };
    issues?: unknown;
  };
  return result.value === undefined ? result.issues : result.value.p;
}

describe("only dates are revived", () => {
  test.each<[string, z.ZodType, unknown, unknown]>([
    ["alone", z.date(), text, date],
    ["optional", z.date().optional(), text, date],
    ["nullable", z.date().nullable(), null, null],
    ["defaulted", z.date().default(date), text, date],
    ["caught", z.date().catch(date), text, date],
    ["readonly", z.date().readonly(), text, date],
    ["lazy", z.lazy(() => z.date()), text, date],
    ["refined", z.date().refine((value) => value instanceof Date), text, date],
    ["transformed", z.date().transform((value) => value.getTime()), text, date.getTime()],
    ["in a pipe", z.date().pipe(z.transform((value: Date) => value.getTime())), text, date.getTime()],
    ["in an array", z.array(z.date()), [text], [date]],
    ["in a tuple", z.tuple([z.string(), z.date()], z.date()), [text, text, text], [text, date, date]],
    ["in a record", z.record(z.string(), z.date()), { a: text }, { a: date }],
    ["in an object", z.object({ a: z.date(), b: z.string() }), { a: text, b: text }, { a: date, b: text }],
    ["in a catchall", z.object({ a: z.string() }).catchall(z.date()), { a: text, b: text }, { a: text, b: date }],
    [
      "in an intersection",
      z.object({ a: z.date() }).and(z.object({ b: z.date() })),
      { a: text, b: text },
      { a: date, b: date },
    ],
    ["in a union", z.union([z.number(), z.date()]), text, date],
    ["in a union that prefers text", z.union([z.string(), z.date()]), text, text],
    [
      "in a union of objects",
      z.union([z.object({ k: z.literal(1), v: z.string() }), z.object({ k: z.literal(2), v: z.date() })]),
      { k: 2, v: text },
      { k: 2, v: date },
    ],
    [
      "in a discriminated union",
      z.discriminatedUnion("k", [
        z.object({ k: z.literal("s"), v: z.string() }),
        z.object({ k: z.literal("d"), v: z.date() }),
      ]),
      { k: "d", v: text },
      { k: "d", v: date },
    ],
    ["not in text beside them", z.object({ a: z.string(), b: z.date().optional() }), { a: text }, { a: text }],
    [
      "not behind a preprocess",
      z.preprocess((value) => (typeof value === "string" ? new Date(value) : value), z.date()),
      text,
      date,
    ],
    [
      "a codec does its own",
      z.codec(z.string(), z.date(), { decode: (value) => new Date(value), encode: String }),
      text,
      date,
    ],
    ["a day", z.date(), "2026-01-31", new Date("2026-01-31T00:00:00Z")],
    ["a date-time without an offset is UTC", z.date(), "2026-01-31T10:00:00", date],
    ["a date-time with an offset", z.date(), "2026-01-31T18:00:00+08:00", date],
    ["a date itself", z.date(), date, date],
  ])("%s", (...row) => {
    const [, schema, value, expected] = row;
    expect(revive(schema, value)).toEqual(expected);
  });

  test.each(["tomorrow", "2026-02-30", "2026", "", "31.01.2026", "1769853600000"])("%j is not a date", (value) => {
    expect(revive(z.date(), value)).toMatchObject([{ path: ["p"], code: "type" }]);
  });
});

describe("big integers are sent as text", () => {
  test.each<[z.ZodType, unknown, unknown]>([
    [z.bigint(), "123456789012345678901234567890", 123456789012345678901234567890n],
    [z.bigint(), "-5", -5n],
    [z.bigint(), 5, 5n],
    [z.coerce.bigint(), "7", 7n],
    [z.array(z.bigint().optional()), ["1"], [1n]],
    [z.literal([5n, "5x"]), "5", 5n],
    [z.literal([5n, "5x"]), "5x", "5x"],
    [z.int64(), "5", 5n],
  ])("%#", (schema, value, expected) => {
    expect(revive(schema, value)).toEqual(expected);
  });

  test.each(["1.5", "0x10", "1".repeat(2000), " 1", "", 1.5, 2 ** 60])("%j is not a big integer", (value) => {
    expect(revive(z.bigint(), value)).toMatchObject([{ path: ["p"], code: "type" }]);
  });
});

test("the caller's value is not changed, and unchanged parts are shared", () => {
  const schema = z.object({ at: z.date(), rest: z.object({ list: z.array(z.date()) }), plain: z.looseObject({}) });
  const value = { at: text, rest: { list: [] }, plain: {} };
  const revived = revival(schema)?.(value) as typeof value;
  expect(value.at).toBe(text);
  expect(revived.at).toEqual(date);
  expect(revived.rest).toBe(value.rest);
  expect(revived.plain).toBe(value.plain);
});

test("a schema without such values needs no revival", () => {
  expect(revival(z.object({ a: z.json(), b: z.iso.datetime(), c: z.lazy(() => z.string()) }))).toBeUndefined();
  expect(revival(z.object({ a: z.preprocess((value) => value, z.date()) }))).toBeUndefined();
});

test("recursive schemas are revived to any depth", () => {
  const Node: z.ZodType = z.object({
    at: z.date(),
    get next(): z.ZodType {
      return Node.nullable();
    },
  });
  expect(revive(Node, { at: text, next: { at: text, next: null } })).toEqual({
    at: date,
    next: { at: date, next: null },
  });
});

test("recursive unions do not take longer with more forms", () => {
  const Tree: z.ZodType = z.lazy(() =>
    z.union([
      z.object({ kind: z.literal("a"), at: z.date(), next: Tree.optional() }),
      z.object({ kind: z.literal("b"), at: z.date(), next: Tree.optional() }),
      z.object({ kind: z.literal("c"), at: z.date(), next: Tree.optional() }),
    ]),
  );
  let value: unknown = { kind: "c", at: text };
  for (let depth = 0; depth < 14; depth++) value = { kind: "c", at: text, next: value };
  const started = cpuTime();
  revival(z.object({ p: Tree }))?.({ p: value });
  expect(cpuTime() - started).toBeLessThan(2000);
});

test("keys of prototypes stay data", () => {
  const schema = fromStandard(z.object({ p: z.record(z.string(), z.date()) }));
  const value: unknown = JSON.parse(`{"p": {"__proto__": "${text}", "a": "${text}"}}`);
  void schema.validate(value);
  expect(Reflect.get({}, "getTime")).toBeUndefined();
});
