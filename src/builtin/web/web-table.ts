/** Settings of `web:` in `windlass.yaml`. */
export const webTable = {
  robots: { type: "text", choices: ["respect", "ignore"], default: "respect", about: "Handling of robots.txt." },
  maxUrls: { type: "count", default: 50, about: "Maximum URLs of one web_fetch." },
} as const;
