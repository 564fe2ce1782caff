import { type FailureError, fail } from "../base/index.ts";
import { type HttpRequest, type HttpResponse, retryAfterMs } from "../net/index.ts";
import { cutDisplay, stripUnsafe } from "../text/index.ts";
import type { EntryPlan, EntryInput, EntryDeps, EntryHttpClient } from "./entry-plan.ts";
import { readResponse } from "./entry-response.ts";
import {
  TemplateReader,
  type EntryTemplate,
  type TemplateScope,
  type TemplateTree,
  referencesIn,
  resolveTemplateTree,
  templateText,
  resolveReference,
} from "./entry-template.ts";
import { addQuery, buildUrl, readUrl } from "./entry-url.ts";
import { ok } from "./result.ts";
import { httpEffect } from "./changed-defaults.ts";
import { parseToolDuration } from "./tool-file-duration.ts";
import { type FileReport, isRecord, propertiesOf } from "../schema/index.ts";

/** Parameters of these methods go into the URL, of others into the body. */
const withoutBody = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/** The call's deadline aborts a request; this only bounds a request that no caller awaits any more. */
const maxRequestMs = 3_600_000;

interface HttpPlan {
  readonly method: string;
  readonly url: EntryTemplate;
  readonly headers: readonly (readonly [string, TemplateTree])[];
  readonly query: readonly (readonly [string, TemplateTree])[];
  readonly body: TemplateTree | undefined;
  /** Encoding of values in a text body. */
  readonly textFormat: TextBodyFormat | undefined;
  /** Parameters without a reference; the method decides where they are sent. */
  readonly loose: readonly string[];
  readonly wholeResponse: boolean;
  readonly timeoutMs: number | undefined;
}

/** An `external` entry with a `url`: one HTTP request through the workspace's HTTP client. */
export function readHttpEntry({ entry, parameters, placeholders, report, world }: EntryInput): EntryPlan {
  const secretNames = world.secretNames === undefined ? undefined : new Set(world.secretNames);
  const reader = new TemplateReader(report, { parameters, secretNames });
  const { method, effect } = httpEffect(entry);
  const body = isProvided(entry["body"]) ? reader.readTree(entry["body"], ["entry", "body"]) : undefined;
  const textFormat = textBodyFormat(body, entry["headers"]);
  if (textFormat !== undefined) recommendMap(textFormat, report);
  const plan: HttpPlan = {
    method,
    url: readUrl(templateText(entry["url"]), ["entry", "url"], { reader, report }),
    headers: readFields(entry["headers"], "headers", reader),
    query: readFields(entry["query"], "query", reader),
    body,
    textFormat,
    wholeResponse: entry["result"] !== "body",
    timeoutMs: parseToolDuration(entry["timeout"]),
    loose: looseParameters({ entry, method, parameters, placeholders, reader, report }),
  };
  checkHeaderNames(plan, report);
  if (plan.body !== undefined && (method === "GET" || method === "HEAD")) {
    report.add(
      "bad_value",
      ["entry", "body"],
      [`${method} sends no body`, { part: "key", hint: "use POST, or query" }],
    );
  }
  return {
    run: (args: Readonly<Record<string, unknown>>, { secrets, signal }) =>
      send(plan, { scope: { args, secrets }, signal, world }),
    effect,
    destructive: effect !== "read",
    sends: true,
    isExternal: true,
    timeoutMs: plan.timeoutMs,
  };
}

function isProvided(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readFields(value: unknown, key: string, reader: TemplateReader): (readonly [string, TemplateTree])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, item]) => [name, reader.readTree(item, ["entry", key, name])] as const);
}

interface Loose extends Pick<EntryInput, "entry" | "parameters" | "placeholders" | "report"> {
  readonly method: string;
  readonly reader: TemplateReader;
}

/** Parameters without a reference go into the query or the body, unless the file defines that part itself. */
function looseParameters({ entry, method, parameters, placeholders, reader, report }: Loose): string[] {
  const names = Object.keys(propertiesOf(parameters));
  const unused = names.filter((name) => !reader.used.has(name));
  const part = withoutBody.has(method) ? "query" : "body";
  if (!isProvided(entry[part])) return unused;
  for (const name of unused.filter((name) => !placeholders.has(name))) {
    const message = `the parameter "${name}" is never used`;
    const hint = `use it as \${input.${name}}, or remove "${part}"`;
    report.add("unused_parameter", ["entry", part], [message, { part: "key", severity: "warning", hint }]);
  }
  return [];
}

function checkHeaderNames({ headers }: HttpPlan, report: FileReport): void {
  for (const [name] of headers) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) continue;
    report.add("bad_value", ["entry", "headers", name], [`"${name}" is not a valid header name`, { part: "key" }]);
  }
}

async function send(
  plan: HttpPlan,
  { scope, signal, world }: { readonly scope: TemplateScope; readonly signal: AbortSignal; readonly world: EntryDeps },
): Promise<unknown> {
  const response = await portOf(world).request({
    ...buildRequest(plan, scope),
    timeoutMs: plan.timeoutMs ?? maxRequestMs,
    signal,
  });
  const { body, attachment } = readResponse(response);
  const { status, headers, truncated } = response;
  if (status < 200 || status > 299) return statusFailure(plan.method, response, { body, now: world.clock.now() });
  const output = plan.wholeResponse ? { status_code: status, headers, body, ...(truncated && { truncated }) } : body;
  return ok(output, {
    ...(attachment !== undefined && { attachments: [attachment] }),
    ...(truncated && { meta: { truncated } }),
  });
}

function portOf({ http }: EntryDeps): EntryHttpClient {
  if (http !== undefined) return http;
  throw fail("this workspace has no network access", { code: "not_available", reason: "no_network", retry: "never" });
}

function buildRequest(plan: HttpPlan, scope: TemplateScope): HttpRequest {
  const { method, url, headers, query, loose } = plan;
  const rest = loose.map((name) => [name, scope.args[name]] as const);
  const inUrl = withoutBody.has(method);
  const written = query.map(([name, value]) => [name, resolveTemplateTree(value, scope)] as const);
  const fields = headers.flatMap(([name, value]) => {
    const resolved = resolveTemplateTree(value, scope);
    return resolved === undefined || resolved === null ? [] : [[name, templateText(resolved)] as const];
  });
  const content = plan.body === undefined ? looseBody(inUrl ? [] : rest) : bodyOf(plan.body, plan.textFormat, scope);
  const type = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  if (content !== undefined && type === undefined) {
    fields.push(["content-type", typeof content === "string" ? "text/plain; charset=utf-8" : "application/json"]);
  }
  return {
    method,
    url: addQuery(buildUrl(url, scope), inUrl ? [...written, ...rest] : written),
    headers: Object.fromEntries(fields),
    secretHeaders: headers.flatMap(([name, value]) => (holdsSecret(value) ? [name] : [])),
    ...(content !== undefined && { body: bodyText(content, type) }),
  };
}

function bodyOf(body: TemplateTree, textFormat: HttpPlan["textFormat"], scope: TemplateScope): unknown {
  if (textFormat === undefined || !("template" in body)) return resolveTemplateTree(body, scope);
  return resolveTextBody(body.template, textFormat, scope);
}

function bodyText(content: unknown, type: string | undefined): string {
  if (typeof content === "string") return content;
  const isForm = isRecord(content) && type !== undefined && isFormType(type);
  return isForm ? addQuery("", Object.entries(content)).slice(1) : JSON.stringify(content);
}

function holdsSecret(value: TemplateTree): boolean {
  return referencesIn(value).some(({ root }) => root === "secret");
}

function looseBody(rest: readonly (readonly [string, unknown])[]): Record<string, unknown> | undefined {
  const definition = rest.filter(([, value]) => value !== undefined);
  return rest.length === 0 ? undefined : Object.fromEntries(definition);
}

/** Statuses that guarantee that nothing was done. */
const notDone = new Set([425, 429]);

/** These statuses leave the verdict to the tool's effect: something may have been done. */
const unclear = (status: number): boolean => status === 408 || (status >= 500 && status !== 501 && status !== 505);

function statusFailure(
  method: string,
  { status, headers, url }: HttpResponse,
  { body, now }: { body: unknown; now: number },
): FailureError {
  const { origin, pathname } = new URL(url);
  const bodyText = typeof body === "string" ? body : body === null ? "" : JSON.stringify(body);
  const text = cutDisplay(stripUnsafe(bodyText.slice(0, 2_000)).trim(), 500);
  // The query is omitted: it may contain data that must not appear in a log.
  const message = `${method} ${origin}${pathname} answered ${status}${text === "" ? "" : `: ${text}`}`;
  const wait = retryAfterMs([headers["retry-after"]].flat()[0], now);
  const again = notDone.has(status) || unclear(status);
  return fail(message, {
    reason: `http_${status}`,
    ...(notDone.has(status) && { retry: "safe" as const }),
    ...(!again && { retry: "never" as const }),
    ...(again && wait !== undefined && { retryAfterMs: wait }),
  });
}

/** A text body in which inserted values are encoded, so that a value cannot add fields. */
type TextBodyFormat = "json" | "form";

/** The format of a text with inserted values: by its content type, or by its first character. */
function textBodyFormat(body: TemplateTree | undefined, headers: unknown): TextBodyFormat | undefined {
  if (body === undefined || !("template" in body) || body.template.length < 2) return undefined;
  if (referencesIn(body).length === 0) return undefined;
  const type = contentType(headers);
  if (/[/+]json\b/i.test(type)) return "json";
  if (isFormType(type)) return "form";
  const [first] = body.template;
  return typeof first === "string" && /^\s*[[{]/.test(first) ? "json" : undefined;
}

/** True if a body of this content type consists of fields as in a URL. */
function isFormType(type: string): boolean {
  return /^\s*application\/x-www-form-urlencoded\b/i.test(type);
}

function contentType(headers: unknown): string {
  const entries = isRecord(headers) ? Object.entries(headers) : [];
  return templateText(entries.find(([name]) => name.toLowerCase() === "content-type")?.[1]);
}

/** Recommends a map, in which a value cannot be mistaken for another field. */
function recommendMap(format: TextBodyFormat, report: FileReport): void {
  const text = format === "json" ? "JSON" : "form";
  const message = `values are inserted into ${text} text; they are encoded, but a map is safer and keeps their types`;
  const hint = 'write the body as a map, such as body: { name: "${input.name}" }';
  report.add("text_body", ["entry", "body"], [message, { severity: "warning", hint }]);
}

/** The text with every value encoded for its position. */
function resolveTextBody(template: EntryTemplate, format: TextBodyFormat, scope: TemplateScope): string {
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
