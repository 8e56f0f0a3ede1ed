import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { ROLES, SCOPES, scopesOfRole } from '../protocol/scopes.ts';
import * as tenants from './tenants.store.ts';

/** Scopes, roles and plans (the default first) for registering clients and people. */
export const createAccessVocabulary = ({ operation }: Pick<Deps, 'operation'>) => ({
  find: operation({
    name: 'vocabulary.find',
    kind: 'read',
    scope: ['authority:admin'],
    input: Type.Object({}),
    async run({ tenant }, _input, query) {
      const terms = await tenants.find(query, tenant);
      return {
        scopes: SCOPES,
        roles: ROLES.map((role) => ({ role, scopes: scopesOfRole(role) })),
        plans: terms?.plans ?? [],
        license: terms?.license ?? null,
      };
    },
  }),
});
