import type { Who } from '@landfall/kernel/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { invalid } from '@landfall/kernel/fault';
import { exampleId, type Id, idOf } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { expectedVersion, label } from '../input.ts';
import { refuse } from '../permission.ts';
import { administers } from '../scopes.ts';
import { expectVersion } from '../version.ts';
import { credentialsOf, openCredentials, sealCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';
import { integrationNotFound, partyAddress } from './party.ts';
import { usageRefusal } from './usage.ts';

const versioned = { id: idOf('Integration'), expectedVersion };
const example = { id: exampleId('Integration'), expectedVersion: 1 };
const RAISES = ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'] as const;

const locked = async (
  tx: Tx,
  who: Who,
  given: { readonly id: Id<'Integration'>; readonly expectedVersion: number },
): Promise<store.Integration> => {
  const integration = await store.lock(tx, who.tenant, given.id);
  if (!integration) throw integrationNotFound(given.id);
  expectVersion(integration, given.expectedVersion);
  return integration;
};

/** How an integration is corrected, turned off and removed. */
export const createIntegrationChanges = ({ operation, secrets, http }: Deps) => {
  const tell = (tx: Tx, who: Who, name: string, { id, version }: store.Integration, data: object) =>
    event(tx, who, name, { entity: 'Integration', id, version, data: { ...data } });

  /** The credentials after a change; a password without a user name keeps the one that was there. */
  const nextCredentials = (
    who: Who,
    before: store.Integration,
    given: { username?: string; password?: string; removeCredentials?: boolean },
  ): Buffer | null => {
    if (given.removeCredentials) return null;
    if (given.username === undefined && given.password === undefined) return before.credentials;
    const username = given.username ?? openCredentials(secrets, who.tenant, before)?.username;
    const next = credentialsOf(before.kind, username, given.password);
    return next ? sealCredentials(secrets, who.tenant, before.id, next) : null;
  };

  const setDisabled = (isDisabled: boolean) =>
    operation({
      name: isDisabled ? 'integration.disable' : 'integration.enable',
      kind: 'write',
      scope: administers,
      input: Type.Object(versioned),
      raises: RAISES,
      example,
      async run(who, input, tx) {
        await locked(tx, who, input);
        const integration = await store.setDisabled(tx, who.tenant, input.id, isDisabled, who.subject);
        const { name } = integration;
        await tell(tx, who, isDisabled ? 'integration.disable' : 'integration.enable', integration, { name });
        return integration;
      },
    });

  return {
    disable: setDisabled(true),
    enable: setDisabled(false),

    update: operation({
      name: 'integration.update',
      kind: 'write',
      scope: administers,
      input: Type.Object({
        ...versioned,
        name: Type.Optional(label),
        baseUrl: Type.Optional(Type.String({ maxLength: 2000 })),
        username: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
        password: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
        removeCredentials: Type.Optional(Type.Boolean()),
      }),
      raises: [...RAISES, 'RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: { ...example, name: 'Main registry' },
      async run(who, input, tx) {
        const before = await locked(tx, who, input);
        const { url: baseUrl, host } = partyAddress(http, who.tenant, before.kind, input.baseUrl ?? before.baseUrl);
        if (host !== before.host) refuse(usageRefusal(before.name, await store.listUsages(tx, who.tenant, before)));
        // Credentials go where somebody who knows them sends them.
        if (
          baseUrl !== before.baseUrl &&
          before.credentials &&
          input.password === undefined &&
          !input.removeCredentials
        )
          throw invalid([
            { field: 'password', message: 'is required again for another address', code: 'VAL_REQUIRED_FIELD' },
          ]);
        const name = input.name ?? before.name;
        const credentials = nextCredentials(who, before, input);
        const integration = await store.update(
          tx,
          who.tenant,
          { id: before.id, name, baseUrl, host, credentials },
          who.subject,
        );
        const hasRotated = credentials !== before.credentials;
        await tell(tx, who, 'integration.update', integration, { name, baseUrl, credentialsChanged: hasRotated });
        return integration;
      },
    }),

    remove: operation({
      name: 'integration.remove',
      kind: 'write',
      scope: administers,
      input: Type.Object(versioned),
      raises: [...RAISES, 'RES_CONFLICT'],
      example,
      async run(who, input, tx) {
        const integration = await locked(tx, who, input);
        refuse(usageRefusal(integration.name, await store.listUsages(tx, who.tenant, integration)));
        await store.remove(tx, who.tenant, integration.id);
        const { name, baseUrl } = integration;
        await tell(tx, who, 'integration.remove', integration, { name, baseUrl });
        return integration;
      },
    }),
  };
};
