import { FailureError } from "../../base/index.ts";
import {
  type Schema,
  type Validation,
  fromJsonSchema,
  fromStandard,
  isRecord,
  isStandardSchema,
} from "../../schema/index.ts";
import { objectSchema } from "../frameworks/object-schema.ts";

/** A schema as `jsonSchema()` of the AI SDK makes it. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => Checked | PromiseLike<Checked>) | undefined;
}

type Checked =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: { readonly message: string } };

/** The input schema of a tool of the AI SDK as one of ours: Zod or another Standard Schema, `jsonSchema()`, or lazy. */
export function inputSchemaOf(tool: string, given: unknown): Schema {
  if (given === undefined || given === null) return fromJsonSchema({ type: "object", properties: {} });
  if (isStandardSchema(given)) return fromStandard(given);
  const schema: unknown = typeof given === "function" ? (given as () => unknown)() : given;
  if (isStandardSchema(schema)) return fromStandard(schema);
  if (!isRecord(schema) || !("jsonSchema" in schema)) throw unusable(tool, "it is no schema of the AI SDK");
  return ofAiSdk(tool, { jsonSchema: schema["jsonSchema"], validate: schema["validate"] as AiSdkSchema["validate"] });
}

function ofAiSdk(tool: string, { jsonSchema, validate }: AiSdkSchema): Schema {
  if (!isRecord(jsonSchema)) throw unusable(tool, "it is no object");
  if ("then" in jsonSchema && typeof jsonSchema["then"] === "function") {
    throw unusable(tool, "it is made later; await it, and pass jsonSchema(await …)");
  }
  const described = fromJsonSchema(objectSchema(jsonSchema));
  if (typeof validate !== "function") return described;
  return {
    json: described.json,
    validate(value) {
      const result = described.validate(value);
      return result.issues === undefined ? alsoBy(validate, result.value) : result;
    },
  };
}

/** What a tool's own check says; it may also make another value of it. */
async function alsoBy(validate: NonNullable<AiSdkSchema["validate"]>, value: unknown): Promise<Validation<unknown>> {
  try {
    const checked = await validate(value);
    if (checked.success) return { value: checked.value };
    return { issues: [{ path: [], code: "custom", message: checked.error.message }] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { issues: [{ path: [], code: "custom", message: `the value could not be checked: ${why}` }] };
  }
}

function unusable(tool: string, why: string): FailureError {
  return new FailureError(`tool ${JSON.stringify(tool)}: its \`inputSchema\` cannot be used: ${why}`, {
    code: "tool_invalid",
  });
}
