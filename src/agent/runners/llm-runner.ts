import { converse } from "../loop/converse.ts";
import type { Runner } from "../runner.ts";
import { noteCommands } from "./commands/meant-commands.ts";
import { systemPrompt } from "./system-prompt.ts";
import { userMessage } from "./user-message.ts";

/** The model alone, without tools. */
export const llmRunner: Runner = {
  name: "llm",
  *run(run, question) {
    noteCommands(run, question.text);
    const messages = [...question.history, userMessage(question, run.family.userMessage(question.text, false))];
    run.messages = messages;
    const system = run.family.systemPrompt(systemPrompt(run, []), []);
    const answer = yield* converse(run, { part: "main", system, messages, tools: undefined, maxRounds: 0 });
    return { answer };
  },
};
