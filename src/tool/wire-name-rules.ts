import { nodeCrypto } from "../base/index.ts";

/** The APIs whose formats Windlass writes. */
export type WireProvider = "openai" | "anthropic" | "gemini" | "mcp";

interface NameRule {
  readonly legal: RegExp;
  readonly maxLength: number;
  /**
   * People read and type these names: a name that only contains illegal separators needs no hash, unless it collides.
   */
  readonly short?: boolean;
}

/** Properties of every object: clients that look up names in objects fail on a tool with such a name. */
const inherited =
  "constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString|valueOf|" +
  "__proto__|__defineGetter__|__defineSetter__|__lookupGetter__|__lookupSetter__";
const portableName = new RegExp(`^(?!(?:${inherited})$)[a-zA-Z0-9_-]{1,64}$`);

/** Names of tools. MCP allows more, but its clients pass the names on to the other APIs. */
const toolRules: Readonly<Record<WireProvider, NameRule>> = {
  openai: { legal: portableName, maxLength: 64 },
  anthropic: { legal: portableName, maxLength: 64 },
  gemini: { legal: new RegExp(`^(?!(?:${inherited})$)[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`), maxLength: 64 },
  mcp: { legal: portableName, maxLength: 64, short: true },
};

/** Names of parameters, also inside nested objects. OpenAI accepts any text; MCP does too, but see above. */
const keyRules: Readonly<Record<WireProvider, NameRule>> = {
  openai: { legal: /^[^\p{C}]{1,256}$/u, maxLength: 64 },
  anthropic: { legal: /^[a-zA-Z0-9_.-]{1,64}$/, maxLength: 64 },
  gemini: { legal: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, maxLength: 64 },
  mcp: { legal: /^[a-zA-Z0-9_.-]{1,64}$/, maxLength: 64 },
};

/** A one-to-one translation of names. */
export interface NameMap {
  /** The name to send; a name that is not in the map is translated on its own. */
  toWire(name: string): string;
  /** The original name, or undefined if nothing was sent under this one. */
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
 * A tool name that every service accepts in a tool call. Legal and translated names stay unchanged; another name is
 * translated like the name of a tool.
 */
export function fitToolName(name: string): string {
  // A name that Gemini accepts, all others accept too.
  const rule = toolRules.gemini;
  return rule.legal.test(name) ? name : hashedName(name, rule, 0);
}

/**
 * Legal names stay unchanged; others become a readable stem and a hash of the name. So does a legal name that looks
 * like a translated one: the translation depends on the name alone, not on the other tools, so a call resolves even if
 * tools were added or removed in the meantime. Colliding hashes are recomputed.
 *
 * Short names are for clients that are notified when the list changes: `files/read-text` is `files_read-text` unless
 * another tool has a name with the same short form; colliding names are distinguished by their hashes, except a legal one.
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

/** The name with its separators made legal; undefined if that is not enough. */
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

/** Length of a hash; 10 letters and digits make collisions negligible. */
const hashLength = 10;

/** Precedes the hash, so that a translated name can be distinguished from an original one. */
const mark = "_0x";
const translated = /_0x[0-9a-z]{10}$/;

function hashedName(name: string, rule: NameRule, salt: number): string {
  const digest = nodeCrypto()
    .createHash("sha256")
    .update(salt === 0 ? name : `${salt}\0${name}`, "utf8")
    .digest();
  const hash = digest.readBigUInt64BE().toString(36).padStart(13, "0").slice(-hashLength);
  const stem = stemOf(name).slice(0, rule.maxLength - hashLength - mark.length);
  return `${stem === "" ? "x" : stem}${mark}${hash}`;
}

/** The portable part of a name: accents removed, every other sequence replaced by `_`. */
function stemOf(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^a-zA-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return /^\d/.test(ascii) ? `_${ascii}` : ascii;
}
