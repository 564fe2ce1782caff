import type { RunCommand } from "../../program/command-spec.ts";
import { type Candidate, type Completion, type CompletionSources, completeWords } from "./complete-words.ts";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findWorkspace, readSettings } from "../../../app/index.ts";
import { builtinChains } from "../../../builtin/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { parseYaml } from "../../../text/index.ts";

/**
 * `windlass __complete`. The user waits for a key press: only what is needed is loaded, and errors are never reported.
 */
export const printCandidates: RunCommand = async ({ terminal, words }) => {
  enterFolder(words);
  const { candidates, also }: Completion = await completeWords(words, sources).catch(() => nothing);
  const { toOneLine } = await import("../../terminal/format-table.ts");
  for (const { word, about } of candidates) {
    // Names come from files, so a name with characters that a shell would interpret is not offered.
    if (bare.test(word)) terminal.print(`${word}\t${toOneLine(about).slice(0, 100)}`);
  }
  terminal.print(`:${also ?? "done"}`);
};

const nothing: Completion = { candidates: [] };
const bare = /^[\p{L}\p{N}_@%+=:,./-]+$/u;

/** Applies `-C DIR` of the line that is being typed. */
function enterFolder(words: readonly string[]): void {
  const at = words.findIndex((word) => word === "-C" || word === "--dir");
  const dir = at === -1 || at >= words.length - 2 ? undefined : words[at + 1];
  try {
    if (dir !== undefined) process.chdir(dir);
  } catch {
    // The folder does not exist (yet): the current folder is the best guess.
  }
}

const sources: CompletionSources = {
  async tools() {
    const { knownTools } = await import("./known-tools.ts");
    return (await knownTools(".")).map(({ name, about }) => ({ word: name, about }));
  },
  async parameters(tool, typed) {
    const { knownTools } = await import("./known-tools.ts");
    const parameters = (await knownTools(".")).find(({ name }) => name === tool)?.parameters ?? [];
    return parameters.flatMap(({ name, about, values }): Candidate[] => {
      if (!typed.startsWith(`${name}=`)) return [{ word: `${name}=`, about }];
      return values.map((value) => ({ word: `${name}=${value}`, about: "" }));
    });
  },
  async chains() {
    return (await knownChains(".")).map(({ name, about }) => ({ word: name, about }));
  },
  async inputs(chain) {
    const found = (await knownChains(".")).find(({ name }) => name === chain);
    const inputs = found?.inputs ?? (await readFile(chain, "utf8").then(chainIn, () => []))[0]?.inputs ?? [];
    return inputs.map(({ name, about }) => ({ word: `${name}=`, about }));
  },
  async steps(run) {
    const { withJournal } = await import("../../open/open-journal.ts");
    return await withJournal(async ({ store }) => {
      const [newest] = run === "last" ? ((await store?.runs.list({ limit: 1 })) ?? []) : [];
      const found = newest ?? (await store?.runs.read(run))?.run;
      return found === undefined ? [] : stepsIn(found.definition);
    });
  },
  async runs() {
    const { withJournal } = await import("../../open/open-journal.ts");
    return await withJournal(async ({ store }) => {
      const runs = (await store?.runs.list({ limit: 50 })) ?? [];
      const ids = runs.map(({ id, name, status }) => ({ word: id, about: `${name}, ${status}` }));
      return ids.length === 0 ? [] : [{ word: "last", about: "the newest run" }, ...ids];
    });
  },
  async approvals() {
    const { withJournal } = await import("../../open/open-journal.ts");
    return await withJournal(async ({ approvals }) => {
      const pending = (await approvals?.list("pending")) ?? [];
      return pending.map(({ id, tool, args }) => ({ word: id, about: `${tool} ${JSON.stringify(args)}` }));
    });
  },
};

/** A chain as far as it is known without planning it. */
export interface KnownChain {
  readonly name: string;
  readonly about: string;
  readonly inputs: readonly { readonly name: string; readonly about: string }[];
}

/** The steps of the chain that a run began with. */
function stepsIn(definition: string): Candidate[] {
  const stored: unknown = JSON.parse(definition);
  const chains = isRecord(stored) && isRecord(stored["chains"]) ? stored["chains"] : {};
  const chain = isRecord(stored) ? chains[String(stored["chain"])] : undefined;
  const steps = isRecord(chain) && Array.isArray(chain["steps"]) ? chain["steps"].filter(isRecord) : [];
  return steps.map(({ id, tool }) => ({ word: String(id), about: String(tool) }));
}

/** Maximum number of files to read while the user waits for a completion. */
const maxFiles = 500;

/** Lists the chains quickly: no code of the workspace runs. */
export async function knownChains(from: string): Promise<KnownChain[]> {
  const dir = await findWorkspace(from);
  const { config } = await readSettings(dir);
  const folder = join(dir, config.chains.directory);
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => /\.ya?ml$/i.test(name) && !/(?:^|[/\\])[._]/.test(name)).slice(0, maxFiles);
  const own = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8").then(chainIn, () => [])));
  const builtins = builtinChains().flatMap((source) => ("text" in source ? chainIn(source.text) : []));
  const byName = new Map([...builtins, ...own.flat()].map((chain) => [chain.name, chain]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function chainIn(text: string): KnownChain[] {
  const { value } = parseYaml(text, { file: "" });
  if (!isRecord(value) || typeof value["name"] !== "string") return [];
  const about = typeof value["description"] === "string" ? value["description"] : "";
  return [{ name: value["name"], about, inputs: inputsIn(value["input"], text) }];
}

/** The declared inputs of a chain, or those that its expressions use. */
function inputsIn(declared: unknown, text: string): KnownChain["inputs"] {
  if (isRecord(declared)) return Object.entries(declared).map(([name, input]) => ({ name, about: aboutInput(input) }));
  const used = [...text.matchAll(/\binput\.([\p{L}_][\p{L}\p{N}_-]*)/gu)].map(([, name = ""]) => name);
  return [...new Set(used)].map((name) => ({ name, about: "" }));
}

function aboutInput(input: unknown): string {
  if (typeof input === "string") return input;
  const parts = isRecord(input) ? [input["type"], input["description"]] : [];
  return parts.filter((part) => typeof part === "string").join(" ");
}

/** `windlass completion`. */
export const printCompletion: RunCommand = async ({ terminal, words }) => {
  terminal.print(completionScripts.get(words[0] ?? "") ?? "");
};

/**
 * Completion scripts of the shells. They call `windlass __complete`, which prints one candidate per line, followed by a
 * tab and a description; the last line is a directive for the shell: `:files`, `:folders`, `:nospace` or `:done`.
 */
const completionScripts: ReadonlyMap<string, string> = new Map([
  [
    "bash",
    `# windlass completion for bash. In ~/.bashrc: eval "$(windlass completion bash)"
_windlass() {
  local i word glue="" words=() cur="" line directive=":done"
  # Bash takes key=value apart; here it is one word again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ \${#words[@]} -gt 0 && ( $word == [=:] || -n $glue ) ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    if [[ $word == [=:] ]]; then glue=1; else glue=""; fi
  done
  if [[ \${#words[@]} -gt 0 ]]; then cur="\${words[\${#words[@]}-1]}"; fi
  # What stands before the last "=" or ":" stays as it is typed.
  local before="\${cur%"\${cur##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) directive="$line" ;;
      *) line="\${line%%$'\\t'*}"; COMPREPLY+=("\${line#"$before"}") ;;
    esac
  done < <(windlass __complete "\${words[@]}" 2>/dev/null)
  case "$directive" in
    :files) compopt -o default 2>/dev/null ;;
    :folders) compopt -o dirnames 2>/dev/null ;;
    :nospace) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _windlass windlass`,
  ],
  [
    "zsh",
    `#compdef windlass
# windlass completion for zsh. In ~/.zshrc, after compinit: eval "$(windlass completion zsh)"
_windlass() {
  local -a candidates
  local line directive=":done" tab=$'\\t'
  while IFS= read -r line; do
    case "$line" in
      :*) directive="$line" ;;
      *) candidates+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}") ;;
    esac
  done < <(windlass __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  case "$directive" in
    :nospace) _describe -t values windlass candidates -S '' ;;
    *) (( \${#candidates} )) && _describe -t values windlass candidates ;;
  esac
  case "$directive" in
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}
compdef _windlass windlass`,
  ],
  [
    "fish",
    `# windlass completion for fish: windlass completion fish > ~/.config/fish/completions/windlass.fish
function __windlass_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l token (commandline -ct)
    for line in (windlass __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $token
            case ':folders'
                __fish_complete_directories $token
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c windlass -f -a '(__windlass_complete)'`,
  ],
]);
