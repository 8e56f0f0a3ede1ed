import Type, { type Static, type TSchema } from 'typebox';
import { sha256 } from '../crypto/digest.ts';
import { canonicalJson } from '../crypto/jcs.ts';

const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const rule = Type.Object({
  hostPattern: Type.String({ minLength: 1, maxLength: 253 }),
  port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 })),
  transport: nullable(Type.Enum(['any', 'tcp', 'udp', 'http', 'https'])),
});

/** Egress policy of a tenant as it is stored and hashed (spec 2.7). */
export const policyDocument = Type.Object({
  allowLoopback: Type.Boolean(),
  allowPrivateNetworks: Type.Boolean(),
  allowRules: Type.Array(rule, { maxItems: 1_000 }),
  remediationDocumentationUrl: nullable(Type.String({ maxLength: 2_000 })),
  supportContact: nullable(Type.String({ maxLength: 500 })),
});

export type EgressRule = Static<typeof rule>;
export type PolicyDocument = Static<typeof policyDocument>;

/** Digest of a policy: SHA-256 of its canonical JSON. */
export const policyDigest = (policy: PolicyDocument): string => sha256(canonicalJson(policy));
