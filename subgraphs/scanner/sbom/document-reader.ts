import type { Sbom } from './sbom.ts';

/** Incremental reader of one document. Both methods throw SbomError. */
export interface DocumentReader {
  /** Reads the next bytes, which end at the end of a character of UTF-8. */
  write(bytes: Buffer): void;
  end(): Sbom;
}
