import { type Failure, fail, failure } from "../base/index.ts";
import { type JsonSchema, type Validation, isRecord } from "../schema/index.ts";
import { suggestHint } from "../text/index.ts";
import type { EntryPlan, EntryInput } from "./entry-plan.ts";
import type { AnyTool } from "./tool.ts";

/** A `builtin` entry: the named executor runs the tool. */
export function readBuiltinEntry(source: EntryInput): EntryPlan {
  const { entry, report, world } = source;
  const handler = String(entry["handler"]);
  const executor = world.executors.get(handler);
  if (executor !== undefined) {
    warnAboutInputs(handler, executor.input.json, source);
    return delegateEntry(executor);
  }
  const hint = suggestHint(handler, world.executors.names());
  report.add("executor_not_found", ["entry", "handler"], [`there is no executor "${handler}"`, { hint }]);
  const message = `there is no executor "${handler}"${hint === undefined ? "" : `; ${hint}`}`;
  return brokenEntry(failure("executor_not_found", message, { reason: "unknown_handler" }));
}

/** Only a warning: the file may be unfinished, and its other parts are right. */
function warnAboutInputs(handler: string, needed: JsonSchema, { parameters, report }: EntryInput): void {
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
  if (!isRecord(properties) || !Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  return isRecord(property) ? property : {};
}

/** The entry of a tool that can be listed and described, but not run. */
export function brokenEntry(broken: Failure): EntryPlan {
  const run = (): never => {
    throw fail(broken.message, { code: broken.code, ...(broken.reason !== undefined && { reason: broken.reason }) });
  };
  return { run, effect: "once", broken, isReported: true };
}

/** An entry that delegates to another tool, whose schema validates the arguments after the file's own. */
export function delegateEntry(tool: AnyTool): EntryPlan {
  const { effect, destructive, targets, sends, timeoutMs, cache, output, composite, broken, unavailable } = tool;
  const seen = new WeakMap<object, ReturnType<typeof tool.input.validate>>();
  /**
   * Caches the result: the engine queries effect, destructiveness and timeout with the same arguments, one after the
   * other.
   */
  const reading = (args: object): ReturnType<typeof tool.input.validate> => {
    const known = seen.get(args) ?? tool.input.validate(args);
    seen.set(args, known);
    return known;
  };
  /**
   * The executor's verdict on its own validated arguments; `unknown` if it rejects them or validates asynchronously.
   */
  const evaluateRule = <T>(rule: T | ((args: never) => T), unknown: T): T | ((args: object) => T) => {
    if (typeof rule !== "function") return rule;
    return (args) => {
      const result = reading(args);
      if (result instanceof Promise || result.issues !== undefined) return unknown;
      // The rule takes the output of the executor's own schema.
      return (rule as (args: unknown) => T)(result.value);
    };
  };
  return {
    run: (args: unknown, context) => {
      // Validated again, not cached: a handler may modify its arguments, and a second attempt needs its own copy.
      const result = tool.input.validate(args);
      const go = (validation: Validation<unknown>): ReturnType<AnyTool["run"]> =>
        validation.issues === undefined ? tool.run(validation.value, context) : refused(tool.name, validation);
      return result instanceof Promise ? result.then(go) : go(result);
    },
    effect: evaluateRule(effect, "once"),
    destructive: evaluateRule(destructive, true),
    targets,
    sends,
    timeoutMs: timeoutMs === undefined ? undefined : evaluateRule(timeoutMs, 30_000),
    cache,
    output,
    composite,
    isExternal: effect !== "pure",
    callerContent: tool.callerContent,
    handlerNames: [tool.name, ...tool.aliases],
    broken,
    unavailable,
  };
}

function refused(name: string, { issues = [] }: Validation<unknown>): never {
  const message = issues.map((issue) => issue.message).join("; ");
  throw fail(`${name} does not accept these arguments: ${message}`, { code: "validation_error", issues });
}
