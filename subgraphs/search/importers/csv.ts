import { Unreadable } from './reader.ts';

/** A row by its header's names, with the line that it begins in. */
interface CsvRow {
  readonly values: Readonly<Record<string, string>>;
  readonly line: number;
}

interface Cells {
  readonly cells: readonly string[];
  readonly line: number;
}

interface Cell {
  readonly value: string;
  readonly next: number;
  readonly isLast: boolean;
}

/** Position of the closing quote; a doubled quote is part of the text. */
const closingQuote = (written: string, from: number): number => {
  let at = written.indexOf('"', from + 1);
  while (at !== -1 && written[at + 1] === '"') at = written.indexOf('"', at + 2);
  return at;
};

const BARE = /[^",\r\n]*/y;
const END = /,|\r?\n|$/y;

/** A cell of RFC 4180: a quoted one may hold commas, line ends and doubled quotes. */
const cellAt = (written: string, from: number): Cell | undefined => {
  const isQuoted = written[from] === '"';
  const closing = isQuoted ? closingQuote(written, from) : undefined;
  if (closing === -1) return undefined;
  BARE.lastIndex = from;
  const bare = isQuoted ? '' : (BARE.exec(written)?.[0] ?? '');
  END.lastIndex = closing === undefined ? from + bare.length : closing + 1;
  const end = END.exec(written);
  if (!end) return undefined;
  const value = closing === undefined ? bare : written.slice(from + 1, closing).replaceAll('""', '"');
  return { value, next: end.index + end[0].length, isLast: end[0] !== ',' };
};

const linesIn = (text: string): number => text.split('\n').length - 1;

const rowsOf = (written: string): (Cells | Unreadable)[] => {
  const rows: (Cells | Unreadable)[] = [];
  let [cells, line, begun, at]: [string[], number, number, number] = [[], 1, 1, 0];
  while (at < written.length) {
    const cell = cellAt(written, at);
    if (!cell) {
      rows.push(new Unreadable('a quote stands where none may', line));
      const next = written.indexOf('\n', at);
      if (next === -1) return rows;
      [cells, line, at] = [[], line + 1, next + 1];
      begun = line;
      continue;
    }
    cells.push(cell.value);
    line += linesIn(written.slice(at, cell.next));
    at = cell.next;
    if (!cell.isLast && at < written.length) continue;
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
