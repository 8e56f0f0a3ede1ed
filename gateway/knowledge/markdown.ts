/** Part of a document under one heading. */
export interface Section {
  /** Anchor: `settings`. */
  readonly anchor: string;
  /** Headings from the document’s title to its own. */
  readonly path: readonly string[];
  readonly text: string;
}

/** Row of a table, found by the name in its first cell. */
export interface Row {
  readonly name: string;
  readonly section: Section;
  /** Other cells as `heading: cell`. */
  readonly text: string;
}

/** Matches headings that divide a document; deeper ones belong to the text. */
const HEADING = /^(#{1,4})\s+(.+?)\s*#*$/;
const FENCE = /^\s*(```|~~~)/;

/** Plain text of a heading, without marks of code and links. */
const plain = (heading: string): string =>
  heading
    .replace(/`/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();

/** Anchor of a heading, as GitHub and GitLab generate it. */
const slug = (heading: string): string =>
  plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Creates the anchors of one document; a repeated name gets a number. */
const anchors = (): ((heading: string) => string) => {
  const usedIds = new Map<string, number>();
  return (heading) => {
    const name = slug(heading);
    const count = usedIds.get(name) ?? 0;
    usedIds.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  };
};

interface Open {
  readonly level: number;
  readonly heading: string;
  readonly anchor: string;
  readonly lines: string[];
}

/** Lists the sections of a document with text; headings in fenced code are ignored. */
export const sectionsOf = (markdown: string): Section[] => {
  const anchorOf = anchors();
  const sections: Section[] = [];
  let above: Open[] = [];
  let open: Open | undefined;
  let isFenced = false;

  const close = (): void => {
    const text = open?.lines.join('\n').trim() ?? '';
    if (open && text !== '') sections.push({ anchor: open.anchor, path: above.map(({ heading }) => heading), text });
  };

  for (const line of markdown.split(/\r?\n/)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const [, marks, heading] = isFenced ? [] : (HEADING.exec(line) ?? []);
    if (marks === undefined || heading === undefined) {
      open?.lines.push(line);
      continue;
    }
    close();
    open = { level: marks.length, heading: plain(heading), anchor: anchorOf(heading), lines: [] };
    above = [...above.filter(({ level }) => level < marks.length), open];
  }
  close();
  return sections;
};

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\s*\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

const isRow = (line: string | undefined): line is string => line !== undefined && /^\s*\|.*\|\s*$/.test(line);
const isRule = (line: string | undefined): boolean => line !== undefined && /^\s*\|[\s:|-]+\|\s*$/.test(line);

/** Number of rows from which a table is a reference table. */
const LOOKED_UP = 8;

/** Name in a table cell: its code without links. */
const nameOf = (cells: readonly string[]): string | undefined =>
  cells.map((cell) => /^(?:\[|<a[^>]*>(?:<\/a>)?)?`([^`]+)`/.exec(cell)?.[1]).find((name) => name !== undefined);

const rowOf = (section: Section, heads: readonly string[], line: string): Row | undefined => {
  const cells = cellsOf(line);
  const name = nameOf(cells.slice(0, 2));
  const fields = cells.flatMap((cell, index) => (cell === '' ? [] : [`${heads[index] || 'Name'}: ${cell}`]));
  return name === undefined ? undefined : { name, section, text: fields.join('\n') };
};

/** Separates a section from the rows of its reference tables. */
export const withRows = (section: Section): { readonly section: Section; readonly rows: readonly Row[] } => {
  const lines = section.text.split('\n');
  const textLines: string[] = [];
  const rows: Row[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    textLines.push(line);
    if (!isRow(line) || !isRule(lines[index + 1])) continue;
    let end = index + 2;
    while (isRow(lines[end])) end += 1;
    const body = lines.slice(index + 2, end);
    const found = body.map((row) => rowOf(section, cellsOf(line), row));
    const names = new Set(found.map((row) => row?.name));
    // Names that occur twice identify no row: such a table is prose, not a reference table.
    if (body.length < LOOKED_UP || names.has(undefined) || names.size < body.length) {
      textLines.push(...lines.slice(index + 1, end));
    } else {
      textLines.pop();
      rows.push(...found.filter((row) => row !== undefined));
    }
    index = end - 1;
  }
  return { section: { ...section, text: textLines.join('\n').trim() }, rows };
};
