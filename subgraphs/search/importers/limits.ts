const MIB = 1024 * 1024;

/** Limits of an import. Records beyond them are rejected with a reason. */
export const LIMITS = {
  /** Characters of one record: a line of NDJSON, an element of a list, a JSON document that is one object. */
  record: 64 * MIB,
  policyFile: 16 * MIB,
  /** Bytes that one file of an archive may have when it is unpacked. */
  archivedFile: 64 * MIB,
  /** Bytes that an archive or a compressed file may have altogether when it is unpacked. */
  unpacked: 16 * 1024 * MIB,
  /** Largest growth of decompression beyond a mebibyte: deflate reaches 1,032. */
  ratio: 200,
  archivedFiles: 2_000_000,
  directory: 512 * MIB,
  /** Folders below the one that was given. */
  depth: 64,
} as const;

export const expandsTooMuch = (packed: number, unpacked: number): boolean =>
  unpacked > MIB && unpacked > packed * LIMITS.ratio;
