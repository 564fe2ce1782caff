import { type WireValue, toProblem } from "../../api/index.ts";
import { type ChainSource, type Workspace, checkChain, planForGraph, readChain, saveChain } from "../../app/index.ts";
import { isFailureError } from "../../base/index.ts";
import {
  type ChainLibrarySource,
  type ChainSpec,
  type Plan,
  chainGraph,
  isChainError,
  parseChain,
  toGraphJson,
  toMermaid,
  toSvg,
} from "../../chain/index.ts";
import { type Problem, ProblemRanges, type TextRange, hasErrors, suggestHint } from "../../text/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, ProblemError, type Reply, type ServerRequest, actorOf, refusal } from "../request/handler.ts";
import { pageOf } from "../request/page.ts";

/** Chains: list, read, check, save, draw. */
export function chainRoutes(): Handlers<
  "list_chains" | "get_chain" | "save_chain" | "validate_chain" | "get_chain_graph"
> {
  return {
    list_chains: ({ workspace, query }) => {
      const page = pageOf(workspace.chains.names().toSorted(), query, (name) => name);
      return { ...page, items: page.items.map((name) => toWireChain(workspace, name)) };
    },
    get_chain: async ({ workspace, params }) => {
      const { text, version } = await requireSource(workspace, params.name);
      return { reply: true, headers: { etag: `"${version}"` }, body: text };
    },
    save_chain: save,
    validate_chain: ({ workspace, body }) => {
      const { plan, problems } = checkChain(workspace, body.text, body.name);
      return asWire<"ValidateResult">({
        valid: plan !== undefined && !hasErrors(problems),
        problems: toWireProblems(problems, body.text),
        ...(plan !== undefined && { input_schema: plan.input.json, graph: toGraphJson(chainGraph(plan)) }),
      });
    },
    get_chain_graph: draw,
  };
}

/** The name of a chain of the workspace; a path of a file is not one. */
export function requireChain({ chains }: Workspace, name: string): string {
  if (chains.has(name)) return name;
  const hint = suggestHint(name, chains.names()) ?? "GET /v1/chains lists the chains";
  throw refusal("not_found", `there is no chain ${JSON.stringify(name)}; ${hint}`);
}

/** The plan of a chain. The problem of one that is not valid has its position. */
export async function requirePlan(workspace: Workspace, name: string): Promise<Plan> {
  const known = requireChain(workspace, name);
  return workspace.loadChain(known).catch((error: unknown) => {
    throw invalidChain(error);
  });
}

async function requireSource(workspace: Workspace, name: string): Promise<ChainSource> {
  const source = await readChain(workspace, requireChain(workspace, name));
  if (source === undefined) throw refusal("not_found", `the chain ${JSON.stringify(name)} has no text`);
  return source;
}

function toWireChain({ chains, chainFolder }: Workspace, name: string): WireValue<"Chain"> {
  const problems = chains.problems(name);
  const file = chainFolder.fileOf(name);
  const plan = hasErrors(problems) ? undefined : chains.plan(name);
  const { description, version, steps = [] }: Partial<ChainSpec> = plan?.spec ?? specOf(chains.sourceOf(name)) ?? {};
  const counted = (severity: Problem["severity"]): number =>
    problems.filter((each) => each.severity === severity).length;
  return asWire<"Chain">({
    name,
    ...(description !== undefined && { description: description.trim() }),
    ...(version !== undefined && { version }),
    ...(file !== undefined && { file }),
    builtin: file === undefined,
    steps: steps.map(({ id, tool }) => ({ id, tool })),
    ...(plan !== undefined && { effect: plan.effect, destructive: plan.destructive, input_schema: plan.input.json }),
    errors: counted("error"),
    warnings: counted("warning"),
  });
}

function specOf(source: ChainLibrarySource | undefined): ChainSpec | undefined {
  return source !== undefined && "text" in source ? parseChain(source.text, { file: source.file }).spec : undefined;
}

function toWireProblems(problems: readonly Problem[], text: string): WireValue<"FileProblem">[] {
  const ranges = new ProblemRanges(text);
  return problems.map((problem) => {
    const { severity, code, message, hint, file } = problem;
    const fix = ranges.fixOf(problem);
    return {
      severity,
      code,
      message,
      ...(hint !== undefined && { hint }),
      file,
      range: toWireRange(ranges.rangeOf(problem)),
      ...(fix !== undefined && { fix: { range: toWireRange(fix.range), text: fix.text } }),
    };
  });
}

function toWireRange({ line, column, endLine, endColumn }: TextRange): WireValue<"TextRange"> {
  return { line, column, end_line: endLine, end_column: endColumn };
}

async function save(request: ServerRequest<"save_chain">): Promise<Reply<WireValue<"Chain">>> {
  const { workspace, params, body, caller, headers } = request;
  const { name } = params;
  try {
    const saved = await saveChain(workspace, {
      name,
      text: body.text,
      replaces: replacedVersion(headers),
      mayNameSecrets: caller.scopes.has("admin"),
      actor: actorOf(request),
    });
    return { reply: true, headers: { etag: `"${saved.version}"` }, body: toWireChain(workspace, name) };
  } catch (error) {
    if (!isFailureError(error)) throw error;
    if (error.reason === "changed") throw refusal("precondition_failed", error.message);
    if (error.reason === "names_secrets") throw refusal("forbidden", error.message, { reason: error.reason });
    throw invalidChain(error);
  }
}

/** The version that a save replaces; undefined for a new chain. */
function replacedVersion(headers: Headers): string | undefined {
  const [match, noneMatch] = [headers.get("if-match"), headers.get("if-none-match")];
  if (match === null && noneMatch?.trim() === "*") return undefined;
  const version = /^\s*"([^"]+)"\s*$/.exec(match ?? "")?.[1];
  if (version !== undefined && noneMatch === null) return version;
  const detail = "send If-Match with the ETag of the text that this one replaces, or If-None-Match: * for a new chain";
  throw refusal(match === null ? "bad_request" : "precondition_failed", detail);
}

/** The error of a chain that is not valid, with the position of its first problem. */
function invalidChain(error: unknown): unknown {
  if (!isChainError(error)) return error;
  const { problems } = error;
  const first = problems.find(({ severity }) => severity === "error");
  if (first === undefined) return error;
  const { file, line, column, hint } = first;
  const issues = problems.slice(0, 50).map(({ code, message }) => ({ path: [], code, message }));
  return new ProblemError(
    toProblem(error.toFailure(), { issues, position: { file, line, column }, ...(hint !== undefined && { hint }) }),
  );
}

async function draw({ workspace, params, query }: ServerRequest<"get_chain_graph">): Promise<Reply<unknown>> {
  const { format = "json", theme } = query;
  const name = requireChain(workspace, params.name);
  const { plan, missing } = await planForGraph(workspace, name).catch((error: unknown) => {
    throw invalidChain(error);
  });
  const graph = chainGraph(plan);
  switch (format) {
    case "json":
      return { reply: true, body: { ...toGraphJson(graph), ...(missing.length > 0 && { missing_tools: missing }) } };
    case "mermaid":
      return { reply: true, mediaType: "text/vnd.mermaid", body: toMermaid(graph) };
    case "svg":
      return {
        reply: true,
        mediaType: "image/svg+xml",
        headers: { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" },
        body: toSvg(graph, theme === undefined ? {} : { theme }),
      };
  }
}
