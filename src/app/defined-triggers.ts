import {
  type ChainLibrary,
  type ChainLibrarySource,
  type Trigger,
  type TriggerSpec,
  parseChain,
  triggersOf,
} from "../chain/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Every trigger of the workspace, those of chains first. */
export function definedTriggers(
  config: Pick<WorkspaceConfig, "triggers" | "timezone">,
  library: Pick<ChainLibrary, "names" | "sourceOf">,
): readonly Trigger[] {
  const { timezone } = config;
  const ofChains = library.names().flatMap((chain) => {
    const source = library.sourceOf(chain);
    const specs = source === undefined ? [] : specsIn(source);
    return triggersOf(specs, { chain, file: fileOf(source), timezone });
  });
  const ofSettings = Object.entries(config.triggers).flatMap(([id, { chain, ...spec }]) =>
    triggersOf([{ id, ...spec }], { chain, file: workspaceFile, timezone }),
  );
  return [...ofChains, ...ofSettings];
}

/** The triggers that the text of a chain declares. */
function triggerSpecsIn(text: string, file: string): readonly TriggerSpec[] {
  // Most chains have none. A backslash may hide the word.
  if (!/\bon\b|\\/.test(text)) return [];
  return parseChain(text, { file }).spec?.on ?? [];
}

const known = new WeakMap<ChainLibrarySource, readonly TriggerSpec[]>();

function specsIn(source: ChainLibrarySource): readonly TriggerSpec[] {
  const before = known.get(source);
  if (before !== undefined) return before;
  const specs = "text" in source ? triggerSpecsIn(source.text, source.file) : (source.spec.on ?? []);
  known.set(source, specs);
  return specs;
}

function fileOf(source: ChainLibrarySource | undefined): string | undefined {
  return source !== undefined && "file" in source ? source.file : undefined;
}
