import type { Deps } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation/operation';
import type { ResolveTxt } from '@landfall/kernel/system/dns';
import { type Audit, createAudit } from './audit/audit.ts';
import { type Clients, createClients } from './clients/clients.ts';
import { clearFactors, type Factors } from './factors/factors.ts';
import { createPasskeys, type Passkeys } from './factors/passkey-operations.ts';
import { createIdentityProviders, type IdentityProviders } from './federation/providers.ts';
import { createGroups, type Groups } from './groups/groups.ts';
import type { Keys } from './keys/keys.ts';
import { createSigningKeys, type SigningKeys } from './keys/signing-keys.ts';
import type { AuthoritySettings } from './protocol/settings.ts';
import { createSessions, type Sessions } from './sign-in/sessions.ts';
import { type AccessVocabularies, createAccessVocabulary } from './tenants/access-vocabulary.ts';
import { createFamilies, type Families } from './tokens/families.ts';
import { createFirstPartyCheck } from './tokens/first-party.ts';
import { createLinks, type Links } from './users/account-links.ts';
import { createUsers, type Users } from './users/users.ts';
import { createViews, type Views } from './views/views.ts';
/** Services behind the graph, by noun. */
export interface Services {
  readonly users: Users;
  readonly links: Links;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly clients: Clients;
  readonly groups: Groups;
  readonly identityProviders: IdentityProviders;
  readonly families: Families;
  readonly signingKeys: SigningKeys;
  readonly audit: Audit;
  readonly views: Views;
  readonly vocabulary: AccessVocabularies;
}

interface Parts {
  readonly keys: Keys;
  readonly factors: Factors;
  readonly resolveTxt: ResolveTxt;
}

export const createServices = (
  deps: Deps,
  { keys, factors, resolveTxt }: Parts,
  settings: AuthoritySettings,
): Services => ({
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

/** Operations of all services. */
export const operationsOf = (services: Services): readonly Operation<unknown>[] =>
  Object.values(services).flatMap((service): readonly Operation<unknown>[] => Object.values(service));
