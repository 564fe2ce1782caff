import { isRecord } from "../../schema/index.ts";
import type { FoundItems } from "../agent-event.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** Under these keys things have their names, the best first. */
const nameKeys = ["title", "name", "path", "url", "id"] as const;
const mostNames = 5;
const longestName = 200;
/** What is longer is no name, and is not read to its end. */
const longestRead = 100_000;

/** The things in a list that a tool gave, such as the notes that a search found; undefined where it gave no list. */
export function foundItems(run: AgentRun, output: unknown): FoundItems | undefined {
  const items = listIn(output);
  if (items === undefined) return undefined;
  const names = items.slice(0, mostNames).flatMap((item) => shownName(run, nameOf(item)));
  return { count: items.length, names };
}

/** The output itself, or the one list in it. */
function listIn(output: unknown): readonly unknown[] | undefined {
  if (Array.isArray(output)) return output;
  if (!isRecord(output)) return undefined;
  const lists = Object.values(output).filter((value) => Array.isArray(value));
  return lists.length === 1 ? lists[0] : undefined;
}

/** Secrets go before anything is cut: the rest of one does not look like it. */
function shownName(run: AgentRun, name: string | undefined): string[] {
  return name === undefined
    ? []
    : [
        String(run.shown(name.slice(0, longestRead)))
          .slice(0, longestName)
          .toWellFormed(),
      ];
}

function nameOf(item: unknown): string | undefined {
  if (typeof item === "string") return item;
  if (!isRecord(item)) return undefined;
  for (const key of nameKeys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
