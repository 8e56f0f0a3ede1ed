import type { Deps } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation/operation';
import type { ResolveTxt } from '@landfall/kernel/system/dns';
import { createAudit } from './audit/audit.ts';
import { createClients } from './clients/clients.ts';
import { clearFactors, type Factors } from './factors/factors.ts';
import { createPasskeys } from './factors/passkey-operations.ts';
import { createIdentityProviders } from './federation/providers.ts';
import { createGroups } from './groups/groups.ts';
import type { Keys } from './keys/keys.ts';
import { createSigningKeys } from './keys/signing-keys.ts';
import type { AuthoritySettings } from './protocol/settings.ts';
import { createSessions } from './sign-in/sessions.ts';
import { createAccessVocabulary } from './tenants/access-vocabulary.ts';
import { createFamilies } from './tokens/families.ts';
import { createFirstPartyCheck } from './tokens/first-party.ts';
import { createLinks } from './users/account-links.ts';
import { createUsers } from './users/users.ts';
import { createViews } from './views/views.ts';

interface Parts {
  readonly keys: Keys;
  readonly factors: Factors;
  readonly resolveTxt: ResolveTxt;
}

export const createServices = (deps: Deps, { keys, factors, resolveTxt }: Parts, settings: AuthoritySettings) => ({
  users: createUsers(deps),
  links: createLinks({ ...deps, clearFactors }, settings),
  sessions: createSessions(deps),
  passkeys: createPasskeys(deps, factors.passkeys, createFirstPartyCheck(deps)),
  clients: createClients(deps),
  groups: createGroups(deps),
  identityProviders: createIdentityProviders(deps, { ...settings, resolveTxt }),
  families: createFamilies(deps),
  signingKeys: createSigningKeys(deps, { keys }),
  audit: createAudit(deps),
  views: createViews(deps),
  vocabulary: createAccessVocabulary(deps),
});

export type Services = ReturnType<typeof createServices>;

export const operationsOf = (services: Services): readonly Operation<unknown>[] =>
  Object.values(services).flatMap((service): readonly Operation<unknown>[] => Object.values(service));
