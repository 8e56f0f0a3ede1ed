import type { VerificationKey } from '@landfall/kernel/crypto/signing/signer';

/** Log entry with the proof of its inclusion in the tree of a signed checkpoint. */
export interface LoggedEntry {
  readonly index: number;
  /** Canonical body, whose hash is the leaf. */
  readonly body: Buffer;
  readonly treeSize: number;
  readonly rootHash: Buffer;
  /** Audit path from the leaf upwards (RFC 9162 2.1.3). */
  readonly hashes: readonly Buffer[];
  /** Signed note of `treeSize` and `rootHash` (C2SP tlog-checkpoint). */
  readonly checkpoint: string;
}

/** Identity of a log in bundles and trusted roots. */
export interface LogIdentity {
  /** Origin: first line of each checkpoint, and name of its signature. */
  readonly origin: string;
  /** C2SP key id of the current checkpoint key, 32 bytes. */
  readonly keyId: Buffer;
  readonly keys: readonly VerificationKey[];
}

/** Log of this platform. A new platform domain begins a new log; the former one stays valid. */
export interface LogHistory {
  readonly origin: string;
  /** Number of entries at each requested time that has passed, by milliseconds. */
  readonly sizes: ReadonlyMap<number, number>;
}

/** RFC 9162 transparency log of the platform. Throws LogForked if its rows contradict what was signed. */
export interface TransparencyLog {
  identity(): Promise<LogIdentity>;
  /** Appends a body, or returns its existing entry, after the commit. Throws SYS_OVERLOADED if too many bodies wait. */
  append(body: Uint8Array): Promise<LoggedEntry>;
  /** Entry at an index with its proof against the newest checkpoint, undefined beyond the tree. One SQL round trip. */
  find(index: number): Promise<LoggedEntry | undefined>;
  /** Index of the entry with this body; undefined if there is none. */
  indexOf(body: Uint8Array): Promise<number | undefined>;
  /** Lists every log of this platform with its sizes at these times, in one SQL round trip. */
  history(times: readonly Date[]): Promise<readonly LogHistory[]>;
  /** Proves that the tree of `size` entries is a prefix of the newest (RFC 9162 2.1.4), by default of this log. */
  consistency(size: number, origin?: string): Promise<Consistency | undefined>;
  /** Newest checkpoint; undefined for an empty log. */
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
  /** Note with the log's signature, followed by those of witnesses. */
  readonly note: string;
  readonly signedAt: Date;
}
