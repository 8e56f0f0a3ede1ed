import type { Who } from '@landfall/kernel/caller';
import { event } from '@landfall/kernel/events/write';
import { Fault, invalid } from '@landfall/kernel/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/ids';
import { oneOf } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { label } from '../input.ts';
import { administers, reads } from '../scopes.ts';
import { integrationKinds } from '../words.ts';
import { parseAddress } from './address.ts';
import { type Credentials, sealCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';
import { probeOf } from './probe.ts';

const notFound = (id: string): Fault => new Fault('RES_NOT_FOUND', `There is no integration ${id}.`, { id });

/** It becomes a header. */
const isToken = (password: string): boolean => /^[\x21-\x7e]+$/.test(password);

/**
 * Credentials come in pairs; to a metrics server a password alone is a bearer token.
 * @throws Fault VAL_REQUIRED_FIELD, VAL_INVALID_FORMAT
 */
const credentialsOf = (
  kind: store.Integration['kind'],
  username: string | undefined,
  password: string | undefined,
): Credentials | undefined => {
  if (password === undefined) {
    if (username === undefined) return undefined;
    throw invalid([{ field: 'password', message: 'is required beside the other', code: 'VAL_REQUIRED_FIELD' }]);
  }
  if (username !== undefined) return { username, password };
  if (kind !== 'metrics')
    throw invalid([{ field: 'username', message: 'is required beside the other', code: 'VAL_REQUIRED_FIELD' }]);
  if (!isToken(password))
    throw invalid([{ field: 'password', message: 'is no bearer token', code: 'VAL_INVALID_FORMAT' }]);
  return { password };
};

/** How each kind is asked whether it is there. */
export type Pings = Readonly<
  Record<store.Integration['kind'], (who: Who, integration: store.Integration) => Promise<Fault | undefined>>
>;

/** Remote parties. A registry serves the repositories of its host; a metrics server answers what analyses ask. */
export const createIntegrations = ({ operation, database, ids, secrets, http }: Deps, pings: Pings) => ({
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
      if (!integration) throw notFound(id);
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
      baseUrl: Type.String({ maxLength: 2000 }),
      username: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      password: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    }),
    raises: ['RES_ALREADY_EXISTS'],
    example: { kind: 'registry', name: 'Main registry', baseUrl: 'https://registry.example' },
    async run(who, { kind, name, baseUrl: address, username, password }, tx) {
      const { url: baseUrl, host } = parseAddress(address, 'baseUrl', kind === 'metrics');
      // What will never be asked, though an administrator names it, is not taken.
      const refused = http.refusal({ url: baseUrl, tenant: who.tenant, vouched: new Set([new URL(baseUrl).origin]) });
      if (refused) throw invalid([{ field: 'baseUrl', message: refused.message, code: 'VAL_INVALID_VALUE' }]);
      const given = credentialsOf(kind, username, password);
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

  test: operation({
    name: 'integration.test',
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('Integration') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('Integration') },
    async prepare(who, { id }) {
      const integration = await database.read(who.tenant, (query) => store.find(query, who.tenant, id));
      if (!integration) throw notFound(id);
      return probeOf(await pings[integration.kind](who, integration));
    },
    async run(who, { id }, tx, probe) {
      const integration = await store.recordProbe(tx, who.tenant, id, probe, who.subject);
      if (!integration) throw notFound(id);
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
