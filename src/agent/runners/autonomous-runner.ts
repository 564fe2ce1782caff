import { findToolsName } from "../../hub/index.ts";
import { chooseTools } from "../loop/choose-tools.ts";
import { converse } from "../loop/converse.ts";
import type { Runner } from "../runner.ts";
import { systemPrompt, toolRules } from "./system-prompt.ts";
import { userMessage } from "./user-message.ts";

/** The model decides which tools to call, round by round. */
export const autonomousRunner: Runner = {
  name: "autonomous",
  *run(run, question) {
    const { offered, more } = chooseTools(run);
    const messages = [
      ...question.history,
      userMessage(question, run.family.userMessage(question.text, offered.size > 0)),
    ];
    run.messages = messages;
    const rules = [...toolRules, ...(more > 0 ? [moreTools(more)] : [])];
    const system = run.family.systemPrompt(systemPrompt(run, rules), offered.definitions);
    const tools = offered.size === 0 ? undefined : offered;
    const answer = yield* converse(run, { part: "main", system, messages, tools, maxRounds: run.spec.maxRounds });
    return { answer };
  },
};

function moreTools(count: number): string {
  return `There are ${count} more tools than you see: ${findToolsName} finds them by what they do, and then they can be called.`;
}
