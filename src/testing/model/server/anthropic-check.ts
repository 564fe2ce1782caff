import { isRecord, recordOf, textOf } from "../../../schema/index.ts";
import { type JsonRecord, recordsOf, requireThat, type ApiRequirements, type WireRequest } from "./wire-api.ts";

/** Rejects requests as the Messages API does. */
export function checkAnthropic({ body, headers, model }: WireRequest, demands: ApiRequirements): void {
  requireThat(headers["anthropic-version"] !== undefined, "anthropic-version: header is required");
  requireThat(model !== "", "model: Field required");
  requireThat(typeof body.max_tokens === "number", "max_tokens: Field required");
  requireThat(Array.isArray(body.messages) && body.messages.length > 0, "messages: at least one message is required");
  checkThinkingOptions(body);
  checkTools(body);
  // With this header, system messages may stand between the other messages.
  const allowsSystem = headers["anthropic-beta"]?.includes("mid-conversation-system") === true;
  const messages = merged(recordsOf(body.messages).filter(({ role }) => !allowsSystem || role !== "system"));
  requireThat(
    body.tools !== undefined || !messages.some(({ blocks }) => blocks.some(isToolBlock)),
    "Requests which include `tool_use` or `tool_result` blocks must define tools",
  );
  for (const [at, message] of messages.entries()) checkMessage(message, at, messages.length);
  checkPairing(messages);
  checkThoughts(messages, demands);
}

/** The API merges consecutive messages of the same role. */
function merged(messages: readonly JsonRecord[]): readonly AnthropicMessage[] {
  const turns: { role: string; blocks: readonly JsonRecord[] }[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    requireThat(role === "user" || role === "assistant", `messages.${at}.role: Input should be 'user' or 'assistant'`);
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
    const last = turns.at(-1);
    if (last?.role === role) last.blocks = [...last.blocks, ...blocks];
    else turns.push({ role, blocks });
  }
  requireThat(turns[0]?.role === "user", 'messages: first message must use the "user" role');
  return turns;
}

function isToolBlock({ type }: JsonRecord): boolean {
  return type === "tool_use" || type === "tool_result";
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

function checkTools({ tools, tool_choice }: JsonRecord): void {
  requireThat(
    tool_choice === undefined || tools !== undefined,
    "tool_choice: may only be specified while providing tools",
  );
  const names = new Set<string>();
  for (const [at, { name, input_schema }] of recordsOf(tools).entries()) {
    const text = textOf(name);
    requireThat(toolName.test(text), `tools.${at}.custom.name: String should match pattern '${toolName.source}'`);
    requireThat(!names.has(text), "tools: Tool names must be unique.");
    names.add(text);
    requireThat(
      recordOf(input_schema).type === "object",
      `tools.${at}.custom.input_schema.type: Input should be 'object'`,
    );
  }
}

function checkMessage({ role, blocks }: AnthropicMessage, at: number, count: number): void {
  const isPrefill = at === count - 1 && role === "assistant";
  requireThat(
    blocks.length > 0 || isPrefill,
    `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
  );
  for (const [index, block] of blocks.entries()) checkBlock(block, `messages.${at}.content.${index}`);
  const last = blocks.at(-1);
  requireThat(
    !(isPrefill && last?.type === "text" && /\s$/.test(textOf(last.text))),
    "messages: final assistant content cannot end with trailing whitespace",
  );
}

const callId = /^[a-zA-Z0-9_-]+$/;

function checkBlock({ type, text, id, name, input, tool_use_id }: JsonRecord, label: string): void {
  if (type === "text") requireThat(textOf(text) !== "", "messages: text content blocks must be non-empty");
  if (type === "tool_result") checkId(tool_use_id, `${label}.tool_result.tool_use_id`);
  if (type !== "tool_use") return;
  checkId(id, `${label}.tool_use.id`);
  requireThat(toolName.test(textOf(name)), `${label}.tool_use.name: String should match pattern '${toolName.source}'`);
  requireThat(isRecord(input), `${label}.tool_use.input: Input should be a valid dictionary`);
}

function checkId(id: unknown, label: string): void {
  requireThat(callId.test(textOf(id)), `${label}: String should match pattern '${callId.source}'`);
}

/** The results of all calls of a message are the first blocks of the next one. */
function checkPairing(messages: readonly AnthropicMessage[]): void {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  // Nothing follows the last message, so it must have no calls.
  for (const [at, { blocks }] of [...messages, { blocks: [] }].entries()) {
    const results = leadingResults(blocks);
    const missing = open.filter((id) => !results.includes(id));
    requireThat(
      missing.length === 0,
      `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
    checkResults(blocks, at, open);
    open = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [textOf(id)] : []));
    for (const id of open) {
      requireThat(!seen.has(id), `messages.${at}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
  }
}

function checkResults(blocks: readonly JsonRecord[], at: number, open: readonly string[]): void {
  const answered = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const id = textOf(block.tool_use_id);
    requireThat(
      open.includes(id),
      `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
    requireThat(
      !answered.has(id),
      `messages.${at}.content.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
    );
    answered.add(id);
  }
}

function leadingResults(blocks: readonly JsonRecord[]): readonly string[] {
  const end = blocks.findIndex(({ type }) => type !== "tool_result");
  return (end === -1 ? blocks : blocks.slice(0, end)).map(({ tool_use_id }) => textOf(tool_use_id));
}

/** Consecutive messages of one role, with their content as blocks. */
interface AnthropicMessage {
  readonly role: string;
  readonly blocks: readonly JsonRecord[];
}

/** Rejects options that are incompatible with thinking. */
function checkThinkingOptions({ thinking, temperature, top_k, max_tokens, tool_choice }: JsonRecord): void {
  requireThat(
    temperature === undefined || (typeof temperature === "number" && temperature >= 0 && temperature <= 1),
    "temperature: range: 0..1",
  );
  const { type, budget_tokens } = recordOf(thinking);
  if (type !== "enabled" && type !== "adaptive") return;
  requireThat(
    temperature === undefined || temperature === 1,
    "`temperature` may only be set to 1 when thinking is enabled.",
  );
  requireThat(top_k === undefined, "`top_k` must be unset when thinking is enabled.");
  const choice = recordOf(tool_choice).type;
  requireThat(choice !== "any" && choice !== "tool", "Thinking may not be enabled when tool_choice forces tool use.");
  if (type !== "enabled") return;
  requireThat(
    typeof budget_tokens === "number" && budget_tokens >= 1_024,
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  );
  requireThat(Number(max_tokens) > budget_tokens, "`max_tokens` must be greater than `thinking.budget_tokens`.");
}

/** Rejects modified thinking, and calls of the current turn that lost their thinking. */
function checkThoughts(messages: readonly AnthropicMessage[], { issued }: ApiRequirements): void {
  const lastUserIndex = messages.findLastIndex(
    ({ role, blocks }) => role === "user" && blocks.some(({ type }) => type !== "tool_result"),
  );
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role !== "assistant") continue;
    for (const [index, block] of blocks.entries()) {
      const label = `messages.${at}.content.${index}`;
      if (block.type === "thinking") checkThought(block, label, issued.signedText(textOf(block.signature)));
    }
    if (at < lastUserIndex) continue;
    const thoughtful = blocks.some(
      ({ type, id }) => type === "tool_use" && issued.turnOf(textOf(id))?.thinking !== undefined,
    );
    const first = textOf(blocks[0]?.type);
    requireThat(
      !thoughtful || first === "thinking" || first === "redacted_thinking",
      `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
}

function checkThought({ signature, thinking }: JsonRecord, label: string, signed: string | undefined): void {
  requireThat(textOf(signature) !== "", `${label}.thinking.signature: Field required`);
  requireThat(signed !== undefined, `${label}: Invalid \`signature\` in \`thinking\` block`);
  requireThat(
    thinking === signed,
    `${label}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
