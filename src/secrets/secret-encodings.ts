import { isPlaceholder } from "./weak-secrets.ts";

/** Shorter secrets would riddle ordinary text with redactions; they are not searched. */
const shortest = 4;

/** Minimum length of an encoded form, so that it does not match by chance. */
const shortestEncoded = 6;

/** Every form in which a known secret is searched. */
export function encodingsOf(secret: string): string[] {
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
