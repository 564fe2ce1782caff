import { type ChainLibrary, type LibrarySource, readChain } from "../chain/index.ts";

/** A chain, as a library has it or as a file of its own. */
type Source = LibrarySource | { readonly text: string; readonly file: string };

/** What a chain calls, and what the chains do that it calls: names of tools and chains, whether there are such or not. */
export function namedTools(source: Source, library: ChainLibrary): ReadonlySet<string> {
  const names = new Set(namesIn(source));
  // What is added meanwhile is visited too.
  for (const name of names) {
    const chain = library.sourceOf(name);
    if (chain !== undefined) for (const inner of namesIn(chain)) names.add(inner);
  }
  return names;
}

function namesIn(source: Source): readonly string[] {
  const spec = "spec" in source ? source.spec : readChain(source.text, { file: source.file }).spec;
  const steps = spec?.steps ?? [];
  return steps.flatMap(({ tool, error_handling: onFailure, compensate }) => [
    tool,
    ...(onFailure?.fallback ?? []).map((entry) => entry.tool),
    ...(compensate === undefined ? [] : [compensate.tool]),
  ]);
}
