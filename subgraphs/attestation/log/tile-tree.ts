import { nodeHash, type Subtree } from '@landfall/kernel/crypto/merkle';
import { LogForked } from './log-forked.ts';
import { createTileNodes, type NodesOf } from './tile-nodes.ts';
import { TILE_HEIGHT, TILE_WIDTH, type Tile, type TileAddress } from './tiles.ts';

const keyOf = ({ level, index }: TileAddress): string => `${level}/${index}`;

/** Largest power of two up to `count`, and its exponent. */
const largestPower = (count: number): { readonly span: number; readonly height: number } => {
  let [span, height] = [1, 0];
  while (span * 2 <= count) [span, height] = [span * 2, height + 1];
  return { span, height };
};

/** Creates a tree that computes hashes from some of its tiles, whose nodes come from `nodesOf`. */
export const createTileTree = (tiles: Iterable<Tile>, nodesOf: NodesOf = ({ hashes }) => createTileNodes(hashes)) => {
  const byAddress = new Map([...tiles].map((tile) => [keyOf(tile), nodesOf(tile)]));

  /** Root of a complete subtree: `height` levels above the leaves, at `position`. */
  const complete = (height: number, position: number): Buffer => {
    const inner = height % TILE_HEIGHT;
    const row = TILE_WIDTH / 2 ** inner;
    const key = keyOf({ level: (height - inner) / TILE_HEIGHT, index: Math.floor(position / row) });
    const hash = byAddress.get(key)?.at(inner, position % row);
    if (!hash) throw new LogForked(`The tile ${key} lacks a hash that its tree has.`);
    return hash;
  };

  /** Root of a subtree whose first leaf is a multiple of its largest power of two. Throws LogForked without a tile. */
  const root = ({ begin, end }: Subtree): Buffer => {
    const { span, height } = largestPower(end - begin);
    const remaining = complete(height, begin / span);
    return begin + span === end ? remaining : nodeHash(remaining, root({ begin: begin + span, end }));
  };

  return { root };
};

export type TileTree = ReturnType<typeof createTileTree>;
