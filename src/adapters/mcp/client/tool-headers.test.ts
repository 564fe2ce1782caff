import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../schema/index.ts";
import { headersFor, readToolHeaders } from "./tool-headers.ts";

const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const header = (name: unknown, type = "string"): object => ({ type, "x-mcp-header": name });

describe("headers that a tool requires", () => {
  test("are the values of its arguments, encoded for HTTP", () => {
    const read = readToolHeaders(
      object({ region: header("Region"), site: object({ city: header("City"), floor: header("Floor", "integer") }) }),
    );
    expect(read).toMatchObject({ ok: true });
    const headers = read.ok ? read.headers : [];
    expect(headersFor(headers, { region: "eu", site: { city: "Zürich", floor: 3 } })).toEqual({
      "Mcp-Param-Region": "eu",
      "Mcp-Param-City": "=?base64?WsO8cmljaA==?=",
      "Mcp-Param-Floor": "3",
    });
    expect(headersFor(headers, { region: " a\r\nX: y", site: null })).toEqual({
      "Mcp-Param-Region": "=?base64?IGENClg6IHk=?=",
    });
    expect(headersFor(headers, { region: ["x"], site: { city: "", floor: 1.5 } })).toEqual({
      "Mcp-Param-City": "=?base64??=",
    });
    expect(headersFor(headers, { region: "=?base64?eA==?=" })).toEqual({
      "Mcp-Param-Region": "=?base64?PT9iYXNlNjQ/ZUE9PT89?=",
    });
  });

  test.each([
    ["a name that is no header", object({ a: header("a b") })],
    ["a name that breaks the line", object({ a: header("a\r\nb") })],
    ["an empty name", object({ a: header("") })],
    ["no text as a name", object({ a: header(5) })],
    ["the same name twice", object({ a: header("X"), b: header("x") })],
    ["a number", object({ a: header("X", "number") })],
    ["a list", object({ a: header("X", "array") })],
    ["an item of a list", object({ a: { type: "array", items: header("X") } })],
    ["one of several forms", object({}, { anyOf: [object({ a: header("X") })] })],
    ["a definition", object({}, { $defs: { a: header("X") } })],
    ["the whole", object({}, { "x-mcp-header": "X" })],
  ])("cannot be %s", (_, schema) => {
    expect(readToolHeaders(schema)).toMatchObject({ ok: false, problem: expect.any(String) });
  });

  test("are not found where the keyword is only data", () => {
    const schema = object({
      "x-mcp-header": { type: "string", default: { "x-mcp-header": "X" } },
      properties: object({}),
    });
    expect(readToolHeaders(schema)).toEqual({ ok: true, headers: [] });
  });

  test("headers of an infinite schema are rejected", () => {
    let schema = object({});
    for (let depth = 0; depth < 5_000; depth++) schema = object({ a: schema });
    expect(readToolHeaders(schema)).toMatchObject({ ok: false });
  });
});
