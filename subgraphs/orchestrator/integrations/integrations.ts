import type { Who } from '@landfall/kernel/caller';
import { event } from '@landfall/kernel/events/write';
import type { Fault } from '@landfall/kernel/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/ids';
import { oneOf } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { label } from '../input.ts';
import { refuse } from '../permission.ts';
import { administers, reads } from '../scopes.ts';
import { integrationKinds } from '../words.ts';
import type { Address } from './address.ts';
import { createIntegrationChanges } from './changes.ts';
import { type Credentials, credentialsOf, openCredentials, sealCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';
import { integrationNotFound, partyAddress } from './party.ts';
import { disabledRefusal, probeOf } from './probe.ts';

/** Where a remote party is, and what it is asked with. */
export interface Party extends Address {
  readonly credentials: Credentials | undefined;
}

/** How each kind is asked whether it is there. */
export type Pings = Readonly<Record<store.Integration['kind'], (who: Who, party: Party) => Promise<Fault | undefined>>>;

const address = Type.String({ maxLength: 2000 });
const username = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));
const password = Type.Optional(Type.String({ minLength: 1, maxLength: 4096 }));

/** Remote parties. A registry serves the repositories of its host; a metrics server answers what analyses ask. */
export const createIntegrations = (deps: Deps, pings: Pings) => ({
  ...createIntegrationChanges(deps),
  ...createIntegrationRegister(deps, pings),
});

const createIntegrationRegister = ({ operation, database, ids, secrets, http, clock }: Deps, pings: Pings) => ({
  list: operation({
    name: 'integration.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    raises: [],
    example: {},
    run: (who, _input, query) => store.list(query, who.tenant),
  }),

  get: operation({
    name: 'integration.get',
    kind: 'read',
    scope: reads,
    input: Type.Object({ id: idOf('Integration') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('Integration') },
    async run(who, { id }, query) {
      const integration = await store.find(query, who.tenant, id);
      if (!integration) throw integrationNotFound(id);
      return integration;
    },
  }),

  create: operation({
    name: 'integration.create',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      kind: oneOf(...integrationKinds),
      name: label,
      baseUrl: address,
      username,
      password,
    }),
    raises: ['RES_ALREADY_EXISTS'],
    example: { kind: 'registry', name: 'Main registry', baseUrl: 'https://registry.example' },
    async run(who, { kind, name, ...input }, tx) {
      const { url: baseUrl, host } = partyAddress(http, who.tenant, kind, input.baseUrl);
      const given = credentialsOf(kind, input.username, input.password);
      const id = toId(ids.uuid(), 'Integration');
      const credentials = given ? sealCredentials(secrets, who.tenant, id, given) : null;
      const integration = await store.insert(
        tx,
        who.tenant,
        { id, kind, name, baseUrl, host, credentials },
        who.subject,
      );
      await event(tx, who, 'integration.create', {
        entity: 'Integration',
        id,
        version: integration.version,
        data: { kind, name, baseUrl },
      });
      return integration;
    },
  }),

  /** Asks a remote party that is not saved yet, or one that is by settings it does not have yet. Nothing is kept. */
  try: operation({
    name: 'integration.try',
    cost: 500,
    isRemote: true,
    kind: 'read',
    isDetached: true,
    scope: administers,
    input: Type.Object({
      /** Whose credentials are used where none are given. */
      id: Type.Optional(idOf('Integration')),
      kind: oneOf(...integrationKinds),
      baseUrl: address,
      username,
      password,
    }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('Integration'), kind: 'registry', baseUrl: 'https://registry.example' },
    async run(who, { id, kind, ...input }) {
      const { url, host } = partyAddress(http, who.tenant, kind, input.baseUrl);
      const saved = id && (await database.read(who.tenant, (query) => store.find(query, who.tenant, id)));
      if (id && !saved) throw integrationNotFound(id);
      const given = credentialsOf(kind, input.username, input.password);
      // Saved credentials go to the address that they were given for, and to no other.
      const known = saved && saved.kind === kind && saved.baseUrl === url;
      const credentials = given ?? (known ? openCredentials(secrets, who.tenant, saved) : undefined);
      return { ...probeOf(await pings[kind](who, { url, host, credentials })), at: clock.now() };
    },
  }),

  test: operation({
    name: 'integration.test',
    cost: 500,
    isRemote: true,
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('Integration') }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { id: exampleId('Integration') },
    async prepare(who, { id }) {
      const integration = await database.read(who.tenant, (query) => store.find(query, who.tenant, id));
      if (!integration) throw integrationNotFound(id);
      refuse(disabledRefusal('integration', integration));
      const { kind, baseUrl: url, host } = integration;
      const credentials = openCredentials(secrets, who.tenant, integration);
      return probeOf(await pings[kind](who, { url, host, credentials }));
    },
    async run(who, { id }, tx, probe) {
      const integration = await store.recordProbe(tx, who.tenant, id, probe, who.subject);
      if (!integration) throw integrationNotFound(id);
      await event(tx, who, 'integration.test', {
        entity: 'Integration',
        id,
        version: integration.version,
        data: { ...probe },
      });
      return integration;
    },
  }),
});

export type Integrations = ReturnType<typeof createIntegrations>;
