import { basename, sep } from "node:path";
import type { Secrets } from "../../tool/index.ts";
import { isSecretName, suggest } from "../../text/index.ts";

/** What a text of the file may name. */
export interface ExpandWorld {
  /** The workspace. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of environment variables that the workspace lets its files read. */
  readonly allowedEnv: readonly string[];
  readonly secrets: Secrets;
  readonly secretNames: readonly string[];
}

/** Something in a text that cannot be filled in, and where. */
export interface ExpandFault {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
  readonly length: number;
}

/** A text with everything filled in, or what is wrong with it. */
export interface Expanded {
  readonly text: string;
  readonly faults: readonly ExpandFault[];
  /** It holds the value of a secret. */
  readonly secret: boolean;
}

type Answer = { readonly value: string; readonly secret?: true } | Omit<ExpandFault, "offset" | "length">;

/**
 * Fills in `${secret.NAME}`, `${env.NAME}` and what other programs write in its place: `${env:NAME}`, `${NAME}`,
 * `${NAME:-otherwise}`, `${workspaceFolder}`. What is filled in is never looked at again.
 */
export function expandText(text: string, world: ExpandWorld): Expanded {
  const faults: ExpandFault[] = [];
  let secret = false;
  const filled = text.replace(/\$\{([^{}]*)\}/g, (whole: string, inside: string, offset: number) => {
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

function answerFor(inside: string, whole: string, world: ExpandWorld): Answer {
  const named = /^(env|secret|input|config|command)[.:](.*)$/s.exec(inside);
  if (named !== null) return prefixed(String(named[1]), String(named[2]), world);
  const known = places(world).get(inside);
  if (known !== undefined) return { value: known };
  const [, name, otherwise] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inside) ?? [];
  if (name !== undefined) return variable(name, world, otherwise);
  return {
    code: "unknown_variable",
    message: `${whole} is nothing that can be filled in`,
    hint: "write ${secret.NAME}, ${env.NAME} or ${workspaceFolder}",
  };
}

function prefixed(kind: string, name: string, world: ExpandWorld): Answer {
  switch (kind) {
    case "env":
      return variable(name, world);
    case "secret":
      return secretOf(name, world);
    case "input":
      return {
        code: "input_variable",
        message: `\${input:${name}} is asked for by an editor, and there is nobody to ask here`,
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

/** What every program knows anyway: of these nobody has to say that files may read them. */
const harmless: ReadonlySet<string> = new Set(
  "HOME USERPROFILE USER LOGNAME USERNAME SHELL PATH TMPDIR TEMP TMP LANG LC_ALL TZ".split(" "),
);

function variable(name: string, { env, allowedEnv, secretNames }: ExpandWorld, otherwise?: string): Answer {
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
    ? `add ${name} ${asSecret}, or, if it is no secret, to \`env\`; both are in windlass.yaml`
    : `add ${name} to \`env\` of windlass.yaml, or, if it is a secret, ${asSecret}`;
}

function secretOf(name: string, { secrets, secretNames }: ExpandWorld): Answer {
  const value = secrets.get(name);
  if (value !== undefined) return { value, secret: true };
  if (secretNames.includes(name)) {
    const todo = secrets.todo?.(name);
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

function places({ dir, env }: ExpandWorld): ReadonlyMap<string, string> {
  return new Map([
    ["workspaceFolder", dir],
    ["workspaceFolderBasename", basename(dir)],
    ["userHome", env["HOME"] ?? env["USERPROFILE"] ?? dir],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
}

/** A name for a secret out of whatever an input is called. */
function secretNameFor(input: string): string {
  const name = input.replace(/\W+/g, "_").toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`;
}
