import type { VerificationKey } from '@landfall/kernel/crypto/signing/signer';

/** An entry with the proof that it is in the tree of a signed checkpoint. */
export interface LoggedEntry {
  readonly index: number;
  /** The canonical body: what the leaf is the hash of. */
  readonly body: Buffer;
  readonly treeSize: number;
  readonly rootHash: Buffer;
  /** The audit path, leaf upwards (RFC 9162 2.1.3). */
  readonly hashes: readonly Buffer[];
  /** The signed note of `treeSize` and `rootHash` (C2SP tlog-checkpoint). */
  readonly checkpoint: string;
}

/** The log's identity, as bundles and trusted roots name it. */
export interface LogIdentity {
  /** First line of each checkpoint, and the name of its signature. */
  readonly origin: string;
  /** The full C2SP key id of the current checkpoint key: 32 bytes. */
  readonly keyId: Buffer;
  readonly keys: readonly VerificationKey[];
}

/** A log of this platform: another platform domain begins another one, and what is in the former stays true. */
export interface LogHistory {
  readonly origin: string;
  /** Number of entries by the milliseconds of each requested time that has passed. */
  readonly sizes: ReadonlyMap<number, number>;
}

/** Our RFC 9162 log. Throws what the database throws, and `LogForked` when its rows contradict what was signed. */
export interface TransparencyLog {
  identity(): Promise<LogIdentity>;
  /**
   * Appends once: the same body again answers the entry that is there. Settles after the commit that has its checkpoint.
   * @throws Fault SYS_OVERLOADED while too many wait
   */
  append(body: Uint8Array): Promise<LoggedEntry>;
  /** The entry at an index, proved against the newest checkpoint: one SQL round trip. Undefined beyond the tree. */
  find(index: number): Promise<LoggedEntry | undefined>;
  /** Index of the entry with this body; undefined where there is none. */
  indexOf(body: Uint8Array): Promise<number | undefined>;
  /** Every log of this platform, with its sizes at these times by its checkpoints: one SQL round trip. */
  history(times: readonly Date[]): Promise<readonly LogHistory[]>;
  /**
   * Proof that the tree of `size` entries is a prefix of the newest checkpoint's (RFC 9162 2.1.4): one SQL round trip.
   * Of the log of that origin, which may be a former one; of this log unless given.
   */
  consistency(size: number, origin?: string): Promise<Consistency | undefined>;
  /** The newest checkpoint; undefined while the log is empty. */
  newest(): Promise<Checkpoint | undefined>;
}

export interface Consistency {
  readonly firstSize: number;
  readonly treeSize: number;
  readonly rootHash: Buffer;
  readonly hashes: readonly Buffer[];
  readonly checkpoint: string;
}

export interface Checkpoint {
  readonly size: number;
  readonly rootHash: Buffer;
  /** The note with the log's signature, then those of witnesses. */
  readonly note: string;
  readonly signedAt: Date;
}
