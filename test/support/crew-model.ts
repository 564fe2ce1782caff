import { type ModelCall } from "../../src/model/index.ts";
import { type ScriptedResponse, type ScriptedModel, scriptedModel } from "../../src/testing/index.ts";

/** A response, or a function that computes one from the request. */
export type Say = ScriptedResponse | ((call: ModelCall, index: number) => ScriptedResponse | Promise<ScriptedResponse>);

/** Responses of a model in each role. */
export interface CrewAnswers {
  readonly plan: Say;
  /** By the beginning of the step's description. */
  readonly steps?: Readonly<Record<string, Say>>;
  readonly input?: Say;
  readonly answer?: Say;
}

/** A model that plays every role of a crew, in any order of requests. */
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

/** Text of the last message of a request. */
export function lastText({ prompt }: ModelCall): string {
  const content = prompt.at(-1)?.content;
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** System message of a request. */
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
