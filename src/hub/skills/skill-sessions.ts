import { LruMap } from "../../base/index.ts";
import { type CallContext, type PermissionSubject, type Resolver, compilePermissions } from "../../engine/index.ts";
import type { Skill } from "./skill.ts";
import { skillRules } from "./skill-rules.ts";

/** Maximum number of conversations; the least recently used are forgotten. */
const maxConversations = 1_000;

type Matches = (subject: PermissionSubject) => boolean;

/** A conversation, as the context of a call names it. Those of different principals are different. */
export type ConversationKey = Pick<CallContext, "conversationId" | "principal">;

interface Session {
  /** By name, as they were when they were loaded. */
  readonly skills: Map<string, Skill>;
  /** Tools that each of them allows, computed for one version of the tools. */
  allows?: { readonly version: number | undefined; readonly bySkill: ReadonlyMap<string, Matches> };
}

/**
 * The skills in use per conversation, and their permissions. A skill is in use from the moment its instructions were
 * returned to the conversation until the conversation is forgotten.
 */
export class SkillSessions {
  readonly #tools: Resolver;
  readonly #trusted: boolean;
  /** By {@link keyOf}. */
  readonly #sessions = new LruMap<Session>({ maxEntries: maxConversations });

  /** With `trusted`, the `allowed-tools` of skills count; a skill is text from elsewhere, so that by default they do not. */
  constructor({ tools, trusted = false }: { readonly tools: Resolver; readonly trusted?: boolean }) {
    this.#tools = tools;
    this.#trusted = trusted;
  }

  /** Records that a conversation received the instructions of a skill. */
  use(conversation: ConversationKey, skill: Skill): void {
    if (conversation.conversationId === undefined) return;
    const key = keyOf(conversation);
    const session = this.#sessions.get(key) ?? { skills: new Map<string, Skill>() };
    this.#sessions.set(key, session);
    session.skills.set(skill.name, skill);
    delete session.allows;
  }

  /** The names of the skills in use, in the order in which they were loaded. */
  inUse(conversation: ConversationKey): readonly string[] {
    return [...(this.#sessions.get(keyOf(conversation))?.skills.keys() ?? [])];
  }

  /**
   * The skill in use that pre-approves a call for which the rules of the workspace require approval. Used only if the
   * rules say `ask`, and never if they say `deny`.
   */
  findPreapproval(conversation: ConversationKey, subject: PermissionSubject): string | undefined {
    if (!this.#trusted || subject.callerType !== "conversation_agent") return undefined;
    const session = this.#sessions.get(keyOf(conversation));
    if (session === undefined) return undefined;
    const { version } = this.#tools;
    if (session.allows === undefined || session.allows.version !== version) {
      session.allows = { version, bySkill: this.#matchers(session) };
    }
    for (const [skill, matches] of session.allows.bySkill) if (matches(subject)) return skill;
    return undefined;
  }

  /** The conversation is over. */
  forget(conversation: ConversationKey): void {
    this.#sessions.delete(keyOf(conversation));
  }

  #matchers({ skills }: Session): ReadonlyMap<string, Matches> {
    return new Map(
      [...skills].map(([name, skill]) => {
        const { decide } = compilePermissions({ deny: [], ask: [], allow: skillRules(skill, this.#tools).allow });
        return [name, (subject) => decide(subject).permission === "allow"];
      }),
    );
  }
}

function keyOf({ conversationId, principal }: ConversationKey): string {
  return JSON.stringify([conversationId, principal]);
}
