import type { EntryInput } from "./entry-plan.ts";
import { isYamlMap } from "../schema/index.ts";
import { type ChangedDefaults, changedDefaults } from "./changed-defaults.ts";

type File = Readonly<Record<string, unknown>>;

/** The file without weaker effects that are refused; undefined if it must not replace a built-in tool. */
export function withoutRefused(file: File, { report, world }: Pick<EntryInput, "report" | "world">): File | undefined {
  const { entry } = file;
  if (world.refuses === undefined || !isYamlMap(entry)) return file;
  const { relaxed, hides } = changedDefaults(file, entry, world.executors);
  const isRefused = (needs: ChangedDefaults, key: string): boolean => {
    const refusal = world.refuses?.({ ...needs, secrets: [] });
    if (refusal !== undefined)
      report.add("not_checked", [key], [refusal.message, { part: "key", severity: "warning" }]);
    return refusal !== undefined;
  };
  if (hides !== undefined && isRefused({ hides }, "name")) return undefined;
  const key = (file["effect"] ?? undefined) === undefined ? "destructive" : "effect";
  if (relaxed === undefined || !isRefused({ relaxed }, key)) return file;
  const { effect: _effect, destructive: _destructive, ...rest } = file;
  return rest;
}
