import { nodeHash, type Subtree } from '@landfall/kernel/crypto/merkle';
import { LogForked } from './log-forked.ts';
import { createTileNodes, type NodesOf } from './tile-nodes.ts';
import { TILE_HEIGHT, TILE_WIDTH, type Tile, type TileAddress } from './tiles.ts';

const keyOf = ({ level, index }: TileAddress): string => `${level}/${index}`;

/** The largest power of two up to `count`, and its exponent. */
const largestPower = (count: number): { readonly span: number; readonly height: number } => {
  let [span, height] = [1, 0];
  while (span * 2 <= count) [span, height] = [span * 2, height + 1];
  return { span, height };
};

/** Hashes of a tree out of some of its tiles. @param nodesOf where nodes that were hashed before are found again */
export const createTileTree = (tiles: Iterable<Tile>, nodesOf: NodesOf = ({ hashes }) => createTileNodes(hashes)) => {
  const byAddress = new Map([...tiles].map((tile) => [keyOf(tile), nodesOf(tile)]));

  /** The root of a whole subtree: `height` levels above the leaves, the `position`th of its height. */
  const whole = (height: number, position: number): Buffer => {
    const inside = height % TILE_HEIGHT;
    const row = TILE_WIDTH / 2 ** inside;
    const key = keyOf({ level: (height - inside) / TILE_HEIGHT, index: Math.floor(position / row) });
    const hash = byAddress.get(key)?.at(inside, position % row);
    if (!hash) throw new LogForked(`The tile ${key} lacks a hash that its tree has.`);
    return hash;
  };

  /** The root of a subtree whose leaves begin at a multiple of its largest power of two. @throws LogForked for want of a tile */
  const root = ({ begin, end }: Subtree): Buffer => {
    const { span, height } = largestPower(end - begin);
    const left = whole(height, begin / span);
    return begin + span === end ? left : nodeHash(left, root({ begin: begin + span, end }));
  };

  return { root };
};

export type TileTree = ReturnType<typeof createTileTree>;
