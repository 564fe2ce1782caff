import type { Coded } from "../../text/index.ts";

/** The notices of chain runs: their codes with their parameters. */
export interface ChainNoticeParams {
  /** The run continues with the chain as stored with it: the file it was read from, or the chain by its name, is gone. */
  readonly chain_gone: { readonly run: string; readonly chain: string; readonly file?: string };
  readonly chain_changed: { readonly run: string; readonly chain: string };
  /** The tool of a step cannot work here; the run may succeed without it. */
  readonly tool_unavailable: { readonly step: string; readonly tool: string; readonly reason: string };
}

/** A notice of a chain run as data. */
export type ChainNotice = Coded<ChainNoticeParams>;

/** Receives the notices of a run that do not stop it: the English text, and the notice as data. */
export type ChainNoticeListener = (message: string, notice: ChainNotice) => void;
