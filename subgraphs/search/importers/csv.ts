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
const closingQuote = (text: string, from: number): number => {
  let at = text.indexOf('"', from + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
};

const UNQUOTED = /[^",\r\n]*/y;
const END = /,|\r?\n|$/y;

/** A cell of RFC 4180: a quoted one may hold commas, line ends and doubled quotes. */
const cellAt = (text: string, from: number): Cell | undefined => {
  const isQuoted = text[from] === '"';
  const closing = isQuoted ? closingQuote(text, from) : undefined;
  if (closing === -1) return undefined;
  UNQUOTED.lastIndex = from;
  const plain = isQuoted ? '' : (UNQUOTED.exec(text)?.[0] ?? '');
  END.lastIndex = closing === undefined ? from + plain.length : closing + 1;
  const end = END.exec(text);
  if (!end) return undefined;
  const value = closing === undefined ? plain : text.slice(from + 1, closing).replaceAll('""', '"');
  return { value, next: end.index + end[0].length, isLast: end[0] !== ',' };
};

const linesIn = (text: string): number => text.split('\n').length - 1;

const rowsOf = (text: string): (Cells | Unreadable)[] => {
  const rows: (Cells | Unreadable)[] = [];
  let [cells, line, started, at]: [string[], number, number, number] = [[], 1, 1, 0];
  while (at < text.length) {
    const cell = cellAt(text, at);
    if (!cell) {
      rows.push(new Unreadable('a quote stands where none may', line));
      const next = text.indexOf('\n', at);
      if (next === -1) return rows;
      [cells, line, at] = [[], line + 1, next + 1];
      started = line;
      continue;
    }
    cells.push(cell.value);
    line += linesIn(text.slice(at, cell.next));
    at = cell.next;
    if (!cell.isLast && at < text.length) continue;
    if (cells.some((value) => value !== '')) rows.push({ cells, line: started });
    [cells, started] = [[], line];
  }
  return rows;
};

/** Reads rows by the names in the first one; a row with another number of cells is unreadable. */
export const readCsv = (text: string): (CsvRow | Unreadable)[] => {
  const [header, ...rows] = rowsOf(text);
  if (header === undefined || header instanceof Unreadable) return [new Unreadable('there is no header', 1)];
  const names = header.cells.map((name) => name.trim());
  return rows.map((row) => {
    if (row instanceof Unreadable) return row;
    if (row.cells.length !== names.length)
      return new Unreadable(`the row has ${row.cells.length} cells, the header ${names.length}`, row.line);
    return { line: row.line, values: Object.fromEntries(names.map((name, i) => [name, row.cells[i] ?? ''])) };
  });
};
