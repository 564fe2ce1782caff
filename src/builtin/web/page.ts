import type { Failure } from "../../base/index.ts";
import type { ExtractForm, ExtractedDocument } from "../extract/index.ts";

/** A page as its server sent it. */
export interface FetchedPage {
  /** As it was asked for. */
  readonly url: string;
  /** Where it came from, after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The body was longer than the limit and was cut. */
  readonly truncated: boolean;
  /** The server was not asked, or said that what is kept has not changed. */
  readonly fromCache: boolean;
  /** When the body was last known to be true, in epoch milliseconds. */
  readonly fetchedAt: number;
  /** The title, where the address is kept here, such as that of a memory. */
  readonly title?: string;
}

/** A page and what it says. */
export interface ReadPage extends Omit<FetchedPage, "body" | "title">, Omit<ExtractedDocument, "truncated"> {}

/** One page of a batch, or why it is not there. */
export type BatchItem<Page> =
  | { readonly url: string; readonly page: Page; readonly failure?: undefined }
  | { readonly url: string; readonly failure: Failure; readonly page?: undefined };

/** How to get one page. */
export interface GetOptions {
  readonly signal?: AbortSignal;
  /** A longer body is cut here; the service's own limit where absent. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/** How to read one page. */
export interface ReadOptions extends GetOptions {
  readonly as?: ExtractForm;
  readonly maxChars?: number;
}

/** How to get many pages. */
export interface BatchOptions {
  readonly signal?: AbortSignal;
  /** A longer body is a failure: in a batch nobody notices that half of a page is missing. */
  readonly maxBytes?: number;
  /** For one page. */
  readonly timeoutMs?: number;
  /** For all of them; what is not there by then is told as `not_done`. */
  readonly deadlineMs?: number;
  /** Told whenever one more page is settled. */
  readonly onSettled?: (settled: number) => void;
}

/** How to read many pages. */
export interface ReadAllOptions extends BatchOptions {
  readonly as?: ExtractForm;
  readonly maxChars?: number;
}

/** What a name such as `memory:42` stands for; undefined where it stands for nothing. */
export type AddressResolver = (
  address: string,
  signal: AbortSignal,
) => Promise<{ readonly title: string; readonly text: string } | undefined>;
