import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { createAgent } from "../create-agent.ts";

const phrase = "correct horse battery staple";
const characters = "密码一二三四五六";
/** Not registered as a secret: only its shape identifies it, and half of it has no such shape. */
const token = `eyJhbGciOiJIUzI1NiJ9.${"abcD1234".repeat(30)}.${"xYz98765".repeat(6)}`;

const long = "word ".repeat(36);
const outputs: [string, unknown][] = [
  ["a text that is cut inside of a secret", `${long}${phrase} ${token}`],
  ["a token that is longer than what is shown", token],
  ["one in a list of names", [{ title: `${"x".repeat(195)} ${phrase}` }, { title: token }, characters]],
  ["one behind a telling name", { password: "p".repeat(300), rest: phrase }],
  ["one in much JSON", Array.from({ length: 5000 }, () => ({ title: token, text: `${long}${characters}` }))],
  ["one in a long text", `${token} ${long.repeat(10_000)}`],
];

/** Pieces of eight characters that must not be visible. */
function pieces(secret: string, size: number): string[] {
  return Array.from({ length: secret.length - size + 1 }, (_, at) => secret.slice(at, at + size));
}

async function eventsOf(run: () => unknown): Promise<AgentEvent[]> {
  const tools = [sampleTool(run, { name: "look" })];
  const engine = createEngine({ tools, secrets: { PHRASE: phrase, CHARACTERS: characters } });
  const model = scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "done"]);
  const events: AgentEvent[] = [];
  const result = await createAgent({ engine, model }).run("look", { onEvent: (event) => events.push(event) });
  expect(result).toMatchObject({ status: "completed" });
  return events;
}

function expectNoPiece(events: readonly AgentEvent[]): void {
  const reported = JSON.stringify(events);
  const seen = [...pieces(phrase, 12), ...pieces(characters, 4), ...pieces(token, 24)].filter((one) =>
    reported.includes(one),
  );
  expect(seen).toEqual([]);
}

describe("[N08] a result summary is redacted before it is cut, never after", () => {
  test.each(outputs)("%s", async (_, output) => {
    const events = await eventsOf(() => output);
    expectNoPiece(events);
    const finished = events.find(({ type }) => type === "tool-finished");
    expect(finished).toMatchObject({ success: true, summary: expect.stringMatching(/./) as unknown });
  });

  test("the message of a failure shows no piece of a secret", async () => {
    const events = await eventsOf(() => {
      throw new Error(`${long}${token} ${phrase}`);
    });
    expectNoPiece(events);
    expect(events.find(({ type }) => type === "tool-finished")).toMatchObject({ success: false });
  });
});

test("[E13] a flat record is shown as pairs, redacted first and cut at the end", async () => {
  const at = Date.UTC(2026, 10, 2);
  const reported = async (output: unknown): Promise<unknown> => {
    const events = await eventsOf(() => output);
    return events.flatMap((event) => (event.type === "tool-finished" ? [event.summary] : [])).at(0);
  };
  expect(await reported({ path: "hello.txt", bytes: 12 })).toBe("path: hello.txt, bytes: 12");
  expect(await reported({ startTime: at, endTime: at })).toBe(
    "startTime: 2026-11-02 00:00 UTC, endTime: 2026-11-02 00:00 UTC",
  );
  expect(await reported({ note: `the ${phrase} of old`, password: "hunter2" })).toBe(
    "note: the [redacted] of old, password: [redacted]",
  );
  const long = await reported({ text: "word\n".repeat(1000), rest: 1 });
  expect(long).toMatch(/^text: word word .*…$/);
});
