import { describe, test } from "vitest";
import { windlass } from "../cli/windlass.ts";
import { jsonShape } from "./json-shape.ts";
import { openPinned } from "./pinned-workspace.ts";

const commands: readonly (readonly string[])[] = [
  ["call", "work", "text=json", "--json"],
  ["call", "flaky", "text=json", "--json"],
  ["tools", "--json"],
  ["tools", "search", "search the web", "--json"],
  ["tools", "show", "calculator", "--json"],
  ["tools", "capabilities", "--json"],
  ["tools", "schema", "calculator"],
  ["chains", "--json"],
  ["skills", "--json"],
  ["mcp", "list", "--json"],
  ["validate", "--json"],
  ["runs", "--json"],
  ["show", "finished", "--json"],
  ["show", "approval", "--json"],
  ["explain", "finished", "fails", "--json"],
  ["records", "--json"],
  ["stats", "--json"],
  ["stats", "--chains", "--json"],
  ["approvals", "--json"],
  ["doctor", "--json"],
  ["trust", "--list", "--json"],
  ["token", "create", "ci", "--json"],
  ["audit", "--json"],
  ["prune", "--days", "10000", "--json"],
  ["run", "each", "--json"],
  ["run", "approval", "to=ada", "--json"],
  ["run", "finished", "--events"],
  ["approve", "decided", "--no-resume", "--json"],
  ["reject", "guarded", "--json"],
  ["cancel", "once", "--json"],
  ["ask", "Look it up", "--json"],
  ["ask", "Look it up", "--events"],
];

describe.concurrent("the JSON of", () => {
  test.for(commands.map((words) => ({ command: words.join(" "), words })))(
    "windlass $command",
    async ({ words }, { expect }) => {
      const { run } = await openPinned("v1", [
        { thinking: "A look will do.", toolCalls: [{ name: "look", args: { text: "json" } }] },
        { toolCalls: [{ name: "send", args: { text: "json" } }] },
      ]);
      if (words[0] === "audit") await run("token", "create", "ci");
      const { stdout, stderr } = await run(...words);
      const text = words.includes("--events") ? `[${stdout.trim().split("\n").join(",")}]` : stdout;
      expect(text, stderr).not.toBe("");
      expect(shapeOf(JSON.parse(text))).toMatchSnapshot();
    },
  );
});

test.for([{ words: [] }, { words: ["--tools", "*"] }])(
  "the list of tools that an MCP client sees: $words",
  async ({ words }, { expect }) => {
    const { cwd } = await openPinned("v1");
    const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "pins", version: "1" } };
    const messages = [
      { id: 1, method: "initialize", params: client },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list", params: {} },
    ];
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
    const { stdout } = await windlass(["mcp", "serve", ...words], { cwd, input });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id?: number; result?: ListResult });
    const all = answers.find(({ id }) => id === 2)?.result?.tools ?? [];
    // It is served only on machines with a sandbox.
    const tools = all.filter(({ name }) => name !== "test_runner");
    const lines = tools.map(({ name, inputSchema, annotations }) => {
      const parameters = Object.keys(inputSchema.properties ?? {}).map((key) =>
        inputSchema.required?.includes(key) ? key : `${key}?`,
      );
      const hints = Object.entries(annotations ?? {}).flatMap(([hint, holds]) => (holds === true ? [hint] : []));
      return `${name}(${parameters.join(", ")}) ${hints.join(" ")}`.trim();
    });
    expect(lines).toMatchSnapshot();
  },
);

interface ListResult {
  readonly tools?: readonly {
    readonly name: string;
    readonly inputSchema: { readonly properties?: object; readonly required?: readonly string[] };
    readonly annotations?: object;
  }[];
}

/** Events by their type; lists of tools by one shape for all of them. */
function shapeOf(value: unknown): string[] {
  const isEvents = Array.isArray(value) && value.every((item) => typeof (item as { type?: unknown }).type === "string");
  if (!isEvents) return jsonShape(value);
  return [...new Set(value.flatMap((event: { type: string }) => jsonShape(event, event.type)))].toSorted();
}
