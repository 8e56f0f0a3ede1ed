import { protectLiquid } from './liquid-marks.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  middot: '·',
};

const decodeEntity = (entity: string, name: string): string => {
  if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : entity;
};

/** Start of a comment, or a tag with its slash, name and attributes. */
const TAG = /<!--|<(\/?)([a-z][\w-]*)([^<>]*)>/gi;
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** Elements whose content nobody reads. */
const INVISIBLE: ReadonlySet<string> = new Set(['mj-head', 'head', 'style', 'script', 'title']);
const LINKS: ReadonlySet<string> = new Set(['a', 'mj-button']);
/** Elements after which an empty line follows, and those after which a line ends. */
const PARAGRAPHS: ReadonlySet<string> = new Set('p h1 h2 h3 h4 h5 h6 table ul ol mj-text mj-button'.split(' '));
const LINES: ReadonlySet<string> = new Set('div li tr br mj-section'.split(' '));

const lineEnds = (name: string): string => {
  if (PARAGRAPHS.has(name)) return '\n\n';
  return LINES.has(name) ? '\n' : '';
};

/** End of what starts at an index and ends with a text; the end of the markup if it never does. */
const endOf = (markup: string, ending: string, from: number): number => {
  const end = markup.indexOf(ending, from);
  return end === -1 ? markup.length : end;
};

/** Reads markup from start to end once; each tag writes what it means in plain text. */
const readMarkup = (markup: string): string => {
  let text = '';
  let at = 0;
  let address = '';
  TAG.lastIndex = 0;
  for (let tag = TAG.exec(markup); tag; tag = TAG.exec(markup)) {
    const [whole, slash, spelled = '', attributes = ''] = tag;
    const name = spelled.toLowerCase();
    text += markup.slice(at, tag.index).replace(/\s+/g, ' ');
    at = tag.index + whole.length;
    if (name === '') at = endOf(markup, '-->', at) + 3;
    else if (slash === '' && INVISIBLE.has(name) && !attributes.endsWith('/')) at = endOf(markup, `</${spelled}`, at);
    else if (slash === '' && LINKS.has(name)) {
      const [, double, single] = HREF.exec(attributes) ?? [];
      address = double ?? single ?? '';
    } else if (LINKS.has(name)) {
      text = address === '' ? text : `${text.trimEnd()}: ${address}`;
      address = '';
    }
    if (slash !== '' || name === 'br') text += lineEnds(name);
    TAG.lastIndex = at;
  }
  return text + markup.slice(at).replace(/\s+/g, ' ');
};

/**
 * Plain-text template of an HTML or MJML template: links become `label: address`, blocks become lines, and Liquid
 * stays, to be rendered without HTML escaping.
 */
export const plainTextOf = (markup: string): string => {
  const { marked, restore } = protectLiquid(markup);
  return restore(readMarkup(marked).replace(/&(#?\w{1,8});/g, decodeEntity));
};

/** Text without blanks at the ends of lines and with at most one empty line in a row. */
export const tidyText = (text: string): string =>
  text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
