import { realpath } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TrustSubject, grantTrust, packageRoot, reviewTrust } from "./open-trust.ts";
import { workspaceFile } from "./find-workspace.ts";
import { parseWorkspace } from "./parse-workspace.ts";
import { readSettings } from "./read-settings.ts";
import type { TrustItem } from "./trust-item.ts";

/** A folder that becomes a workspace. */
export interface NewWorkspace extends Pick<TrustSubject, "dir" | "env"> {
  /** The text of its `windlass.yaml`. */
  readonly source: string;
  /** Writes its files. */
  readonly write: () => Promise<void>;
}

/**
 * Writes the files of a new workspace and trusts them. What the folder had before is another author's: it needs the
 * user's trust, and is returned.
 */
export async function trustNewWorkspace({ dir, env, source, write }: NewWorkspace): Promise<readonly TrustItem[]> {
  // With the new settings, because a folder without settings loads no code.
  const settings = { ...parseWorkspace(source, workspaceFile), source };
  const before = await reviewTrust({ dir, env, settings });
  const found = new Set(before.items.map(({ id }) => id));
  const codeIsForeign = await hasForeignPackage(dir);
  await write();
  const subject = { dir, env, settings: await readSettings(dir) };
  const { items, decision } = await reviewTrust(subject);
  const isOwn = ({ id, kind }: TrustItem): boolean =>
    decision.trusted.has(id) || !(found.has(id) || (kind === "code" && codeIsForeign));
  await grantTrust(subject, items.filter(isOwn));
  return items.filter((item) => !isOwn(item));
}

/** True if `import "windlass"` loads a package that belongs to the folder, or to one around it, instead of this one. */
async function hasForeignPackage(dir: string): Promise<boolean> {
  try {
    const file = findPackageJSON("windlass", pathToFileURL(join(dir, "tools", "any.js")));
    return file !== undefined && dirname(await realpath(file)) !== packageRoot();
  } catch {
    // Not installed: the code gets the running copy.
    return false;
  }
}
