import { type FailureError, fail, formatPath } from "../base/index.ts";
import type { YamlPath } from "../text/index.ts";
import {
  type TemplateReference,
  type EntryTemplate,
  type TemplateReader,
  type TemplateScope,
  resolveReference,
  templateText,
} from "./entry-template.ts";
import type { FileReport } from "../schema/index.ts";

/** Parses a URL with a literal scheme, host and port: no value can redirect the request. */
export function readUrl(
  text: string,
  path: YamlPath,
  { reader, report }: { reader: TemplateReader; report: FileReport },
): EntryTemplate {
  const template = reader.read(text, path);
  const [first, ...more] = template;
  const origin = typeof first === "string" ? /^[a-z][a-z\d+.-]*:\/\/[^/?#\\\s]*/i.exec(first)?.[0] : undefined;
  if (origin === undefined) {
    report.add("bad_url", path, ["a URL starts with https:// or http:// and a literal host"]);
  } else if (more.length > 0 && origin === first) {
    const hint = "end the host with a / and put references after it";
    report.add("reference_in_host", path, ["the host of a URL cannot contain a reference", { hint }]);
  } else {
    const fault = originFault(origin);
    if (fault !== undefined) report.add("bad_url", path, [fault, { within: origin }]);
  }
  if (template.some((part) => typeof part === "string" && part.includes("#"))) {
    report.add("bad_url", path, ["the part of a URL after # is never sent", { within: "#" }]);
  }
  return template;
}

function originFault(origin: string): string | undefined {
  const url = URL.parse(origin);
  if (url === null || url.hostname === "") return `${origin} is not a URL`;
  if (url.protocol !== "https:" && url.protocol !== "http:") return "a URL starts with https:// or http://";
  if (url.username !== "" || url.password !== "" || origin.includes("@")) {
    return "a URL must not contain a user name or password; send them in a header, as ${secret.NAME}";
  }
  return undefined;
}

/** Builds the URL for one call: every value is percent-encoded and stays inside its part of the path or the query. */
export function buildUrl(template: EntryTemplate, scope: TemplateScope): string {
  let url = "";
  /** The path segment being written, and the last reference in it; undefined once the query has begun. */
  let segment: { text: string; from: TemplateReference | undefined } | undefined = { text: "", from: undefined };
  for (const part of template) {
    if (typeof part !== "string") {
      const text = encode(part, resolveReference(part, scope), segment !== undefined);
      url += text;
      if (segment) segment = { text: segment.text + text, from: part };
      continue;
    }
    url += part;
    for (const piece of segment === undefined ? [] : part.split(/([/?])/)) {
      if (segment === undefined) break;
      if (piece === "/" || piece === "?") {
        checkSegment(segment.text, segment.from);
        segment = piece === "?" ? undefined : { text: "", from: undefined };
      } else segment = { text: segment.text + piece, from: segment.from };
    }
  }
  if (segment) checkSegment(segment.text, segment.from);
  return url;
}

function encode(reference: TemplateReference, value: unknown, inPath: boolean): string {
  if (inPath && (value === undefined || value === null || typeof value === "object")) {
    throw refused(reference, "must be text or a number: it is a part of the URL's path");
  }
  try {
    return encodeURIComponent(templateText(value));
  } catch {
    throw refused(reference, "is not well-formed text");
  }
}

/** An empty segment, `.` and `..` would change the path; servers and clients normalize them away. */
function checkSegment(text: string, from: TemplateReference | undefined): void {
  if (from && /^(?:\.|%2e){0,2}$/i.test(text)) {
    throw refused(from, 'must not be empty, "." or "..": it is a part of the URL\'s path');
  }
}

function refused(reference: TemplateReference, why: string): FailureError {
  const message = `${formatPath(reference.path)} ${why}`;
  const issues = [{ path: [...reference.path], code: "url_part", message }];
  return fail(message, { code: "validation_error", reason: "url_part", issues });
}

/** Adds parameters to a URL: lists are repeated, missing values are omitted. */
export function addQuery(url: string, query: Iterable<readonly [name: string, value: unknown]>): string {
  const added = new URLSearchParams();
  for (const [name, definition] of query) {
    for (const value of Array.isArray(definition) ? (definition as unknown[]) : [definition]) {
      if (value !== undefined && value !== null) added.append(name, templateText(value));
    }
  }
  if (added.size === 0) return url;
  return `${url}${url.includes("?") ? "&" : "?"}${added.toString()}`;
}
