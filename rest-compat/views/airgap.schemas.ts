import Type from 'typebox';
import { count, digest, instant, nullable } from './parts.ts';

const transport = Type.Enum(['any', 'tcp', 'udp', 'http', 'https']);

const policy = Type.Object({
  allowLoopback: Type.Boolean(),
  allowPrivateNetworks: Type.Boolean(),
  allowRules: Type.Array(
    Type.Object({
      hostPattern: Type.String(),
      port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 })),
      transport: nullable(transport),
    }),
  ),
  remediationDocumentationUrl: nullable(Type.String()),
  supportContact: nullable(Type.String()),
});

const policyRequest = Type.Object({
  allowLoopback: Type.Optional(Type.Boolean({ default: false })),
  allowPrivateNetworks: Type.Optional(Type.Boolean({ default: false })),
  allowRules: Type.Optional(
    Type.Array(
      Type.Object({
        hostPattern: Type.String({ description: 'Name, `*.` before a name, IP address, subnet, or `*` with a port.' }),
        port: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 65_535 }))),
        transport: Type.Optional(nullable(transport)),
      }),
      { maxItems: 1_000 },
    ),
  ),
  remediationDocumentationUrl: Type.Optional(nullable(Type.String())),
  supportContact: Type.Optional(nullable(Type.String())),
});

export const sealRequest = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 500 })),
  policy: Type.Optional(policyRequest),
});

export const unsealRequest = Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) });

export const airGapStatus = Type.Object({
  tenantId: Type.String(),
  mode: Type.Enum(['Unsealed', 'Sealed']),
  version: count,
  policyHash: nullable(digest),
  policy: nullable(policy),
  reason: nullable(Type.String({ description: 'Reason of the latest seal or unseal.' })),
  changedBy: nullable(Type.String()),
  changedAt: nullable(instant),
  sealedAt: nullable(instant),
  anchorDigest: nullable(digest),
  startupBlocked: nullable(
    Type.String({ description: 'Why imports and changes are refused since a start while sealed.' }),
  ),
});

export const verification = Type.Object({
  valid: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      valid: Type.Boolean(),
      expected: nullable(Type.String()),
      actual: nullable(Type.String()),
      message: Type.String(),
    }),
  ),
});

const seconds = Type.Number({ minimum: 0 });
const state = Type.Enum(['unknown', 'untrusted', 'fresh', 'warning', 'breach']);
const source = Type.Enum(['rfc3161', 'operator-dsse']);

export const timeStatus = Type.Object({
  tenantId: Type.String(),
  now: instant,
  wallClock: instant,
  state,
  ageSeconds: nullable(seconds),
  warningSeconds: count,
  breachSeconds: count,
  anchor: nullable(
    Type.Object({
      digest,
      source,
      anchorTime: instant,
      accuracySeconds: seconds,
      trusted: Type.Boolean(),
      future: Type.Boolean(),
      acceptedAt: instant,
    }),
  ),
  challenge: Type.Object({
    nonce: Type.String(),
    data: Type.String({ description: 'Bytes to stamp: canonical JSON of the nonce and the tenant.' }),
    request: Type.String({ description: 'Timestamp request over these bytes, DER in base64.' }),
  }),
  content: Type.Array(
    Type.Object({
      content: Type.Enum(['advisories', 'vex', 'policy']),
      date: nullable(instant),
      ageSeconds: nullable(seconds),
      state,
      warningSeconds: count,
      breachSeconds: count,
    }),
  ),
});

export const anchorRequest = Type.Object({
  tenantId: Type.Optional(Type.String()),
  source,
  token: Type.String({ description: 'Timestamp response in DER, or DSSE envelope in JSON; base64.' }),
  trustRoots: Type.Optional(Type.String({ description: 'PEM, where the installation takes them with a request.' })),
});
