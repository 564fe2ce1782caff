import { FailureError } from "../base/index.ts";

/** Which model to ask, and where. */
export interface ModelSettings {
  /** Where the server speaks the OpenAI protocol, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The model's name at that server. */
  readonly name: string;
  readonly apiKey?: string;
  /** Time for one request with its whole answer; 300 s. */
  readonly timeoutMs?: number;
  /** The most tokens of one answer where a caller sets no limit; the server's own limit where absent. */
  readonly maxTokens?: number;
  /** Sent where a caller sets none; the server's own where absent. */
  readonly temperature?: number;
  /**
   * How JSON is asked for: by its schema (where absent), as JSON of any shape, or in words only. A server that says that
   * it does not know a form is asked in the next one. Every answer is checked, however it was asked for.
   */
  readonly structured?: "json_schema" | "json_object" | "words";
}

/** The environment variables that name a model. */
export const modelVariables = {
  baseUrl: "WINDLASS_MODEL_BASE_URL",
  name: "WINDLASS_MODEL",
  apiKey: "WINDLASS_MODEL_API_KEY",
} as const;

/** `model:` of a `windlass.yaml`. */
export interface ModelFile {
  readonly base_url?: string | undefined;
  readonly name?: string | undefined;
  /** The name of a secret, never its value. */
  readonly api_key?: string | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly structured?: "json_schema" | "json_object" | "words" | undefined;
}

/** Where {@link readModelSettings} looks. */
export interface ModelSources {
  readonly file?: ModelFile | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
}

/**
 * The model that a workspace and its environment name, the environment first; undefined where they name none. Throws
 * `file_invalid` where they name half of one.
 *
 * @example
 * ```ts
 * const settings = readModelSettings({ file: config.model, env: process.env, secret: (name) => secrets[name] });
 * ```
 */
export function readModelSettings({ file = {}, env, secret }: ModelSources): ModelSettings | undefined {
  const baseUrl = valueOf(env, modelVariables.baseUrl) ?? file.base_url;
  const name = valueOf(env, modelVariables.name) ?? file.name;
  if (baseUrl === undefined && name === undefined) return undefined;
  if (baseUrl === undefined) throw incomplete("where the model is", modelVariables.baseUrl, "base_url");
  if (name === undefined) throw incomplete("which model it is", modelVariables.name, "name");
  const apiKey = valueOf(env, modelVariables.apiKey) ?? keyOf(file, secret);
  return {
    baseUrl,
    name,
    ...(apiKey !== undefined && { apiKey }),
    ...habits(file),
  };
}

/** How the model is asked, whichever it is. */
function habits(file: ModelFile): Pick<ModelSettings, "timeoutMs" | "maxTokens" | "temperature" | "structured"> {
  return {
    ...(file.timeout !== undefined && { timeoutMs: file.timeout * 1000 }),
    ...(file.max_tokens !== undefined && { maxTokens: file.max_tokens }),
    ...(file.temperature !== undefined && { temperature: file.temperature }),
    ...(file.structured !== undefined && { structured: file.structured }),
  };
}

function valueOf(env: ModelSources["env"], variable: string): string | undefined {
  const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
  return value === "" ? undefined : value;
}

function keyOf({ api_key }: ModelFile, secret: ModelSources["secret"]): string | undefined {
  if (api_key === undefined) return undefined;
  const value = secret?.(api_key);
  if (value !== undefined) return value;
  // The text itself stays unsaid: it may be the key that somebody wrote where its name belongs.
  throw new FailureError(
    "model.api_key names no secret that has a value; name one of `secrets:` and give it a value, " +
      `or set ${modelVariables.apiKey}`,
    { code: "file_invalid" },
  );
}

function incomplete(what: string, variable: string, key: string): FailureError {
  return new FailureError(`nothing says ${what}: set ${variable}, or model.${key} in windlass.yaml`, {
    code: "file_invalid",
  });
}
