import { type ModelCall, type ScriptedAnswer, type ScriptedModel, scriptedModel } from "../../src/model/index.ts";

/** An answer, or what is made of a question. */
export type Say = ScriptedAnswer | ((call: ModelCall, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** What a model says in each of its parts. */
export interface CrewAnswers {
  readonly plan: Say;
  /** By the beginning of the step's description. */
  readonly steps?: Readonly<Record<string, Say>>;
  readonly input?: Say;
  readonly answer?: Say;
}

/** A model that plays every part of a crew, whatever the order in which it is asked. */
export function crewModel({ plan, steps = {}, input = "no", answer = "The answer." }: CrewAnswers): ScriptedModel {
  return scriptedModel((call, index) => {
    const say = (what: Say) => (typeof what === "function" ? what(call, index) : what);
    const system = systemOf(call);
    if (system.includes("you plan how others answer it")) return say(plan);
    if (system.includes("the arguments of one call")) return say(input);
    if (system.includes("from the results of the steps")) return say(answer);
    const prompt = JSON.stringify(call.prompt);
    const found = Object.entries(steps).find(([part]) => prompt.includes(`nothing else: ${part}`));
    return say(found?.[1] ?? "A thought.");
  });
}

/** What the last message of a question says. */
export function lastText({ prompt }: ModelCall): string {
  const content = prompt.at(-1)?.content;
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** What a model is told before everything else. */
export function systemOf({ prompt }: ModelCall): string {
  const [first] = prompt;
  return first?.role === "system" ? first.content : "";
}

/** A step as planners write it, by its id and its tool: `"2 web_search"`. */
export function plannedStep(
  idAndTool: string,
  description: string,
  dependencies: readonly string[] = [],
): Record<string, unknown> {
  const [id, tool_type] = idAndTool.split(" ");
  return { id, tool_type, description, dependencies, complexity: "low" };
}
