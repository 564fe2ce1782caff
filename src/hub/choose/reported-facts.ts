import type { Tried } from "./judge-result.ts";

type Facts = Readonly<Record<string, unknown>>;

/** What the engine says of every call: of each its own. */
const enginesOwn: ReadonlySet<string> = new Set(["callId", "source", "attempts", "cached", "abandoned", "preapproved"]);

/** What is used up by whoever runs, also in vain, so that it adds up. */
const adding = ["tokensUsed", "cost"] as const;

/** What tools reported whose results are used: of several the best has the last word. */
export function factsOf(used: readonly Tried[]): Facts {
  const facts = used
    .toReversed()
    .flatMap(({ result }) => Object.entries(result.meta).filter(([name]) => !enginesOwn.has(name)));
  const isReused = used.length > 0 && used.every(({ result }) => result.meta.cached === true);
  return { ...Object.fromEntries(facts), ...(isReused && { cached: true }) };
}

/** What all calls of a choice used up, whatever became of them; what was reused cost nothing this time. */
export function spentOn(tried: readonly Tried[]): Facts {
  const spent: Record<string, number> = {};
  for (const { result } of tried) {
    for (const name of adding) {
      const used = result.meta[name];
      if (typeof used === "number") spent[name] = (spent[name] ?? 0) + used;
    }
  }
  return spent;
}
