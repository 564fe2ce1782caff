import { dirname, resolve } from "node:path";
import { type RealPlace, failure, realPlace } from "../base/index.ts";
import { suggest } from "../text/index.ts";
import { brokenEntry, runTool } from "./entry-builtin.ts";
import { describeError, importFresh } from "./entry-module.ts";
import type { EntryPlan, EntrySource } from "./entry-plan.ts";
import { missingPackageHint } from "./missing-package.ts";
import { type AnyTool, isTool } from "./tool.ts";

/** A `custom` entry: a function, or a tool, that a module of the workspace exports. Loaded with the file. */
export async function readCustomEntry(source: EntrySource): Promise<EntryPlan> {
  const { entry, world } = source;
  const path = resolve(dirname(world.path), String(entry["module"]));
  const place = await realPlace(path, world.root);
  return { ...(await planOf(source, place)), modules: [place.kind === "inside" ? place.path : path] };
}

async function planOf({ entry, report, world }: EntrySource, place: RealPlace): Promise<EntryPlan> {
  const name = String(entry["module"]);
  const broken = (code: string, key: string, [message, hint]: Fault): EntryPlan => {
    report.add(code, ["entry", key], [message, { hint }]);
    return brokenEntry(failure("executor_not_found", message, { reason: code }));
  };
  if (place.kind === "missing") return broken("module_not_found", "module", [`there is no module "${name}"`]);
  if (place.kind === "outside") {
    return broken("outside_workspace", "module", [`the module "${name}" is outside the workspace`]);
  }
  let exports: Exports;
  try {
    exports = await importFresh(place.path, world);
  } catch (error) {
    const message = `the module "${name}" failed: ${describeError(error)}`;
    return broken("module_failed", "module", [message, missingPackageHint(error)]);
  }
  const wanted = typeof entry["export"] === "string" ? entry["export"] : undefined;
  const chosen = choose(exports, wanted);
  if ("fault" in chosen) return broken("export_not_found", wanted === undefined ? "module" : "export", chosen.fault);
  return isTool(chosen.value) ? runTool(chosen.value) : { run: chosen.value, effect: "once", destructive: true };
}

type Fault = readonly [message: string, hint?: string | undefined];

type Exports = Readonly<Record<string, unknown>>;

type Chosen = { readonly value: AnyTool | AnyTool["run"] } | { readonly fault: Fault };

function choose(exports: Exports, wanted: string | undefined): Chosen {
  const usable = Object.keys(exports).filter((key) => isHandler(exports[key]));
  const only = usable.includes("default") ? "default" : usable.length === 1 ? usable[0] : undefined;
  const key = wanted ?? only;
  const value = key === undefined ? undefined : exports[key];
  if (isHandler(value)) return { value };
  if (wanted === undefined) {
    const message = usable.length === 0 ? "exports no function and no tool" : "exports several functions and tools";
    return {
      fault: [`the module ${message}`, usable.length === 0 ? undefined : `set "export" to one of ${usable.join(", ")}`],
    };
  }
  const near = suggest(wanted, usable);
  const hint = near === undefined ? `it exports ${usable.join(", ") || "neither"}` : `did you mean "${near}"?`;
  return { fault: [`the module exports no function or tool "${wanted}"`, hint] };
}

function isHandler(value: unknown): value is AnyTool | AnyTool["run"] {
  return typeof value === "function" || isTool(value);
}
