import type { QueryParams, ResponseBody } from "../api/index.ts";
import type { RequestOptions, RequestSender } from "./send-request.ts";

/** The text of a chain, and the version that a save replaces. */
export interface ChainText {
  readonly text: string;
  /** The ETag of the text. */
  readonly version: string | undefined;
}

/** Options of saving a chain. */
export interface SaveOptions extends RequestOptions {
  /** The version of the text that this one replaces. Default: none, the chain is new. */
  readonly replaces?: string | undefined;
}

/**
 * Chains and their texts.
 *
 * @see docs/guide/client.md
 */
export class ClientChains {
  readonly #sender: RequestSender;

  constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  async list(
    query: QueryParams<"list_chains"> = {},
    options: RequestOptions = {},
  ): Promise<ResponseBody<"list_chains">> {
    return (await this.#sender.send("list_chains", { params: {}, query, ...options })).body;
  }

  async get(name: string, options: RequestOptions = {}): Promise<ChainText> {
    const { body, headers } = await this.#sender.send("get_chain", { params: { name }, ...options });
    return { text: body, version: headers.get("etag") ?? undefined };
  }

  /** Saves a valid text as a chain, whole or not at all. */
  async save(
    name: string,
    text: string,
    { replaces, headers, ...options }: SaveOptions = {},
  ): Promise<ResponseBody<"save_chain">> {
    const condition = replaces === undefined ? { "if-none-match": "*" } : { "if-match": replaces };
    const values = { params: { name }, body: { text }, ...options, headers: { ...condition, ...headers } };
    return (await this.#sender.send("save_chain", values)).body;
  }

  /** Checks the text of a chain without saving it. */
  async validate(text: string, options: RequestOptions = {}): Promise<ResponseBody<"validate_chain">> {
    return (await this.#sender.send("validate_chain", { params: {}, body: { text }, ...options })).body;
  }
}
