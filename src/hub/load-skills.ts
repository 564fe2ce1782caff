/** What reads skills and checks them. Loaded when there are some: most workspaces have none. */
export const loadSkills = (): Promise<typeof import("./skills/index.ts")> => import("./skills/index.ts");
