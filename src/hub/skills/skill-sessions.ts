import { type PermissionSubject, type Resolver, compilePermissions } from "../../engine/index.ts";
import type { Skill } from "./skill.ts";
import { skillRules } from "./skill-rules.ts";

/** Conversations that nobody ends are forgotten, the oldest first. */
const mostConversations = 1_000;

interface Session {
  /** By name, as they were when they were loaded. */
  readonly skills: Map<string, Skill>;
  /** What they allow, worked out for one version of the tools. */
  allows?: { readonly version: number | undefined; readonly matches: (subject: PermissionSubject) => boolean };
}

/**
 * Which skills are in use in which conversation, and what they allow there. A skill is in use from the moment its
 * instructions were given to the conversation until the conversation is forgotten.
 */
export class SkillSessions {
  readonly #tools: Resolver;
  readonly #trusted: boolean;
  readonly #sessions = new Map<string, Session>();

  /** With `trusted`, the `allowed-tools` of skills count; a skill is text from elsewhere, so that by default they do not. */
  constructor({ tools, trusted = false }: { readonly tools: Resolver; readonly trusted?: boolean }) {
    this.#tools = tools;
    this.#trusted = trusted;
  }

  /** Takes note that a conversation was given the instructions of a skill. */
  use(conversationId: string | undefined, skill: Skill): void {
    if (conversationId === undefined) return;
    const session = this.#sessions.get(conversationId) ?? { skills: new Map<string, Skill>() };
    // To the end of the map: it is the youngest now.
    this.#sessions.delete(conversationId);
    this.#sessions.set(conversationId, session);
    session.skills.set(skill.name, skill);
    delete session.allows;
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > mostConversations && oldest !== undefined) this.#sessions.delete(oldest);
  }

  /** The names of the skills in use, in the order in which they were loaded. */
  inUse(conversationId: string): readonly string[] {
    return [...(this.#sessions.get(conversationId)?.skills.keys() ?? [])];
  }

  /**
   * May a call that the rules of the workspace want a person to be asked about go ahead, because a skill in use asked
   * for the tool beforehand? To be consulted where the rules say `ask`, and never where they say `deny`.
   */
  preapproves(conversationId: string | undefined, subject: PermissionSubject): boolean {
    if (!this.#trusted || conversationId === undefined || subject.callerType !== "conversation_agent") return false;
    const session = this.#sessions.get(conversationId);
    if (session === undefined) return false;
    const { version } = this.#tools;
    if (session.allows === undefined || session.allows.version !== version) {
      session.allows = { version, matches: this.#matcher(session) };
    }
    return session.allows.matches(subject);
  }

  /** The conversation is over. */
  forget(conversationId: string): void {
    this.#sessions.delete(conversationId);
  }

  #matcher({ skills }: Session): (subject: PermissionSubject) => boolean {
    const allow = [...skills.values()].flatMap((skill) => skillRules(skill, this.#tools).allow);
    const { rule } = compilePermissions({ deny: [], ask: [], allow });
    return (subject) => rule(subject).permission === "allow";
  }
}
