import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, jsonText, plainJsonSize } from "./json.ts";

const cycle = (): object => {
  const value: Record<string, unknown> = { a: 1 };
  value["self"] = value;
  return value;
};
const throwing = {
  get a(): never {
    throw new Error("no");
  },
};
const hostileProxy = new Proxy(
  {},
  {
    getPrototypeOf: () => {
      throw new Error("no");
    },
    ownKeys: () => {
      throw new Error("no");
    },
    get: () => {
      throw new Error("no");
    },
  },
);
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

describe("plainJsonSize", () => {
  const plain: unknown[] = ["", "text", 0, -1.5, true, false, null, [], {}, [1, [2]], { a: { b: [null] } }];

  test.each(plain.map((value) => [value]))("recognizes %j as plain JSON", (value) => {
    expect(plainJsonSize(value, 1000)).toBeGreaterThan(0);
  });

  test("an object without a prototype is plain", () => {
    expect(plainJsonSize(Object.assign(Object.create(null) as object, { a: 1 }), 100)).toBeGreaterThan(0);
  });

  const odd: [string, unknown][] = [
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a BigInt", 1n],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a class instance", new URL("http://a/")],
    ["bytes", new Uint8Array(2)],
    ["a hole in a list", Array(1)],
    ["undefined in an object", { a: undefined }],
    ["a toJSON method", { toJSON: () => 1 }],
    ["a cycle", cycle()],
    ["more than 128 levels", deep(129)],
    ["a getter that throws", throwing],
    ["a proxy that throws", hostileProxy],
    ["a revoked proxy", revoked()],
  ];

  test.each(odd)("%s is not plain JSON, at the top and inside", (_name, value) => {
    expect(plainJsonSize(value, 100_000)).toBe(-1);
    expect(plainJsonSize({ inside: [value] }, 100_000)).toBe(-1);
  });

  test("stops as soon as the budget is spent", () => {
    let read = 0;
    const list = new Proxy([] as number[], {
      get: (target, key) => {
        if (key === "length") return 1_000_000;
        if (typeof key === "symbol" || Number.isNaN(Number(key))) return Reflect.get(target, key) as unknown;
        read++;
        return 1;
      },
    });
    expect(plainJsonSize(list, 100)).toBe(Infinity);
    expect(read).toBeLessThan(100);
  });

  test("inherited keys are not counted", () => {
    // Someone else's library did this.
    // oxlint-disable-next-line no-extend-native -- the very thing under test
    Object.defineProperty(Object.prototype, "polluted", { value: () => 1, enumerable: true, configurable: true });
    const size = plainJsonSize({ a: 1 }, 100);
    Reflect.deleteProperty(Object.prototype, "polluted");
    expect(size).toBeGreaterThan(0);
  });

  test("the estimate is never below a sixth nor above four times the real size", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        const size = plainJsonSize(value, Number.MAX_SAFE_INTEGER);
        expect(size * 6).toBeGreaterThanOrEqual(bytes);
        expect(size).toBeLessThanOrEqual(bytes * 4);
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});

describe("jsonText", () => {
  test("writes what JSON can write", () => {
    expect(jsonText({ at: new Date(0), gone: undefined, url: new URL("http://a/") })).toEqual({
      text: '{"at":"1970-01-01T00:00:00.000Z","url":"http://a/"}',
    });
    expect(jsonText(Object(5))).toEqual({ text: "5" });
  });

  const refused: [string, unknown, RegExp][] = [
    ["undefined", undefined, /JSON cannot represent it/],
    ["a function", { a: () => 1 }, /a function/],
    ["a symbol", [Symbol("s")], /a symbol/],
    ["NaN", [Number.NaN], /NaN/],
    ["Infinity", { a: -Infinity }, /-Infinity/],
    ["a BigInt", { a: 1n }, /BigInt/],
    ["a map, which would become {}", { a: new Map([[1, 2]]) }, /Map/],
    ["a set", new Set([1]), /Set/],
    ["a promise that was not awaited", { a: Promise.resolve(1) }, /Promise/],
    ["an error", new TypeError("x"), /Error/],
    ["a pattern", /x/, /RegExp/],
    ["raw bytes", { a: new ArrayBuffer(2) }, /ArrayBuffer/],
    ["a cycle", cycle(), /circular/],
    ["a getter that throws", throwing, /^no$/],
    ["a proxy that throws", hostileProxy, /^no$/],
    ["a revoked proxy", revoked(), /revoked/],
    ["ten thousand levels", deep(10_000), /nested too deeply/],
    ["a toJSON that throws a hostile value", { toJSON: () => throwValue(hostileProxy) }, /threw an error/],
  ];

  test.each(refused)("reports why it cannot write %s", (_name, value, problem) => {
    expect(jsonText(value)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test("the reason is one line", () => {
    const json = jsonText({ deeper: { cycle: cycle() } });
    expect("problem" in json && json.problem).not.toContain("\n");
  });
});

describe("canonicalJson", () => {
  test("equal values give equal text, in any order of their keys", () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(canonicalJson({ a: 1, b: [{ c: 2, d: 1 }] })).toBe(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 }));
  });

  test("a key named __proto__ stays a key", () => {
    const value: unknown = JSON.parse('{"__proto__": {"admin": true}, "a": 1}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"admin":true},"a":1}');
  });

  test("the order of a list and the type of a value make a difference", () => {
    const texts = [
      [1, 2],
      [2, 1],
      ["1", 2],
      [1, "2"],
      [[1], 2],
      [null, 2],
      [{}, 2],
      [[], 2],
    ].map(canonicalJson);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("undefined becomes null", () => {
    expect(canonicalJson(undefined)).toBe("null");
  });

  test("two plain values have the same text only if they are equal", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(canonicalJson(a) === canonicalJson(b)).toBe(sorted(a) === sorted(b));
        expect(JSON.parse(canonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)));
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

/** An independent implementation of the same function. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${sorted(item)}`);
  return `{${entries.toSorted().join(",")}}`;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function throwValue(value: unknown): never {
  throw value;
}
