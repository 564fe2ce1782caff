import type { Workspace } from "../app/index.ts";

/** The environment variables that chains of a workspace may read. */
export function chainEnv({ config }: Workspace): Record<string, string> {
  return Object.fromEntries(
    config.env.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
