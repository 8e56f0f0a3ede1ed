import { isStorable } from '@landfall/kernel/core/storable';
import type { ContentFacts } from './facts.ts';

/** Bytes of a text in the index: PostgreSQL's indexes take 2,704 bytes for all columns of a row. */
export const MAX_BOM_REF_BYTES = 1_000;
export const MAX_SERIAL_BYTES = 500;
const MAX_PREDICATE_BYTES = 1_000;
const MAX_MEDIA_TYPE_BYTES = 200;

const fits = (text: string | undefined, bytes: number): boolean =>
  text === undefined || (isStorable(text) && Buffer.byteLength(text) <= bytes);

/** Facts that the index takes, with a note on each that it does not: content says what it likes. */
export const storableFacts = (
  facts: ContentFacts,
): { readonly facts: ContentFacts; readonly notes: readonly string[] } => {
  const subjects = facts.subjects.filter(({ predicateType }) => fits(predicateType, MAX_PREDICATE_BYTES));
  const dropped = facts.subjects.length - subjects.length;
  const notes =
    dropped > 0
      ? [`The predicate type of ${dropped} subjects is too long, or holds characters that are not text.`]
      : [];
  const kept = (name: string, text: string | undefined, bytes: number): string | undefined => {
    if (fits(text, bytes)) return text;
    notes.push(`Its ${name} is too long, or holds characters that are not text.`);
    return undefined;
  };
  return {
    facts: {
      ...facts,
      subjects,
      bomRef: kept('name', facts.bomRef, MAX_BOM_REF_BYTES),
      serialNumber: kept('serial number', facts.serialNumber, MAX_SERIAL_BYTES),
      contentType: kept('media type', facts.contentType, MAX_MEDIA_TYPE_BYTES) ?? 'application/json',
    },
    notes,
  };
};
