import type { InMemoryRun } from "./in-memory-run.ts";
import type { ConversationQuery, StoredConversation } from "./run-journal.ts";

/** The conversations of these runs, which are in the order of their positions; the one with the newest run first. */
export function listConversations(
  runs: Iterable<InMemoryRun>,
  { id: requested, before = Infinity, limit }: ConversationQuery,
): readonly StoredConversation[] {
  const found = new Map<string, StoredConversation>();
  for (const { made, position } of runs) {
    if (made.conversation === undefined) continue;
    const { id } = made.conversation;
    const { runs: count, firstRun } = found.get(id) ?? { runs: 0, firstRun: made.id };
    found.set(id, { id, runs: count + 1, firstRun, lastRun: made.id, position });
  }
  return [...found.values()]
    .filter(({ id, position }) => position < before && (requested ?? id) === id)
    .sort((a, b) => b.position - a.position)
    .slice(0, limit);
}

/** The runs of a conversation, and those that they called: a run is stored after the one that called it. */
export function runsOfConversation(runs: Iterable<InMemoryRun>, conversationId: string): readonly InMemoryRun[] {
  const found = new Map<string, InMemoryRun>();
  for (const run of runs) {
    const { id, conversation, calledBy } = run.made;
    if (conversation?.id === conversationId || found.has(calledBy ?? "")) found.set(id, run);
  }
  return [...found.values()];
}
