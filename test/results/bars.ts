import type { Bar } from "./results.ts";

const WIDTH = 760;
const NAMES_WIDTH = 300;
const VALUES_WIDTH = 70;
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 16;
const TOP = 44;

/** A bar for each row, one below the other, as an SVG file. */
export function barPlot(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const height = TOP + bars.length * ROW_HEIGHT + 12;
  const room = WIDTH - NAMES_WIDTH - VALUES_WIDTH;
  const rows = bars.map(({ name, value }, index) => {
    const top = TOP + index * ROW_HEIGHT;
    const width = Math.max(1, (value / most) * room);
    const baseline = top + BAR_HEIGHT - 4;
    return [
      `<text x="${NAMES_WIDTH - 10}" y="${baseline}" text-anchor="end">${escaped(name)}</text>`,
      `<rect class="bar" x="${NAMES_WIDTH}" y="${top}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}"/>`,
      `<text x="${(NAMES_WIDTH + width + 8).toFixed(1)}" y="${baseline}">${shown(value)}</text>`,
    ].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 15px }
.ground { fill: #ffffff }
.bar { fill: #2f6fb3 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.ground { fill: #0d1117 }
.bar { fill: #6aa5e3 }
}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text class="title" x="16" y="26">${escaped(title)}</text>
${rows.join("\n")}
</svg>
`;
}

/** As many digits as say something. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
