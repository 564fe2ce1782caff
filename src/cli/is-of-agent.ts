import type { Workspace } from "../app/index.ts";
import { isAgentRun } from "../store/index.ts";

/** Is this a run of an agent? False for one of a chain, and where there is none. */
export async function isOfAgent({ store }: Pick<Workspace, "store">, id: string): Promise<boolean> {
  const kept = await store?.runs.read(id);
  return kept !== undefined && isAgentRun(kept.run);
}
