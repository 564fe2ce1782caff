import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MessageLine, MessageLines } from "./stdio-transport.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

function read(pieces: readonly string[], maxBytes = 1_000): MessageLine[] {
  const lines = new MessageLines(maxBytes);
  return pieces.flatMap((piece) => [...lines.feed(bytes(piece))]);
}

describe("lines of messages", () => {
  test("are the same regardless of how the bytes are split", () => {
    const text = fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", ""));
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 9 }), (texts, size) => {
        const all = bytes(texts.map((line) => `${line}\n`).join(""));
        const lines = new MessageLines(10_000);
        const found: MessageLine[] = [];
        for (let at = 0; at < all.length; at += size) found.push(...lines.feed(all.subarray(at, at + size)));
        expect(found.map((line) => line.kind === "line" && line.text)).toEqual(
          texts.map((line) => line.toWellFormed()),
        );
      }),
    );
  });

  test("beyond the limit are identified by the id of the message itself", () => {
    const long = "x".repeat(2_000);
    const cases: [string, unknown][] = [
      [`{"jsonrpc":"2.0","id":7,"result":{"text":"${long}"}}`, 7],
      [`{"result":{"id":1,"text":"\\"id\\": 2, {${long}"},"jsonrpc":"2.0","id":7}`, 7],
      [`{ "result" : [ {"id":1} , "${long}\\\\" ] , "id" : "seven" }`, "seven"],
      [`{"id":{"id":5},"text":"${long}"}`, undefined],
      [`{"text":"${long}","id":null}`, undefined],
      [`{"text":"${long}"}`, undefined],
      [`["id",7,"${long}"]`, undefined],
      [`id:7 ${long}`, undefined],
    ];
    for (const [line, id] of cases) {
      expect(read([`${line}\n`])).toEqual([{ kind: "oversized", id, bytes: Buffer.byteLength(line) }]);
      expect(read([...line.split(""), "\n"])).toEqual([{ kind: "oversized", id, bytes: Buffer.byteLength(line) }]);
    }
  });

  test("continue after one that was too long", () => {
    const found = read(["a\n", "b".repeat(20), "b\nc", "\n"], 10);
    expect(found).toEqual([
      { kind: "line", text: "a" },
      { kind: "oversized", id: undefined, bytes: 21 },
      { kind: "line", text: "c" },
    ]);
  });
});
