import { toTenantId } from '@landfall/kernel/core/ids';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import { caller } from '@landfall/kernel/testing/callers';
import { callerOf } from '@landfall/kernel/testing/operations';
import type { Authority } from '../index.ts';

/** Text in every name that the owner uses. */
const MARK = 'acme-only';
/** Unproven domain that the owner's provider claims. */
const CLAIMED_DOMAIN = `${MARK}-claimed.example`;

const acme = toTenantId('acme');

interface SeedIds {
  readonly userId: string;
  readonly clientId: string;
}

/** Rows that only a browser or a registry creates, written as their pages and routes write them. */
const signedIn = async ({ database, ids }: SeedContext['deps'], { userId, clientId }: SeedIds) => {
  const [session, family, token] = [ids.uuid(), ids.uuid(), ids.uuid()];
  await database.write(acme, async (tx) => {
    await tx.run(sql`/* proofs.sessions.insert */
      insert into authority.sessions (tenant, id_hash, id, user_id, auth_time, expires_at, user_agent)
      values (${acme}, ${Buffer.from(session)}, ${session}, ${userId}, kernel.now(),
        kernel.now() + interval '1 day', ${MARK})`);
    await tx.run(sql`/* proofs.token_families.insert */
      insert into authority.token_families (tenant, id, client_id, user_id, scopes, auth_time, expires_at)
      values (${acme}, ${family}, ${clientId}, ${userId}, '{orch:read}', kernel.now(),
        kernel.now() + interval '1 day')`);
    await tx.run(sql`/* proofs.registry_tokens.insert */
      insert into registry.tokens
        (tenant, id, outcome, subject, client_id, scopes, access, error, reason, correlation_id)
      values (${acme}, ${token}, 'refused', ${userId}, ${clientId}, ${[`repository:${MARK}/app:push`]},
        ${jsonb([])}::jsonb, 'insufficient_scope', ${MARK}, ${token})`);
  });
  return { Session: session, TokenFamily: family };
};

const passkeyOf = async ({ database, ids }: SeedContext['deps'], userId: string): Promise<string> => {
  const id = ids.uuid();
  await database.write(acme, (tx) =>
    tx.run(sql`/* proofs.passkeys.insert */
      insert into authority.passkeys
        (tenant, id, user_id, credential_id, public_key, counter, transports, is_portable, backed_up, name)
      values (${acme}, ${id}, ${userId}, ${id}, ${Buffer.alloc(77)}, 0, '{}', false, false, ${MARK})`),
  );
  return id;
};

/** Inserts a provider without reading its discovery document, with an unproven domain. */
const providerOf = async ({ database, ids }: SeedContext['deps'], issuer: string): Promise<string> => {
  const id = ids.uuid();
  await database.write(acme, async (tx) => {
    await tx.run(sql`/* proofs.identity_providers.insert */
      insert into authority.identity_providers
        (tenant, id, name, issuer, client_id, sealed_secret, scopes, domains, groups_claim, creates_users)
      values (${acme}, ${id}, ${MARK}, ${issuer}, ${MARK}, ${Buffer.alloc(40)}, '{openid}', ${[CLAIMED_DOMAIN]}, 'groups', false)`);
    await tx.run(sql`/* proofs.identity_provider_domains.insert */
      insert into authority.identity_provider_domains (tenant, domain, provider_id) values (${acme}, ${CLAIMED_DOMAIN}, ${id})`);
  });
  return id;
};

/** Creates people, clients and groups in tenant acme, and the sessions and tokens of their sign-ins. */
const create = async ({ bootstrap, operations }: Authority, { deps, registry, owner }: SeedContext) => {
  for (const tenant of ['acme', 'globex']) await bootstrap.ensureTenant({ tenant, name: tenant });
  await bootstrap.ensureTenant({ tenant: 'acme', plans: [MARK] });
  const call = callerOf(operations);
  const person = (username: string) =>
    call('user.create', owner, { username, displayName: MARK, password: 'correct horse battery', roles: ['viewer'] });
  const [user, other] = [await person(MARK), await person(`${MARK}-2`)];
  const { client } = await call('client.create', owner, {
    name: MARK,
    grants: ['client_credentials'],
    scopes: ['release:read'],
  });
  const group = await call('group.create', owner, { displayName: MARK, roles: ['viewer'], members: [user.id] });
  const themself = caller({ subject: user.id, scopes: [...owner.scopes] });
  const view = await call('view.save', themself, { name: MARK, path: `/releases?text=${MARK}`, shared: true });
  const clientId = client.id;
  await signedIn(deps, { userId: user.id, clientId });
  const discovery = { issuer: registry.origin, clientId: MARK, clientSecret: MARK, domains: [`${MARK}.example`] };
  const provider = await providerOf(deps, registry.origin);
  return {
    ids: {
      User: user.id,
      Client: clientId,
      Group: group.id,
      SavedView: view.id,
      Passkey: await passkeyOf(deps, user.id),
      IdentityProvider: provider,
      // Belongs to another person than the one who is changed and deactivated here, so that each ends by its own
      // operation.
      ...(await signedIn(deps, { userId: other.id, clientId })),
    },
    // No provider runs at this address.
    inputs: {
      'identityProvider.create': { name: `${MARK}-2`, ...discovery },
      'identityProvider.verifyDomain': { id: provider, domain: CLAIMED_DOMAIN },
    },
  };
};

export const authoritySeed: Seed<Authority> = {
  order: 10,
  unscoped: {
    'user.me': 'whoever has a token may know whose it is',
    'user.resolve': 'names stand beside every record, whoever may read that',
    'user.signInMethods': 'of themselves people may know; of others it tells administrators alone',
    'group.ofPeople': 'of themselves people may know; of others it tells administrators alone',
    'session.list': 'everybody sees their own; of others it tells administrators alone',
    'session.revoke': 'everybody ends their own',
    'tokenFamily.list': 'everybody sees their own; of others it tells administrators alone',
    'tokenFamily.revoke': 'everybody ends their own',
    'passkey.list': 'a person’s own',
    'passkey.begin': 'a person’s own',
    'passkey.add': 'a person’s own',
    'passkey.remove': 'a person’s own',
    'view.list': 'everybody’s own, and what is shared in the tenant',
    'view.save': 'everybody’s own',
    'view.remove': 'everybody’s own',
  },
  shared: { 'signingKey.list': 'one ring signs for all' },
  sharedFields: { me: 'the token’s owner', signingKeys: 'one ring for all' },
  ownFields: {
    createGroup: 'it is the sender’s own; whoever is nobody there is no member of it',
    rotateSigningKey: 'the ring is every tenant’s',
    removePasskey: 'for people only; the matrix of operations tries it as two of them',
  },
  values: { role: 'viewer', domain: CLAIMED_DOMAIN },
  create,
};
