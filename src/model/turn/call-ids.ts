import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** The id of a tool call, from the one that came with it and its place in the answer. */
export type CallIds = (given: string, index: number) => string;

/**
 * Ids that nobody else in the conversation has: those that came, where they are new, and otherwise ones that are made of
 * the number of the turn and the call's place, so that the same answer gets the same ids.
 */
export function createCallIds(prompt: LanguageModelV4Prompt, turn?: string | number): CallIds {
  const fresh = new Set<string>();
  return (given, index) => {
    let id = given.trim();
    const isTaken = (): boolean => id === "" || fresh.has(id) || isIn(prompt, id);
    if (isTaken()) {
      const stem = `call_${turn ?? answersIn(prompt)}_${index}`;
      id = stem;
      for (let again = 2; isTaken(); again++) id = `${stem}_${again}`;
    }
    fresh.add(id);
    return id;
  };
}

function answersIn(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((count, { role }) => (role === "assistant" ? count + 1 : count), 0);
}

function isIn(prompt: LanguageModelV4Prompt, id: string): boolean {
  for (const message of prompt) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call" && part.toolCallId === id) return true;
  }
  return false;
}
