import { keysIn, readSecrets, readSettings } from "../app/index.ts";
import { type Redactor, createRedactor } from "../text/index.ts";

/** What takes the secrets of a workspace out of what is shown of it, where nothing else of the workspace is opened. */
export async function redactorHere(dir: string, env: NodeJS.ProcessEnv = process.env): Promise<Redactor> {
  const { config } = await readSettings(dir);
  const { values } = await readSecrets(config.secrets, dir, env);
  return createRedactor([...Object.values(values), ...keysIn(env)]);
}
