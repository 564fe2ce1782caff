import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../tool/index.ts";
import type { ConversationMessage } from "../events/message.ts";
import { KnownUrls, maxKnownUrls } from "./known-urls.ts";

const url = "https://a.example/page";
const brings = (tool: string): boolean => tool !== "echo";

function resultOf(output: unknown, meta: object = {}): ToolResult {
  const base = { callId: "c", source: "tools", attempts: 1 };
  return { success: true, tool: "t", output, durationMs: 0, executedAt: 0, meta: { ...base, ...meta } };
}

const user = (text: string): ConversationMessage => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): ConversationMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const called = (input: unknown): ConversationMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input }],
});
const returned = (toolName: string, value: string): ConversationMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "c", toolName, output: { type: "text", value } }],
});

const knownIn = (history: readonly ConversationMessage[], text = "go"): boolean =>
  KnownUrls.of({ text, history }, brings).has(url);

describe("[S3] a model may request a URL of its conversation", () => {
  test("that appears in the prompt, in an earlier prompt or in an earlier result", () => {
    expect(knownIn([], `read ${url}`)).toBe(true);
    expect(knownIn([user(url), assistant("done")])).toBe(true);
    expect(knownIn([user("find"), called({ q: "x" }), returned("search", `found ${url}`)])).toBe(true);
    expect(knownIn([user("go")])).toBe(false);
  });

  test("not one that the model wrote first, in its answer, its arguments or a summary", () => {
    expect(knownIn([assistant(url), user("go on"), returned("search", url)])).toBe(false);
    expect(knownIn([assistant(url), user(`read ${url}`)])).toBe(true);
    expect(knownIn([called({ text: url }), returned("memory", url)])).toBe(false);
    const summary = { ...user(url), providerOptions: { windlass_summary: { short: true } } };
    expect(knownIn([summary])).toBe(false);
  });

  test("not one that a pure tool returned, since that contains what the model passed to it", () => {
    expect(knownIn([returned("echo", url)])).toBe(false);
    const known = KnownUrls.of({ text: "go", history: [] }, brings);
    known.addResult(resultOf(url), "pure");
    expect(known.has(url)).toBe(false);
    known.addResult(resultOf({ links: [url] }), "read");
    expect(known.has(url)).toBe(false);
  });

  test("not one that another model composed, or that a model wrote with escapes", () => {
    const composed = KnownUrls.of({ text: "go", history: [] }, brings);
    composed.addResult(resultOf(url), "read", { composite: true });
    expect(composed.has(url)).toBe(false);
    const known = KnownUrls.of({ text: "go", history: [] }, brings);
    known.addResult(resultOf(url, { tokensUsed: 12 }), "read");
    expect(known.has(url)).toBe(false);
    const escaped = KnownUrls.of({ text: "go", history: [] }, brings);
    const input = '{"text":"\\u0068ttps:\\/\\/a.example\\/page"}';
    escaped.addTurn({ content: [{ type: "tool-call", id: "c", name: "save", input }] } as never, false);
    escaped.addResult(resultOf(url), "read");
    expect(escaped.has(url)).toBe(false);
  });

  test("not one in a prompt that a model wrote", () => {
    expect(KnownUrls.of({ text: url, history: [], untrusted: true }, brings).has(url)).toBe(false);
  });

  test(`at most ${maxKnownUrls} in a conversation, counting those of earlier prompts; the same one again`, () => {
    const pages = Array.from({ length: maxKnownUrls + 1 }, (_, at) => `https://a.example/${at}`);
    const known = KnownUrls.of({ text: pages.join(" "), history: [] }, brings);
    expect(pages.map(known.has).filter(Boolean)).toHaveLength(maxKnownUrls);
    expect(known.has("https://a.example/0")).toBe(true);
    const history = [user(pages.join(" ")), ...pages.slice(0, maxKnownUrls).map((page) => called({ url: page }))];
    const later = KnownUrls.of({ text: "go", history }, brings);
    expect(later.has(pages.at(-1) ?? "")).toBe(false);
    expect(later.has(pages[0] ?? "")).toBe(true);
    const resumed = KnownUrls.of({ text: pages.join(" "), history: [] }, brings);
    const calls = pages
      .slice(0, maxKnownUrls)
      .map((page) => ({ type: "tool-call", input: JSON.stringify({ url: page }) }));
    resumed.addTurn({ content: calls } as never, true);
    expect(resumed.has(pages.at(-1) ?? "")).toBe(false);
  });
});
