import { type FailureError, fail } from "../base/index.ts";
import { type HttpRequest, type HttpResponse, retryAfterMs } from "../net/index.ts";
import { cutDisplay, stripUnsafe } from "../text/index.ts";
import type { EntryPlan, EntrySource, EntryWorld, HttpPort } from "./entry-plan.ts";
import { readResponse } from "./entry-response.ts";
import {
  TemplateReader,
  type Template,
  type TemplateScope,
  type TemplateTree,
  resolveTree,
  textOf,
} from "./entry-template.ts";
import { addQuery, buildUrl, readUrl } from "./entry-url.ts";
import { ok } from "./result.ts";
import { durationMs } from "./tool-file-duration.ts";
import { type FileReport, isMap } from "../schema/index.ts";
import type { Effect } from "./tool.ts";

/** What a method does to the other side, by the rules of HTTP. */
const effects: Readonly<Record<string, Effect>> = {
  GET: "read",
  HEAD: "read",
  OPTIONS: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
};

/** Parameters of these go into the URL, of others into the body. */
const withoutBody = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/** The call's deadline aborts a request; this only bounds a request that nobody waits for. */
const longestMs = 3_600_000;

interface HttpPlan {
  readonly method: string;
  readonly url: Template;
  readonly headers: readonly (readonly [string, TemplateTree])[];
  readonly query: readonly (readonly [string, TemplateTree])[];
  readonly body: TemplateTree | undefined;
  /** Parameters that go where the method puts them. */
  readonly loose: readonly string[];
  readonly wholeResponse: boolean;
  readonly timeoutMs: number | undefined;
}

/** An `external` entry with a `url`: one HTTP request through the workspace's door. */
export function readHttpEntry({ entry, parameters, report, world }: EntrySource): EntryPlan {
  const secretNames = world.secretNames === undefined ? undefined : new Set(world.secretNames);
  const reader = new TemplateReader(report, { parameters, secretNames });
  const method = typeof entry["method"] === "string" ? entry["method"] : isGiven(entry["body"]) ? "POST" : "GET";
  const plan: HttpPlan = {
    method,
    url: readUrl(textOf(entry["url"]), ["entry", "url"], { reader, report }),
    headers: readFields(entry["headers"], "headers", reader),
    query: readFields(entry["query"], "query", reader),
    body: isGiven(entry["body"]) ? reader.readTree(entry["body"], ["entry", "body"]) : undefined,
    wholeResponse: entry["result"] !== "body",
    timeoutMs: durationMs(entry["timeout"]),
    loose: looseParameters({ entry, method, parameters, reader, report }),
  };
  checkHeaderNames(plan, report);
  if (plan.body !== undefined && (method === "GET" || method === "HEAD")) {
    report.add(
      "bad_value",
      ["entry", "body"],
      [`${method} sends no body`, { part: "key", hint: "use POST, or query" }],
    );
  }
  const effect = effects[method] ?? "once";
  return {
    run: (args: Readonly<Record<string, unknown>>, { secrets, signal }) =>
      send(plan, { scope: { args, secrets }, signal, world }),
    effect,
    destructive: effect !== "read",
    timeoutMs: plan.timeoutMs,
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readFields(value: unknown, key: string, reader: TemplateReader): (readonly [string, TemplateTree])[] {
  if (!isMap(value)) return [];
  return Object.entries(value).map(([name, item]) => [name, reader.readTree(item, ["entry", key, name])] as const);
}

interface Loose extends Pick<EntrySource, "entry" | "parameters" | "report"> {
  readonly method: string;
  readonly reader: TemplateReader;
}

/** Parameters that no reference uses go into the query or the body, unless the file writes that part itself. */
function looseParameters({ entry, method, parameters, reader, report }: Loose): string[] {
  const names = Object.keys(isMap(parameters["properties"]) ? parameters["properties"] : {});
  const unused = names.filter((name) => !reader.used.has(name));
  const slot = withoutBody.has(method) ? "query" : "body";
  if (!isGiven(entry[slot])) return unused;
  for (const name of unused) {
    const message = `the parameter "${name}" is never used`;
    const hint = `use it as \${input.${name}}, or leave out "${slot}"`;
    report.add("unused_parameter", ["entry", slot], [message, { part: "key", severity: "warning", hint }]);
  }
  return [];
}

function checkHeaderNames({ headers }: HttpPlan, report: FileReport): void {
  for (const [name] of headers) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) continue;
    report.add("bad_value", ["entry", "headers", name], [`"${name}" is no name of a header`, { part: "key" }]);
  }
}

interface Call {
  readonly scope: TemplateScope;
  readonly signal: AbortSignal;
  readonly world: EntryWorld;
}

async function send(plan: HttpPlan, { scope, signal, world }: Call): Promise<unknown> {
  const response = await portOf(world).request({
    ...buildRequest(plan, scope),
    timeoutMs: plan.timeoutMs ?? longestMs,
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

function portOf({ http }: EntryWorld): HttpPort {
  if (http !== undefined) return http;
  throw fail("this workspace has no network", { code: "not_available", reason: "no_network", retry: "never" });
}

function buildRequest({ method, url, headers, query, body, loose }: HttpPlan, scope: TemplateScope): HttpRequest {
  const rest = loose.map((name) => [name, scope.args[name]] as const);
  const inUrl = withoutBody.has(method);
  const written = query.map(([name, value]) => [name, resolveTree(value, scope)] as const);
  const fields = headers.flatMap(([name, value]) => {
    const resolved = resolveTree(value, scope);
    return resolved === undefined || resolved === null ? [] : [[name, textOf(resolved)] as const];
  });
  const content = body === undefined ? looseBody(inUrl ? [] : rest) : resolveTree(body, scope);
  const isText = typeof content === "string";
  const named = fields.some(([name]) => name.toLowerCase() === "content-type");
  if (content !== undefined && !named) {
    fields.push(["content-type", isText ? "text/plain; charset=utf-8" : "application/json"]);
  }
  return {
    method,
    url: addQuery(buildUrl(url, scope), inUrl ? [...written, ...rest] : written),
    headers: Object.fromEntries(fields),
    ...(content !== undefined && { body: isText ? content : JSON.stringify(content) }),
  };
}

function looseBody(rest: readonly (readonly [string, unknown])[]): Record<string, unknown> | undefined {
  const given = rest.filter(([, value]) => value !== undefined);
  return rest.length === 0 ? undefined : Object.fromEntries(given);
}

/** These say that nothing was done. */
const notDone = new Set([425, 429]);

/** These leave it to the tool's effect: something may have been done. */
const unclear = (status: number): boolean => status === 408 || (status >= 500 && status !== 501 && status !== 505);

function statusFailure(
  method: string,
  response: HttpResponse,
  { body, now }: { body: unknown; now: number },
): FailureError {
  const { status, headers, url } = response;
  const { origin, pathname } = new URL(url);
  const told = typeof body === "string" ? body : body === null ? "" : JSON.stringify(body);
  const text = cutDisplay(stripUnsafe(told.slice(0, 2_000)).trim(), 500);
  // The query is left out: it may hold what the caller would rather not read in a log.
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
