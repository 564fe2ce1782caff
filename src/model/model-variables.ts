/** The environment variables that name the default model. */
export const modelVariables = {
  baseUrl: "WINDLASS_MODEL_BASE_URL",
  name: "WINDLASS_MODEL",
  apiKey: "WINDLASS_MODEL_API_KEY",
  provider: "WINDLASS_MODEL_PROVIDER",
} as const;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Value of a variable; undefined if it is unset or blank. */
export function valueOf(env: Environment, variable: string): string | undefined {
  const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
  return value === "" ? undefined : value;
}
