import { textOf } from '../db/table.ts';
import { isDigest } from './digest.ts';

/** Text column of SHA-256 digests. */
export const digestColumn = textOf('a digest', isDigest);
