import { type Issue, formatPath, isFailureError } from "../../base/index.ts";
import { type JsonSchema, type SyncSchema, fromJsonSchema, isRecord } from "../../schema/index.ts";

type Path = readonly (string | number)[];

/** A part of a tool's input schema, and the document that its references resolve in. */
export interface SchemaPart {
  readonly root: JsonSchema;
  readonly node: JsonSchema;
}

/** Problems of a constant value. An unusable schema gives no problems: its tool reports that itself. */
export function literalIssues(value: unknown, part: SchemaPart, path: Path): readonly Issue[] {
  const { issues = [] } = validatorOf(part)?.validate(value) ?? {};
  return path.length === 0 ? issues : issues.map((issue) => inWhole(issue, path));
}

/** An issue of the value at this path as one of the whole value. */
function inWhole(issue: Issue, path: Path): Issue {
  const whole = [...path, ...issue.path];
  const name = issue.path.length === 0 ? "the value" : formatPath(issue.path);
  const isNamed = issue.message.startsWith(`${name} `);
  return {
    ...issue,
    path: whole,
    message: isNamed ? formatPath(whole) + issue.message.slice(name.length) : issue.message,
  };
}

const validators = new WeakMap<JsonSchema, SyncSchema | "unusable">();

function validatorOf(part: SchemaPart): SyncSchema | undefined {
  const known = validators.get(part.node);
  if (known !== undefined) return known === "unusable" ? undefined : known;
  const made = makeValidator(part);
  validators.set(part.node, made ?? "unusable");
  return made;
}

/** A part keeps the definitions of its document; references to other parts of it cannot be resolved. */
function makeValidator({ root, node }: SchemaPart): SyncSchema | undefined {
  const { $defs, definitions, $schema } = root;
  const outer = {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...($schema !== undefined && { $schema }),
  };
  try {
    return fromJsonSchema(root === node ? root : { ...outer, ...node });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return undefined;
  }
}

/** Required keys that a map lacks and that have no default. */
export function missingKeys(value: Readonly<Record<string, unknown>>, { required, properties }: JsonSchema): string[] {
  if (!Array.isArray(required)) return [];
  return required.filter((key): key is string => {
    if (typeof key !== "string" || Object.hasOwn(value, key)) return false;
    const own: unknown = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return !isRecord(own) || own["default"] === undefined;
  });
}
