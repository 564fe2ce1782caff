import { definedOnly } from "../../base/index.ts";
import { internals } from "../../engine/index.ts";
import { toSchema } from "../../schema/index.ts";
import { cutText, suggestHint } from "../../text/index.ts";
import { type AnyTool, type ToolContext, defineTool, toolNameProblem } from "../../tool/index.ts";
import type { InstructionLimits, Instructions } from "./load-instructions.ts";
import type { Skill } from "./skill.ts";
import { skillCatalogue } from "./skill-catalogue.ts";
import { skillFailure } from "../hub-reasons.ts";
import type { SkillSessions } from "./skill-sessions.ts";

/** Maximum size of the outputs of the skill tools. */
export interface SkillLimits extends InstructionLimits {
  /** Characters of the catalogue in the description of `skill`. */
  readonly catalogueChars: number;
}

/** The names of the tools that give access to all skills. */
export const skillToolNames: readonly string[] = ["skill", "skill_read"];

interface Listed {
  readonly skills: readonly { readonly name: string; readonly description: string }[];
  /** Call again with it as `after`. */
  readonly next?: string;
}

const skillInput = {
  type: "object",
  properties: {
    name: { type: "string", description: "The skill to load; without it the skills are listed." },
    after: { type: "string", description: "Without a name: list the skills after this one." },
  },
  additionalProperties: false,
  examples: [{ name: "weekly-report" }],
} as const;

const readInput = {
  type: "object",
  properties: {
    skill: { type: "string", description: "The name of the skill." },
    path: { type: "string", minLength: 1, description: "The file within its folder: references/forms.md" },
    offset: { type: "integer", minimum: 0, default: 0, description: "Characters of a text to leave out." },
  },
  required: ["skill", "path"],
  additionalProperties: false,
} as const;

const skillTaskInput = toSchema({
  type: "object",
  properties: { task: { type: "string", description: "The task to use the skill for." } },
  additionalProperties: false,
});

/** Skills per page of the list, where descriptions are cut. */
const pageLength = 50;
const listedChars = 200;

interface SkillToolCache {
  readonly sessions: SkillSessions;
  readonly limits: SkillLimits;
  /** The skills as they are now, by name. */
  readonly skills: () => ReadonlyMap<string, Skill>;
}

/** Makes the tools of skills, each once for as long as nothing about it changes. */
export class SkillTools {
  readonly #cache: SkillToolCache;
  readonly #own = new WeakMap<Skill, AnyTool>();
  readonly #read: AnyTool;
  #metaTools: AnyTool | undefined;

  constructor(cache: SkillToolCache) {
    this.#cache = cache;
    this.#read = this.#readTool();
  }

  /** One tool per skill, and the two that give access to all of them; none if there are no skills. */
  for(skills: readonly Skill[]): AnyTool[] {
    if (skills.length === 0) return [];
    const offered = skills.filter(({ hidden }) => !hidden);
    return [this.#httpTool(skills), this.#read, ...offered.map((skill) => this.#ownTool(skill))];
  }

  #httpTool(skills: readonly Skill[]): AnyTool {
    const catalogue = skillCatalogue(skills, this.#cache.limits.catalogueChars);
    const description =
      "Loads the instructions of a skill: how a kind of task is done here. If a task matches one of " +
      "the skills, load it first and follow it; read its files with skill_read. Without a name it lists the skills." +
      (catalogue === "" ? "" : `\n\nSkills:\n${catalogue}`);
    if (this.#metaTools?.description === description) return this.#metaTools;
    this.#metaTools = defineTool({
      ...common,
      name: "skill",
      displayName: "Load a skill",
      description,
      input: skillInput,
      run: async ({ name, after }, context) =>
        name === undefined ? this.#list(after) : await this.#load(this.#find(name, "name"), context),
    });
    return this.#metaTools;
  }

  #readTool(): AnyTool {
    return defineTool({
      ...common,
      name: "skill_read",
      displayName: "Read a file of a skill",
      description:
        "Reads a file of a skill, by the path that its instructions or its list of files name. A long text is returned in " +
        "parts: next_offset is the offset to continue from. Binary content is returned as an attachment.",
      input: readInput,
      run: async ({ skill, path, offset }, { signal }) => {
        const { readSkillFile } = await import("./read-skill-file.ts");
        const chars = this.#cache.limits.instructionChars;
        return await readSkillFile(this.#find(skill, "skill"), { path, offset, chars }, signal);
      },
    });
  }

  /**
   * The skill as its own tool. It is called `skills/NAME`, and resolves as NAME if nothing else has the name: as an
   * alias it never replaces a tool that does the work itself.
   */
  #ownTool(skill: Skill): AnyTool {
    const known = this.#own.get(skill);
    if (known !== undefined) return known;
    const { name, description } = skill;
    const tool = defineTool({
      ...common,
      name: `skills/${name}`,
      displayName: name,
      aliases: toolNameProblem(name) === undefined ? [name] : [],
      description: `${description}\n\nGives the instructions of the skill; it does nothing itself.`,
      input: skillTaskInput,
      run: async ({ task }, context) => {
        const loaded = await this.#load(skill, context);
        return task === undefined ? loaded : { ...loaded, task };
      },
    });
    this.#own.set(skill, tool);
    return tool;
  }

  async #load(skill: Skill, context: ToolContext): Promise<Instructions> {
    const { loadInstructions } = await import("./load-instructions.ts");
    const instructions = await loadInstructions(skill, this.#cache.limits, context.signal);
    const { conversationId } = context;
    const { principal } = internals(context);
    // In use only once its instructions are loaded.
    this.#cache.sessions.use(definedOnly({ conversationId, principal }), skill);
    return instructions;
  }

  #find(source: string, parameter: string): Skill {
    const skills = this.#cache.skills();
    const name = source.trim().replace(/^skills\//, "");
    const skill = skills.get(name);
    if (skill !== undefined) return skill;
    const offered = [...skills.values()].filter(({ hidden }) => !hidden).map((each) => each.name);
    const hint = suggestHint(name, offered) ?? "call skill without a name to list them";
    throw skillFailure("unknown_skill", `there is no skill ${JSON.stringify(cutText(source, 80).text)}; ${hint}`, {
      parameter,
    });
  }

  #list(after = ""): Listed {
    const rest = [...this.#cache.skills().values()].filter(({ hidden, name }) => !hidden && name > after);
    const page = rest.slice(0, pageLength);
    const last = page.at(-1)?.name;
    return {
      skills: page.map(({ name, description }) => ({ name, description: cutText(description, listedChars).text })),
      ...(rest.length > page.length && last !== undefined && { next: last }),
    };
  }
}

/** They read files of the workspace, and have no capability: they return instructions, not results. */
const common = {
  category: "skill",
  tags: ["skill"],
  capabilities: ["instructions"],
  effect: "read",
  timeoutMs: 30_000,
} as const;
