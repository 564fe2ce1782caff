import { expect, test } from "vitest";
import { formatAccess } from "./access-log.ts";

const entry = {
  at: 0,
  requestId: "r1",
  method: "POST",
  route: "/v1/tools/{name}/call",
  status: 200,
  durationMs: 12.3456,
  principal: "ci",
};

test("a line of the access log is text with one field after the other, or JSON [P11]", () => {
  const time = "1970-01-01T00:00:00.000Z";
  expect(formatAccess(entry)).toBe(`${time} POST /v1/tools/{name}/call 200 12.3ms ci r1`);
  expect(JSON.parse(formatAccess(entry, "json"))).toEqual({
    time,
    method: "POST",
    route: "/v1/tools/{name}/call",
    status: 200,
    duration_ms: 12.3,
    principal: "ci",
    request_id: "r1",
  });
  const { principal: _principal, ...anonymous } = entry;
  expect(formatAccess(anonymous)).toBe(`${time} POST /v1/tools/{name}/call 200 12.3ms - r1`);
  expect(JSON.parse(formatAccess(anonymous, "json"))).not.toHaveProperty("principal");
});

test("a name with blanks, line ends or escape sequences stays in its field [P11]", () => {
  const hostile = { ...entry, principal: "a b\n1970 GET / 200", route: "/x\u001b[2J\ud800磨" };
  const line = formatAccess(hostile);
  expect(line.split(" ")).toHaveLength(7);
  expect(line).toMatch(/^[\x20-\x7E]+$/);
  expect(formatAccess(hostile, "json")).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(formatAccess(hostile, "json"))).toMatchObject({ principal: hostile.principal });
});
