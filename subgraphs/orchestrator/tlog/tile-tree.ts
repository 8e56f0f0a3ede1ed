import { nodeHash, type Subtree } from '@landfall/kernel/merkle';
import { LogForked } from './log-forked.ts';
import { HASH_BYTES, TILE_WIDTH, type Tile, type TileAddress } from './tiles.ts';

const keyOf = ({ level, index }: TileAddress): string => `${level}/${index}`;

/** Hashes of a tree out of some of its tiles. Each subtree is hashed once. */
export interface TileTree {
  /** The root of a subtree whose leaves begin at a multiple of its largest power of two. @throws LogForked for want of a tile */
  root(subtree: Subtree): Buffer;
}

const TILE_HEIGHT = 8;

/** The largest power of two up to `count`, and its exponent. */
const largestPower = (count: number): { readonly span: number; readonly height: number } => {
  let [span, height] = [1, 0];
  while (span * 2 <= count) [span, height] = [span * 2, height + 1];
  return { span, height };
};

export const createTileTree = (tiles: Iterable<Tile>): TileTree => {
  const byAddress = new Map([...tiles].map((tile) => [keyOf(tile), tile.hashes]));
  const known = new Map<string, Buffer>();

  const stored = (level: number, position: number): Buffer => {
    const address = { level, index: Math.floor(position / TILE_WIDTH) };
    const begin = (position % TILE_WIDTH) * HASH_BYTES;
    const hash = byAddress.get(keyOf(address))?.subarray(begin, begin + HASH_BYTES);
    if (hash?.length !== HASH_BYTES) throw new LogForked(`The tile ${keyOf(address)} lacks a hash that its tree has.`);
    return hash;
  };

  /** The root of a whole subtree: `height` levels above the leaves, the `position`th of its height. */
  const whole = (height: number, position: number): Buffer => {
    if (height % TILE_HEIGHT === 0) return stored(height / TILE_HEIGHT, position);
    const key = `${height}/${position}`;
    const found = known.get(key);
    if (found) return found;
    const hash = nodeHash(whole(height - 1, position * 2), whole(height - 1, position * 2 + 1));
    known.set(key, hash);
    return hash;
  };

  const root = ({ begin, end }: Subtree): Buffer => {
    const { span, height } = largestPower(end - begin);
    const left = whole(height, begin / span);
    return begin + span === end ? left : nodeHash(left, root({ begin: begin + span, end }));
  };

  return { root };
};
