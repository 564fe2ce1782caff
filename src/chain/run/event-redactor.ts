import type { RunEvent } from "./run-events.ts";

/** What tools, people and callers put into an event. Everything else in it is a name, a number or a word of ours. */
const carried = ["input", "value", "output", "error", "message", "skip", "by", "approvalId"] as const;

/**
 * Takes secrets out of the events of one run. Looking through a whole event takes longer than the step that it tells of,
 * so that names, which come again with every event, are looked at once.
 */
export function eventRedactor(redact: (value: unknown) => unknown): (event: RunEvent) => RunEvent {
  const clean = new Set<string>();
  const isClean = (name: string): boolean => {
    if (clean.has(name)) return true;
    if (redact(name) !== name) return false;
    clean.add(name);
    return true;
  };
  return (event) => {
    const known = "step" in event && isClean(event.step) && isClean(event.tool) && isClean(event.runId);
    // What is redacted keeps its shape, here and below.
    if (!known || event.type === "step-fallback") return redact(event) as RunEvent;
    const fields = event as Partial<Readonly<Record<(typeof carried)[number], unknown>>>;
    let changed: Record<string, unknown> | undefined;
    for (const name of carried) {
      const value = fields[name];
      if (value === undefined) continue;
      const shown = redact(value);
      if (shown === value) continue;
      changed ??= { ...event };
      changed[name] = shown;
    }
    return changed === undefined ? event : (changed as RunEvent);
  };
}
