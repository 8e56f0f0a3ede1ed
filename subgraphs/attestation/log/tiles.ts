/** Tiles of a Merkle tree (C2SP tlog-tiles), computed by division, since JavaScript's bit operators have 32 bits. */

export const TILE_WIDTH = 256;
/** Levels of the tree in a tile, for 2^8 hashes. */
export const TILE_HEIGHT = 8;
export const HASH_BYTES = 32;

/** Number of tile levels, for all sizes up to 2^53: 256^7 is larger. */
export const TILE_LEVELS = 7;

export interface TileAddress {
  readonly level: number;
  readonly index: number;
}

export interface Tile extends TileAddress {
  /** Concatenated hashes of 32 bytes. */
  readonly hashes: Buffer;
}

/** Number of hashes on a level in a tree of `size`. */
export const hashesAt = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level);

/** Width of a tile in a tree of `size`: 0 if it does not exist, 256 if it is full. */
export const widthOf = ({ level, index }: TileAddress, size: number): number =>
  Math.min(TILE_WIDTH, Math.max(0, hashesAt(level, size) - index * TILE_WIDTH));

/** Partial tiles of a tree: at most one on each level, the rightmost. */
export const edgeOf = (size: number): readonly TileAddress[] =>
  Array.from({ length: TILE_LEVELS }, (_, level) => ({ level, index: hashesAt(level + 1, size) })).filter(
    (address) => widthOf(address, size) > 0,
  );

/** Tiles above a leaf that exist in a tree of `size`. */
export const pathOf = (leaf: number, size: number): readonly TileAddress[] =>
  Array.from({ length: TILE_LEVELS }, (_, level) => ({ level, index: hashesAt(level + 1, leaf) })).filter(
    (address) => widthOf(address, size) > 0,
  );

/** Formats a tile's index as in its path: 1234067 is `x001/x234/067`. */
export const tileNumber = (index: number): string => {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  return padded.replace(/\d{3}(?=\d)/g, 'x$&/');
};

/** Tile or entry bundle requested by a path; `width` is 256 without a suffix. */
export interface TileRequest {
  readonly index: number;
  readonly width: number;
}

const NUMBER = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Parses `<N>[.p/<W>]` in its canonical form; undefined for any other text. */
export const parseTileNumber = (text: string): TileRequest | undefined => {
  const [, number = '', suffix] = NUMBER.exec(text) ?? [];
  const index = Number(number.replace(/[x/]/g, ''));
  const width = suffix === undefined ? TILE_WIDTH : Number(suffix);
  const isExact = Number.isSafeInteger(index) && number !== '' && tileNumber(index) === number;
  return isExact && (suffix === undefined || width < TILE_WIDTH) ? { index, width } : undefined;
};
