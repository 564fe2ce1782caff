import type { Workspace } from "../../app/index.ts";
import { isAgentRun } from "../../store/index.ts";

/** True if this is a run of an agent; false for one of a chain, and if there is none. */
export async function isOfAgent({ store }: Pick<Workspace, "store">, id: string): Promise<boolean> {
  const cached = await store?.runs.read(id);
  return cached !== undefined && isAgentRun(cached.run);
}
