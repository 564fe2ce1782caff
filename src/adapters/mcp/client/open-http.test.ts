import { expect, test } from "vitest";
import { limitBody } from "./open-http.ts";

async function pass(pieces: readonly string[], isEvents: boolean): Promise<string> {
  const body = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })();
  let text = "";
  const tooLarge = () => new Error("too large") as never;
  for await (const piece of limitBody(body, { maxBytes: 20, isEvents, tooLarge }))
    text += Buffer.from(piece).toString();
  return text;
}

test("a body is passed on up to the limit of one message", async () => {
  expect(await pass(["0123456789", "0123456789"], false)).toHaveLength(20);
  await expect(pass(["0123456789", "0123456789\n\n0"], false)).rejects.toThrow("too large");
});

test.each(["\n", "\r\n"])("a stream of events may be endless, but not a single event", async (end) => {
  const event = `data: 0123${end}${end}`;
  const all = event.repeat(50);
  expect(await pass(all.split(""), true)).toBe(all);
  await expect(pass([event, "data: 01234567890123456789"], true)).rejects.toThrow("too large");
  await expect(pass([`data: 0${end}`.repeat(10)], true)).rejects.toThrow("too large");
});
