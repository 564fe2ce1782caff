import { type FileReport, isYamlMap } from "../schema/index.ts";
import {
  type EntryTemplate,
  type TemplateScope,
  type TemplateTree,
  referencesIn,
  resolveReference,
  templateText,
} from "./entry-template.ts";

/** A text body in which inserted values are encoded, so that a value cannot add fields. */
export type TextBodyFormat = "json" | "form";

/** The format of a text with inserted values: by its content type, or by its first character. */
export function textBodyFormat(body: TemplateTree | undefined, headers: unknown): TextBodyFormat | undefined {
  if (body === undefined || !("template" in body) || body.template.length < 2) return undefined;
  if (referencesIn(body).length === 0) return undefined;
  const type = contentType(headers);
  if (/[/+]json\b/i.test(type)) return "json";
  if (isFormType(type)) return "form";
  const [first] = body.template;
  return typeof first === "string" && /^\s*[[{]/.test(first) ? "json" : undefined;
}

/** True if a body of this content type consists of fields as in a URL. */
export function isFormType(type: string): boolean {
  return /^\s*application\/x-www-form-urlencoded\b/i.test(type);
}

function contentType(headers: unknown): string {
  const entries = isYamlMap(headers) ? Object.entries(headers) : [];
  return templateText(entries.find(([name]) => name.toLowerCase() === "content-type")?.[1]);
}

/** Recommends a map, in which a value cannot be mistaken for another field. */
export function recommendMap(format: TextBodyFormat, report: FileReport): void {
  const text = format === "json" ? "JSON" : "form";
  const message = `values are inserted into ${text} text; they are encoded, but a map is safer and keeps their types`;
  const hint = 'write the body as a map, such as body: { name: "${input.name}" }';
  report.add("text_body", ["entry", "body"], [message, { severity: "warning", hint }]);
}

/** The text with every value encoded for its position. */
export function resolveTextBody(template: EntryTemplate, format: TextBodyFormat, scope: TemplateScope): string {
  let text = "";
  let isInString = false;
  for (const part of template) {
    if (typeof part === "string") {
      text += part;
      isInString = endsInString(part, isInString);
      continue;
    }
    const value = resolveReference(part, scope);
    if (format === "form") text += encodeURIComponent(templateText(value).toWellFormed());
    else text += isInString ? JSON.stringify(templateText(value)).slice(1, -1) : JSON.stringify(value ?? null);
  }
  return text;
}

/** True if the end of a part of JSON text is inside of a string. */
function endsInString(part: string, isInString: boolean): boolean {
  let inside = isInString;
  for (let at = 0; at < part.length; at++) {
    if (part[at] === "\\" && inside) at++;
    else if (part[at] === '"') inside = !inside;
  }
  return inside;
}
