import type { WireCoded } from "../../wire/wire-coded.ts";

/** A sentence of an explanation, and the fact that it states. */
export interface Explanation {
  readonly sentence: string;
  readonly fact: WireCoded;
  /** The step, if all steps of a run are explained. */
  readonly step?: string;
}
