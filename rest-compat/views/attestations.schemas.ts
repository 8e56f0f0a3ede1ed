import Type from 'typebox';
import { digest, instant, nullable, strict, uuid } from './parts.ts';

/** JSON Schemas of what is verified: `POST /api/v1/rekor/verify` (proofs 6.6). */

const result = Type.Enum(['pass', 'fail', 'skipped']);

export const verifyRequest = Type.Object({
  attestationRef: Type.Optional(uuid),
  // A Sigstore bundle: the document, or its text.
  bundle: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())])),
  logIndex: Type.Optional(
    Type.Union([Type.String({ pattern: '^(0|[1-9][0-9]{0,14})$' }), Type.Integer({ minimum: 0 })]),
  ),
  bodyHash: Type.Optional(digest),
  expected: Type.Optional(
    Type.Object({
      subjectDigest: Type.Optional(digest),
      predicateType: Type.Optional(Type.String()),
      deploymentId: Type.Optional(uuid),
    }),
  ),
});

export const verification = strict({
  verified: Type.Boolean(),
  checks: strict({
    signature: result,
    body: result,
    inclusion: result,
    checkpoint: result,
    consistency: result,
    timestamp: result,
    subject: result,
    predicate: result,
  }),
  log: nullable(
    strict({
      origin: Type.String(),
      index: Type.Integer({ minimum: 0 }),
      treeSize: Type.Integer({ minimum: 1 }),
      rootHash: digest,
    }),
  ),
  signedAt: nullable(instant),
  verifiedAt: instant,
  errorMessage: nullable(Type.String()),
});
