import { z } from "zod";
import type { Arguments } from "../contender.ts";

/** The parameters of a search tool: text with bounds, a number with a default, a list, a nested object. */
export const schema = z.object({
  query: z.string().min(1).max(200),
  limit: z.int().min(1).max(100).default(10),
  tags: z.array(z.string()).optional(),
  range: z.object({ from: z.string(), to: z.string() }).optional(),
});

export type Parsed = z.output<typeof schema>;

export interface Found {
  readonly first: string;
  readonly found: number;
}

/** Does almost nothing, so that only the overhead is measured. */
export const find = ({ query, limit }: Parsed): Found => ({ first: query, found: limit });

export const findAsync = async (args: Parsed): Promise<Found> => find(args);

/** Sixty-four different calls in four shapes, because a model rarely sends every optional parameter. */
export const someArguments: readonly Arguments[] = Array.from({ length: 64 }, (_, index) => ({
  query: `what changed in release ${index}`,
  ...(index % 2 === 0 && { limit: 1 + index }),
  ...(index % 4 === 1 && { tags: ["news", `tag-${index}`] }),
  ...(index % 8 === 3 && { range: { from: "2026-01-01", to: "2026-01-31" } }),
}));

/** Expected output of the handler for an item of {@link someArguments}. */
export const expected = (args: Arguments): Found => ({ first: args.query, found: args.limit ?? 10 });

/** Arguments that a validating contender rejects. */
export const refused: Arguments = { query: "", limit: 1000 };

export const name = "search";
export const description = "Searches the release notes.";
export const deadlineMs = 30_000;
