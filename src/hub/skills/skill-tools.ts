import { principalOf } from "../../engine/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { cutText, suggest } from "../../text/index.ts";
import { type AnyTool, type ToolContext, defineTool, toolNameProblem } from "../../tool/index.ts";
import type { InstructionLimits, Instructions } from "./load-instructions.ts";
import type { Skill } from "./skill.ts";
import { skillCatalogue } from "./skill-catalogue.ts";
import { refuseSkill } from "./skill-reasons.ts";
import type { SkillSessions } from "./skill-sessions.ts";

/** How much the tools of skills give at once. */
export interface SkillLimits extends InstructionLimits {
  /** Characters of the catalogue in the description of `skill`. */
  readonly catalogueChars: number;
}

/** The names of the tools that open the door to all skills. */
export const doorNames: readonly string[] = ["skill", "skill_read"];

interface Listed {
  readonly skills: readonly { readonly name: string; readonly description: string }[];
  /** Call again with it as `after`. */
  readonly next?: string;
}

const skillInput: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", description: "The skill to load; without it the skills are listed." },
    after: { type: "string", description: "Without a name: list the skills after this one." },
  },
  additionalProperties: false,
  examples: [{ name: "weekly-report" }],
};

const readInput: JsonSchema = {
  type: "object",
  properties: {
    skill: { type: "string", description: "The name of the skill." },
    path: { type: "string", minLength: 1, description: "The file within its folder: references/forms.md" },
    offset: { type: "integer", minimum: 0, default: 0, description: "Characters of a text to leave out." },
  },
  required: ["skill", "path"],
  additionalProperties: false,
};

const ownInput = fromJsonSchema<{ task?: string }, { task?: string }>({
  type: "object",
  properties: { task: { type: "string", description: "What the skill is wanted for." } },
  additionalProperties: false,
});

/** What a page of the list has; descriptions are cut there. */
const pageLength = 50;
const listedChars = 200;

interface Shelf {
  readonly sessions: SkillSessions;
  readonly limits: SkillLimits;
  /** The skills as they are now, by name. */
  readonly skills: () => ReadonlyMap<string, Skill>;
}

/** Makes the tools of skills, each once for as long as nothing about it changes. */
export class SkillTools {
  readonly #shelf: Shelf;
  readonly #own = new WeakMap<Skill, AnyTool>();
  readonly #read: AnyTool;
  #door: AnyTool | undefined;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    this.#read = this.#readTool();
  }

  /** One tool per skill, and the two that open the door to all of them; none where there are no skills. */
  for(skills: readonly Skill[]): AnyTool[] {
    if (skills.length === 0) return [];
    const offered = skills.filter(({ hidden }) => !hidden);
    return [this.#doorTool(skills), this.#read, ...offered.map((skill) => this.#ownTool(skill))];
  }

  #doorTool(skills: readonly Skill[]): AnyTool {
    const catalogue = skillCatalogue(skills, this.#shelf.limits.catalogueChars);
    const description =
      "Loads the instructions of a skill: what people here know about doing a kind of task. When a task fits one of " +
      "the skills, load it first and follow it; read its files with skill_read. Without a name it lists the skills." +
      (catalogue === "" ? "" : `\n\nSkills:\n${catalogue}`);
    if (this.#door?.description === description) return this.#door;
    this.#door = defineTool({
      ...common,
      name: "skill",
      displayName: "Load a skill",
      description,
      input: fromJsonSchema<{ name?: string; after?: string }, { name?: string; after?: string }>(skillInput),
      run: async ({ name, after }, context) =>
        name === undefined ? this.#list(after) : await this.#load(this.#find(name, "name"), context),
    });
    return this.#door;
  }

  #readTool(): AnyTool {
    type Args = { skill: string; path: string; offset: number };
    return defineTool({
      ...common,
      name: "skill_read",
      displayName: "Read a file of a skill",
      description:
        "Reads a file of a skill, by the path that its instructions or its list of files name. A long text comes in " +
        "parts: next_offset says where to go on. What is no text comes as an attachment.",
      input: fromJsonSchema<Args, Omit<Args, "offset"> & { offset?: number }>(readInput),
      run: async ({ skill, path, offset }, { signal }) => {
        const { readSkillFile } = await import("./read-skill-file.ts");
        const chars = this.#shelf.limits.instructionChars;
        return await readSkillFile(this.#find(skill, "skill"), { path, offset, chars }, signal);
      },
    });
  }

  /**
   * The skill as a tool of its own. It is called `skills/NAME`, and found as NAME where nothing else has the name: as an
   * alias it never stands in for a tool that does the work itself.
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
      input: ownInput,
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
    const instructions = await loadInstructions(skill, this.#shelf.limits, context.signal);
    const { conversationId } = context;
    const principal = principalOf(context);
    // In use only once its instructions are there.
    this.#shelf.sessions.use(
      { ...(conversationId !== undefined && { conversationId }), ...(principal !== undefined && { principal }) },
      skill,
    );
    return instructions;
  }

  #find(given: string, parameter: string): Skill {
    const skills = this.#shelf.skills();
    const name = given.trim().replace(/^skills\//, "");
    const skill = skills.get(name);
    if (skill !== undefined) return skill;
    const offered = [...skills.values()].filter(({ hidden }) => !hidden).map((each) => each.name);
    const near = suggest(name, offered);
    const hint = near === undefined ? "call skill without a name to list them" : `did you mean "${near}"?`;
    throw refuseSkill("unknown_skill", `there is no skill ${JSON.stringify(cutText(given, 80).text)}; ${hint}`, {
      parameter,
    });
  }

  #list(after = ""): Listed {
    const rest = [...this.#shelf.skills().values()].filter(({ hidden, name }) => !hidden && name > after);
    const page = rest.slice(0, pageLength);
    const last = page.at(-1)?.name;
    return {
      skills: page.map(({ name, description }) => ({ name, description: cutText(description, listedChars).text })),
      ...(rest.length > page.length && last !== undefined && { next: last }),
    };
  }
}

/** They read files of the workspace, and stand for no capability: what they give is how to do something, not the thing done. */
const common = {
  category: "skill",
  tags: ["skill"],
  capabilities: ["instructions"],
  effect: "read",
  timeoutMs: 30_000,
} as const;
