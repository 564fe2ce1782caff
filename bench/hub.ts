// Measures how fast the hub resolves tools: names among 1,000 tools, compared with a Map, and the cost of changes.
// `node bench/hub.ts [tools] [--check]` (default: 1,000 tools; with --check it fails if the budget is broken)
import { Hub } from "../src/hub/index.ts";
import { fromJsonSchema } from "../src/schema/index.ts";
import { type AnyTool, type ToolOffer, ToolRegistry, defineTool } from "../src/tool/index.ts";
import { mainThreadCpuUs } from "./cpu-time.ts";
import { ratioOf, spreadOf } from "./statistics.ts";

const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 1_000);
const rounds = 21;
const callsPerRound = 500_000;

/** Maximum time of a resolve, as a multiple of a `Map.get`. */
const budget = 5;

const verbs = ["search", "calculate", "translate", "summarize", "draw", "list", "send", "read", "write", "parse"];

function toolOf(name: string): AnyTool {
  const verb = verbs[name.length % verbs.length] ?? "";
  return defineTool({
    name,
    description: `Does ${verb} for number ${name}. It is one of many.`,
    effect: "read",
    input: fromJsonSchema({ type: "object", properties: { query: { type: "string" } } }),
    run: () => 1,
  });
}

function offersOf(from: number, to: number): ToolOffer[] {
  return Array.from({ length: to - from }, (_, at) => {
    const name = `tool_${from + at}`;
    return { name, aliases: [`alias_${from + at}`], make: () => toolOf(name) };
  });
}

const registry = new ToolRegistry();
registry.offer(offersOf(0, count));
const hub = new Hub({ registry });
const names = Array.from({ length: count }, (_, at) => `tool_${(at * 7919) % count}`);
const floor = new Map(names.map((name) => [name, registry.resolve(name)]));

function timeOf(work: (name: string) => unknown): number {
  let found = 0;
  const begin = mainThreadCpuUs();
  for (let at = 0; at < callsPerRound; at++) if (work(names[at % count] ?? "") !== undefined) found++;
  const spent = mainThreadCpuUs() - begin;
  if (found !== callsPerRound) throw new Error("a tool was not found");
  return (spent * 1_000) / callsPerRound;
}

const contenders = {
  "Map.get": (name: string) => floor.get(name),
  "registry.resolve": (name: string) => registry.resolve(name),
  "hub.resolve": (name: string) => hub.resolve(name),
};
const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds + 3; round++) {
  for (const [name, work] of Object.entries(contenders)) {
    const time = timeOf(work);
    if (round >= 3) times[name]?.push(time);
  }
}

console.log(`${count} tools, ${rounds} rounds of ${callsPerRound} lookups\n`);
console.log("what".padEnd(44), "ns".padStart(10), "x Map.get".padStart(10));
for (const name of Object.keys(contenders)) {
  const ratio = ratioOf(times[name] ?? [], times["Map.get"] ?? []).median;
  console.log(
    name.padEnd(44),
    spreadOf(times[name] ?? [])
      .median.toFixed(1)
      .padStart(10),
    ratio.toFixed(2).padStart(10),
  );
}

function once(what: string, work: () => unknown): void {
  const begin = performance.now();
  work();
  console.log(what.padEnd(44), `${(performance.now() - begin).toFixed(2)} ms`.padStart(10));
}

console.log("");
once("capabilities of all tools, instantiating them", () => hub.withCapability("search").length);
registry.register(toolOf("one_more"));
once("capabilities of all tools, one tool changed", () => hub.withCapability("search").length);
registry.register(toolOf("one_more_still"));
once("first name after a change", () => hub.resolve("tool_1"));
once("choice of a capability", () => hub.resolve("capability:search"));

const ratio = ratioOf(times["hub.resolve"] ?? [], times["Map.get"] ?? []).median;
if (process.argv.includes("--check") && ratio > budget) {
  console.error(`\nhub.resolve takes ${ratio.toFixed(2)}x a Map.get; the budget is ${budget}x`);
  process.exitCode = 1;
}
