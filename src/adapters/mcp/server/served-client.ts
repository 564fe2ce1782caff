import { AsyncLocalStorage } from "node:async_hooks";
import { fail } from "../../../base/index.ts";
import { type JsonSchema, fromJsonSchema, isRecord } from "../../../schema/index.ts";
import type { Question, QuestionAnswer } from "../../../tool/index.ts";
import type { ClientLink } from "./client-link.ts";
import type { ClientCapabilities, InputRequest, ServerSdk } from "./sdk.ts";

/** A text that the client's model is to answer. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: unknown }[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
}

/** How something is asked. */
export interface AskedAs {
  /** Names the question; the client may have answered it under this name before. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

const clients = new AsyncLocalStorage<ServedClient>();

/**
 * The client behind the call that runs right now, for a tool that wants more of it than answers to `ctx.elicit`;
 * undefined where the call came in another way.
 */
export function servedClient(): ServedClient | undefined {
  return clients.getStore();
}

/** Runs work on behalf of a client, which {@link servedClient} then finds. */
export function onBehalfOf<Result>(client: ServedClient, work: () => Result): Result {
  return clients.run(client, work);
}

/** An answer that does not fit is asked for again, so many times in all. */
const tries = 3;

/** What a client of ours can be asked besides the work that it wants. */
export class ServedClient {
  readonly link: ClientLink;
  readonly #sdk: Pick<ServerSdk, "MissingRequiredClientCapabilityError">;

  constructor(link: ClientLink, sdk: Pick<ServerSdk, "MissingRequiredClientCapabilityError">) {
    this.link = link;
    this.#sdk = sdk;
  }

  /** Can its person be asked for something? */
  get canElicit(): boolean {
    const asks = this.link.capabilities?.elicitation;
    // A client of old says nothing of forms: it has nothing else.
    return asks !== undefined && (asks.form !== undefined || asks.url === undefined);
  }

  /** Asks the person; dismissed where the client gives no proper answer. */
  async elicit({ message, schema }: Question, { key, signal }: AskedAs = {}): Promise<QuestionAnswer> {
    if (!this.canElicit) return { action: "decline" };
    let asked = message;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const params = { mode: "form", message: asked, requestedSchema: schema } as const;
      // A question has the flat schema that the protocol wants; what is else is refused by the client.
      const response = await this.#ask({ method: "elicitation/create", params } as unknown as InputRequest, {
        key: key ?? "question",
        early: key !== undefined,
        ...(signal !== undefined && { signal }),
      });
      const answer = readAnswer(response, schema);
      if (typeof answer !== "string") return answer;
      asked = `${message}\n\n(${answer})`;
    }
    return { action: "cancel" };
  }

  /** Has the client's model answer. Ends the request where the client has none to offer. */
  async sample(request: SampleRequest, as: AskedAs = {}): Promise<unknown> {
    await this.#need("sampling");
    const params = { ...request, messages: [...request.messages] };
    // The content of messages is the tool's business.
    return this.#ask({ method: "sampling/createMessage", params } as InputRequest, named(as, "sample"));
  }

  /** The folders and places that the client works in. Ends the request where the client tells none. */
  async roots(as: AskedAs = {}): Promise<readonly { uri: string; name?: string }[]> {
    await this.#need("roots");
    const response = await this.#ask({ method: "roots/list" }, named(as, "roots"));
    // Read as the protocol has it; the tool treats it as data of a stranger.
    return isRecord(response) && Array.isArray(response["roots"]) ? (response["roots"] as { uri: string }[]) : [];
  }

  /** A line of a tool's log, for those clients that want it. */
  log(message: string, data: unknown, tool: string): void {
    this.link.log(message, data, tool);
  }

  async #ask(...asked: Parameters<ClientLink["ask"]>): Promise<unknown> {
    try {
      return await this.link.ask(...asked);
    } catch (error) {
      // A client that breaks while it is asked has not answered.
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

function named({ key, signal }: AskedAs, usual: string): Parameters<ClientLink["ask"]>[1] {
  return { key: key ?? usual, early: key !== undefined, ...(signal !== undefined && { signal }) };
}

/** What the client answered, or what is wrong with it. */
function readAnswer(response: unknown, schema: JsonSchema): QuestionAnswer | string {
  if (!isRecord(response)) return { action: "cancel" };
  const { action, content } = response;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return { action: "cancel" };
  const given = isRecord(content) ? content : {};
  const issues = issuesOf(given, schema);
  return issues === "" ? { action, content: given } : issues;
}

function issuesOf(given: unknown, schema: JsonSchema): string {
  try {
    const { issues = [] } = fromJsonSchema(schema).validate(given);
    return issues.map(({ message }) => message).join("; ");
  } catch {
    // A schema that cannot be used is the fault of the tool, which gets what was said.
    return "";
  }
}
