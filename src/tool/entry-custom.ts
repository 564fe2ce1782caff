import { dirname, relative, resolve, sep } from "node:path";
import { type RealPath, failure, resolveRealPath } from "../base/index.ts";
import { suggestHint } from "../text/index.ts";
import { brokenEntry, delegateEntry } from "./entry-builtin.ts";
import { describeError, importFresh } from "./entry-module.ts";
import type { EntryPlan, EntryInput } from "./entry-plan.ts";
import { importHint } from "./import-hint.ts";
import { type AnyTool, isTool } from "./tool.ts";

/** A `custom` entry: a function, or a tool, that a module of the workspace exports. Loaded with the file. */
export async function readCustomEntry(source: EntryInput): Promise<EntryPlan> {
  const { entry, world } = source;
  const path = resolve(dirname(world.path), String(entry["module"]));
  const realPath = await resolveRealPath(path, world.root);
  return { ...(await planOf(source, realPath)), modules: [realPath.kind === "inside" ? realPath.path : path] };
}

async function planOf({ entry, report, world }: EntryInput, realPath: RealPath): Promise<EntryPlan> {
  const name = String(entry["module"]);
  const moduleFile = "path" in realPath ? relative(world.root, realPath.path).split(sep).join("/") : undefined;
  const broken = (code: string, key: string, [message, hint]: Fault): EntryPlan => {
    report.add(code, ["entry", key], [message, { hint, cause: code === "module_failed" ? moduleFile : undefined }]);
    const advice = code === "module_failed" && hint !== undefined ? `; ${hint}` : "";
    return brokenEntry(failure("executor_not_found", `${message}${advice}`, { reason: code }));
  };
  if (realPath.kind === "missing") return broken("module_not_found", "module", [`there is no module "${name}"`]);
  if (realPath.kind === "outside") {
    return broken("outside_workspace", "module", [`the module "${name}" is outside the workspace`]);
  }
  let exports: Exports;
  try {
    exports = await importFresh(realPath.path, world);
  } catch (error) {
    const message = `the module "${name}" failed: ${describeError(error)}`;
    return broken("module_failed", "module", [message, importHint(error, { path: realPath.path, root: world.root })]);
  }
  const requested = typeof entry["export"] === "string" ? entry["export"] : undefined;
  const chosen = choose(exports, requested);
  if ("fault" in chosen) return broken("export_not_found", requested === undefined ? "module" : "export", chosen.fault);
  return isTool(chosen.value) ? delegateEntry(chosen.value) : { run: chosen.value, effect: "once" };
}

type Fault = readonly [message: string, hint?: string | undefined];

type Exports = Readonly<Record<string, unknown>>;

type Chosen = { readonly value: AnyTool | AnyTool["run"] } | { readonly fault: Fault };

function choose(exports: Exports, requested: string | undefined): Chosen {
  const usable = Object.keys(exports).filter((key) => isHandler(exports[key]));
  const only = usable.includes("default") ? "default" : usable.length === 1 ? usable[0] : undefined;
  const key = requested ?? only;
  const value = key === undefined ? undefined : exports[key];
  if (isHandler(value)) return { value };
  if (requested === undefined) {
    return {
      fault:
        usable.length === 0
          ? [
              "the module exports no function and no tool",
              "write export default before the function that runs the tool",
            ]
          : ["the module exports several functions and tools", `set "export" to one of ${usable.join(", ")}`],
    };
  }
  const hint = suggestHint(requested, usable) ?? `it exports ${usable.join(", ") || "neither"}`;
  return { fault: [`the module exports no function or tool "${requested}"`, hint] };
}

function isHandler(value: unknown): value is AnyTool | AnyTool["run"] {
  return typeof value === "function" || isTool(value);
}
