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
  test("creates the file if there is none", () => {
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
    for (const text of [
      '{"mcpServers":{"a":{"command":"x"},}}',
      '{"mcpServers":{"a":{"command":"x"} /* , */ }}',
      '{"mcpServers":{"a":{"command":"x"} // a, b\n}}',
    ]) {
      expect(Object.keys(serversIn(addServer(text, "b", entry)))).toEqual(["a", "b"]);
    }
  });

  test("refuses a name that is taken or cannot be one, and a file that cannot be read", () => {
    const text = addServer(undefined, "a", entry);
    expect(() => addServer(text, "a", entry)).toThrow('has a server "a" already');
    expect(() => addServer(text, "a b", entry)).toThrow("cannot have this name");
    expect(() => addServer(text, "tools", entry)).toThrow("is reserved for a source");
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

  const commented = `{
  "mcpServers": {
    // about a
    "a": { "command": "1" }, // a, too
    /* about b */
    "b": { "command": "1" }, // b, too
    // about c
    "c": { "command": "1" } // c, too
    // about none
  }
}
`;

  test.each([
    ["a", ["// a, too"]],
    ["b", ["// b, too"]],
    ["c", ["// c, too"]],
  ])("removing %s removes only its own line and the comment on it", (name, gone) => {
    const after = removeServer(commented, name) ?? "";
    expect(Object.keys(serversIn(after))).toHaveLength(2);
    const lines = commented.split("\n").filter((line) => !line.includes(gone[0] ?? ""));
    expect(after).toBe(
      lines.join("\n").replace('1" }, // b, too', name === "c" ? '1" } // b, too' : '1" }, // b, too'),
    );
  });

  test.each<[string, string, string]>([
    ['{"mcpServers":{"a":{"command":"1"},"b":{"command":"2"}}}', "b", '{"mcpServers":{"a":{"command":"1"}}}'],
    ['{"mcpServers":{"a":{"command":"1"},"b":{"command":"2"}}}', "a", '{"mcpServers":{"b":{"command":"2"}}}'],
    ['{ "mcpServers": { "a": { "command": "1" }, "b": 2, } }', "b", '{ "mcpServers": { "a": { "command": "1" }, } }'],
    ['{ "mcpServers": { "a": 1 /* , */ , "b": 2 } }', "b", '{ "mcpServers": { "a": 1 /* , */ } }'],
    [
      '{\r\n  "mcpServers": {\r\n    "a": 1,\r\n    "b": 2\r\n  }\r\n}',
      "b",
      '{\r\n  "mcpServers": {\r\n    "a": 1\r\n  }\r\n}',
    ],
  ])("%j without %s", (before, name, after) => {
    expect(removeServer(before, name)).toBe(after);
  });

  test("removing the last one leaves an empty map; removing an unknown one changes nothing", () => {
    expect(serversIn(removeServer(addServer(undefined, "a", entry), "a") ?? "")).toEqual({});
    expect(removeServer(text, "x")).toBeUndefined();
  });
});
