import { expect, test } from "vitest";
import { SessionCodes } from "./session-codes.ts";

let now = 0;
const open = (): SessionCodes => new SessionCodes({ elapsed: () => now });
const grant = { name: "ann", scopes: ["read"] } as const;

test("a code is redeemed once, within five minutes [P06]", () => {
  const codes = open();
  const [used, early, late] = [codes.create(grant), codes.create(grant), codes.create({ ...grant, name: "bob" })];
  expect(codes.redeem("x".repeat(32))).toBeUndefined();
  expect(codes.redeem(used)).toEqual(grant);
  expect(codes.redeem(used)).toBeUndefined();
  now += 5 * 60_000 - 1;
  expect(codes.redeem(early)).toEqual(grant);
  now += 1;
  expect(codes.redeem(late)).toBeUndefined();
});

test("a hundred codes are open at most; the oldest one ends first [P06]", () => {
  const codes = open();
  const all = Array.from({ length: 101 }, () => codes.create(grant));
  expect(new Set(all).size).toBe(101);
  expect(codes.redeem(all[0] ?? "")).toBeUndefined();
  expect(codes.redeem(all[1] ?? "")).toEqual(grant);
});
