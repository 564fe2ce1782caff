/** A percentage. Rounded down: 99.96 % must not appear as 100 %. */
export function formatRate(rate: number): string {
  return `${(Math.floor(rate * 10) / 10).toFixed(1).replace(/\.0$/, "")} %`;
}
