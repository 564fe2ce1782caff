import { afterEach } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import type { Workspace, WorkspaceOptions } from "../../src/app/index.ts";
import { join } from "node:path";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Runs after the test, before what was registered earlier. */
export function afterTest(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** Opens a folder as a command does: with the stored trust of a user whose settings are in the folder. */
export async function openStored(dir: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const env = { THE_KEY: "sk-0123456789abcdef", XDG_CONFIG_HOME: join(dir, "config") };
  const workspace = await openWorkspace(dir, { store: "memory", reload: false, trust: "stored", env, ...options });
  closing.push(() => workspace.close());
  return workspace;
}

/** The answer of a user who trusts everything. */
export const trusting: WorkspaceOptions = { requestTrust: () => Promise.resolve(true) };

/** The parts that the user has not trusted. */
export function untrustedIn({ untrusted }: Workspace): string[] {
  return untrusted.map(({ text }) => text);
}
