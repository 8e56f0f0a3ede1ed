import { textOf } from '../db/columns.ts';
import { isDigest } from './digest.ts';

/** Text column of SHA-256 digests. */
export const digestColumn = textOf('a digest', isDigest);
