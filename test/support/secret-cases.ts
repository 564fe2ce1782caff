import { readFileSync } from "node:fs";

/** An input that holds secrets. */
export interface SecretRow {
  readonly area: string;
  readonly input: unknown;
}

const data: unknown = JSON.parse(readFileSync(new URL("../data/bad-inputs.json", import.meta.url), "utf8"));

/** All bad inputs about redaction. */
export const secretRows: readonly SecretRow[] = (Array.isArray(data) ? (data as SecretRow[]) : []).filter(
  ({ area }) => area === "redaction",
);

/** The secrets that a redactor needs for this input. */
export function knownSecrets(input: unknown): string[] {
  return typeof input === "object" && input !== null && "secret" in input ? [String(input.secret)] : [];
}

/** Texts that must not be found, each with the value that hides it. */
export function secretCases(input: unknown): readonly (readonly [hidden: string, shown: unknown])[] {
  if (typeof input === "string") {
    return [[/[^\s:/@]{4,}(?=@|$)/.exec(input.replace("https://u:", ""))?.[0] ?? input, input]];
  }
  const [secret] = knownSecrets(input);
  if (secret === undefined) return ['"x"', "a=b", '"p"', '"z"'].map((hidden) => [hidden, input] as const);
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    encodeURIComponent(secret),
    bytes.toString("base64"),
    bytes.toString("hex"),
    JSON.stringify(secret),
  ];
  return forms.map((form) => [form, { note: `seen as ${form} here` }] as const);
}
