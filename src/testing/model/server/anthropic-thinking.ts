import { type JsonRecord, recordOf, stringOf } from "./read-json.ts";
import { demand } from "./refusal.ts";
import type { Demands } from "./wire-family.ts";

/** Messages of one role in a row, with their content as blocks. */
export interface AnthropicMessage {
  readonly role: string;
  readonly blocks: readonly JsonRecord[];
}

/** Refuses options that do not go with thinking. */
export function checkThinkingOptions({ thinking, temperature, top_k, max_tokens, tool_choice }: JsonRecord): void {
  demand(
    temperature === undefined || (typeof temperature === "number" && temperature >= 0 && temperature <= 1),
    () => "temperature: range: 0..1",
  );
  const { type, budget_tokens } = recordOf(thinking);
  if (type !== "enabled" && type !== "adaptive") return;
  demand(
    temperature === undefined || temperature === 1,
    () => "`temperature` may only be set to 1 when thinking is enabled.",
  );
  demand(top_k === undefined, () => "`top_k` must be unset when thinking is enabled.");
  const choice = recordOf(tool_choice).type;
  demand(choice !== "any" && choice !== "tool", () => "Thinking may not be enabled when tool_choice forces tool use.");
  if (type !== "enabled") return;
  demand(
    typeof budget_tokens === "number" && budget_tokens >= 1_024,
    () => "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  );
  demand(Number(max_tokens) > budget_tokens, () => "`max_tokens` must be greater than `thinking.budget_tokens`.");
}

/** Refuses thoughts that are not as they were given, and calls of the running turn that lost theirs. */
export function checkThoughts(messages: readonly AnthropicMessage[], { issued }: Demands): void {
  const question = messages.findLastIndex(
    ({ role, blocks }) => role === "user" && blocks.some(({ type }) => type !== "tool_result"),
  );
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role !== "assistant") continue;
    for (const [index, block] of blocks.entries()) {
      const place = `messages.${at}.content.${index}`;
      if (block.type === "thinking") checkThought(block, place, issued.signedText(stringOf(block.signature)));
    }
    if (at < question) continue;
    const thoughtful = blocks.some(
      ({ type, id }) => type === "tool_use" && issued.turnOf(stringOf(id))?.thinking !== undefined,
    );
    const first = stringOf(blocks[0]?.type);
    demand(
      !thoughtful || first === "thinking" || first === "redacted_thinking",
      () =>
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
}

function checkThought({ signature, thinking }: JsonRecord, place: string, signed: string | undefined): void {
  demand(stringOf(signature) !== "", () => `${place}.thinking.signature: Field required`);
  demand(signed !== undefined, () => `${place}: Invalid \`signature\` in \`thinking\` block`);
  demand(
    thinking === signed,
    () =>
      `${place}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
