import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { ROLES, SCOPES, type Scope, scopesOfRole } from '../protocol/scopes.ts';
import * as tenants from './tenants.store.ts';

/** Scopes, roles and plans for registering clients and people. */
interface AccessVocabulary {
  readonly scopes: readonly Scope[];
  readonly roles: readonly { readonly role: string; readonly scopes: readonly Scope[] }[];
  /** Plans of the caller's tenant, the default first. */
  readonly plans: readonly string[];
  readonly license: string | null;
}

export const createAccessVocabulary = ({ operation }: Pick<Deps, 'operation'>) => ({
  find: operation({
    name: 'vocabulary.find',
    kind: 'read',
    scope: ['authority:admin'],
    input: Type.Object({}),
    async run({ tenant }, _input, query): Promise<AccessVocabulary> {
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
