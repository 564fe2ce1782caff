import { describe, expect, test } from "vitest";
import { addServer, removeServer } from "./edit-config.ts";
import { parseConfigFile } from "./config-file.ts";

const entry = { command: "npx", args: ["-y", "p@1.2.3"] };

function serversIn(text: string): Readonly<Record<string, unknown>> {
  const { servers, report } = parseConfigFile(text, "mcp.json");
  expect(report.problems).toEqual([]);
  return servers;
}

describe("adding a server", () => {
  test("makes the file where there is none", () => {
    expect(serversIn(addServer(undefined, "a", entry))).toEqual({ a: entry });
    expect(serversIn(addServer("{}", "a", entry))).toEqual({ a: entry });
    expect(serversIn(addServer('{ "mcpServers": {} }', "a", entry))).toEqual({ a: entry });
  });

  test("keeps comments, other keys and the form of the file", () => {
    const before = `{
    // ours
    "servers": {
        "one": { "command": "x" } // the first
    },
    "inputs": [],
}
`;
    const after = addServer(before, "two", { url: "https://example.com/mcp" });
    expect(after).toBe(`{
    // ours
    "servers": {
        "one": { "command": "x" }, // the first
        "two": {
            "url": "https://example.com/mcp"
        }
    },
    "inputs": [],
}
`);
    expect(Object.keys(serversIn(after))).toEqual(["one", "two"]);
    expect(Object.keys(serversIn(addServer(after, "three", entry)))).toEqual(["one", "two", "three"]);
  });

  test("takes a trailing comma and a one-line file as they are", () => {
    for (const text of ['{"mcpServers":{"a":{"command":"x"},}}', '{"mcpServers":{"a":{"command":"x"} /* , */ }}']) {
      expect(Object.keys(serversIn(addServer(text, "b", entry)))).toEqual(["a", "b"]);
    }
  });

  test("refuses a name that is taken or cannot be one, and a file that cannot be read", () => {
    const text = addServer(undefined, "a", entry);
    expect(() => addServer(text, "a", entry)).toThrow('has a server "a" already');
    expect(() => addServer(text, "a b", entry)).toThrow("cannot have this name");
    expect(() => addServer(text, "tools", entry)).toThrow("stands for a source");
    expect(() => addServer('{ "mcpServers": { }', "b", entry)).toThrow(
      /mcp\.json:1:20: .*is missing at the end of the file; correct it first/,
    );
  });
});

describe("removing a server", () => {
  const one = { command: "1" };
  const text = JSON.stringify({ mcpServers: { a: one, b: one, c: one } }, null, 2);

  test.each([
    ["a", ["b", "c"]],
    ["b", ["a", "c"]],
    ["c", ["a", "b"]],
  ])("%s leaves the others", (name, left) => {
    expect(Object.keys(serversIn(removeServer(text, name) ?? ""))).toEqual(left);
  });

  test("the last one leaves an empty map, and an unknown one nothing to do", () => {
    expect(serversIn(removeServer(addServer(undefined, "a", entry), "a") ?? "")).toEqual({});
    expect(removeServer(text, "x")).toBeUndefined();
  });
});
