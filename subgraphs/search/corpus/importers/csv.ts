import { Unreadable } from './piece.ts';

/** A row by its header's names, with the line that it begins in. */
export interface CsvRow {
  readonly values: Readonly<Record<string, string>>;
  readonly line: number;
}

interface Cells {
  readonly cells: readonly string[];
  readonly line: number;
}

/** Cells of RFC 4180: a quoted one may hold commas, line ends and doubled quotes. */
const rowsOf = (written: string): (Cells | Unreadable)[] => {
  const rows: (Cells | Unreadable)[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let [cells, line, begun]: [string[], number, number] = [[], 1, 1];
  while (cell.lastIndex < written.length) {
    const from = cell.lastIndex;
    const match = cell.exec(written);
    if (!match) {
      rows.push(new Unreadable('a quote stands where none may', line));
      const next = written.indexOf('\n', from);
      if (next === -1) return rows;
      cell.lastIndex = next + 1;
      [cells, line] = [[], line + 1];
      begun = line;
      continue;
    }
    const [all, quoted, bare, end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    line += all.split('\n').length - 1;
    if (end === ',' && cell.lastIndex < written.length) continue;
    if (cells.some((value) => value !== '')) rows.push({ cells, line: begun });
    [cells, begun] = [[], line];
  }
  return rows;
};

/** Rows by the names of the first; one with another number of cells is unreadable. */
export const readCsv = (written: string): (CsvRow | Unreadable)[] => {
  const [header, ...rows] = rowsOf(written);
  if (header === undefined || header instanceof Unreadable) return [new Unreadable('there is no header', 1)];
  const names = header.cells.map((name) => name.trim());
  return rows.map((row) => {
    if (row instanceof Unreadable) return row;
    if (row.cells.length !== names.length)
      return new Unreadable(`the row has ${row.cells.length} cells, the header ${names.length}`, row.line);
    return { line: row.line, values: Object.fromEntries(names.map((name, i) => [name, row.cells[i] ?? ''])) };
  });
};
