import { nodeCrypto } from "../base/index.ts";

/** The APIs whose formats Windlass writes. */
export type WireProvider = "openai" | "anthropic" | "gemini" | "mcp";

interface NameRule {
  readonly legal: RegExp;
  readonly longest: number;
  /** People read these names and type them: one that only lacks separators needs no hash, as long as no other is like it. */
  readonly short?: boolean;
}

/** What every object has: clients that look names up in objects stumble over a tool of that name. */
const inherited =
  "constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString|valueOf|" +
  "__proto__|__defineGetter__|__defineSetter__|__lookupGetter__|__lookupSetter__";
const usualName = new RegExp(`^(?!(?:${inherited})$)[a-zA-Z0-9_-]{1,64}$`);

/** Names of tools. MCP allows more, but its clients hand the names on to the other APIs. */
const toolRules: Readonly<Record<WireProvider, NameRule>> = {
  openai: { legal: usualName, longest: 64 },
  anthropic: { legal: usualName, longest: 64 },
  gemini: { legal: new RegExp(`^(?!(?:${inherited})$)[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`), longest: 64 },
  mcp: { legal: usualName, longest: 64, short: true },
};

/** Names of parameters, also inside nested objects. OpenAI takes any text; MCP does too, but see above. */
const keyRules: Readonly<Record<WireProvider, NameRule>> = {
  openai: { legal: /^[^\p{C}]{1,256}$/u, longest: 64 },
  anthropic: { legal: /^[a-zA-Z0-9_.-]{1,64}$/, longest: 64 },
  gemini: { legal: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, longest: 64 },
  mcp: { legal: /^[a-zA-Z0-9_.-]{1,64}$/, longest: 64 },
};

/** A one-to-one translation of names. */
export interface NameMap {
  /** The name to send; a name that is not in the map is translated as if it were alone. */
  toWire(name: string): string;
  /** The name that was meant, or undefined where nothing was sent under this one. */
  fromWire(wireName: string): string | undefined;
}

/** The translation of tool names for a provider. */
export function mapToolNames(names: Iterable<string>, provider: WireProvider): NameMap {
  return mapNames(names, toolRules[provider]);
}

/** The translation of parameter names for a provider. */
export function mapKeyNames(names: Iterable<string>, provider: WireProvider): NameMap {
  return mapNames(names, keyRules[provider]);
}

/**
 * A name as every service takes it where it says which tool was called. Legal names stay as they are, translated ones
 * too; another becomes what a tool of that name is sent as.
 */
export function fitToolName(name: string): string {
  // What Gemini takes, all others do.
  const rule = toolRules.gemini;
  return rule.legal.test(name) ? name : hashedName(name, rule, 0);
}

/**
 * Legal names stay as they are; others become a readable stem and a hash of the name. So does a legal name that looks
 * like a translated one: what a name becomes depends on the name alone, not on the tools beside it, and a call finds
 * its way back although tools came or went meanwhile. Hashes that meet by accident are drawn again.
 *
 * Short names are for clients that are told when the list changes: `files/read-text` is `files_read-text` while no other
 * tool has a name that comes to the same; those that do are told apart by their hashes, all but one that is legal.
 */
function mapNames(names: Iterable<string>, rule: NameRule): NameMap {
  const wire = new Map<string, string>();
  const taken = new Map<string, string>();
  const claim = (name: string, wireName: string): void => {
    wire.set(name, wireName);
    taken.set(wireName, name);
  };
  const all = [...new Set(names)];
  for (const name of all) if (isPlain(name, rule)) claim(name, name);
  // Sorted, so that the translation does not depend on the order of the tools.
  const others = all.filter((item) => !wire.has(item)).toSorted();
  const like = Map.groupBy(others, (name) => shortName(name, rule));
  const single = (name: string): string | undefined => {
    const short = shortName(name, rule);
    const isFree = short !== undefined && !taken.has(short) && (like.get(short) ?? [name]).length === 1;
    return isFree ? short : undefined;
  };
  for (const name of others) claim(name, single(name) ?? freeName(name, rule, taken));
  return {
    toWire: (name) => wire.get(name) ?? (isPlain(name, rule) ? name : (single(name) ?? freeName(name, rule, taken))),
    fromWire: (wireName) => taken.get(wireName),
  };
}

function isPlain(name: string, rule: NameRule): boolean {
  return rule.legal.test(name) && !translated.test(name);
}

/** The name with its separators made legal; undefined where there is more to it than that. */
function shortName(name: string, rule: NameRule): string | undefined {
  if (rule.short !== true || !/^[ -~]+$/.test(name)) return undefined;
  const short = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_");
  return isPlain(short, rule) ? short : undefined;
}

function freeName(name: string, rule: NameRule, taken: ReadonlyMap<string, string>): string {
  for (let salt = 0; ; salt++) {
    const candidate = hashedName(name, rule, salt);
    if (!taken.has(candidate)) return candidate;
  }
}

/** Letters and digits of a hash; 10 of them leave no chance to meet by accident. */
const hashLength = 10;

/** Stands before the hash, so that a translated name can be told from one that somebody chose. */
const mark = "_0x";
const translated = /_0x[0-9a-z]{10}$/;

function hashedName(name: string, rule: NameRule, salt: number): string {
  const digest = nodeCrypto()
    .createHash("sha256")
    .update(salt === 0 ? name : `${salt}\0${name}`, "utf8")
    .digest();
  const hash = digest.readBigUInt64BE().toString(36).padStart(13, "0").slice(-hashLength);
  const stem = stemOf(name).slice(0, rule.longest - hashLength - mark.length);
  return `${stem === "" ? "x" : stem}${mark}${hash}`;
}

/** What of a name is legal everywhere: accents dropped, everything else one `_`. */
function stemOf(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^a-zA-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return /^\d/.test(ascii) ? `_${ascii}` : ascii;
}
