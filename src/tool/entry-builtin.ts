import { type Failure, fail, failure } from "../base/index.ts";
import { type JsonSchema, type Validation, isMap } from "../schema/index.ts";
import { suggest } from "../text/index.ts";
import type { EntryPlan, EntrySource } from "./entry-plan.ts";
import type { AnyTool } from "./tool.ts";

/** A `builtin` entry: the executor of that name does the work. */
export function readBuiltinEntry(source: EntrySource): EntryPlan {
  const { entry, report, world } = source;
  const handler = String(entry["handler"]);
  const executor = world.executors.get(handler);
  if (executor !== undefined) {
    warnAboutInputs(handler, executor.input.json, source);
    return runTool(executor);
  }
  const near = suggest(handler, world.executors.names());
  const hint = near === undefined ? undefined : `did you mean "${near}"?`;
  report.add("executor_not_found", ["entry", "handler"], [`there is no executor "${handler}"`, { hint }]);
  const message = `there is no executor "${handler}"${hint === undefined ? "" : `; ${hint}`}`;
  return brokenEntry(failure("executor_not_found", message, { reason: "unknown_handler" }));
}

/** A warning only: parameters are open, so who knows the executor can still pass what it needs. */
function warnAboutInputs(handler: string, needed: JsonSchema, { parameters, report }: EntrySource): void {
  const { required } = needed;
  const missing = (Array.isArray(required) ? required.map(String) : []).filter(
    (name) => propertyOf(parameters, name) === undefined && propertyOf(needed, name)?.["default"] === undefined,
  );
  if (missing.length === 0) return;
  const names = missing.map((name) => JSON.stringify(name)).join(" and ");
  const which = missing.length === 1 ? "which is" : "which are";
  const message = `the executor "${handler}" needs ${names}, ${which} not among the parameters`;
  report.add("missing_input", ["entry", "handler"], [message, { severity: "warning", hint: `add ${names}` }]);
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  if (!isMap(properties) || !Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  return isMap(property) ? property : {};
}

/** The entry of a tool that can be listed and described, but not run. */
export function brokenEntry(broken: Failure): EntryPlan {
  const run = (): never => {
    throw fail(broken.message, { code: broken.code, ...(broken.reason !== undefined && { reason: broken.reason }) });
  };
  return { run, effect: "once", destructive: true, broken };
}

/** An entry that another tool runs, whose schema sees the arguments after the file's own. */
export function runTool(tool: AnyTool): EntryPlan {
  const { effect, destructive, timeoutMs, cache, output, composite, broken } = tool;
  const seen = new WeakMap<object, ReturnType<typeof tool.input.validate>>();
  /** The engine asks for effect, destructiveness and timeout with the same arguments, one after the other. */
  const reading = (args: object): ReturnType<typeof tool.input.validate> => {
    const known = seen.get(args) ?? tool.input.validate(args);
    seen.set(args, known);
    return known;
  };
  /** The executor's verdict on its own reading of the arguments; `unknown` where it refuses them or takes its time. */
  const asked = <T>(rule: T | ((args: never) => T), unknown: T): T | ((args: object) => T) => {
    if (typeof rule !== "function") return rule;
    return (args) => {
      const result = reading(args);
      if (result instanceof Promise || result.issues !== undefined) return unknown;
      // The rule takes what the executor's own schema gives.
      return (rule as (args: unknown) => T)(result.value);
    };
  };
  return {
    run: (args: unknown, context) => {
      // Read again, not remembered: a handler may change what it was given, and a second attempt gets its own.
      const result = tool.input.validate(args);
      const go = (validation: Validation<unknown>): ReturnType<AnyTool["run"]> =>
        validation.issues === undefined ? tool.run(validation.value, context) : refused(tool.name, validation);
      return result instanceof Promise ? result.then(go) : go(result);
    },
    effect: asked(effect, "once"),
    destructive: asked(destructive, true),
    timeoutMs: timeoutMs === undefined ? undefined : asked(timeoutMs, 30_000),
    cache,
    output,
    composite,
    broken,
  };
}

function refused(name: string, { issues = [] }: Validation<unknown>): never {
  const message = issues.map((issue) => issue.message).join("; ");
  throw fail(`${name} does not take these arguments: ${message}`, { code: "validation_error", issues });
}
