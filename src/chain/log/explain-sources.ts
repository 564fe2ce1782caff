import { toldSources } from "../../tool/index.ts";
import { listed, quoted } from "./sentence.ts";
import type { StepSite } from "./step-site.ts";

/** Of a step that chose among tools: who served it, who failed, and who was not even called. */
export function explainSources({ state, redactor }: StepSite): string[] {
  const told = state.facts === undefined || state.items !== undefined ? undefined : toldSources(state.facts);
  if (told === undefined || state.output === undefined) return [];
  const { sources, synthesized, failed, passedOver } = told;
  const how = synthesized ? `; their results were put together` : "";
  return [
    ...(sources.length === 0 ? [] : [`It was served by ${listed(sources)}${how}.`]),
    ...failed.map(({ tool, code, message }) => {
      const why = [code, quoted(redactor.text(message))].filter((part) => part !== undefined).join(": ");
      return `${tool} was called for it too, and failed: ${why}.`;
    }),
    ...passedOver.map(({ tool, message }) => `${tool} was passed over: ${quoted(redactor.text(message))}.`),
  ];
}
