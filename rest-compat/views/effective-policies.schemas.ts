import Type from 'typebox';
import { nullable, uuid } from './parts.ts';

const policy = Type.Object({
  policyId: Type.String({ description: '`approvals:<environment id>`; lists are ordered by it.' }),
  name: Type.String(),
  kind: Type.Enum([
    'approvals',
    'separation_of_duties',
    'evidence',
    'promotion_order',
    'strategy',
    'analysis',
    'landing',
    'trusted_signer',
    'accepted_drift',
  ]),
  enabled: Type.Boolean({ description: 'Whether it decides anything now.' }),
  environment: nullable(Type.Object({ id: uuid, name: Type.String() })),
  expiresAt: nullable(Type.String({ format: 'date-time', description: 'When it ends, or ended.' })),
  rule: Type.String({ description: 'The rule in words.' }),
  source: Type.String({ description: 'The module whose it is.' }),
});

export const policyPage = Type.Object({ items: Type.Array(policy), nextCursor: nullable(Type.String()) });
