import { type Failure, failure, isFailureError, jsonText, plainJsonSize } from "../base/index.ts";
import { type Attachment, isOk } from "../tool/index.ts";
import type { Execution } from "./execution.ts";
import { toHandlerFailure, retryVerdictOf } from "./handler-failure.ts";

/** Outcome of one attempt. */
export interface AttemptOutcome {
  readonly output?: unknown;
  readonly attachments?: readonly Attachment[];
  readonly failure?: Failure;
  readonly abandoned?: boolean;
}

/** Returns a deep copy of the outcome. */
export function copyOutcome(outcome: AttemptOutcome): AttemptOutcome {
  const attachments = outcome.attachments?.map((attachment) => ({ ...attachment, data: attachment.data.slice() }));
  return { ...outcome, output: structuredClone(outcome.output), ...(attachments && { attachments }) };
}

/** Converts the return value of a handler to an outcome: checks the output schema, then JSON, then the size. */
export function checkReturned(returned: unknown, execution: Execution): AttemptOutcome | Promise<AttemptOutcome> {
  if (isFailureError(returned)) return { failure: toHandlerFailure(returned, execution.job.effect) };
  if (!isOk(returned)) return checkOutput(returned, execution);
  if (returned.meta !== undefined) execution.report(returned.meta);
  const { attachments } = returned;
  const checked = checkOutput(returned.output, execution);
  if (attachments === undefined || attachments.length === 0) return checked;
  // Handlers in plain JavaScript may return anything here.
  if (!attachments.every((attachment) => attachment?.data instanceof Uint8Array)) {
    const message = `an attachment of ${execution.job.tool.name} has no \`data\` of type Uint8Array`;
    return { failure: failure("output_invalid", message, { reason: "attachment", retry: "never" }) };
  }
  const bytes = attachments.reduce((sum, { data }) => sum + data.byteLength, 0);
  if (bytes > execution.core.limits.maxOutputBytes) return { failure: tooLarge(execution) };
  const attach = (outcome: AttemptOutcome): AttemptOutcome => (outcome.failure ? outcome : { ...outcome, attachments });
  return checked instanceof Promise ? checked.then(attach) : attach(checked);
}

function checkOutput(output: unknown, execution: Execution): AttemptOutcome | Promise<AttemptOutcome> {
  const schema = execution.job.tool.output;
  if (schema === undefined) return checkJson(output, execution);
  const validated = schema.validate(output);
  return validated instanceof Promise ? validated.then((result) => afterSchema(result)) : afterSchema(validated);

  function afterSchema(result: Awaited<typeof validated>): AttemptOutcome {
    if (!result.issues) return checkJson(result.value, execution);
    const detail = result.issues.map((issue) => issue.message).join("; ");
    return {
      failure: failure(
        "output_invalid",
        `the output of ${execution.job.tool.name} does not match its schema: ${detail}`,
        {
          issues: result.issues,
          reason: "schema",
          byEffect: retryVerdictOf(execution.job.effect),
          forModel: `${execution.job.tool.name} returned an output in an unexpected form, which is a fault of the tool. Continue without it.`,
        },
      ),
    };
  }
}

function checkJson(output: unknown, execution: Execution): AttemptOutcome {
  if (output === undefined) return { output: null };
  const { maxOutputBytes } = execution.core.limits;
  // The size is an estimate, up to four times too large for small numbers: beyond that the output is certainly too
  // large.
  const size = plainJsonSize(output, 4 * maxOutputBytes);
  if (size >= 0) execution.outputChars = size;
  // An escaped character takes up to six bytes; the exact count is only needed near the limit.
  if (size >= 0 && size * 6 <= maxOutputBytes) return { output };
  return size === Infinity ? { failure: tooLarge(execution) } : checkText(output, execution);
}

/** Slow path: the exact size, and the value as JSON sees it (dates become strings, `undefined` is dropped). */
function checkText(output: unknown, execution: Execution): AttemptOutcome {
  const json = jsonText(output);
  if ("problem" in json) {
    const message = `the output of ${execution.job.tool.name} is not JSON: ${json.problem}`;
    return { failure: failure("output_invalid", message, notJsonOptions) };
  }
  if (Buffer.byteLength(json.text) > execution.core.limits.maxOutputBytes) return { failure: tooLarge(execution) };
  return { output: JSON.parse(json.text) as unknown };
}

/**
 * Returns facts as plain JSON, since results are written to files and sent over the network. Values that are not JSON
 * are reported as such.
 */
export function plainFacts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (plainJsonSize(facts, Number.MAX_SAFE_INTEGER) >= 0) return facts;
  const plain = Object.entries(facts).map(([key, value]): [string, unknown] => {
    const json = jsonText(value ?? null);
    return [key, "problem" in json ? `[not JSON: ${json.problem}]` : JSON.parse(json.text)];
  });
  return Object.fromEntries(plain);
}

const notJsonOptions = { reason: "not_json", retry: "never" } as const;

function tooLarge(execution: Execution): Failure {
  const limit = `${execution.core.limits.maxOutputBytes.toLocaleString("en")} bytes`;
  return failure("output_invalid", `the output of ${execution.job.tool.name} is larger than ${limit}`, {
    reason: "too_large",
    retry: "never",
    forModel: `The result of ${execution.job.tool.name} is too large. Request less, for example with a filter or a limit.`,
  });
}
