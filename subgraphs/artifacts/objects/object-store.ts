import type { Digest } from '@landfall/kernel/crypto/digest';

/** Received bytes in a file of this machine, which its owner puts under a key or discards. */
export interface StagedFile {
  readonly path: string;
  readonly sha256: Digest;
  readonly sizeBytes: number;
}

/** Object that can be read once. */
export interface OpenObject {
  readonly sizeBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Object of a list. */
export interface StoredObject {
  readonly key: string;
  readonly modifiedAt: Date;
}

/** Storage of objects by their keys. */
export interface ObjectStore {
  /** Puts staged bytes under a key, durably and in one step; the staged file is gone afterwards or may be discarded. */
  put(key: string, staged: StagedFile): Promise<void>;
  /**
   * Opens an object; undefined if there is none. Given its size, a small object is read at once, up to one byte more: that
   * costs a third of the processor time.
   */
  open(key: string, expectedBytes?: number): Promise<OpenObject | undefined>;
  /** Moves an object to where nothing reads it, for a person to look at; none is a success. */
  quarantine(key: string): Promise<void>;
  /** Removes an object; none is a success. */
  remove(key: string): Promise<void>;
  /** Every object, in no order. */
  list(): AsyncIterable<StoredObject>;
}
