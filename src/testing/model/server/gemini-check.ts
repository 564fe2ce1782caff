import {
  type IssuedTurns,
  type ApiRequirements,
  type WireRequest,
  requireThat,
  type JsonRecord,
  recordsOf,
} from "./wire-api.ts";
import { isRecord, recordOf, textOf } from "../../../schema/index.ts";

interface Content {
  readonly role: string;
  readonly calls: readonly JsonRecord[];
  readonly responses: readonly JsonRecord[];
  readonly parts: readonly JsonRecord[];
}

/** Rejects requests as the generateContent API does. */
export function checkGemini({ body, model, stream, path }: WireRequest, demands: ApiRequirements): void {
  requireThat(!stream || path.includes("alt=sse"), "this server streams with ?alt=sse only");
  requireThat(
    Array.isArray(body.contents) && body.contents.length > 0,
    "* GenerateContentRequest.contents: contents is not specified\n",
  );
  checkTools(body);
  const contents = recordsOf(body.contents).map(toContent);
  for (const [at, content] of contents.entries()) checkContent(content, at);
  checkOrder(contents);
  checkSignatures(contents, model, demands);
}

function toContent({ role = "user", parts }: JsonRecord, at: number): Content {
  const list = recordsOf(parts);
  requireThat(
    role === "user" || role === "model" || role === "function",
    `Please use a valid role: user, model. (contents[${at}])`,
  );
  requireThat(list.length > 0, `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`);
  const named = (kind: string): readonly JsonRecord[] =>
    list.flatMap((part) => (part[kind] === undefined ? [] : [recordOf(part[kind])]));
  return { role, parts: list, calls: named("functionCall"), responses: named("functionResponse") };
}

const functionName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

function checkTools({ tools }: JsonRecord): void {
  for (const [at, { functionDeclarations }] of recordsOf(tools).entries()) {
    const names = new Set<string>();
    for (const [index, { name }] of recordsOf(functionDeclarations).entries()) {
      const text = textOf(name);
      requireThat(
        functionName.test(text),
        `* GenerateContentRequest.tools[${at}].function_declarations[${index}].name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
      );
      requireThat(!names.has(text), `Duplicate function declaration found: ${text}`);
      names.add(text);
    }
  }
}

function checkContent({ calls, responses }: Content, at: number): void {
  for (const { name, args } of calls) {
    requireThat(functionName.test(textOf(name)), `* contents[${at}]: function_call.name: Name cannot be empty.\n`);
    requireThat(
      args === undefined || isRecord(args),
      `Invalid value at 'contents[${at}].parts.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
    );
  }
  for (const { name, response } of responses) {
    requireThat(textOf(name) !== "", `* contents[${at}]: function_response.name: Name cannot be empty.\n`);
    requireThat(
      isRecord(response),
      `Invalid value at 'contents[${at}].parts.function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
    );
  }
}

/** Calls follow a user message or results; all their results follow directly. */
function checkOrder(contents: readonly Content[]): void {
  for (const [at, content] of contents.entries()) {
    const before = contents[at - 1];
    requireThat(
      content.calls.length === 0 || (content.role === "model" && before !== undefined && before.role !== "model"),
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    );
    const request = before?.calls ?? [];
    if (request.length === 0) {
      requireThat(
        content.responses.length === 0,
        "Please ensure that function response turn comes immediately after a function call turn.",
      );
      continue;
    }
    requireThat(
      content.responses.length === request.length && content.role !== "model",
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
    checkAnswers(request, content.responses, at);
  }
  const last = contents.at(-1);
  requireThat(
    last?.role !== "model",
    "Please ensure that single turn requests end with a user role or the role field is empty.",
  );
}

function checkAnswers(calls: readonly JsonRecord[], responses: readonly JsonRecord[], at: number): void {
  const open = [...calls];
  for (const { id, name } of responses) {
    const label = open.findIndex((call) => call.name === name && (id === undefined || call.id === id));
    requireThat(
      label !== -1,
      `Function response ${textOf(name)} (${String(id)}) in contents[${at}] has no matching function call.`,
    );
    open.splice(label, 1);
  }
}

/** Placeholders for the signature of a call that another model made. */
const foreign = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);

/** The first call of every response must come back signed while the model works on the same user message. */
function checkSignatures(contents: readonly Content[], model: string, { issued }: ApiRequirements): void {
  const lastUserIndex = contents.findLastIndex(({ role, responses }) => role === "user" && responses.length === 0);
  for (const [at, { parts }] of contents.entries()) {
    requireThat(
      parts.every(({ thoughtSignature }) => isGenuine(textOf(thoughtSignature), issued)),
      "Corrupted thought signature.",
    );
    const first = parts.find(({ functionCall }) => functionCall !== undefined);
    if (first === undefined || at < lastUserIndex) continue;
    const call = recordOf(first.functionCall);
    const signature = issued.turnOf(textOf(call.id))?.calls.find(({ id }) => id === call.id)?.signature;
    const sentSignature = textOf(first.thoughtSignature);
    requireThat(
      sentSignature !== "" || (signature === undefined && !demandsSignatures.test(model)),
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${textOf(call.name)}\`, position ${at + 1}.`,
    );
    requireThat(signature === undefined || sentSignature === signature, "Corrupted thought signature.");
  }
}

const demandsSignatures = /gemini-(?:[3-9]|\d\d)/;

function isGenuine(signature: string, issued: IssuedTurns): boolean {
  return signature === "" || foreign.has(signature) || issued.signedText(signature) !== undefined;
}
