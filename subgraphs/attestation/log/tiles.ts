/**
 * Tiles of a Merkle tree (C2SP tlog-tiles): level 0 holds leaf hashes, each level above the roots of the full tiles
 * below. Levels and indexes are only divided, for JavaScript's bit operators end at 32 bits.
 */

export const TILE_WIDTH = 256;
/** Levels of the tree in a tile: 2^8 hashes. */
export const TILE_HEIGHT = 8;
export const HASH_BYTES = 32;

/** Levels of the largest tree whose size a number holds: 256^7 is beyond 2^53. */
export const TILE_LEVELS = 7;

export interface TileAddress {
  readonly level: number;
  readonly index: number;
}

export interface Tile extends TileAddress {
  /** One after the other, 32 bytes each. */
  readonly hashes: Buffer;
}

/** Number of hashes on a level in a tree of `size`. */
export const hashesAt = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level);

/** Width of a tile in a tree of `size`: 0 where there is none, 256 where it is full. */
export const widthOf = ({ level, index }: TileAddress, size: number): number =>
  Math.min(TILE_WIDTH, Math.max(0, hashesAt(level, size) - index * TILE_WIDTH));

/** The partial tiles of a tree: one a level at most, its rightmost. */
export const edgeOf = (size: number): readonly TileAddress[] =>
  Array.from({ length: TILE_LEVELS }, (_, level) => ({ level, index: hashesAt(level + 1, size) })).filter(
    (address) => widthOf(address, size) > 0,
  );

/** The tiles above a leaf, those that a tree of `size` has. */
export const pathOf = (leaf: number, size: number): readonly TileAddress[] =>
  Array.from({ length: TILE_LEVELS }, (_, level) => ({ level, index: hashesAt(level + 1, leaf) })).filter(
    (address) => widthOf(address, size) > 0,
  );

/** The number of a tile as its path has it: 1234067 is `x001/x234/067`. */
export const tileNumber = (index: number): string => {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  return padded.replace(/\d{3}(?=\d)/g, 'x$&/');
};

/** A tile or bundle that a path asks for; `width` is 256 without a suffix. */
export interface TileRequest {
  readonly index: number;
  readonly width: number;
}

const NUMBER = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Reads `<N>[.p/<W>]` in its one spelling; undefined for any other text. */
export const parseTileNumber = (text: string): TileRequest | undefined => {
  const [, number = '', suffix] = NUMBER.exec(text) ?? [];
  const index = Number(number.replace(/[x/]/g, ''));
  const width = suffix === undefined ? TILE_WIDTH : Number(suffix);
  const isExact = Number.isSafeInteger(index) && number !== '' && tileNumber(index) === number;
  return isExact && (suffix === undefined || width < TILE_WIDTH) ? { index, width } : undefined;
};
