import { type Problem, type WireValue, toProblem } from "../../api/index.ts";
import { type Workspace, toWireTool } from "../../app/index.ts";
import { toolFinderOf } from "../../hub/index.ts";
import {
  type AnyTool,
  type Registration,
  type ToolError,
  type WireNames,
  effectLabel,
  toWireResult,
} from "../../tool/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, ProblemError, type ServerRequest, refusal } from "../request/handler.ts";
import { pageOf } from "../request/page.ts";
import type { RunWorker } from "../request/run-worker.ts";
import type { ToolNames } from "../request/tool-names.ts";
import { prefersAsync } from "../request/waiting.ts";
import { callDurably } from "./calls.ts";

/** Tools: list, describe, call. */
export function toolRoutes(names: ToolNames, worker: RunWorker): Handlers<"list_tools" | "get_tool" | "call_tool"> {
  return {
    list_tools: ({ workspace, query }) => {
      const { tools } = workspace.engine;
      const where = (tool: AnyTool, { source }: Registration): boolean =>
        (query.source === undefined || source === query.source) &&
        (query.effect === undefined || effectLabel(tool) === query.effect);
      const wire = names.of(workspace);
      const { limit = 50 } = query;
      if (query.query === undefined) {
        const page = pageOf(
          tools.list().filter((one) => where(one.tool, one)),
          query,
          ({ tool }) => tool.name,
        );
        return { ...page, items: page.items.map((one) => summary(one, workspace, wire)) };
      }
      const hits = toolFinderOf(tools).search(query.query, { limit, where });
      return { items: hits.map(({ registration }) => summary(registration, workspace, wire)), next_cursor: null };
    },
    get_tool: ({ workspace, params }) => {
      const wire = names.of(workspace);
      const registration = requireTool(workspace, wire.fromWire(params.name) ?? params.name);
      const { input, output } = registration.tool;
      return asWire<"ToolDetail">({
        ...summary(registration, workspace, wire),
        input_schema: input.json,
        ...(output !== undefined && { output_schema: output.json }),
      });
    },
    call_tool: (request) => {
      const { workspace, params, headers, work } = request;
      const name = names.of(workspace).fromWire(params.name) ?? params.name;
      if (work === undefined && !prefersAsync(headers)) return callTool(request, name);
      requireTool(workspace, name);
      return callDurably(request, name, worker);
    },
  };
}

async function callTool(
  { workspace, body, caller, signal }: ServerRequest<"call_tool">,
  name: string,
): Promise<WireValue<"CallResult">> {
  const result = await workspace.engine.call(name, body.args ?? {}, {
    callerType: "api",
    principal: caller.principal,
    signal,
    ...(body.conversation_id !== undefined && { conversationId: body.conversation_id }),
    ...(body.timeout_ms !== undefined && { timeoutMs: body.timeout_ms }),
    ...(body.max_retries !== undefined && { maxRetries: body.max_retries }),
    ...(body.strict === true && { strictValidation: new Set(Object.keys(body.args ?? {})) }),
  });
  if (!result.success) throw new ProblemError(toProblem(result.error, { call: failedCall(result) }));
  return asWire<"CallResult">(toWireResult(result));
}

/** The facts of a failed call besides its failure. */
function failedCall(result: ToolError): NonNullable<Problem["call"]> {
  const { success: _success, error: _error, ...call } = toWireResult(result);
  const { thrownAt } = result.error;
  const facts = { ...call, ...(thrownAt !== undefined && { thrown_at: thrownAt }) };
  // The result of a call in its JSON form.
  return facts as unknown as NonNullable<Problem["call"]>;
}

function summary(registration: Registration, workspace: Workspace, names: WireNames): WireValue<"Tool"> {
  const { name } = registration.tool;
  const { owner } = registration;
  return asWire<"Tool">({ ...toWireTool(registration, workspace), owner, wire_name: names.toWire(name) });
}

function requireTool({ hub }: Workspace, name: string): Registration {
  const found = hub.resolve(name);
  if (found !== undefined) return found;
  throw refusal("tool_not_found", `there is no tool ${JSON.stringify(name)}; GET /v1/tools lists the tools`);
}
