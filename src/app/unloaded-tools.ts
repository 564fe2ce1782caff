import { basename } from "node:path";
import { cliCommand } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import type { Problem } from "../text/index.ts";
import { type AnyTool, type Registration, defineTool, toolNameProblem } from "../tool/index.ts";
import type { WorkspaceTrust } from "./open-trust.ts";
import { trustFailure } from "./trust-reasons.ts";
import type { TrustItem } from "./trust-item.ts";

/**
 * The problems of a chain, and if it names a missing tool, the tool files that failed to load: the tool may be in one
 * of them. Each file is reported once, with its first problem.
 */
export function withUnloadedTools(problems: readonly Problem[], ofTools: readonly Problem[]): readonly Problem[] {
  if (!problems.some(({ code }) => code === "unknown_tool")) return problems;
  const causes = new Set(problems.map(({ cause }) => cause));
  const first = new Map<string, Problem>();
  for (const problem of ofTools) {
    const { file } = problem;
    if (isUnloaded(problem) && !first.has(file) && !causes.has(file)) first.set(file, problem);
  }
  const reported = [...first.values()].map(({ message, file, line, column }): Problem => {
    const why = message.split("\n", 1).join("");
    const words = `this file of tools was not loaded: ${why}`;
    return { severity: "warning", code: unloadedTool, message: words, file, line, column };
  });
  return [...problems, ...reported];
}

/** Code of the problem of a file that is not loaded, because it is not trusted. */
const notCheckedCode = "not_checked";

function isUnloaded({ severity, code }: Problem): boolean {
  return severity === "error" || code === notCheckedCode;
}

/** Why the file that most likely contains a missing tool is not loaded; undefined if there is none. */
export function whyNotChecked(problems: readonly Problem[], tool: string): string | undefined {
  return problems.find(({ code, file }) => code === notCheckedCode && stemOf(file) === tool)?.message;
}

/** Parts that may have tools of any name. */
const withTools: ReadonlySet<TrustItem["kind"]> = new Set(["code", "server"]);

/** Why a tool may be missing in a workspace that is not trusted; undefined if it is trusted. */
export function explainUntrusted({ untrusted }: Pick<WorkspaceTrust, "untrusted">): string | undefined {
  const item = untrusted.find(({ kind }) => withTools.has(kind));
  if (item === undefined) return undefined;
  const name = item.kind === "code" ? "code" : "MCP servers";
  return `the workspace is not trusted, so its ${name} may have the tool (\`${cliCommand("trust")}\` shows it)`;
}

/**
 * Looks up tools for planning. In a workspace that is not trusted, a missing tool is a tool of any kind that cannot be
 * called: code that is not loaded may have it. A tool whose file has errors stays missing.
 */
export function withUncheckedTools<T extends Resolver>(tools: T, trust: Pick<WorkspaceTrust, "untrusted">): T {
  if (explainUntrusted(trust) === undefined) return tools;
  const unchecked = new Map<string, Registration>();
  const resolve = (name: string): Registration | undefined => {
    const found = tools.resolve(name) ?? unchecked.get(name);
    if (found !== undefined || name.startsWith("capability:") || toolNameProblem(name) !== undefined) return found;
    if (tools.fileError?.(name) !== undefined) return undefined;
    const made: Registration = { tool: uncheckedTool(name), source: "tools", owner: "unchecked", priority: 0 };
    unchecked.set(name, made);
    return made;
  };
  return new Proxy(tools, { get: (target, key) => (key === "resolve" ? resolve : Reflect.get(target, key)) });
}

/** Accepts any input and output; its effect is unknown. */
function uncheckedTool(name: string): AnyTool {
  const message = `it is not checked, because the workspace is not trusted; review it with \`${cliCommand("trust")}\``;
  const input = fromJsonSchema({ type: "object", additionalProperties: true });
  const tool = defineTool({ name, description: "Not loaded.", effect: () => "once", input, run: () => null });
  return Object.freeze({ ...tool, broken: trustFailure("not_trusted", message).toFailure() });
}

/** Tool files are usually named after their tool. */
function stemOf(file: string): string {
  return basename(file).replace(/\.\w+$/, "");
}

/** The code of such a problem. */
export const unloadedTool = "tool_not_loaded";
