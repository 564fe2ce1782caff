/** Draws docs/tour.svg: the terminal output of `npm start`. Requires tmux, and a build (`npm run build`). */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cutDisplay, displayWidth } from "../src/text/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const columns = 104;
const advance = 8.4;
const lineHeight = 20;

const output = await onTerminal(`"${process.execPath}" examples/tour.ts`);

/** Returns the output of a command on a terminal of this width, colors included. */
async function onTerminal(command: string): Promise<string> {
  const tmux = (...words: string[]): string =>
    execFileSync("tmux", ["-L", "windlass-picture", ...words], { encoding: "utf8" });
  const done = "windlass-picture-done";
  // The command runs in a shell that stays open until the screen has been captured.
  tmux(
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    "40",
    "-c",
    root,
    `env -u NO_COLOR ${command}; tmux wait-for -S ${done}; sleep 5`,
  );
  try {
    tmux("wait-for", done);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return tmux("capture-pane", "-e", "-p").trimEnd();
  } finally {
    tmux("kill-server");
  }
}

interface Span {
  readonly text: string;
  readonly style: string;
}

const styles: Readonly<Record<string, string>> = { "1": "b", "2": "d", "32": "g", "33": "y" };

/** Splits a line at its color codes. */
function spans(line: string): Span[] {
  const found: Span[] = [];
  let style = "";
  // oxlint-disable-next-line no-control-regex -- the pattern matches color codes
  for (const part of line.split(/(\u001B\[[\d;]*m)/)) {
    // oxlint-disable-next-line no-control-regex
    const code = /^\u001B\[([\d;]*)m$/.exec(part)?.[1];
    if (code !== undefined) style = styles[code.split(";").at(-1) ?? ""] ?? "";
    else if (part !== "") found.push({ text: part, style });
  }
  return found;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function drawLine(line: string, index: number): string {
  const y = 52 + index * lineHeight;
  let column = 0;
  const drawn = spans(line).map(({ text, style }) => {
    const shown = cutDisplay(text, columns - column);
    const x = 20 + column * advance;
    column += displayWidth(shown);
    return `<text x="${x.toFixed(1)}" y="${y}" class="${style}" xml:space="preserve">${escape(shown)}</text>`;
  });
  return drawn.join("");
}

const lines = ["\u001B[2m$ npm start\u001B[22m", ...output.trimEnd().split("\n")];
const width = Math.ceil(columns * advance + 40);
const height = 52 + lines.length * lineHeight;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<style>
text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; fill: #d7dae0 }
.b { font-weight: 700; fill: #ffffff } .d { fill: #8b919d } .g { fill: #7ec87e; font-weight: 700 } .y { fill: #e5c07b; font-weight: 700 }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#1d2027"/>
<circle cx="24" cy="20" r="6" fill="#ec6a5e"/><circle cx="44" cy="20" r="6" fill="#f4bf4f"/><circle cx="64" cy="20" r="6" fill="#61c554"/>
${lines.map(drawLine).join("\n")}
</svg>
`;
writeFileSync(`${root}/docs/tour.svg`, svg);
