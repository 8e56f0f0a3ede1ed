import { Fault } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { type Envelope, parseEnvelope } from '@landfall/kernel/crypto/dsse';
import { fields, isFields, type Problem, parseJsonObject, UnreadableDocument } from '../advisories/document-fields.ts';
import { readVexDocument } from '../advisories/vex-reader.ts';
import type { VexDocument, VexStatement } from '../advisories/vex-statement.ts';
import { SbomError } from '../sbom/sbom-error.ts';
import { expectStrictJson } from './strict-json.ts';

/** Characters of the longest document that is taken. */
export const MAX_DOCUMENT = 16 * 1024 * 1024;

/** Document that was read, with what its signature covers. */
export interface ReadDocument {
  readonly document: VexDocument;
  /** Bytes of the document itself: the payload where it came in an envelope. */
  readonly bytes: Buffer;
  /** DSSE envelope in which it came. */
  readonly envelope: Envelope | undefined;
}

const unreadable = (reason: string, message: string, cause?: unknown): Fault =>
  new Fault('VAL_INVALID_VALUE', message, { reason }, [], { cause });

const strictBytes = async (bytes: Buffer): Promise<Buffer> => {
  try {
    await expectStrictJson(bytes);
    return bytes;
  } catch (error) {
    if (!(error instanceof SbomError)) throw error;
    if (error.reason === 'malformed_json')
      throw new Fault('VAL_INVALID_JSON', `${error.message}.`, { ...error.position });
    throw unreadable(error.reason, `${error.message}.`, error);
  }
};

/** Envelope of a JSON document that is one. @throws Fault VAL_* for one with a wrong part */
const envelopeOf = (bytes: Buffer): Envelope | undefined => {
  const value = parseJsonObject(bytes.toString());
  const isEnvelope = 'payload' in value && 'payloadType' in value && 'signatures' in value;
  return isEnvelope ? parseEnvelope(value, { maxPayloadBytes: MAX_DOCUMENT }) : undefined;
};

/** Document that an in-toto statement carries as its predicate, otherwise the bytes themselves. */
const predicateOf = (bytes: Buffer): Buffer => {
  const { _type: type, predicate } = fields(parseJsonObject(bytes.toString()));
  return typeof type === 'string' && type.includes('in-toto') && isFields(predicate)
    ? Buffer.from(JSON.stringify(predicate))
    : bytes;
};

/** Whether a statement has no NUL, which no column stores; a percent-encoded one may be in a package URL. */
const isStorable = (statement: VexStatement): boolean => !JSON.stringify(statement).includes('\\u0000');

const unstorable = (format: VexDocument['format'], { index }: VexStatement): Problem => ({
  path: `${format === 'openvex' ? 'statements' : 'vulnerabilities'}[${index}]`,
  reason: 'a name has the character NUL, which is not stored',
});

/** Document without the statements that cannot be stored, which are reported instead. */
const withoutUnstorable = (read: VexDocument): VexDocument => {
  const refused = read.statements.filter((one) => !isStorable(one)).map((one) => unstorable(read.format, one));
  if (refused.length === 0) return read;
  const problems = [...read.problems, ...refused];
  return { ...read, statements: read.statements.filter(isStorable), problems };
};

const vexOf = (bytes: Buffer): VexDocument => {
  const read = withoutUnstorable(readVexDocument(predicateOf(bytes)));
  if (read.statements.length + read.problems.length === 0)
    throw new UnreadableDocument('it states nothing about a vulnerability');
  // The digest is that of the bytes that were stored and signed.
  const digest = sha256(bytes);
  return { ...read, digest, statements: read.statements.map((one) => ({ ...one, documentDigest: digest })) };
};

/**
 * Reads a VEX document: OpenVEX, CSAF or CycloneDX in JSON, also in a DSSE envelope or an in-toto statement.
 * @throws Fault VAL_INVALID_JSON, VAL_INVALID_VALUE with the reason for another document
 */
export const readDocument = async (text: string): Promise<ReadDocument> => {
  const sent = await strictBytes(Buffer.from(text));
  try {
    const envelope = envelopeOf(sent);
    const bytes = envelope ? await strictBytes(envelope.payload) : sent;
    return { document: vexOf(bytes), bytes, envelope };
  } catch (error) {
    if (error instanceof UnreadableDocument)
      throw unreadable('not_vex', `The document cannot be read as VEX: ${error.message}.`, error);
    throw error;
  }
};
