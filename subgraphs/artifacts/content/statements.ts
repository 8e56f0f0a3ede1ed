import { isJsonObject, type JsonObject } from '@landfall/kernel/core/json';
import { parseBoundedJson, UnreadContent } from './bounded-json.ts';
import type { ContentFacts } from './facts.ts';
import { objectsIn, type Subject, subjectOf, textIn } from './subject.ts';

const IN_TOTO = 'application/vnd.in-toto+json';
const BUNDLE = /^application\/vnd\.dev\.sigstore\.bundle/;
const STATEMENT = /^https:\/\/in-toto\.io\/Statement\/v/;
/** Predicates that state the outcome of a check. */
const VERDICTS = /(verification_summary|\/vsa|\/verdict|policy-evaluation|test-result)/;

/** Digests of a statement's subjects, in every algorithm that it gives. */
const subjectsOf = (statement: JsonObject): readonly Subject[] => {
  const predicateType = textIn(statement.predicateType) ?? '';
  return objectsIn(statement.subject).flatMap(({ digest }) =>
    isJsonObject(digest)
      ? Object.entries(digest).flatMap(([algorithm, value]) => subjectOf(algorithm, value, predicateType))
      : [],
  );
};

const isStatement = (document: JsonObject): boolean => STATEMENT.test(textIn(document._type) ?? '');

/** Facts of an in-toto statement without a signature. */
export const readStatement = (document: JsonObject): ContentFacts | undefined =>
  isStatement(document)
    ? {
        type: VERDICTS.test(textIn(document.predicateType) ?? '') ? 'Verdict' : 'Other',
        contentType: IN_TOTO,
        subjects: subjectsOf(document),
      }
    : undefined;

/** Statement inside an envelope; undefined for another payload. */
const payloadOf = ({ payload, payloadType }: JsonObject): JsonObject | undefined => {
  if (payloadType !== IN_TOTO || typeof payload !== 'string') return undefined;
  try {
    const statement = parseBoundedJson(Buffer.from(payload, 'base64'));
    return isJsonObject(statement) && isStatement(statement) ? statement : undefined;
  } catch (error) {
    if (error instanceof UnreadContent) return undefined;
    throw error;
  }
};

/** Facts of a DSSE envelope. */
export const readEnvelope = (document: JsonObject): ContentFacts | undefined => {
  if (typeof document.payload !== 'string' || typeof document.payloadType !== 'string') return undefined;
  if (!Array.isArray(document.signatures)) return undefined;
  const statement = payloadOf(document);
  return {
    type: 'DsseEnvelope',
    contentType: 'application/vnd.dsse.envelope+json',
    subjects: statement ? subjectsOf(statement) : [],
    signature: 'envelope',
  };
};

/** Digest of a message that a bundle signs; its algorithm is written `SHA2_256`. */
const messageSubjects = ({ messageSignature }: JsonObject): readonly Subject[] => {
  const digest = isJsonObject(messageSignature) ? messageSignature.messageDigest : undefined;
  if (!isJsonObject(digest) || typeof digest.digest !== 'string') return [];
  const algorithm = textIn(digest.algorithm)?.replace(/^SHA2_/, 'sha');
  return subjectOf(algorithm, Buffer.from(digest.digest, 'base64').toString('hex'));
};

/** Facts of a Sigstore bundle of any version. */
export const readBundle = (document: JsonObject): ContentFacts | undefined => {
  const contentType = textIn(document.mediaType) ?? '';
  if (!BUNDLE.test(contentType)) return undefined;
  const { dsseEnvelope } = document;
  const statement = isJsonObject(dsseEnvelope) ? payloadOf(dsseEnvelope) : undefined;
  return {
    type: 'DsseEnvelope',
    contentType,
    subjects: statement ? subjectsOf(statement) : messageSubjects(document),
    signature: 'bundle',
  };
};

/** Digest that a log entry's body records: `hashedrekord` and `dsse` of Rekor 1 and 2. */
const loggedSubjects = (body: unknown): readonly Subject[] => {
  if (typeof body !== 'string') return [];
  const text = Buffer.from(body, 'base64').toString();
  const [, digest] = /"(?:value|digest)":"([0-9a-f]{64})"/.exec(text) ?? [];
  return subjectOf('sha256', digest);
};

/** Facts of an entry of a transparency log, alone or in the answer of a Rekor log by its id. */
export const readLogEntry = (document: JsonObject): ContentFacts | undefined => {
  const [only, ...others] = Object.values(document);
  const entry = others.length === 0 && isJsonObject(only) ? only : document;
  const proof = entry.inclusionProof ?? (isJsonObject(entry.verification) ? entry.verification.inclusionProof : null);
  const body = entry.canonicalizedBody ?? entry.body;
  if (!isJsonObject(proof) || entry.logIndex === undefined) return undefined;
  return { type: 'RekorProof', contentType: 'application/json', subjects: loggedSubjects(body) };
};
