import Type from 'typebox';
import { digest, instant, nullable, strict, uuid } from './parts.ts';

/** Bodies of the score routes (spec 2.4; rulings, exact shapes). */

const ratio = Type.Number({ minimum: 0, maximum: 1 });

const factor = strict({
  name: Type.String(),
  weight: Type.Number(),
  raw: Type.Number(),
  weighted: Type.Number(),
  source: Type.String(),
});

export const replayRequest = strict({
  manifestHash: Type.Optional(Type.String()),
  freezeTimestamp: Type.Optional(instant),
});

export const replayResponse = strict({
  score: nullable(ratio),
  rootHash: digest,
  bundleUri: Type.String(),
  manifestHash: digest,
  manifestDigest: digest,
  canonicalInputHash: digest,
  canonicalInputPayload: Type.String(),
  seedHex: Type.String(),
  factors: Type.Array(factor),
  verificationStatus: Type.Enum(['verified', 'unverified', 'failed', 'not_evaluated']),
  replayedAt: instant,
  deterministic: Type.Boolean(),
});

export const bundleResponse = strict({
  scanId: uuid,
  rootHash: digest,
  bundleUri: Type.String(),
  manifestDsseValid: Type.Boolean(),
  createdAt: instant,
});

export const verifyRequest = Type.Object({
  expectedRootHash: Type.String(),
  bundleUri: Type.Optional(Type.String()),
  expectedCanonicalInputHash: Type.Optional(Type.String()),
  canonicalInputPayload: Type.Optional(Type.String()),
});

export const verifyResponse = strict({
  valid: Type.Boolean(),
  computedRootHash: nullable(digest),
  expectedRootHash: Type.String(),
  manifestValid: Type.Boolean(),
  ledgerValid: Type.Boolean(),
  canonicalInputHashValid: Type.Boolean(),
  expectedCanonicalInputHash: nullable(Type.String()),
  canonicalInputHash: nullable(digest),
  verifiedAtUtc: instant,
  errorMessage: nullable(Type.String()),
});

export const history = Type.Array(
  strict({
    rootHash: digest,
    replayedAt: instant,
    score: nullable(ratio),
    canonicalInputHash: digest,
    manifestDigest: digest,
    factors: Type.Array(factor),
  }),
);

export const manifest = strict({
  scanId: uuid,
  manifestHash: digest,
  manifestDigest: digest,
  sbomHash: digest,
  rulesHash: digest,
  feedHash: digest,
  policyHash: digest,
  deterministic: Type.Boolean(),
  createdAtUtc: instant,
  scannerVersion: Type.String(),
  inputs: Type.Array(strict({ role: Type.String(), hash: digest, publishedAt: Type.Optional(instant) })),
});

export const proof = strict({
  rootHash: digest,
  bundleType: Type.Enum(['score']),
  bundleHash: digest,
  createdAt: instant,
  expiresAt: Type.Optional(instant),
});

export const proofs = strict({ items: Type.Array(proof) });

export const explanation = strict({
  digest,
  scanId: uuid,
  score: nullable(ratio),
  factors: Type.Array(factor),
  rootHash: digest,
  canonicalInputHash: digest,
  manifestDigest: digest,
  explainedAt: instant,
});
