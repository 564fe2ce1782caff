import { describe, expect, test } from "vitest";
import { mcpFailure, notSent } from "./mcp-reasons.ts";

describe("a message over a connection that has ended", () => {
  test("counts as not sent, regardless of how the connection ended", () => {
    const lost = mcpFailure("connection_lost", "the program ended by SIGKILL");
    expect(notSent("s", lost).toFailure("unsafe")).toMatchObject({
      reason: "not_sent",
      retry: "safe",
      message: "the program ended by SIGKILL",
    });
    expect(notSent("s", mcpFailure("http_error", "500", { retry: "unsafe" })).toFailure("unsafe").retry).toBe("safe");
    expect(notSent("s").toFailure("unsafe")).toMatchObject({ reason: "not_sent", retry: "safe" });
  });

  test("needs a login if the connection did", () => {
    expect(notSent("s", mcpFailure("unauthorized", "log in"))).toMatchObject({ reason: "unauthorized" });
  });
});
