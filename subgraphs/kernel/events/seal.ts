import { type Digest, sha256Bytes } from '../crypto/digest.ts';
import { canonicalJson } from '../crypto/jcs.ts';
import { leafHash, rootOf } from '../crypto/merkle.ts';
import { type Cursor, formatCursor } from './read.ts';

/** Event in the sealed form: every column, with 64-bit integers and instants as text to keep all digits. */
export interface SealedEvent {
  readonly tenant: string;
  readonly xid: string;
  readonly id: string;
  readonly type: string;
  readonly entity: string;
  readonly entityId: string;
  readonly version: number;
  readonly actor: string;
  readonly correlationId: string;
  /** The text that PostgreSQL writes of the `jsonb`. */
  readonly data: string;
  /** Instant in UTC with microseconds, without trailing zeros. */
  readonly at: string;
}

/** Content that a seal's hash covers. */
interface SealBody {
  /** From 1, without gaps. */
  readonly sequence: number;
  /** Hash of the previous seal; null for the first. */
  readonly previous: Buffer | null;
  readonly first: Cursor;
  readonly last: Cursor;
  readonly count: number;
  /** The Merkle root (RFC 9162 2.1) over the events' leaf hashes. */
  readonly root: Buffer;
  /** UTC, whole seconds. */
  readonly sealedAt: string;
}

/** Seal with the leaf hashes and positions that locate an edited or deleted row. */
export interface Seal extends SealBody {
  readonly hash: Buffer;
  /** The events' leaf hashes one after the other, 32 bytes each. */
  readonly leaves: Buffer;
  /** The events' positions one after the other, 16 bytes each: xid and id, big-endian. */
  readonly cursors: Buffer;
}

export const LEAF_BYTES = 32;
export const CURSOR_BYTES = 16;

/** Hash in the digest form of the APIs. */
export const digestOf = (bytes: Buffer): Digest => `sha256:${bytes.toString('hex')}`;

/** Leaf hash of an event: a domain-separation tag and the JCS of its columns. */
export const eventLeaf = (event: SealedEvent): Buffer =>
  leafHash(Buffer.from(`audit-event/v1\n${canonicalJson(event)}`));

export const sealHash = ({ sequence, previous, first, last, count, root, sealedAt }: SealBody): Buffer =>
  sha256Bytes(
    'audit-seal/v1\n',
    canonicalJson({
      sequence,
      previous: previous && digestOf(previous),
      first: formatCursor(first),
      last: formatCursor(last),
      count,
      root: digestOf(root),
      sealedAt,
    }),
  );

/** Body of the log's entry for a seal: canonical, so that the same seal is the same entry. */
export const sealEntry = ({ hash, sequence }: Pick<Seal, 'hash' | 'sequence'>): Buffer =>
  Buffer.from(canonicalJson({ apiVersion: '0.0.1', kind: 'auditseal', spec: { hash: digestOf(hash), sequence } }));

/** Splits a column of concatenated values into its parts of one length. */
export const partsOf = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.floor(bytes.length / length) }, (_, i) => bytes.subarray(i * length, (i + 1) * length));

export const packCursor = ({ xid, id }: Cursor): Buffer => {
  const bytes = Buffer.allocUnsafe(CURSOR_BYTES);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, xid), 0);
  bytes.writeBigInt64BE(BigInt.asIntN(64, id), 8);
  return bytes;
};

export const unpackCursor = (bytes: Buffer): Cursor => ({
  xid: bytes.readBigUInt64BE(0),
  id: bytes.readBigInt64BE(8),
});

export const positionOf = ({ xid, id }: Pick<SealedEvent, 'xid' | 'id'>): Cursor => ({
  xid: BigInt(xid),
  id: BigInt(id),
});

/** Seal that the next one follows. */
export type SealHead = Pick<Seal, 'sequence' | 'hash'>;

/** Creates the next seal over ordered events; undefined when there are none. */
export const makeSeal = (
  head: SealHead | undefined,
  events: readonly SealedEvent[],
  sealedAt: string,
): Seal | undefined => {
  const positions = events.map(positionOf);
  const [first, last] = [positions[0], positions.at(-1)];
  if (!first || !last) return undefined;
  const leaves = events.map(eventLeaf);
  const body: SealBody = {
    sequence: (head?.sequence ?? 0) + 1,
    previous: head?.hash ?? null,
    first,
    last,
    count: events.length,
    root: rootOf(leaves),
    sealedAt,
  };
  return {
    ...body,
    hash: sealHash(body),
    leaves: Buffer.concat(leaves),
    cursors: Buffer.concat(positions.map(packCursor)),
  };
};
