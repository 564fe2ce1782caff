import { type Issue, fail } from "../base/index.ts";
import { type FileReport, type Schema, fromJsonSchema, propertiesOf } from "../schema/index.ts";
import type { YamlPath } from "../text/index.ts";
import { hiddenIn, isObjectSchema } from "./check-definition.ts";
import type { ToolContext } from "./context.ts";
import type { EntryInput, EntryPlan } from "./entry-plan.ts";
import {
  type EntryTemplate,
  type TemplateReference,
  TemplateReader,
  nearest,
  referencesIn,
  templateText,
} from "./entry-template.ts";
import { parseToolDuration } from "./tool-file-duration.ts";

/** The prompt of a tool file. */
export interface ToolPrompt {
  /** Name of the tool. */
  readonly tool: string;
  /** The role and the task of the model. */
  readonly system: string;
  /** The message to the model; its references are inserted as data. */
  readonly message: EntryTemplate;
  /** Parameters of the tool, in the order of the file. */
  readonly parameters: readonly string[];
  /** Parameters without whose content there is nothing to do. */
  readonly required: readonly string[];
  /** Schema of the answer; undefined if it is a text. */
  readonly schema?: Schema | undefined;
  /** Checks that a schema cannot express; its issues are sent to the model like those of the schema. */
  readonly check?: ((answer: never) => readonly Issue[]) | undefined;
  /** Name of the model. Default: the default model. */
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Timeout of the tool. */
  readonly timeoutMs: number;
}

/** The parts of a handler's context that a request uses. */
export type PromptContext = Pick<ToolContext, "signal" | "report" | "attempt">;

/** Sends the prompts of tool files to models. */
export interface PromptSender {
  /** Returns the answer: a text, or an object if the prompt has a schema. */
  send(prompt: ToolPrompt, args: Readonly<Record<string, unknown>>, context: PromptContext): Promise<unknown>;
  /** Returns why the model of this name, or the default model, cannot be used; undefined if it can. */
  unavailable(model?: string): string | undefined;
  /** Timeout of one response of the model, if one is set. */
  timeoutMs(model?: string): number | undefined;
}

const defaultTimeoutMs = 120_000;

/** A `prompt` entry: one request to a model of the workspace. */
export function readPromptEntry(source: Omit<EntryInput, "placeholders">): EntryPlan & { readonly prompt: ToolPrompt } {
  const { file, entry, parameters, output, report, world } = source;
  const { required } = parameters;
  const { system, message } = readTexts(source);
  const settings = entry as { model?: string; temperature?: number; max_tokens?: number };
  const model = settings.model ?? undefined;
  checkModel(model, source);
  const timeoutMs = Math.max(
    parseToolDuration(entry["timeout"]) ?? defaultTimeoutMs,
    world.prompts?.timeoutMs(model) ?? 0,
  );
  const prompt: ToolPrompt = {
    tool: String(file["name"]),
    system,
    message,
    parameters: Object.keys(propertiesOf(parameters)),
    required: Array.isArray(required) ? required.map(String) : [],
    schema: answerSchema(output, report),
    model,
    temperature: settings.temperature ?? undefined,
    maxTokens: settings.max_tokens ?? undefined,
    timeoutMs: parseToolDuration(file["timeout"]) ?? timeoutMs,
  };
  const { prompts } = world;
  return {
    prompt,
    run: (args: Readonly<Record<string, unknown>>, context) => {
      if (prompts !== undefined) return prompts.send(prompt, args, context);
      throw fail(noModel, { code: "not_available", reason: "no_model", retry: "never" });
    },
    effect: "read",
    destructive: false,
    isExternal: true,
    closed: true,
    output: fromJsonSchema({ type: "string", minLength: 1 }),
    timeoutMs,
    unavailable: () => (prompts === undefined ? noModel : prompts.unavailable(model)),
  };
}

const noModel = "no model is available to tool files";

function readTexts({ entry, parameters, report }: Pick<EntryInput, "entry" | "parameters" | "report">): {
  readonly system: string;
  readonly message: EntryTemplate;
} {
  const reader = new TemplateReader(report, { parameters, secretNames: undefined });
  const read = (key: "system" | "prompt", refusal: (reference: TemplateReference) => Refusal | undefined) => {
    const text = templateText(entry[key]);
    const path: YamlPath = ["entry", key];
    const hidden = hiddenIn(text);
    if (hidden !== undefined) report.add("hidden_text", path, [`"${key}" contains invisible characters: ${hidden}`]);
    const template = reader.read(text, path);
    for (const reference of referencesIn({ template })) {
      const { source } = reference;
      const refused = refusal(reference);
      const inside = [text.indexOf(source), source.length] as const;
      if (refused !== undefined)
        report.add("bad_reference", path, [`${source} ${refused[0]}`, { hint: refused[1], inside }]);
    }
    return template;
  };
  const message = read("prompt", ({ root }) => (root === "secret" ? secretRefusal : undefined));
  const system = read("system", ({ root }) => (root === "secret" ? secretRefusal : instructionRefusal));
  // References in it have been reported.
  return { system: system.filter((part) => typeof part === "string").join(""), message };
}

type Refusal = readonly [message: string, hint?: string];

const secretRefusal: Refusal = ["would send a secret to a model"];
const instructionRefusal: Refusal = ["is in the instructions", 'write it in "prompt", where values are data'];

/** Only a warning: a model may be missing on one machine. */
function checkModel(model: string | undefined, { report, world }: Pick<EntryInput, "report" | "world">): void {
  const names = new Set(world.modelNames);
  if (model === undefined || world.modelNames === undefined || names.has(model)) return;
  const detail = { hint: nearest(model, names), severity: "warning" } as const;
  report.add("unknown_model", ["entry", "model"], [`the workspace has no model "${model}"`, detail]);
}

/** Undefined for a text, which is also the default. */
function answerSchema(output: Schema | undefined, report: FileReport): Schema | undefined {
  if (output === undefined || output.json["type"] === "string") return undefined;
  if (isObjectSchema(output.json)) return output;
  const hint = "write string, or put it into an object: { type: object, properties: { … } }";
  report.add("bad_value", ["output"], ["a model answers with a text or an object", { hint }]);
  return undefined;
}
