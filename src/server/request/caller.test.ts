import { expect, test } from "vitest";
import type { Route } from "../../api/index.ts";
import { type Caller, whyForbidden } from "./caller.ts";

const caller = (scopes: Caller["scopes"], runId?: string): Caller => ({
  principal: "ci",
  tokenId: "t1",
  scopes,
  runId,
});

test("a token opens the routes of its scopes; admin opens all [P06]", () => {
  const route = { access: "call", method: "POST", path: "/v1/tools/{name}/call" } as const;
  expect(whyForbidden(caller(new Set(["call"])), route, {})).toBeUndefined();
  expect(whyForbidden(caller(new Set(["admin"])), route, {})).toBeUndefined();
  expect(whyForbidden(caller(new Set(["read", "run", "approve", "edit"])), route, {})).toContain('"call"');
});

test.each<[Route["method"], string, string, boolean]>([
  ["GET", "/v1/runs/{id}", "r1", true],
  ["GET", "/v1/runs/{id}/log", "r1", true],
  ["GET", "/v1/runs/{id}/explain", "r1", true],
  ["GET", "/v1/runs/{id}", "r2", false],
  ["GET", "/v1/runs/{id}", "R1", false],
  ["GET", "/v1/runs/{id}/log", "r1 ", false],
  // Shows another run, too.
  ["GET", "/v1/runs/{id}/diff", "r1", false],
  ["POST", "/v1/runs/{id}", "r1", false],
  ["GET", "/v1/runs", "r1", false],
  ["GET", "/v1/runsets/{id}", "r1", false],
  ["GET", "/v1/calls/{id}", "r1", false],
])("a token of the run r1 and %s %s with the id %j: %s [P06]", (method, path, id, isOpen) => {
  const why = whyForbidden(caller(new Set(["read"]), "r1"), { access: "read", method, path }, { id });
  expect(why === undefined).toBe(isOpen);
});
