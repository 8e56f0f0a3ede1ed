import { type Figure, verdictOf } from './figure.ts';

const goalOf = ({ goal }: Figure): string => {
  if (goal?.atMost !== undefined) return `≤ ${goal.atMost}`;
  return goal?.atLeast === undefined ? '' : `≥ ${goal.atLeast}`;
};

/** Formats figures as a table, with goals and whether they are met. */
export const formatFigures = (figures: readonly Figure[]): string => {
  const head = ['bench', 'figure', 'value', 'unit', 'goal', ''];
  const rows = figures.map((figure) => [
    figure.bench,
    figure.metric,
    String(figure.value),
    figure.unit,
    goalOf(figure),
    verdictOf(figure),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const isNumber = (column: number): boolean => column === 2;
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => (isNumber(index) ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd();
  return `\n${[head, ...rows].map(line).join('\n')}\n`;
};
