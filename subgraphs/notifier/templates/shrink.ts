import { cutText } from './cut-text.ts';
import { isTreeObject, type JsonTree, type JsonTreeObject } from './json-template.ts';

/** Sign at the end of a text that was cut, in the language of the message. */
const markerOf = (locale: string): string => (locale.toLowerCase().startsWith('de') ? '… (gekürzt)' : '… (truncated)');

/** Notes cuts while a message is fitted into its channel's limits. */
export interface Cutter {
  readonly marker: string;
  /** Whether texts have entities and angle brackets of their own. */
  readonly isMarkup: boolean;
  hasCut: boolean;
}

export const createCutter = (locale: string, isMarkup = false): Cutter => ({
  marker: markerOf(locale),
  isMarkup,
  hasCut: false,
});

/** Shortens the text of a member to at most `most` characters. */
export const cutMember = (holder: JsonTree | undefined, name: string, most: number, cutter: Cutter): void => {
  if (!isTreeObject(holder)) return;
  const text = holder[name];
  if (typeof text !== 'string' || text.length <= most) return;
  holder[name] = cutText(text, most, cutter.marker, cutter);
  cutter.hasCut = true;
};

/** Items of a list member; none if it is no list. */
export const listOf = (holder: JsonTree | undefined, name: string): JsonTree[] => {
  const list = isTreeObject(holder) ? holder[name] : undefined;
  return Array.isArray(list) ? list : [];
};

/** Leaves out the items of a list beyond `most`; returns how many. */
export const cutList = (holder: JsonTree | undefined, name: string, most: number, cutter: Cutter): number => {
  const list = listOf(holder, name);
  const excess = Math.max(0, list.length - most);
  if (excess > 0) {
    list.length = most;
    cutter.hasCut = true;
  }
  return excess;
};

/** UTF-8 bytes of a message. */
export const bytesOf = (tree: JsonTree): number => Buffer.byteLength(JSON.stringify(tree));

/** Shortest text that is worth cutting; shorter ones are words of the channel's own format. */
const SHORTEST = 120;

interface TextLeaf {
  readonly length: number;
  readonly cutTo: (most: number) => void;
}

const textLeaves = (tree: JsonTree, cutter: Cutter): TextLeaf[] => {
  if (Array.isArray(tree)) return tree.flatMap((item) => textLeaves(item, cutter));
  if (!isTreeObject(tree)) return [];
  return Object.entries(tree).flatMap(([name, value]) => {
    if (typeof value !== 'string') return textLeaves(value, cutter);
    // A part of an address leads elsewhere, so it stays whole.
    if (value.length <= SHORTEST || /^https?:\/\/\S*$/.test(value)) return [];
    return [{ length: value.length, cutTo: (most: number) => cutMember(tree, name, most, cutter) }];
  });
};

/**
 * Shortens the longest texts of a message until it has at most `most` bytes; then leaves out items at the end of
 * `list`, if the channel has one.
 * @returns whether the message fits
 */
export const fitBytes = (tree: JsonTreeObject, most: number, cutter: Cutter, list?: JsonTree[]): boolean => {
  for (let excess = bytesOf(tree) - most; excess > 0; excess = bytesOf(tree) - most) {
    const longest = textLeaves(tree, cutter).toSorted((one, other) => other.length - one.length)[0];
    if (longest) {
      // A character has up to three bytes a unit, and escapes more: each round takes a third of the excess at least.
      longest.cutTo(Math.max(SHORTEST, longest.length - Math.ceil(excess / 3) - cutter.marker.length));
    } else if (list && list.length > 1) {
      list.pop();
      cutter.hasCut = true;
    } else return false;
  }
  return true;
};
