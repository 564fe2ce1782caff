import { type JsonRecord, recordOf, stringOf } from "./read-json.ts";
import { requireThat } from "./api-rejection.ts";
import type { ApiRequirements } from "./wire-api.ts";

/** Consecutive messages of one role, with their content as blocks. */
export interface AnthropicMessage {
  readonly role: string;
  readonly blocks: readonly JsonRecord[];
}

/** Rejects options that are incompatible with thinking. */
export function checkThinkingOptions({ thinking, temperature, top_k, max_tokens, tool_choice }: JsonRecord): void {
  requireThat(
    temperature === undefined || (typeof temperature === "number" && temperature >= 0 && temperature <= 1),
    () => "temperature: range: 0..1",
  );
  const { type, budget_tokens } = recordOf(thinking);
  if (type !== "enabled" && type !== "adaptive") return;
  requireThat(
    temperature === undefined || temperature === 1,
    () => "`temperature` may only be set to 1 when thinking is enabled.",
  );
  requireThat(top_k === undefined, () => "`top_k` must be unset when thinking is enabled.");
  const choice = recordOf(tool_choice).type;
  requireThat(
    choice !== "any" && choice !== "tool",
    () => "Thinking may not be enabled when tool_choice forces tool use.",
  );
  if (type !== "enabled") return;
  requireThat(
    typeof budget_tokens === "number" && budget_tokens >= 1_024,
    () => "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  );
  requireThat(Number(max_tokens) > budget_tokens, () => "`max_tokens` must be greater than `thinking.budget_tokens`.");
}

/** Rejects modified thinking, and calls of the current turn that lost their thinking. */
export function checkThoughts(messages: readonly AnthropicMessage[], { issued }: ApiRequirements): void {
  const lastUserIndex = messages.findLastIndex(
    ({ role, blocks }) => role === "user" && blocks.some(({ type }) => type !== "tool_result"),
  );
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role !== "assistant") continue;
    for (const [index, block] of blocks.entries()) {
      const label = `messages.${at}.content.${index}`;
      if (block.type === "thinking") checkThought(block, label, issued.signedText(stringOf(block.signature)));
    }
    if (at < lastUserIndex) continue;
    const thoughtful = blocks.some(
      ({ type, id }) => type === "tool_use" && issued.turnOf(stringOf(id))?.thinking !== undefined,
    );
    const first = stringOf(blocks[0]?.type);
    requireThat(
      !thoughtful || first === "thinking" || first === "redacted_thinking",
      () =>
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
}

function checkThought({ signature, thinking }: JsonRecord, label: string, signed: string | undefined): void {
  requireThat(stringOf(signature) !== "", () => `${label}.thinking.signature: Field required`);
  requireThat(signed !== undefined, () => `${label}: Invalid \`signature\` in \`thinking\` block`);
  requireThat(
    thinking === signed,
    () =>
      `${label}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
