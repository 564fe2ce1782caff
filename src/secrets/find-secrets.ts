/** A part of a text, from `start` up to but not including `end`. */
export type SecretSpan = readonly [start: number, end: number];

/** Finds known secrets in any of their encodings. */
export interface SecretFinder {
  /** True if there is no secret, or only secrets too short to search for. */
  readonly isEmpty: boolean;
  /** All matches, including overlapping ones; also of secrets that escapes or line breaks interrupt. */
  find(text: string): SecretSpan[];
  /** Offset from which the end of a text may be the beginning of a secret; the length of the text if there is none. */
  openEnd(text: string): number;
  /** The halves of secrets at the very beginning and end of a line, whose other half may be in another line. */
  findHalves(line: string): SecretSpan[];
}

/** The beginning of a secret before a line break counts from this length on: less may be anything. */
const shortestBeginning = 4;
/** An escape at the end of a text that is not complete yet. */
const openEscape = /(?:\\{1,8}(?:u[\da-f]{0,3})?|&(?:amp;){0,3}(?:#(?:x[\da-f]{0,6}|\d{0,7}))?|&am?p?)$/i;

const hashSize = 1 << 16;

/**
 * Scans the text once, for any number of secrets: the hash of four units leads to the few encodings that start with
 * them.
 */
export function createSecretFinder(secrets: Iterable<string>): SecretFinder {
  const forms = [...new Set([...secrets].flatMap(encodingsOf))];
  const starts = new Uint8Array(hashSize);
  const byStart = Map.groupBy(forms, (form) => form.slice(0, 4));
  const byUnit = Map.groupBy(forms, (form) => form.slice(0, 1));
  for (const form of forms) starts[hashAt(form, 0)] = 1;
  const maxLength = Math.max(0, ...forms.map((form) => form.length));
  const shortest = Math.min(...forms.map((form) => form.length));

  const matchLengthAt = (text: string, at: number): number => {
    let length = 0;
    for (const form of byStart.get(text.slice(at, at + 4)) ?? []) {
      if (form.length > length && text.startsWith(form, at)) length = form.length;
    }
    return length;
  };

  const findIn = (text: string): SecretSpan[] => {
    const spans: SecretSpan[] = [];
    // With no secrets, `shortest` is Infinity and the loop never runs.
    for (let at = 0; at <= text.length - shortest; at++) {
      if (starts[hashAt(text, at)] !== 1) continue;
      const length = matchLengthAt(text, at);
      if (length > 0) spans.push([at, at + length]);
    }
    return spans;
  };

  const openEndIn = (text: string): number => {
    for (let at = Math.max(0, text.length - maxLength + 1); at < text.length; at++) {
      const begun = byUnit.get(text.charAt(at));
      if (begun === undefined) continue;
      const rest = text.slice(at);
      if (begun.some((form) => form.length > rest.length && form.startsWith(rest))) return at;
    }
    return text.length;
  };

  return {
    isEmpty: forms.length === 0,
    find(text) {
      const spans = findIn(text);
      const plain = forms.length === 0 ? undefined : unescapeText(text);
      if (plain === undefined) return spans;
      for (const span of findIn(plain.text)) {
        const original = plain.toOriginal(span);
        if (original !== undefined) spans.push(original);
      }
      return spans;
    },
    openEnd(text) {
      const end = openEndIn(text);
      if (forms.length === 0) return end;
      // As an entity, each unit of a secret takes six or seven; the longest form takes at least two.
      const from = Math.max(0, text.length - 4 * maxLength);
      const tail = text.slice(from).replace(openEscape, "");
      const plain = unescapeText(tail);
      const rest = plain?.text ?? tail;
      const open = openEndIn(rest);
      const start = plain?.toOriginal([open, rest.length])?.[0] ?? open;
      const isShort = rest.length - open < shortestBeginning && /[\r\n]/.test(tail.slice(start));
      return Math.min(end, from + (isShort ? tail.length : start));
    },
    findHalves: (line) => forms.flatMap((form) => halvesOf(form, line)),
  };
}

function halvesOf(form: string, line: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const shortest = Math.max(8, Math.ceil(form.length / 2));
  for (let length = Math.min(form.length - 1, line.length); length >= shortest; length--) {
    if (line.startsWith(form.slice(-length))) spans.push([0, length]);
    if (line.endsWith(form.slice(0, length))) spans.push([line.length - length, line.length]);
  }
  return spans;
}

function hashAt(text: string, at: number): number {
  const a = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return ((a * 31 + text.charCodeAt(at + 2)) * 31 + text.charCodeAt(at + 3)) & (hashSize - 1);
}

/** Shorter secrets would riddle ordinary text with redactions; they are not searched. */
const shortest = 4;

/** Minimum length of an encoded form, so that it does not match by chance. */
const shortestEncoded = 6;

/** Every form in which a known secret is searched. */
function encodingsOf(secret: string): string[] {
  const forms = new Set<string>();
  if (isPlaceholder(secret)) return [];
  for (const text of [secret, secret.trim()]) {
    if (text.length < shortest || !text.isWellFormed()) continue;
    forms.add(text);
    for (const form of [
      ...percentForms(text),
      ...htmlForms(text),
      ...jsonForms(text),
      ...byteForms(Buffer.from(text)),
    ]) {
      if (form.length >= shortestEncoded) forms.add(form);
    }
  }
  // Logs print long secrets line by line.
  for (const line of secret.split(/\r?\n/)) if (line.trim().length >= 16) forms.add(line.trim());
  return [...forms];
}

function percentForms(text: string): string[] {
  const defaults = encodeURIComponent(text);
  // RFC 3986 also encodes !'()*; forms write a space as +; some encoders write lower-case digits.
  const strict = defaults.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [defaults, strict, strict.replaceAll("%20", "+"), encodeURI(text)];
  const once = [...forms, ...forms.map((form) => form.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()))];
  // A URL inside another URL's query.
  return [...once, ...once.map(encodeURIComponent)];
}

/** Variants of HTML escaping: the characters escaped besides `&`, `<` and `>`, and the entities used. */
const htmlQuotes: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': "&quot;" },
  { '"': "&quot;", "'": "&#39;" },
  { '"': "&quot;", "'": "&#x27;" },
  { '"': "&quot;", "'": "&#039;" },
  { '"': "&quot;", "'": "&apos;" },
  { '"': "&#34;", "'": "&#39;" },
  { '"': "&quot;", "'": "&#39;", "/": "&#x2F;", "`": "&#x60;", "=": "&#x3D;" },
];

function htmlForms(text: string): string[] {
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return htmlQuotes.map((entities) => safe.replace(/["'/`=]/g, (mark) => entities[mark] ?? mark));
}

function jsonForms(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const ascii = once.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [once, twice, ascii, once.replaceAll("/", "\\/")];
}

function byteForms(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  const forms = [hex, hex.toUpperCase()];
  for (const encoding of ["base64", "base64url"] as const) {
    forms.push(bytes.toString(encoding).replace(/=+$/, ""));
    for (const before of [0, 1, 2]) forms.push(insideBase64(bytes, before, encoding));
  }
  return forms;
}

/** The characters that depend only on the secret if `before` bytes precede it and anything follows. */
function insideBase64(bytes: Buffer, before: number, encoding: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding);
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** A text without escapes and line breaks, with a way back to the original. */
interface UnescapedText {
  readonly text: string;
  /** Returns the span of the original; undefined for a short match that only a removed line break made. */
  toOriginal(span: SecretSpan): SecretSpan | undefined;
}

/** A replaced part: where it was in the original, and its offset and length in the result. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly length: number;
}

/** Text without any of these has nothing to replace. */
const mayHold = /[\r\n]|\\[urn]|&(?:amp;|#)/i;

/**
 * `\u003c`, `&#60;`, `&#x3c;` and line breaks with the indentation after them, written as such or as `\n`; all of them
 * also escaped once more. Every repetition is bounded, so that no text makes matching quadratic.
 */
const escapes =
  /\\{1,8}u([\da-f]{4})|&(?:amp;){0,3}#(?:x([\da-f]{1,6})|(\d{1,7}));|(?:(?:[\r\n]|\\{1,8}[rn])[ \t]{0,200}){1,100}/gi;

/** A shorter match over a line break may be two values in two lines. */
const shortestJoined = 8;

/** Undoes escapes and line breaks that could hide a secret; undefined if there are none. */
function unescapeText(text: string): UnescapedText | undefined {
  if (!mayHold.test(text)) return undefined;
  const edits: Edit[] = [];
  let plain = "";
  let from = 0;
  for (const match of text.matchAll(escapes)) {
    const [whole, unit, hex, decimal] = match;
    const code = Number.parseInt(unit ?? hex ?? decimal ?? "", decimal === undefined ? 16 : 10);
    const decoded = code <= 0x10ffff ? String.fromCodePoint(code) : "";
    plain += text.slice(from, match.index);
    edits.push({ start: match.index, end: match.index + whole.length, at: plain.length, length: decoded.length });
    plain += decoded;
    from = match.index + whole.length;
  }
  if (edits.length === 0) return undefined;
  return {
    text: plain + text.slice(from),
    toOriginal: ([start, end]) => {
      const first = lastEdit(edits, (edit) => edit.at <= start);
      const last = lastEdit(edits, (edit) => edit.at < end);
      if (end - start < shortestJoined && joinsLines(edits, first, last, start)) return undefined;
      return [originalStart(edits[first], start), originalEnd(edits[last], end)];
    },
  };
}

/** Index of the last edit that fulfils a condition which all earlier ones fulfil too; -1 if none does. */
function lastEdit(edits: readonly Edit[], fulfils: (edit: Edit) => boolean): number {
  let low = -1;
  for (let high = edits.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    const edit = edits[middle];
    if (edit !== undefined && fulfils(edit)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function joinsLines(edits: readonly Edit[], first: number, last: number, start: number): boolean {
  return edits.slice(Math.max(first, 0), last + 1).some(({ at, length }) => length === 0 && at > start);
}

function originalStart(edit: Edit | undefined, offset: number): number {
  if (edit === undefined) return offset;
  const beyond = offset - edit.at - edit.length;
  // Inside of what was decoded: the whole escape.
  return beyond < 0 ? edit.start : edit.end + beyond;
}

function originalEnd(edit: Edit | undefined, offset: number): number {
  if (edit === undefined) return offset;
  return edit.end + Math.max(0, offset - edit.at - edit.length);
}

/** Values for servers that require a key and ignore it. As secrets they would be redacted from every text. */
const placeholders: ReadonlySet<string> = new Set(
  "dummy empty local lm-studio no-key none not-needed null ollama sk-no-key-required test unused vllm xxxx".split(" "),
);

/** True if this is only a placeholder for a secret. */
export function isPlaceholder(secret: string): boolean {
  return placeholders.has(secret.trim().toLowerCase());
}

/** True if a secret is searched for and likely occurs in unrelated text: a user name, a short number. */
export function isWeakSecret(secret: string): boolean {
  const word = secret.trim();
  if (word.length < 4 || isPlaceholder(word)) return false;
  return word.length < 6 || /^\p{Lu}?\p{Ll}{5,11}$/u.test(word);
}
