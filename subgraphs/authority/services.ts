import type { Deps } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation';
import { type Audit, createAudit } from './audit/audit.ts';
import { type Clients, createClients } from './clients/clients.ts';
import { createGroups, type Groups } from './groups/groups.ts';
import { createUsers, type Users } from './users/users.ts';
import { createViews, type Views } from './views/views.ts';
import { createVocabulary, type Vocabularies } from './vocabulary.ts';

/** Everything that the graph can ask of the authority, by its nouns. */
export interface Services {
  readonly users: Users;
  readonly clients: Clients;
  readonly groups: Groups;
  readonly audit: Audit;
  readonly views: Views;
  readonly vocabulary: Vocabularies;
}

export const createServices = (deps: Deps): Services => ({
  users: createUsers(deps),
  clients: createClients(deps),
  groups: createGroups(deps),
  audit: createAudit(deps),
  views: createViews(deps),
  vocabulary: createVocabulary(deps),
});

/** Every operation there is behind the graph's doors. */
export const operationsOf = (services: Services): readonly Operation<unknown>[] =>
  Object.values(services).flatMap((service): readonly Operation<unknown>[] => Object.values(service));
