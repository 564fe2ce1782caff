import type { RunCommand } from "../command-spec.ts";
import { type Candidate, type Completion, type CompletionSources, completeWords } from "../complete-words.ts";

/** `windlass __complete`. Someone waits for a key: nothing is loaded that is not needed, and nothing is ever told. */
export const printCandidates: RunCommand = async ({ terminal, words }) => {
  enterFolder(words);
  const { candidates, also }: Completion = await completeWords(words, sources).catch(() => nothing);
  const { oneLine } = await import("../format-table.ts");
  for (const { word, about } of candidates) {
    // Names come from files: one that a shell would act on is not put on a command line.
    if (bare.test(word)) terminal.print(`${word}\t${oneLine(about).slice(0, 100)}`);
  }
  terminal.print(`:${also ?? "done"}`);
};

const nothing: Completion = { candidates: [] };
const bare = /^[\p{L}\p{N}_@%+=:,./-]+$/u;

/** `-C DIR` of the line that is being typed. */
function enterFolder(words: readonly string[]): void {
  const at = words.findIndex((word) => word === "-C" || word === "--dir");
  const dir = at === -1 || at >= words.length - 2 ? undefined : words[at + 1];
  try {
    if (dir !== undefined) process.chdir(dir);
  } catch {
    // The folder is not there (yet): what is here is as good a guess as any.
  }
}

const sources: CompletionSources = {
  async tools() {
    const { knownTools } = await import("../known-tools.ts");
    return (await knownTools(".")).map(({ name, about }) => ({ word: name, about }));
  },
  async parameters(tool, typed) {
    const { knownTools } = await import("../known-tools.ts");
    const parameters = (await knownTools(".")).find(({ name }) => name === tool)?.parameters ?? [];
    return parameters.flatMap(({ name, about, values }): Candidate[] => {
      if (!typed.startsWith(`${name}=`)) return [{ word: `${name}=`, about }];
      return values.map((value) => ({ word: `${name}=${value}`, about: "" }));
    });
  },
  async chains() {
    const { knownChains } = await import("../known-chains.ts");
    return (await knownChains(".")).map(({ name, about }) => ({ word: name, about }));
  },
  async runs() {
    const { withJournal } = await import("../open-journal.ts");
    return await withJournal(async ({ store }) => {
      const runs = (await store?.runs.list({ limit: 50 })) ?? [];
      return runs.map(({ id, chain, status }) => ({ word: id, about: `${chain}, ${status}` }));
    });
  },
  async approvals() {
    const { withJournal } = await import("../open-journal.ts");
    return await withJournal(async ({ store }) => {
      const pending = (await store?.approvals.list(Date.now(), "pending")) ?? [];
      return pending.map(({ id, tool, args }) => ({ word: id, about: `${tool} ${JSON.stringify(args)}` }));
    });
  },
};
