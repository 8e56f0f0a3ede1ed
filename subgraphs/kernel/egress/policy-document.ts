import Type from 'typebox';

const nullable = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

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
