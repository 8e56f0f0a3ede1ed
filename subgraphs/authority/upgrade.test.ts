import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createDatabase } from '@landfall/kernel/db/database';
import { findRelations } from '@landfall/kernel/identity/client-controllers';
import { startUpgrade, type Upgrade } from '@landfall/kernel/testing/upgrade';

const folders = ['../kernel/migrations', './migrations'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const tenants = (...names: readonly string[]): string[] =>
  names.map(
    (name, i) => `insert into authority.tenants (tenant, id, name) values ('${name}', '${uuid(900 + i)}', '${name}')`,
  );

/** A provider of `tenant` that claims a domain, as versions before the proofs recorded it. */
const claim = (tenant: string, serial: number, domain: string): string[] => [
  `insert into authority.identity_providers (tenant, id, name, issuer, client_id, sealed_secret, scopes, domains,
     groups_claim, creates_users)
   values ('${tenant}', '${uuid(serial)}', 'Sign-in ${serial}', 'https://id.example', 'c', '', '{openid}', '{${domain}}', 'groups',
     false)`,
  `insert into authority.identity_provider_domains (tenant, provider_id, domain)
   values ('${tenant}', '${uuid(serial)}', '${domain}')`,
];

const PROOFS = `select tenant, domain, proven_by, proven_at is not null as proven, length(token) as token
  from authority.identity_provider_domains order by tenant`;

const beforeProofs = async (upgrade: Upgrade, ...statements: readonly string[]): Promise<readonly object[]> => {
  await upgrade.migrateTo({ authority: 12 });
  await upgrade.force(...statements);
  await upgrade.migrateTo();
  return upgrade.force(PROOFS);
};

test('the domains of the only tenant count as proven by the operator: its people sign in as before', async () => {
  await using upgrade = await startUpgrade(folders);
  const proofs = await beforeProofs(upgrade, ...tenants('landfall', 'acme'), ...claim('acme', 1, 'acme.example'));
  assert.deepEqual(proofs, [
    { tenant: 'acme', domain: 'acme.example', proven_by: 'operator', proven: true, token: 32 },
  ]);
});

test('where tenants could have taken each other’s domains none counts as proven, and each has a token of its own', async () => {
  await using upgrade = await startUpgrade(folders);
  const claims = [...claim('acme', 1, 'acme.example'), ...claim('globex', 2, 'globex.example')];
  const proofs = await beforeProofs(upgrade, ...tenants('landfall', 'acme', 'globex'), ...claims);
  assert.deepEqual(
    proofs,
    ['acme', 'globex'].map((tenant) => ({
      ...{ tenant, domain: `${tenant}.example` },
      ...{ proven_by: null, proven: false, token: 32 },
    })),
  );
  const tokens = await upgrade.force('select distinct token from authority.identity_provider_domains');
  assert.equal(tokens.length, 2);
  await upgrade.force(...claim('acme', 3, 'globex.example'));
  const prove = (tenant: string): string =>
    `update authority.identity_provider_domains set proven_by = 'dns', proven_at = now()
     where tenant = '${tenant}' and domain = 'globex.example'`;
  await upgrade.force(prove('globex'));
  await assert.rejects(upgrade.force(prove('acme')), /identity_provider_domains_one/);
});

/** Clients of before their controllers were listed, and the events that tell who controls them. */
const clients = (): string[] => {
  const client = (id: number, servesEveryTenant: boolean): string =>
    `insert into authority.clients (tenant, id, name, grants, scopes, redirect_uris, post_logout_redirect_uris,
       serves_every_tenant)
     values ('acme', '${uuid(id)}', 'client ${id}', '{}', '{}', '{}', '{}', ${servesEveryTenant})`;
  const eventRow = (type: string, id: number, actor: string): string =>
    `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
     values ('acme', '${type}', 'Client', '${uuid(id)}', 1, '${actor}', 'c', '{}')`;
  return [
    ...tenants('acme'),
    ...[client(1, false), client(2, false), client(3, true)],
    eventRow('client.create', 1, 'bootstrap'),
    eventRow('client.create', 2, 'ann'),
    eventRow('client.rotateSecret', 2, 'bob'),
    eventRow('client.deactivate', 2, 'eve'),
    eventRow('client.update', 1, 'bob'),
    eventRow('client.create', 3, 'bootstrap'),
    eventRow('client.update', 3, 'ann'),
  ];
};

test('controllers of earlier clients are read from the events, but for set-up and for clients of every tenant', async () => {
  await using upgrade = await startUpgrade(folders);
  await upgrade.migrateTo({ kernel: 10, authority: 10 });
  await upgrade.force(...clients());
  await upgrade.migrateTo({ authority: 14 });
  const listed = 'select distinct subject from kernel.client_controllers order by subject';
  assert.deepEqual(await upgrade.force(listed), [{ subject: 'ann' }, { subject: 'bob' }, { subject: 'bootstrap' }]);
  await upgrade.migrateTo();
  const database = createDatabase({ connection: upgrade.connection });
  await using _closing = { [Symbol.asyncDispose]: () => database.close() };
  const tenant = toTenantId('acme');
  const people = ['ann', 'bob', 'eve', 'bootstrap'];
  const controllersOf = await database.read(tenant, async (query) => {
    const found: string[][] = [];
    for (const id of [1, 2, 3]) {
      const controllers: string[] = [];
      for (const person of people)
        if ((await findRelations(query, tenant, { subject: person, clientId: 'console' }, [uuid(id)])).size > 0)
          controllers.push(person);
      found.push(controllers);
    }
    return found;
  });
  assert.deepEqual(controllersOf, [['bob'], ['ann', 'bob'], []]);
});
