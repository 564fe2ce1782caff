import { basename, sep } from "node:path";
import type { Secrets } from "../../tool/index.ts";
import { isSecretName } from "../../secrets/index.ts";
import { suggest } from "../../text/index.ts";

/** Values that a text of the file may refer to. */
export interface ExpandDeps {
  /** The workspace. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of environment variables that the workspace lets its files read. */
  readonly allowedEnv: readonly string[];
  readonly secrets: Secrets;
  readonly secretNames: readonly string[];
  /** True if no value is filled in: references stay as they are written. */
  readonly withheld?: boolean | undefined;
}

/** A reference in a text that cannot be expanded, and its position. */
export interface ExpandFault {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
  readonly length: number;
}

/** An expanded text, or its errors. */
export interface Expanded {
  readonly text: string;
  readonly faults: readonly ExpandFault[];
  /** True if it contains the value of a secret. */
  readonly secret: boolean;
}

type ExpandedValue = { readonly value: string; readonly secret?: true } | Omit<ExpandFault, "offset" | "length">;

/**
 * Expands `${secret.NAME}`, `${env.NAME}` and the notations of other programs: `${env:NAME}`, `${NAME}`,
 * `${NAME:-default}`, `${workspaceFolder}`. Expanded values are not expanded again.
 */
export function expandText(text: string, world: ExpandDeps): Expanded {
  const faults: ExpandFault[] = [];
  let secret = false;
  const filled = text.replace(references, (whole: string, inside: string, offset: number) => {
    const answer = answerFor(inside.trim(), whole, world);
    if ("value" in answer) {
      secret ||= answer.secret === true;
      return answer.value;
    }
    faults.push({ ...answer, offset, length: whole.length });
    return whole;
  });
  return { text: filled, faults, secret };
}

/** Names of the secrets in the texts of a value, in any notation that {@link expandText} knows. */
export function secretsInTexts(value: unknown): string[] {
  if (typeof value !== "string") {
    const parts = typeof value === "object" && value !== null ? Object.values(value) : [];
    return [...new Set(parts.flatMap(secretsInTexts))].sort();
  }
  return Array.from(value.matchAll(references), ([, inside = ""]) => prefixes.exec(inside.trim())).flatMap((found) =>
    found?.[1] === "secret" ? [String(found[2])] : [],
  );
}

const references = /\$\{([^{}]*)\}/g;
const prefixes = /^(env|secret|input|config|command)[.:](.*)$/s;

function answerFor(inside: string, whole: string, world: ExpandDeps): ExpandedValue {
  if (world.withheld === true) return { value: whole };
  const named = prefixes.exec(inside);
  if (named !== null) return prefixed(String(named[1]), String(named[2]), world);
  const known = folderVariables(world).get(inside);
  if (known !== undefined) return { value: known };
  const [, name, otherwise] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inside) ?? [];
  if (name !== undefined) return variable(name, world, otherwise);
  return {
    code: "unknown_variable",
    message: `${whole} is nothing that can be filled in`,
    hint: "write ${secret.NAME}, ${env.NAME} or ${workspaceFolder}",
  };
}

function prefixed(kind: string, name: string, world: ExpandDeps): ExpandedValue {
  switch (kind) {
    case "env":
      return variable(name, world);
    case "secret":
      return secretOf(name, world);
    case "input":
      return {
        code: "input_variable",
        message: `\${input:${name}} is a prompt of an editor, and there is no prompt here`,
        hint: `name it under \`secrets\` of windlass.yaml, and write \${secret.${secretNameFor(name)}}`,
      };
    default:
      return {
        code: "unknown_variable",
        message: `\${${kind}:${name}} belongs to an editor`,
        hint: "write the value itself, ${secret.NAME} or ${env.NAME}",
      };
  }
}

/** Variables that every program knows anyway: files may read them without permission. */
const harmless: ReadonlySet<string> = new Set(
  "HOME USERPROFILE USER LOGNAME USERNAME SHELL PATH TMPDIR TEMP TMP LANG LC_ALL TZ".split(" "),
);

function variable(name: string, { env, allowedEnv, secretNames }: ExpandDeps, otherwise?: string): ExpandedValue {
  if (!allowedEnv.includes(name) && !harmless.has(name)) {
    if (otherwise !== undefined) return { value: otherwise };
    const message = `the workspace does not let its files read the environment variable ${name}`;
    return { code: "env_not_allowed", message, hint: hintFor(name, secretNames) };
  }
  const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? otherwise;
  if (value !== undefined) return { value };
  return { code: "env_missing", message: `the environment variable ${name} is not set`, hint: `set ${name}` };
}

/** The likelier of two ways first. */
function hintFor(name: string, secretNames: readonly string[]): string {
  if (secretNames.includes(name)) return `it is a secret of the workspace: write \${secret.${name}}`;
  const asSecret = `to \`secrets\` and write \${secret.${name}}`;
  return isSecretName(name)
    ? `add ${name} ${asSecret}, or, if it is not a secret, to \`env\`; both are in windlass.yaml`
    : `add ${name} to \`env\` of windlass.yaml, or, if it is a secret, ${asSecret}`;
}

function secretOf(name: string, { secrets, secretNames }: ExpandDeps): ExpandedValue {
  const value = secrets.get(name);
  if (value !== undefined) return { value, secret: true };
  if (secretNames.includes(name)) {
    const todo = secrets.hint?.(name);
    return {
      code: "secret_missing",
      message: `the secret ${name} has no value`,
      ...(todo !== undefined && { hint: todo }),
    };
  }
  const near = suggest(name, secretNames);
  return {
    code: "unknown_secret",
    message: `the workspace names no secret ${name}`,
    hint: near === undefined ? `add ${name} to \`secrets\` of windlass.yaml` : `did you mean \${secret.${near}}?`,
  };
}

function folderVariables({ dir, env }: ExpandDeps): ReadonlyMap<string, string> {
  return new Map([
    ["workspaceFolder", dir],
    ["workspaceFolderBasename", basename(dir)],
    ["userHome", env["HOME"] ?? env["USERPROFILE"] ?? dir],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
}

/** Derives the name of a secret from that of an input. */
function secretNameFor(input: string): string {
  const name = input.replace(/\W+/g, "_").toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`;
}
