import type { JsonSchema } from "../../schema/index.ts";
import { strategyWords } from "./strategy.ts";

/** A map of which every key is known. */
export interface ClosedSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties: false;
}

const text = { type: "string", minLength: 1 };
const count = { type: "integer", minimum: 0 };
const positive = { type: "integer", minimum: 1 };
const flag = { type: "boolean" };
const names = { type: "array", items: text };

const durationForms = (least: object): JsonSchema => ({
  anyOf: [
    { type: "number", ...least },
    { type: "string", minLength: 1, pattern: String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$` },
  ],
});
const duration = {
  title: 'seconds above 0, or text such as "500ms", "30s", "2m", "1h" or "7d"',
  ...durationForms({ exclusiveMinimum: 0 }),
};
const delay = {
  title: 'seconds, or text such as "500ms", "30s" or "2m"',
  ...durationForms({ minimum: 0 }),
};

const params = {
  type: "object",
  description: "What the tool gets. Any text in it may hold ${…}; a text that is one ${…} keeps the value's type.",
};

const select = {
  ...text,
  description: "A JSONPath into the output. One that matches at most one value gives it, any other a list.",
};

const tool = { ...text, description: "A tool, or another chain." };

const fallback = {
  ...closed({
    condition: { ...text, description: "The first entry whose condition holds is taken; without one it always is." },
    tool,
    params,
    output: closed({ select }),
  }),
  required: ["tool"],
  description: "Stands in for the step that failed: its result becomes the step's output.",
};

const errorHandling = {
  ...closed({
    strategy: {
      ...text,
      description: `What to do when a step has failed: ${strategyWords.join(", ")}; or several, joined by |.`,
      examples: ["retry|fallback", ...strategyWords],
    },
    max_retries: { ...count, description: "For the strategy retry; 3 where absent." },
    fallback: { type: "array", items: fallback, description: "Stand-ins, tried in this order." },
  }),
  description: "What to do when a step has failed. A step's own comes before the chain's.",
};

const retry = {
  ...closed({
    max: { ...count, description: "Further attempts after the first; 3 where absent." },
    delay: { ...delay, description: "Before the second attempt; 1 second where absent." },
    backoff: { enum: ["exponential", "linear", "fixed"], description: "How the delay grows." },
    max_delay: { ...delay, description: "The longest delay; 30 seconds where absent." },
    jitter: { ...flag, description: "Vary the delay, so that many do not come back at once; true where absent." },
    when: { ...text, description: "Try again only where this holds; ${error} is the failure." },
  }),
  description: "Try a failed step again, where the tool's effect allows it.",
};

const repeat = {
  ...closed({
    until: { ...text, description: "Do it again until this holds; it may look at the step's own output." },
    max: { ...positive, description: "The most rounds; 10 where absent, 1,000 with max_duration." },
    max_duration: { ...duration, description: "The longest time for all rounds." },
    delay: { ...delay, description: "Between two rounds; none where absent." },
  }),
  required: ["until"],
  description: "Do the step again until a condition holds; ${index} is the round, from 0.",
};

const cache = {
  ...closed({
    ttl: { ...duration, description: "How long the result may be used again." },
    key: { ...text, description: "What tells the results of this step apart; the arguments where absent." },
  }),
  required: ["ttl"],
  description: "Use the result of an earlier call again; for tools that only read.",
};

/** The long form of `approval`. */
export const approvalSchema: ClosedSchema = {
  ...closed({
    message: { ...text, description: "What the person is asked." },
    approvers: { ...names, description: "Who may decide; anyone where absent." },
    expires: { ...duration, description: "After this long without a decision the step fails." },
  }),
  required: ["message"],
};

const compensate = {
  ...closed({ tool: { ...text, description: "A tool; a chain cannot undo a step." }, params }),
  required: ["tool"],
  description: "Undoes the step when the run aborts later; the last step is undone first.",
};

/** One step of the file. */
export const stepSchema: ClosedSchema = {
  ...closed({
    id: { ...text, description: "Letters, digits, _ and -; other steps read ${steps.ID.output}." },
    tool,
    description: { type: "string", description: "For people." },
    params,
    output: closed({
      as: { ...text, description: "Makes the output ${context.NAME} too." },
      select,
    }),
    condition: {
      title: "a condition such as ${steps.search.output.size > 0}, or true or false",
      anyOf: [{ type: "string", minLength: 1 }, flag],
      description: "The step is skipped where this does not hold.",
    },
    depends_on: { ...names, description: "Steps that come first although nothing of theirs is read." },
    timeout: { ...duration, description: "The longest time for one attempt, and for a wait for its turn." },
    retry,
    error_handling: errorHandling,
    for_each: {
      title: "an expression that gives a list, or a list",
      anyOf: [{ type: "string", minLength: 1 }, { type: "array" }],
      description: "Runs the step once for each item; params may use ${item} and ${index}.",
    },
    concurrency: { ...positive, description: "How many items run at once, beside max_parallel; 5 where absent." },
    tolerate: {
      title: 'a number of items, or a share such as "10%"',
      anyOf: [count, { type: "string", minLength: 1, pattern: String.raw`^\d+(\.\d+)?%?$` }],
      description: "How many items may fail before the step does; none where absent.",
    },
    repeat,
    cache,
    approval: {
      title: "a question, or a map with message, approvers and expires",
      anyOf: [{ type: "string", minLength: 1 }, approvalSchema],
      description: "Asks a person before the step runs.",
    },
    compensate,
  }),
  required: ["id", "tool"],
};

const input = {
  type: "object",
  description: "What the chain takes, by name. Inferred from the expressions where absent.",
  additionalProperties: {
    title: 'a type such as string, number=3, string="memory" or string[]?, or a map that describes one',
    anyOf: [{ type: "string", minLength: 1 }, { type: "object" }],
    examples: ["string", "number=3", 'string="memory"', "string[]?", "integer", "boolean", "object", "any"],
  },
};

/** The keys of the file around its steps. */
const keys = {
  name: { ...text, description: "How the chain is called; other chains use it as a tool." },
  description: { type: "string", description: "What the chain does, for people and models." },
  version: { ...text, description: "1.0.0 where absent." },
  input,
  env: { ...names, description: "Environment variables the chain may read; the workspace has to allow them too." },
  max_parallel: {
    ...positive,
    description: "How many steps run at once; 5 where absent. A step with for_each is one; called chains count apart.",
  },
  timeout: { ...duration, description: "The longest time for a whole run." },
  durable: { ...flag, description: "Keep a journal, so that a run survives the end of the process." },
  taint: {
    enum: ["show", "strict"],
    description:
      "strict: refuse the chain where something from outside reaches a tool that may do harm, and nobody is asked. " +
      "The workspace's where absent; it cannot be loosened.",
  },
  steps: { type: "array", minItems: 1, description: "What is done. Order comes from what steps read of each other." },
  output: { description: "What a run gives; a map of step to output where absent." },
  error_handling: errorHandling,
  metadata: { type: "object", description: "Anything; the chain does not use it." },
};

/** The file, its steps not looked into: they are checked one by one with {@link stepSchema}. */
export const chainKeysSchema: ClosedSchema = { ...closed(keys), required: ["name", "steps"] };

/** The chain file format as JSON Schema, for editors. The reader checks files with its parts. */
export const chainFileSchema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Windlass chain file",
  ...chainKeysSchema,
  properties: { ...keys, steps: { ...keys.steps, items: stepSchema } },
};

function closed(properties: Readonly<Record<string, JsonSchema>>): ClosedSchema {
  return { type: "object", properties, additionalProperties: false };
}
