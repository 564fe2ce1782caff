import type * as Skills from "./skills/index.ts";

/** What reads skills and checks them. Loaded when there are some: most workspaces have none. */
export const loadSkills = (): Promise<typeof Skills> => import("./skills/index.ts");
