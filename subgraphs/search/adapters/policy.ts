import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { joinLines } from '../platform/phrases.ts';
import type { Adapter } from './adapter.ts';
import { instantOf, nullish } from './item-values.ts';

/** A rule of GET /api/v1/authority/effective-policies. */
const effectivePolicy = Compile(
  Type.Object({
    policyId: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    kind: Type.String(),
    enabled: Type.Boolean(),
    environment: nullish(Type.Object({ id: Type.String(), name: Type.String() })),
    expiresAt: nullish(Type.String()),
    rule: Type.String(),
    source: Type.String(),
  }),
);

export const policy: Adapter = {
  name: 'policy',
  domain: 'policy',
  target: '/api/v1/authority/effective-policies?enabledOnly=false&includeExpired=true&limit=100',
  chunkOf(item) {
    if (!effectivePolicy.Check(item)) return undefined;
    const { policyId, name, kind, enabled, environment, expiresAt, rule, source } = item;
    const ends = instantOf(expiresAt);
    return {
      domain: 'policy',
      source: 'policy',
      documentKey: policyId,
      part: 0,
      entityType: 'policy',
      entityKey: `policy:${source}/${policyId}`,
      title: name,
      body: joinLines(
        rule,
        !enabled && 'It decides nothing at present.',
        ends && `${enabled ? 'It ends' : 'It ended'} at ${ends.toISOString()}.`,
        `Policy of kind ${kind.replaceAll('_', ' ')}${environment ? `, environment ${environment.name}` : ''}.`,
      ),
      identifiers: [policyId],
      packages: [],
      ref: environment ? { type: 'Environment', id: environment.id } : undefined,
      attributes: { kind, enabled, expiresAt, environment: environment?.name },
    };
  },
};
