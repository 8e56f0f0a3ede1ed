import { exactBase64 } from '@landfall/attestation/signature/signed-note';
import { Fault } from '@landfall/kernel/core/fault';
import { parseJson } from '@landfall/kernel/core/json';
import type { EvidenceDocument } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { readUnverifiedWantList } from '../kits/want-list.ts';

export const JOB_KINDS = ['evidence', 'kit_request'] as const;
/** `unknown` is refused: the site has another version. */
export const STORED_KINDS = [...JOB_KINDS, 'unknown'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export const jobKind = oneOf(...JOB_KINDS);

/** Key of a job: the same key names the same thing at every site. */
export const jobKey = freeText(500);

const keyCheck = Compile(jobKey);

/** Whether a key of another site can be stored. */
export const isJobKey = (key: string): boolean => keyCheck.Check(key) && !key.includes('\0');

export const MAX_PAYLOAD_BYTES = 262_144;
/** The artifact store takes 1,000 bytes of UTF-8, and the name of the site comes before. */
const MAX_BOM_REF_BYTES = 900;
const MAX_SERIAL_BYTES = 500;

const closed = { additionalProperties: false } as const;

/** Signed statement of a site, which becomes an artifact where it arrives. */
const evidenceSchema = Type.Object(
  {
    bomRef: freeText(MAX_BOM_REF_BYTES),
    serialNumber: freeText(MAX_SERIAL_BYTES),
    /** Bytes in base64. */
    content: Type.String({ minLength: 1, maxLength: MAX_PAYLOAD_BYTES }),
  },
  closed,
);

/** Want-list of a site, for the smallest kit that brings it forward. */
const kitRequestSchema = Type.Object(
  { wantList: Type.String({ minLength: 1, maxLength: MAX_PAYLOAD_BYTES }), note: Type.Optional(freeText(2_000)) },
  closed,
);

const readerOf = <S extends TSchema>(schema: S) => {
  const validator = Compile(schema);
  const fits = (value: unknown): value is Static<S> => validator.Check(value);
  return (payload: string): Static<S> => {
    const value = parseJson(payload);
    if (fits(value)) return value;
    const [first] = validator.Errors(value);
    throw new Fault(
      'VAL_SCHEMA_MISMATCH',
      `The payload cannot be read: ${first?.instancePath ?? ''} ${first?.message ?? 'it is no JSON'}.`,
    );
  };
};

const readEvidence = readerOf(evidenceSchema);
export const readKitRequest = readerOf(kitRequestSchema);

/** Checks of payloads. @throws Fault VAL_* */
const CHECKS: Readonly<Record<JobKind, (payload: string) => unknown>> = {
  evidence(payload) {
    const { content, bomRef, serialNumber } = readEvidence(payload);
    if (Buffer.byteLength(bomRef) > MAX_BOM_REF_BYTES || Buffer.byteLength(serialNumber) > MAX_SERIAL_BYTES)
      throw new Fault(
        'VAL_TOO_LONG',
        `The evidence has at most ${MAX_BOM_REF_BYTES} bytes of UTF-8 in bomRef and ${MAX_SERIAL_BYTES} in serialNumber.`,
      );
    if (!exactBase64(content)) throw new Fault('VAL_INVALID_FORMAT', 'The content of the evidence is not base64.');
  },
  kit_request: (payload) => readUnverifiedWantList(readKitRequest(payload).wantList),
};

/** Checks a payload by its kind. @throws Fault VAL_* */
export const checkPayload = (kind: JobKind, payload: string): void => {
  const size = Buffer.byteLength(payload);
  if (size > MAX_PAYLOAD_BYTES)
    throw new Fault('VAL_TOO_LONG', `The payload has ${size} bytes; a job has at most ${MAX_PAYLOAD_BYTES}.`);
  CHECKS[kind](payload);
};

export const evidencePayload = ({
  bomRef,
  serialNumber,
  content,
}: EvidenceDocument): Static<typeof evidenceSchema> => ({
  bomRef,
  serialNumber,
  content: Buffer.from(content).toString('base64'),
});

/** Document of an evidence job, under the site that it came from. What it refers to there means nothing here. */
export const evidenceOf = (siteId: string, payload: string): EvidenceDocument => {
  const { bomRef, serialNumber, content } = readEvidence(payload);
  return {
    bomRef: `landfall:site:${siteId}:${bomRef}`,
    serialNumber,
    content: Buffer.from(content, 'base64'),
    references: [],
  };
};
