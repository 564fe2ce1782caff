import { AsyncLocalStorage } from "node:async_hooks";
import { fail } from "../../../base/index.ts";
import { type JsonSchema, fromJsonSchema, isRecord } from "../../../schema/index.ts";
import type { ElicitRequest, ElicitResult } from "../../../tool/index.ts";
import type { ClientLink } from "./client-link.ts";
import type { ClientCapabilities, InputRequest, ServerSdk } from "./sdk.ts";

/** A text that the client's model should answer. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: unknown }[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
}

/** Options of a request to the client. */
export interface ClientRequestKey {
  /** Identifies the request; the client may have answered it under this key before. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

const clients = new AsyncLocalStorage<ServedClient>();

/**
 * The client of the current call, for a tool that needs more than `ctx.elicit`; undefined if the call came another way.
 */
export function servedClient(): ServedClient | undefined {
  return clients.getStore();
}

/** Runs work on behalf of a client, which {@link servedClient} then finds. */
export function onBehalfOf<Result>(client: ServedClient, work: () => Result): Result {
  return clients.run(client, work);
}

/** Maximum number of attempts to get a valid answer. */
const tries = 3;

/** The requests that a server can make to its client: elicitation, sampling and roots. */
export class ServedClient {
  readonly link: ClientLink;
  readonly #sdk: Pick<ServerSdk, "MissingRequiredClientCapabilityError">;

  constructor(link: ClientLink, sdk: Pick<ServerSdk, "MissingRequiredClientCapabilityError">) {
    this.link = link;
    this.#sdk = sdk;
  }

  /** True if the client can elicit input from its user. */
  get canElicit(): boolean {
    const elicitation = this.link.capabilities?.elicitation;
    // An older client does not mention forms: it supports nothing else.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  /** Elicits input from the user; `cancel` if the client gives no valid answer. */
  async elicit({ message, schema }: ElicitRequest, { key, signal }: ClientRequestKey = {}): Promise<ElicitResult> {
    if (!this.canElicit) return { action: "decline" };
    let clientRequest = message;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const params = { mode: "form", message: clientRequest, requestedSchema: schema } as const;
      // The protocol requires a flat schema; the client rejects any other.
      const response = await this.#request({ method: "elicitation/create", params } as unknown as InputRequest, {
        key: key ?? "elicitation",
        early: key !== undefined,
        ...(signal !== undefined && { signal }),
      });
      const answer = readAnswer(response, schema);
      if (typeof answer !== "string") return answer;
      clientRequest = `${message}\n\n(${answer})`;
    }
    return { action: "cancel" };
  }

  /** Requests a completion from the client's model. Ends the request if the client does not offer sampling. */
  async sample(request: SampleRequest, as: ClientRequestKey = {}): Promise<unknown> {
    await this.#need("sampling");
    const params = { ...request, messages: [...request.messages] };
    // The tool is responsible for the content of messages.
    return this.#request({ method: "sampling/createMessage", params } as InputRequest, named(as, "sample"));
  }

  /** The roots that the client works in. Fails the request if the client does not offer any. */
  async roots(as: ClientRequestKey = {}): Promise<readonly { uri: string; name?: string }[]> {
    await this.#need("roots");
    const response = await this.#request({ method: "roots/list" }, named(as, "roots"));
    // Read as the protocol defines it; the tool treats it as untrusted data.
    return isRecord(response) && Array.isArray(response["roots"]) ? (response["roots"] as { uri: string }[]) : [];
  }

  /** Sends a log line of a tool, if the client wants it. */
  log(message: string, data: unknown, tool: string): void {
    this.link.log(message, data, tool);
  }

  async #request(...clientRequest: Parameters<ClientLink["request"]>): Promise<unknown> {
    try {
      return await this.link.request(...clientRequest);
    } catch (error) {
      // A client that fails during the request has not answered.
      this.link.log(`the client did not answer: ${String(error)}`, undefined, "windlass");
      return undefined;
    }
  }

  async #need(capability: keyof ClientCapabilities & ("sampling" | "roots")): Promise<void> {
    if (this.link.capabilities?.[capability] !== undefined) return;
    const message = `the client does not offer ${capability}, which this tool needs`;
    this.link.refuse?.(
      new this.#sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: { [capability]: {} } }, message),
    );
    throw fail(message, { code: "not_available", retry: "never" });
  }
}

function named({ key, signal }: ClientRequestKey, defaults: string): Parameters<ClientLink["request"]>[1] {
  return { key: key ?? defaults, early: key !== undefined, ...(signal !== undefined && { signal }) };
}

/** Returns the client's answer, or what is wrong with it. */
function readAnswer(response: unknown, schema: JsonSchema): ElicitResult | string {
  if (!isRecord(response)) return { action: "cancel" };
  const { action, content } = response;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return { action: "cancel" };
  const input = isRecord(content) ? content : {};
  const issues = issuesOf(input, schema);
  return issues === "" ? { action, content: input } : issues;
}

function issuesOf(input: unknown, schema: JsonSchema): string {
  try {
    const { issues = [] } = fromJsonSchema(schema).validate(input);
    return issues.map(({ message }) => message).join("; ");
  } catch {
    // An unusable schema is the tool's fault, so the answer is passed on unchecked.
    return "";
  }
}
