import { modelTable } from "./port/model-table.ts";

/** The environment variables that name the default model. */
export const modelVariables: Readonly<Record<"baseUrl" | "name" | "apiKey" | "provider", string>> = {
  baseUrl: modelTable.base_url.variable,
  name: modelTable.model.variable,
  apiKey: modelTable.api_key.variable,
  provider: modelTable.provider.variable,
};

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Value of a variable; undefined if it is unset or blank. */
export function valueOf(env: Environment, variable: string): string | undefined {
  const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
  return value === "" ? undefined : value;
}
