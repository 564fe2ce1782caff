import { type CallContext, type PermissionSubject, type Resolver, compilePermissions } from "../../engine/index.ts";
import type { Skill } from "./skill.ts";
import { skillRules } from "./skill-rules.ts";

/** Conversations that nobody ends are forgotten, the oldest first. */
const mostConversations = 1_000;

type Matches = (subject: PermissionSubject) => boolean;

/** A conversation, as the context of a call names it. Those of different principals are different. */
export type Conversation = Pick<CallContext, "conversationId" | "principal">;

interface Session {
  /** By name, as they were when they were loaded. */
  readonly skills: Map<string, Skill>;
  /** What each of them allows, worked out for one version of the tools. */
  allows?: { readonly version: number | undefined; readonly bySkill: ReadonlyMap<string, Matches> };
}

/**
 * Which skills are in use in which conversation, and what they allow there. A skill is in use from the moment its
 * instructions were given to the conversation until the conversation is forgotten.
 */
export class SkillSessions {
  readonly #tools: Resolver;
  readonly #trusted: boolean;
  /** By what {@link keyOf} gives. */
  readonly #sessions = new Map<string, Session>();

  /** With `trusted`, the `allowed-tools` of skills count; a skill is text from elsewhere, so that by default they do not. */
  constructor({ tools, trusted = false }: { readonly tools: Resolver; readonly trusted?: boolean }) {
    this.#tools = tools;
    this.#trusted = trusted;
  }

  /** Takes note that a conversation was given the instructions of a skill. */
  use(conversation: Conversation, skill: Skill): void {
    if (conversation.conversationId === undefined) return;
    const key = keyOf(conversation);
    const session = this.#sessions.get(key) ?? { skills: new Map<string, Skill>() };
    // To the end of the map: it is the youngest now.
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    session.skills.set(skill.name, skill);
    delete session.allows;
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > mostConversations && oldest !== undefined) this.#sessions.delete(oldest);
  }

  /** The names of the skills in use, in the order in which they were loaded. */
  inUse(conversation: Conversation): readonly string[] {
    return [...(this.#sessions.get(keyOf(conversation))?.skills.keys() ?? [])];
  }

  /**
   * The skill in use that asked for a tool beforehand, so that a call may go ahead which the rules of the workspace want
   * a person to be asked about. To be consulted where the rules say `ask`, and never where they say `deny`.
   */
  preapproverOf(conversation: Conversation, subject: PermissionSubject): string | undefined {
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
  forget(conversation: Conversation): void {
    this.#sessions.delete(keyOf(conversation));
  }

  #matchers({ skills }: Session): ReadonlyMap<string, Matches> {
    return new Map(
      [...skills].map(([name, skill]) => {
        const { rule } = compilePermissions({ deny: [], ask: [], allow: skillRules(skill, this.#tools).allow });
        return [name, (subject) => rule(subject).permission === "allow"];
      }),
    );
  }
}

function keyOf({ conversationId, principal }: Conversation): string {
  return JSON.stringify([conversationId, principal]);
}
