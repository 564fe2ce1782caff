/** A short tour of real calls, offline and without an API key. It checks every result and fails if one is wrong. */
import assert from "node:assert/strict";
import { styleText } from "node:util";
import { type ToolResult, createEngine, defineTool, fail, forConversation, fromJsonSchema } from "windlass";
import { builtinTools, createHttpClient } from "windlass/tools";

const bold = (text: string): string => styleText("bold", text);
const dim = (text: string): string => styleText("dim", text);

function show(title: string, result: ToolResult): void {
  const mark = result.success ? styleText("green", "✓") : styleText("yellow", "!");
  const what = result.success ? JSON.stringify(result.output) : `${result.error.code}: ${result.error.message}`;
  const notes = [`${result.durationMs.toFixed(1)} ms`];
  if (result.meta.attempts > 1) notes.push(`${result.meta.attempts} attempts`);
  if (result.meta.cached === true) notes.push("from the cache");
  if (!result.success) notes.push(`retry: ${result.error.retry}`);
  console.log(`${mark} ${bold(title)}\n  ${what}\n  ${dim(notes.join(" · "))}`);
}

// A tool is a function with a description, a schema and an effect.
let requests = 0;
const weather = defineTool({
  name: "weather_report",
  description: "The weather in a city",
  effect: "read",
  cache: { ttlMs: 60_000 },
  input: fromJsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string", minLength: 1, description: "Name of the city" } },
    required: ["city"],
  }),
  run: ({ city }) => {
    requests++;
    // A service that responds only to the second request.
    if (requests === 1) return fail("the weather service is busy", { code: "not_available" });
    return { city, celsius: 21, sky: "clear" };
  },
});

const sleepy = defineTool({
  name: "sleepy",
  description: "Takes a minute, unless it is aborted",
  effect: "read",
  timeoutMs: 150,
  run: (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      const timer = setTimeout(() => {}, 60_000);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
});

const removeFile = defineTool({
  name: "remove_file",
  description: "Remove a file for good",
  effect: "once",
  input: fromJsonSchema<{ path: string }>({
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  }),
  run: ({ path }) => ({ removed: path }),
});

const http = createHttpClient();
const engine = createEngine({ tools: [...builtinTools({ http }), weather, sleepy, removeFile] });
const events: string[] = [];
engine.subscribe((event) => events.push(event.type));

console.log(`\n${bold("Windlass — a short tour of real calls")}\n`);

const sum = await engine.call("calculator", { expression: "2*(3+4)" });
show('calculator expression="2*(3+4)"', sum);
assert(sum.success);

const typo = await engine.call("calculator", { expresion: "1+1" });
show("a misspelled parameter is explained, not thrown", typo);
assert(!typo.success && typo.error.message.includes("expression"));

const lost = await engine.call("calculatr", {});
show("a misspelled tool too", lost);
assert(!lost.success && lost.error.message.includes("calculator"));

const report = await engine.call(weather, { city: "杭州" });
show("a busy service is retried, because reading twice is safe", report);
assert(report.success && report.meta.attempts === 2);

const again = await engine.call(weather, { city: "杭州" });
show("a repeated call is answered from the cache", again);
assert(again.success && again.meta.cached === true && requests === 2);

const slow = await engine.call(sleepy, {});
show("a deadline aborts the work instead of abandoning it", slow);
assert(!slow.success && slow.error.code === "timeout");

const blocked = await engine.call("http_request", { url: "http://169.254.169.254/latest/meta-data/" });
show("private addresses are blocked by default", blocked);
assert(!blocked.success && blocked.error.code === "permission_denied");

const pending = await engine.call(removeFile, { path: "notes.md" }, forConversation("agent-1", "tour"));
show("a destructive call by a model needs approval", pending);
assert(!pending.success && pending.error.code === "approval_required");

const statistics = await engine.callStatistics();
// The pending call is counted once it is approved and has run.
assert.equal(statistics.totalCalls, 7);
const ended = events.filter((type) => type === "execution_completed" || type === "execution_failed");
assert.equal(ended.length, 8);
console.log(`\n${ended.length} calls, one record and one event each. Now try:\n`);
for (const command of ['call calculator expression="sqrt(2)^2"', "tools", "init my-workspace"]) {
  console.log(`  npm run -s windlass -- ${command}`);
}
await engine.close();
await http.close();
