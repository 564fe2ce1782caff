import { type ConversationMessage, readAgentRun } from "../agent/index.ts";
import type { Workspace } from "../app/index.ts";
import { isAgentRun } from "../store/index.ts";

/** A conversation, and what was said in it. */
export interface Conversation {
  readonly conversationId?: string;
  readonly history?: readonly ConversationMessage[];
  readonly tainted?: boolean;
}

/** What was said so far in a conversation of this workspace: the last question of it that was answered knows. */
export async function conversationSoFar(
  workspace: Workspace,
  conversationId: string | undefined,
): Promise<Conversation> {
  if (conversationId === undefined) return {};
  // The newest first; conversations that nobody has gone on with for so long begin anew.
  const runs = await workspace.runs.list({ status: "success", limit: 1000 });
  const last = runs.find((run) => isAgentRun(run) && readAgentRun(run).conversationId === conversationId);
  if (last === undefined) return { conversationId };
  const { messages, tainted } = await (await workspace.agents()).inspect(last.id);
  return { conversationId, history: messages, tainted };
}
