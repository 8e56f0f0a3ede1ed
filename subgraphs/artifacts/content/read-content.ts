import { isJsonObject } from '@landfall/kernel/core/json';
import { MAX_CONTENT_BYTES, parseBoundedJson, UnreadContent } from './bounded-json.ts';
import { readCsaf, readCycloneDx, readOpenVex, readSpdx, readSpdx3 } from './documents.ts';
import type { ContentFacts } from './facts.ts';
import { readBundle, readEnvelope, readLogEntry, readStatement } from './statements.ts';
import { storableFacts } from './storable-facts.ts';
import type { Subject } from './subject.ts';

/** Facts of bytes, with the reason why some of them are unknown. */
export interface ReadContent extends ContentFacts {
  /** Null where the content was read whole. */
  readonly note: string | null;
  /** Whether the content is of a known form, which then says its type. */
  readonly isKnown: boolean;
}

/** Subjects of one artifact, at most: rows of the index. */
const MAX_SUBJECTS = 10_000;

const READERS = [
  readBundle,
  readEnvelope,
  readStatement,
  readCycloneDx,
  readSpdx,
  readSpdx3,
  readOpenVex,
  readCsaf,
  readLogEntry,
] as const;

const unread = (note: string): ReadContent => ({
  type: 'Other',
  contentType: 'application/octet-stream',
  subjects: [],
  note,
  isKnown: false,
});

/** Facts of content above the bound, which nobody reads. */
export const TOO_LARGE = unread(`It is larger than ${MAX_CONTENT_BYTES} bytes.`);

const distinct = (subjects: readonly Subject[]): readonly Subject[] => [
  ...new Map(
    subjects.map((subject) => [`${subject.algorithm} ${subject.digest} ${subject.predicateType}`, subject]),
  ).values(),
];

/** Reads the facts of an artifact's bytes. Bytes of no known form are evidence without subjects. */
export const readContent = (bytes: Buffer): ReadContent => {
  let document: unknown;
  try {
    document = parseBoundedJson(bytes);
  } catch (error) {
    if (error instanceof UnreadContent) return unread(error.message);
    throw error;
  }
  if (!isJsonObject(document)) return { ...unread('Its form is not known.'), contentType: 'application/json' };
  for (const read of READERS) {
    const found = read(document);
    if (!found) continue;
    const { facts, notes } = storableFacts(found);
    const subjects = distinct(facts.subjects);
    const cut =
      subjects.length > MAX_SUBJECTS ? [`Only ${MAX_SUBJECTS} of its ${subjects.length} subjects are listed.`] : [];
    const note = [...cut, ...notes].join(' ') || null;
    return { ...facts, subjects: subjects.slice(0, MAX_SUBJECTS), note, isKnown: true };
  }
  return { ...unread('Its form is not known.'), contentType: 'application/json' };
};
