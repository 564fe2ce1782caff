import type { JsonSchema } from "../../schema/index.ts";
import { triggerSchema } from "./trigger-spec.ts";
import type { ClosedSchema } from "./closed-schema.ts";
import { lacksDash, parameterListSchema, parameterMapSchema, parameterSchema } from "../../tool/index.ts";
import { failureStrategies } from "./failure-plan.ts";

const text = { type: "string", minLength: 1 };
const count = { type: "integer", minimum: 0 };
const positive = { type: "integer", minimum: 1 };
const flag = { type: "boolean" };
const names = { type: "array", items: text };
const allowed = (decided: string): JsonSchema => ({
  enum: ["allow"],
  description: `Untrusted content may decide ${decided}.`,
});

const durationForms = (min: object): { readonly anyOf: readonly JsonSchema[] } => ({
  anyOf: [
    { type: "number", ...min },
    { type: "string", minLength: 1, pattern: String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$` },
  ],
});
const durationTypes = durationForms({ exclusiveMinimum: 0 });
const duration = {
  title: 'seconds above 0, or text such as "500ms", "30s", "2m", "1h" or "7d"',
  ...durationTypes,
};
const delay = {
  title: 'seconds, or text such as "500ms", "30s" or "2m"',
  ...durationForms({ minimum: 0 }),
};

const params = {
  type: "object",
  description:
    "Arguments of the tool. Any string in it may contain ${…}; a string that is a single ${…} keeps the value's type.",
};

const select = {
  ...text,
  description:
    "A JSONPath into the output. If it can match at most one value, the result is that value, otherwise a list.",
};

const tool = { ...text, description: "A tool, or another chain." };

const expression = { type: "string", pattern: String.raw`\$\{` };

const waitTime = {
  title: `${duration.title}, or an expression`,
  anyOf: [...duration.anyOf, expression],
};

/** The map form of `wait`. */
export const waitSchema: ClosedSchema = closed({
  event: { ...text, description: "Waits until an event with this name arrives for the run; its data is the output." },
  timeout: {
    ...waitTime,
    description: "Without the event in this time the step fails with timeout. Default: no limit.",
  },
  until: { ...text, description: "Waits until this time, such as 2026-11-20T08:00:00+08:00." },
});

const fallback = {
  ...closed({
    condition: {
      ...text,
      description: "The first entry whose condition holds is used; an entry without one always matches.",
    },
    tool,
    params,
    output: closed({ select }),
  }),
  required: ["tool"],
  description: "Replaces the step that failed: its result becomes the step's output.",
};

const errorHandling = {
  ...closed({
    strategy: {
      ...text,
      description: `Strategy after a step has failed: ${failureStrategies.join(", ")}; or several, joined by |.`,
      examples: ["retry|fallback", ...failureStrategies],
    },
    max_retries: { ...count, description: "Maximum number of retries for the strategy retry. Default: 3." },
    fallback: { type: "array", items: fallback, description: "Fallbacks, tried in this order." },
  }),
  description: "Handling of a failed step. A step's own setting wins over the chain's.",
};

const retry = {
  ...closed({
    max: { ...count, description: "Maximum number of retries after the first attempt. Default: 3." },
    delay: { ...delay, description: "Delay before the second attempt. Default: 1 second." },
    backoff: { enum: ["exponential", "linear", "fixed"], description: "Growth of the delay." },
    max_delay: { ...delay, description: "Maximum delay. Default: 30 seconds." },
    jitter: { ...flag, description: "Randomize the delay, so that many retries do not happen at once. Default: true." },
    when: { ...text, description: "Retry only if this condition holds; ${error} is the failure." },
  }),
  description: "Retry a failed step, if the tool's effect allows it.",
};

const repeat = {
  ...closed({
    until: { ...text, description: "Repeat until this condition holds; it may read the step's own output." },
    max: { ...positive, description: "Maximum number of rounds. Default: 10, or 1,000 with max_duration." },
    max_duration: { ...duration, description: "Maximum time for all rounds." },
    delay: { ...delay, description: "Delay between two rounds. Default: none." },
  }),
  required: ["until"],
  description: "Repeat the step until a condition holds; ${index} is the round, from 0.",
};

const cache = {
  ...closed({
    ttl: { ...duration, description: "Time for which the result may be reused." },
    key: { ...text, description: "Cache key that distinguishes the results of this step. Default: the arguments." },
  }),
  required: ["ttl"],
  description: "Reuse the result of an earlier call; for tools that only read.",
};

/** The long form of `approval`. */
export const approvalSchema: ClosedSchema = {
  ...closed({
    message: { ...text, description: "Message shown to the approver." },
    approvers: { ...names, description: "Names of the people who may decide. Default: anyone." },
    expires: { ...duration, description: "Without a decision in this time the step fails." },
  }),
  required: ["message"],
};

const compensate = {
  ...closed({ tool: { ...text, description: "A tool; a chain cannot undo a step." }, params }),
  required: ["tool"],
  description: "Undoes the step if the run aborts later; the last step is undone first.",
};

/** One step of the file. */
export const stepSchema: ClosedSchema = {
  ...closed({
    id: { ...text, description: "Letters, digits, _ and -; other steps read ${steps.ID.output}." },
    tool,
    wait: {
      title: `${duration.title}, an expression, or a map with event and timeout, or until`,
      anyOf: [...waitTime.anyOf, waitSchema],
      description: "Waits in place of a call; until then the run is suspended.",
    },
    description: { type: "string", description: "Description for people." },
    params,
    output: closed({
      as: { ...text, description: "Makes the output available as ${context.NAME}, too." },
      select,
    }),
    condition: {
      title: "a condition such as ${steps.search.output.size > 0}, or true or false",
      anyOf: [{ type: "string", minLength: 1 }, flag],
      description: "The step is skipped if this does not hold.",
    },
    depends_on: { ...names, description: "Steps that run first although none of their outputs is read." },
    timeout: { ...duration, description: "Maximum time for one attempt, and for waiting for a slot." },
    retry,
    error_handling: errorHandling,
    for_each: {
      title: "an expression that evaluates to a list, or a list",
      anyOf: [{ type: "string", minLength: 1 }, { type: "array" }],
      description: "Runs the step once for each item; params may use ${item} and ${index}.",
    },
    concurrency: {
      ...positive,
      description: "Maximum number of items that run at once, in addition to max_parallel. Default: 5.",
    },
    tolerate: {
      title: 'a number of items, or a share such as "10%"',
      anyOf: [count, { type: "string", minLength: 1, pattern: String.raw`^\d+(\.\d+)?%?$` }],
      description: "Maximum number of items that may fail before the step fails. Default: 0.",
    },
    repeat,
    cache,
    approval: {
      title: "a message, or a map with message, approvers and expires",
      anyOf: [{ type: "string", minLength: 1 }, approvalSchema],
      description: "Requests approval before the step runs.",
    },
    untrusted: {
      ...closed({
        path: allowed("which file a call changes"),
        url: allowed("which host gets a request"),
        command: allowed("which program runs"),
      }),
      description: "Kinds of targets that untrusted content may decide without approval.",
    },
    compensate,
  }),
  required: ["id", "tool"],
};

/** One step that waits. Its `wait` in the form of a map is checked by itself. */
export function waitStepSchemaFor(wait: unknown): ClosedSchema {
  return { ...stepSchema, required: wait === null ? ["id", "wait"] : ["id"] };
}

const input = {
  ...parameterMapSchema,
  description: "Inputs of the chain, by name. Default: inferred from the expressions.",
};

/** The keys of the file around its steps. */
const keys = {
  name: { ...text, description: "Name of the chain; other chains call it as a tool by this name." },
  description: { type: "string", description: "Purpose of the chain, for people and models." },
  version: { ...text, description: "Version of the chain. Default: 1.0.0." },
  input,
  env: { ...names, description: "Environment variables the chain may read; the workspace has to allow them too." },
  max_parallel: {
    ...positive,
    description:
      "Maximum number of steps that run at once. A step with for_each counts as one; called chains count separately. Default: 5.",
  },
  timeout: { ...duration, description: "Maximum time for a whole run." },
  durable: { ...flag, description: "Keep a journal, so that a run can be resumed after its process ends." },
  taint: {
    enum: ["show", "strict"],
    description:
      "strict: reject the chain if untrusted content reaches a destructive tool without an approval. " +
      "Default: the workspace's setting, which a chain cannot relax.",
  },
  steps: {
    type: "array",
    minItems: 1,
    description: "Steps of the chain. Their order follows from the outputs that they read of each other.",
  },
  on: {
    type: "array",
    items: triggerSchema,
    description: "Triggers: schedules, webhooks and watched files that start runs while a server runs.",
  },
  output: { description: "Output of a run. Default: a map of step to output." },
  error_handling: errorHandling,
  metadata: { type: "object", description: "Free-form data; the chain does not use it." },
};

/** The file without checks inside of its steps: they are checked one by one with {@link stepSchema}. */
const chainKeysSchema: ClosedSchema = { ...closed(keys), required: ["name", "steps"] };

const inputList = { type: "array", items: parameterSchema };

const chainKeysSchemaWithList: ClosedSchema = { ...chainKeysSchema, properties: { ...keys, input: inputList } };

/** The schema for a file whose inputs have this form: a map, or a list as in tool files. */
export function chainKeysSchemaFor(inputs: unknown): ClosedSchema {
  if (lacksDash(inputs)) return { ...chainKeysSchema, properties: { ...keys, input: {} } };
  return Array.isArray(inputs) ? chainKeysSchemaWithList : chainKeysSchema;
}

/** The chain file format as JSON Schema, for editors. The reader checks files with its parts. */
export const chainFileSchema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Windlass chain file",
  ...chainKeysSchema,
  properties: {
    ...keys,
    input: { description: input.description, anyOf: [parameterMapSchema, parameterListSchema()] },
    steps: {
      ...keys.steps,
      items: { ...stepSchema, required: ["id"], anyOf: [{ required: ["tool"] }, { required: ["wait"] }] },
    },
  },
};

function closed(properties: Readonly<Record<string, JsonSchema>>): ClosedSchema {
  return { type: "object", properties, additionalProperties: false };
}
