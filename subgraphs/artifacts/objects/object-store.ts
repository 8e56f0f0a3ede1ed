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

interface ObjectFacts {
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

/** Object of a list. */
export interface StoredObject extends ObjectFacts {
  readonly key: string;
}

/** Protection of an artifact's object, which a bucket with Object Lock keeps as well. */
export interface ObjectProtection {
  /** Null once the retention is over. */
  readonly retainUntil: Date | null;
  readonly isHeld: boolean;
}

/** Storage of objects by their keys. */
export interface ObjectStore {
  /** Puts staged bytes under a key, durably and in one step; the staged file is gone afterwards. */
  put(key: string, staged: StagedFile): Promise<void>;
  /**
   * Opens an object; undefined if there is none. Given its size, a small object is read at once, up to one byte more: that
   * costs a third of the processor time.
   */
  open(key: string, expectedBytes?: number): Promise<OpenObject | undefined>;
  /** Size and age of an object; undefined if there is none. */
  stat(key: string): Promise<ObjectFacts | undefined>;
  /** Moves an object to where nothing reads it, for a person to look at; none is a success. */
  quarantine(key: string): Promise<void>;
  /** Moves an object to the trash of a day; none is a success. */
  discard(key: string, day: Date): Promise<void>;
  /** Removes what was discarded before a day. */
  emptyTrash(before: Date): Promise<void>;
  /** Objects whose keys begin with a folder, in no order. */
  list(folder: string): AsyncIterable<StoredObject>;
  /** Identity that the storage was bound to; the given one if it was bound to none. */
  bind(identity: string): Promise<string>;
  /** Protects an object from deletion by others; absent where the storage cannot. */
  protect?(key: string, protection: ObjectProtection): Promise<void>;
}

/** Day of a time, which names a folder of the trash. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Stream of one chunk. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
