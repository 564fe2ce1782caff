import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const tool = (name: string, more = "effect: read\n"): string => `name: ${name}
description: Returns something about an item.
${more}parameters:
  - { name: item, type: string, required: true }
entry: { type: builtin, handler: echo }
`;
const shop = {
  "tools/price_of.yaml": tool("price_of"),
  "tools/stock_of.yaml": tool("stock_of", "effect: once\ndestructive: true\n"),
  "chains/basket.yaml": `name: basket
description: Adds up a basket.
steps:
  - { id: sum, tool: calculator, params: { expression: "1 + 1" } }
output: { sum: "\${steps.sum.output.result}" }
`,
};

interface Answer {
  readonly id?: number;
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly message: string };
}

/** Lists the tools as a client, calls some of them, and returns the names, the answers and the operator's log. */
async function served(cwd: string, words: readonly string[] = [], calls: readonly [string, object][] = []) {
  const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const messages = [
    { id: 1, method: "initialize", params: client },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list", params: {} },
    ...calls.map(([name, args], index) => ({
      id: 3 + index,
      method: "tools/call",
      params: { name, arguments: args },
    })),
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const { stdout, stderr } = await windlass(["mcp", "serve", ...words], { cwd, input });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
  const byId = (id: number): Answer | undefined => answers.find((answer) => answer.id === id);
  return {
    names: (byId(2)?.result?.tools ?? []).map(({ name }) => name),
    answers: calls.map((_call, index) => byId(3 + index)),
    bytes: JSON.stringify(byId(2)).length,
    stderr,
  };
}

describe.concurrent("[U2] the tools that windlass mcp serve offers", () => {
  test("are the workspace's own tools and chains, and others cannot be called", async () => {
    const cwd = await folder(shop);
    const { names, answers, bytes } = await served(
      cwd,
      [],
      [
        ["calculator", { expression: "1+1" }],
        ["basket", {}],
      ],
    );
    expect(names).toEqual(["basket", "price_of", "read_result", "stock_of"]);
    expect(bytes).toBeLessThan(10_000);
    expect(answers[0]?.error?.message).toContain("Unknown tool: calculator");
    // The steps of an offered chain call what they need.
    expect(answers[1]?.result?.structuredContent).toEqual({ sum: 2 });
  });

  test("are the built-in ones that work here, if the workspace has none of its own", async () => {
    const { names, answers } = await served(
      await folder({ "windlass.yaml": "" }),
      [],
      [
        ["get_time", { timezone: "UTC" }],
        ["getCurrentTime", { timezone: "UTC" }],
      ],
    );
    expect(names).toEqual(expect.arrayContaining(["calculator", "get_current_time", "read_file"]));
    for (const name of ["web_search", "outline_generator", "get_time"]) expect(names).not.toContain(name);
    // [U13] Former names are not listed, and can be called with their own output.
    expect(answers[0]?.result?.content?.[0]?.text).toMatch(/\(UTC\)/);
    expect(answers[1]?.result?.structuredContent).toMatchObject({ timezone: "UTC" });
  });

  test("are chosen by the settings, and on the command line, by present and former names", async () => {
    const settings = { "windlass.yaml": 'mcp: { serve: ["price_*", localSearch, web_search] }\nvault: .\n' };
    const cwd = await folder({ ...shop, ...settings });
    const [bySettings, byOption, all] = await Promise.all([
      served(cwd),
      served(cwd, ["--tools", "basket", "--tools", "calc*", "--tools", "pricee_of"]),
      served(cwd, ["--tools", "*"]),
    ]);
    expect(bySettings.names).toEqual(["local_search", "price_of", "read_result"]);
    expect(byOption.names).toEqual(["basket", "calculator", "read_result"]);
    expect(byOption.stderr).toContain("warning: --tools pricee_of matches no tool; did you mean price_of?");
    expect(all.names.length).toBeGreaterThan(20);
    expect(all.names).not.toContain("web_search");
  });

  test("[U3] are never more than the rules allow the client", async () => {
    const rules = 'permissions: { allow: ["mcp:basket", "person:*"] }\nmcp: { serve: ["*"] }\n';
    const { names, answers } = await served(
      await folder({ ...shop, "windlass.yaml": rules }),
      [],
      [
        ["basket", {}],
        ["stock_of", { item: "x" }],
      ],
    );
    expect(names).toEqual(["basket"]);
    expect(answers[0]?.result?.structuredContent).toEqual({ sum: 2 });
    expect(answers[1]?.error?.message).toContain("Unknown tool");
  });

  test("a name in the settings that matches nothing is a problem with its position", async () => {
    const cwd = await folder({ ...shop, "windlass.yaml": "mcp:\n  serve: [price_of, basktet]\n" });
    const { stdout, stderr } = await windlass(["validate"], { cwd });
    expect(stdout + stderr).toContain("windlass.yaml:2:21");
    expect(stdout + stderr).toContain('did you mean "basket"?');
  });
});
