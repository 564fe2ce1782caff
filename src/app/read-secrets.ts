import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isInsideFolder, resolveRealPath } from "../base/index.ts";
import { serviceKeys } from "../model/index.ts";
import { isPlaceholder } from "../secrets/index.ts";
import type { SecretSource } from "./workspace-config.ts";

/** The values that could be read, and why the others could not. */
export interface ReadSecrets {
  readonly values: Readonly<Record<string, string>>;
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

/** Reads the secrets that a workspace names, from the environment and from files inside the workspace. */
export async function readSecrets(
  sources: Readonly<Record<string, SecretSource>>,
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ReadSecrets> {
  const values: Record<string, string> = {};
  const missing: { name: string; why: string }[] = [];
  for (const [name, source] of Object.entries(sources)) {
    const found = "env" in source ? fromEnv(source.env, env) : await fromFile(source.file, dir);
    if (found.value === undefined) missing.push({ name, why: found.why });
    else values[name] = found.value;
  }
  return { values, missing };
}

/** Variables that hold a key whether or not the workspace calls it a secret. */
const keyVariables = ["WINDLASS_MODEL_API_KEY", "WINDLASS_BRAVE_API_KEY"];

/** Shorter values of the key variables of services are placeholder words, not keys. */
const shortestKey = 16;

/** The keys among the environment variables that Windlass itself reads. */
export function readModelKeys(env: Readonly<Record<string, string | undefined>>): string[] {
  // As they are sent: without blanks around them.
  const own = keyVariables.flatMap((name) => (Object.hasOwn(env, name) ? env[name]?.trim() || [] : []));
  return [...own.filter((key) => !isPlaceholder(key)), ...serviceKeys(env).filter((key) => key.length >= shortestKey)];
}

type SecretLookup = { readonly value: string } | { readonly value?: undefined; readonly why: string };

function fromEnv(variable: string, env: Readonly<Record<string, string | undefined>>): SecretLookup {
  const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
  return value === undefined || value === "" ? { why: `set the environment variable ${variable}` } : { value };
}

async function fromFile(path: string, dir: string): Promise<SecretLookup> {
  const full = resolve(dir, path);
  // The path is checked first: the existence of files elsewhere must not be revealed.
  if (!isInsideFolder(full, dir) || (await resolveRealPath(full, dir)).kind === "outside") {
    return { why: `${path} lies outside the workspace; put the value into a file in it` };
  }
  try {
    const value = (await readFile(full, "utf8")).trimEnd();
    return value === "" ? { why: `the file ${path} is empty; put the value into it` } : { value };
  } catch {
    return { why: `put the value into the file ${path}` };
  }
}
