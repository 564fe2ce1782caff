import { sentenceEnds, suggest } from "../../text/index.ts";
import { type CapabilityKeywords, capabilityKeywords, namedByAlias } from "./capability-keywords.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import type { Hub } from "./hub.ts";

/** Derives the capabilities of a tool from its name and its description. */
export type DeriveCapabilities = (tool: { readonly name: string; readonly description: string }) => readonly string[];

/** Only this much of a description is used. */
const maxLength = 400;

/**
 * The capabilities of a tool that declares none, by the words of its name and of the first sentence of its
 * description. `more` adds words to the table, and capabilities with them.
 *
 * @example
 * ```ts
 * const derive = deriveCapabilities({ search: ["谷歌"] });
 * derive({ name: "lookup", description: "用谷歌查资料。" }); // ["search"]
 * ```
 */
export function deriveCapabilities(more: Readonly<Record<string, readonly string[]>> = {}): DeriveCapabilities {
  // Most commands derive none, and building the rules takes longer than opening a hub.
  let rules: readonly Rule[] | undefined;
  return ({ name, description }) => {
    rules ??= rulesOf(more);
    const inName = plainWords(splitName(name));
    const message = `${inName} ${plainWords(firstSentence(description))}`;
    return rules
      .filter(({ words, nameWords, unless }) => {
        const holds = hasOne(message, words) || hasOne(inName, nameWords);
        return holds && !hasOne(message, unless);
      })
      .map(({ capability }) => capability);
  };
}

interface Rule {
  readonly capability: string;
  readonly words: readonly string[];
  readonly nameWords: readonly string[];
  readonly unless: readonly string[];
}

function rulesOf(more: Readonly<Record<string, readonly string[]>>): readonly Rule[] {
  const added = Map.groupBy(Object.entries(more), ([name]) => capabilityName(name));
  const names = new Set([...Object.keys(capabilityKeywords), ...added.keys()]);
  return [...names].map((capability) => {
    const defaults: CapabilityKeywords | undefined = Object.hasOwn(capabilityKeywords, capability)
      ? capabilityKeywords[capability]
      : undefined;
    const own = (added.get(capability) ?? []).flatMap(([, words]) => words);
    return {
      capability,
      words: [...(defaults?.words ?? []), ...own].flatMap(formsOf),
      nameWords: (defaults?.inName ?? []).flatMap(formsOf),
      unless: (defaults?.unless ?? []).flatMap(formsOf),
    };
  });
}

/** The canonical form of a capability's name; one with several names, such as search and 搜索, has one. */
export function capabilityName(name: string): string {
  const plain = name.normalize("NFKC").trim().toLowerCase();
  return namedByAlias.get(plain) ?? plain;
}

/** A Latin word in the forms that descriptions use, each between blanks; other scripts have no blanks between words. */
function formsOf(keyword: string): string[] {
  const word = plainWords(keyword).trim();
  if (word === "") return [];
  if (!/^[\p{Script=Latin}\p{N} ]+$/u.test(word)) return [word];
  const stem = word.endsWith("e") ? word.slice(0, -1) : word;
  const ending = ["s", "es", "ed", "ing"].map((end) => (end === "s" ? word + end : stem + end));
  return [word, ...ending].map((form) => ` ${form} `);
}

function hasOne(text: string, forms: readonly string[]): boolean {
  return forms.some((form) => text.includes(form));
}

function firstSentence(text: string): string {
  const head = text.trim().slice(0, maxLength);
  for (const end of sentenceEnds(head)) return head.slice(0, end);
  return head;
}

/** `getCurrentTime` and `get_current_time` are three words. */
function splitName(name: string): string {
  return name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
}

/** Words between single blanks, with one at each end. */
function plainWords(text: string): string {
  return ` ${text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .replaceAll(/(?<=\p{Script=Latin})(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\p{Script=Latin})/gu, " ")
    .trim()} `;
}

/** Maximum difference in length between a typo and the suggestion. */
const slip = 2;

/**
 * Suggests a name for a capability that is known only from its declaration; undefined if it is known otherwise, or
 * similar to no known one.
 */
export function suggestCapability(value: string, hub: Pick<Hub, "capabilities">): string | undefined {
  const name = capabilityName(value);
  const shared = hub.capabilities().filter(({ tools, contract }) => tools.length > 1 || contract !== undefined);
  const contracts = [...builtInContracts().values(), ...shared.flatMap(({ contract }) => contract ?? [])];
  const known = new Set([
    ...Object.keys(capabilityKeywords),
    ...shared.map((capability) => capability.name),
    ...contracts.flatMap((contract) => [contract.name, ...contract.aliases]),
  ]);
  const near = known.has(name) ? undefined : suggest(name, known);
  return near !== undefined && Math.abs(near.length - name.length) <= slip ? near : undefined;
}
