import type { PlanContext, Plan } from "../../src/chain/plan/plan.ts";
import { type PlanChainResult, planChain } from "../../src/chain/plan/plan-chain.ts";
import type { ChainSpec } from "../../src/chain/plan/chain-spec.ts";
import { type JsonSchema, fromJsonSchema } from "../../src/schema/index.ts";
import { type AnyTool, type ToolDefinition, ToolRegistry, defineTool } from "../../src/tool/index.ts";

const text = { type: "string" };

/** A tool with only the properties that planning reads. */
export function plannedTool(
  name: string,
  about: Partial<Pick<AnyTool, "effect" | "destructive" | "targets" | "version">> & {
    input?: JsonSchema;
    output?: JsonSchema;
    status?: "active" | "disabled";
  } = {},
): AnyTool {
  const { input = { type: "object" }, output, effect = "read", ...rest } = about;
  const definition = {
    name,
    description: `Does ${name}.`,
    effect,
    ...rest,
    input: fromJsonSchema(input),
    ...(output !== undefined && { output: fromJsonSchema(output) }),
    run: () => null,
  };
  return defineTool(definition as unknown as ToolDefinition<undefined, undefined, false, null>);
}

/** Keys and their schemas as the schema of an object. */
export function objectOf(properties: Record<string, unknown>, required: readonly string[] = []): JsonSchema {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** The tools that the chains of these tests call. */
export const harbourTools: readonly AnyTool[] = [
  plannedTool("find_news", {
    input: objectOf({ topic: text, limit: { type: "integer", minimum: 1, maximum: 50 } }, ["topic"]),
    output: { type: "array", items: objectOf({ title: text, url: text }) },
  }),
  plannedTool("read_tides", {
    input: objectOf({ harbour: text, days: { type: "integer", minimum: 1, maximum: 31 } }, ["harbour"]),
  }),
  plannedTool("find_photos", {
    input: objectOf({ location: text }),
    output: objectOf({
      images: { type: "array", items: objectOf({ url: text, width: { type: "integer" } }) },
      total: { type: "integer" },
    }),
  }),
  plannedTool("write_report", {
    effect: "pure",
    input: objectOf(
      {
        title: text,
        body: {},
        first: text,
        options: objectOf({ style: { enum: ["plain", "rich"] }, pages: { type: "integer" } }, ["style"]),
      },
      ["title"],
    ),
  }),
  plannedTool("send_mail", { effect: "once", input: objectOf({ text: {} }), output: objectOf({ receipt: text }) }),
  plannedTool("save_file", { effect: "idempotent", input: objectOf({ path: text, text }) }),
  plannedTool("call_service", {
    effect: (args: unknown) => ((args as { method?: string }).method === "GET" ? "read" : "once"),
    input: objectOf({ method: text }),
  }),
  plannedTool("anything"),
];

/** A context with these tools. */
export function planContext(more: Partial<PlanContext> = {}): PlanContext {
  const registry = new ToolRegistry();
  for (const tool of harbourTools) registry.register(tool);
  return { tools: registry, ...more };
}

/** Plans a file. */
export function planText(source: string, more: Partial<PlanContext> = {}): PlanChainResult {
  return planChain({ text: source, file: "chain.yaml" }, planContext(more));
}

/** Plans data. */
export function planSpec(spec: unknown, more: Partial<PlanContext> = {}): PlanChainResult {
  return planChain({ spec: spec as ChainSpec }, planContext(more));
}

/** The plan of a file that has to be valid. */
export function goodPlan(source: string, more: Partial<PlanContext> = {}): Plan {
  const { plan, problems } = planText(source, more);
  if (plan === undefined) throw new Error(JSON.stringify(problems, null, 2));
  return plan;
}

/** `3:1 unknown_key`, with the severity if it is not an error. */
export function brief({ problems }: Pick<PlanChainResult, "problems">): string[] {
  return problems.map(({ line, column, code, severity }) =>
    severity === "error" ? `${line}:${column} ${code}` : `${line}:${column} ${code} (${severity})`,
  );
}

/** Several chains that may call each other, as a workspace holds them. */
export function planTogether(files: Readonly<Record<string, string>>): (name: string) => PlanChainResult {
  const known = new Map<string, PlanChainResult>();
  const plan = (name: string): PlanChainResult => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const planned = planChain({ text: files[name] ?? "", file: `${name}.yaml` }, context);
    known.set(name, planned);
    return planned;
  };
  const context = planContext({
    chains: (name) => {
      if (!Object.hasOwn(files, name)) return undefined;
      return () => {
        const planned = plan(name);
        if (planned.plan === undefined) throw new Error(planned.problems[0]?.message ?? "no plan");
        return planned.plan;
      };
    },
    chainNames: () => Object.keys(files),
  });
  return plan;
}
