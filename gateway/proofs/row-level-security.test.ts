import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import pg from 'pg';

const cloned = await testDatabase();
const client = new pg.Client(cloned.connection);
await client.connect();
after(async () => {
  await client.end();
  await cloned.drop();
});

const names = async (text: string): Promise<string[]> =>
  (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);

const OURS = `c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'landfall_migrations')
  and n.nspname not like 'pg_toast%' and c.relname <> 'test_clock'`;

const HAS_TENANT = `exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant' and not attisdropped)`;

const tables = (condition: string): Promise<string[]> =>
  names(`select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and ${condition} order by 1`);

test('every table belongs to tenants, but for those that are above them', async () => {
  assert.deepEqual(await tables(`not ${HAS_TENANT}`), [
    'airgap.event_feed', // how far the events of all have been read
    'authority.sign_in_attempts', // hashes of names and addresses that may be nobody’s
    'authority.signing_keys', // one ring signs for all
    'evidence.event_feed', // how far the events of all have been read
    'evidence.object_moves', // ids over content and nothing else; the sweeper works for all
    'evidence.store_identity', // the directory of this installation's objects bears it
    'kernel.dpop_proofs', // looked at before anybody is known
    'kernel.event_seals', // one chain over the events of all
    'kernel.revoked_tokens', // random ids and nothing else
    'kernel.schedules', // one row a piece of housekeeping
    'kernel.signing_keys', // one set signs for all
    'kernel.stopped', // ids and nothing else; a client that serves every tenant is looked up by each
    'notify.event_feed', // how far the events of all have been read
    'orchestrator.agent_authorities', // one certificate authority an installation
    'orchestrator.image_scan_feed', // how far the events of all have been read
    'orchestrator.timestamp_chains', // one timestamp authority an installation
    'registry.certificates', // registries of all trust one authority
    'search.projections', // how far the events of all have been read
    // one log holds the hashes, signatures and public keys of all, and anybody may read it
    'tlog.checkpoints',
    'tlog.cosignatures',
    'tlog.entries',
    'tlog.logs',
    'tlog.tiles',
  ]);
});

test('a tenant’s rows are behind row-level security, with the one policy that knows the tenant', async () => {
  assert.ok((await tables(HAS_TENANT)).length > 20);
  assert.deepEqual(await tables(`${HAS_TENANT} and not c.relrowsecurity`), []);
  const guarded = `exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd = '*' and p.polpermissive
    and p.polroles = array['landfall_app'::regrole::oid] and p.polwithcheck is null
    and pg_get_expr(p.polqual, c.oid) = '(tenant = kernel.tenant())')`;
  assert.deepEqual(await tables(`${HAS_TENANT} and not ${guarded}`), [
    'kernel.sessions', // found by its cookie, before the tenant is known; the app role has no grant on it
  ]);
});

test('the app role has no other way to a row than the tenant’s policy', async () => {
  const other = `exists (select from pg_policy p where p.polrelid = c.oid
    and ('landfall_app'::regrole::oid = any(p.polroles) or 0 = any(p.polroles))
    and pg_get_expr(p.polqual, c.oid) is distinct from '(tenant = kernel.tenant())')`;
  assert.deepEqual(await tables(other), [
    'airgap.kit_roots', // the root of kits, which the operator installs for all
    'evidence.object_moves', // ids over content and nothing else
    'kernel.egress_decisions', // the platform’s own traffic: a seal of any tenant holds for it
    'kernel.stopped', // everybody asks it for everybody; what a tenant may write there is its own, and never a tenant
    // public knowledge about vulnerabilities, which the installation imports for all
    'scanner.advisories',
    'scanner.advisory_packages',
    'scanner.alias_group_joins',
    'scanner.aliases',
    'scanner.epss_scores',
    'scanner.feed_captures',
    'scanner.feeds',
    'scanner.kev_entries',
    'scanner.ssvc_points',
    'search.chunks', // what is everybody’s is read by all, and written by the system alone
  ]);
  const open = `not c.relrowsecurity and has_table_privilege('landfall_app', c.oid, 'select')`;
  assert.deepEqual(await tables(open), ['kernel.revoked_tokens']);
  assert.deepEqual(
    await tables(`not c.relrowsecurity and has_table_privilege('landfall_app', c.oid, 'update, delete')`),
    [],
  );
});

test('neither role of the product owns a table, passes by policies or can take another role', async () => {
  const roles = `select rolname as name from pg_roles where rolname in ('landfall_app', 'landfall_system')`;
  assert.equal((await names(roles)).length, 2);
  assert.deepEqual(await names(`${roles} and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)`), []);
  const taken = `select roleid::regrole::text as name from pg_auth_members
    where member in ('landfall_app'::regrole, 'landfall_system'::regrole)`;
  assert.deepEqual(await names(taken), []);
  assert.deepEqual(await tables(`pg_get_userbyid(c.relowner) <> 'landfall_migrator'`), []);
});

test('every key of a tenant’s table begins with the tenant, but for those by which the tenant is found', async () => {
  const keys = `select i.indrelid::regclass || ' ' || array_to_string(array(
      select a.attname from unnest(i.indkey::int[]) with ordinality k (attnum, position)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum order by k.position), ', ') as name
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and ${HAS_TENANT} and i.indisunique and i.indkey[0] <> (
      select attnum from pg_attribute where attrelid = c.oid and attname = 'tenant')
    order by 1`;
  assert.deepEqual(await names(keys), [
    'authority.clients id', // a client_id comes without its tenant (RFC 6749 2.3.1)
    'authority.device_codes user_code', // a person types it before anybody knows whose it is
    'authority.identity_provider_domains domain', // whoever signs in gives a user name, and its domain tells the tenant
    'authority.passkeys credential_id', // signing in with one gives neither a name nor a tenant
    'authority.pushed_requests hash', // a request_uri comes without its tenant (RFC 9126 2.2)
    'authority.tenants id', // the GUID that the specification asks for stands for one tenant
    'authority.users username', // sign-in asks for a name and a password only
    'kernel.events xid, id', // an event has its place in the order of all tenants’ to itself
    'kernel.sessions id_hash', // a cookie comes without its tenant
    'search.chunks chunk_id', // a number of the index’s own, by which what is everybody’s is read beside the tenant’s
  ]);
});

test('what refers to a row of a tenant refers to one of its own', async () => {
  const crossing = `select con.conrelid::regclass || ' ' || con.conname as name from pg_constraint con
    join pg_class c on c.oid = con.confrelid join pg_namespace n on n.oid = c.relnamespace
    where con.contype = 'f' and ${OURS} and ${HAS_TENANT} and not exists (
      select from pg_attribute own join pg_attribute theirs
        on own.attrelid = con.conrelid and own.attnum = con.conkey[1]
        and theirs.attrelid = con.confrelid and theirs.attnum = con.confkey[1]
      where own.attname = 'tenant' and theirs.attname = 'tenant')
    order by 1`;
  assert.deepEqual(await names(crossing), [
    'authority.codes codes_client_id_fkey', // a client that serves every tenant signs in people of each
    'authority.consents consents_client_id_fkey', // the same
    'authority.device_codes device_codes_client_id_fkey', // the same
    'authority.pushed_requests pushed_requests_client_id_fkey', // the same
    'authority.token_families token_families_client_id_fkey', // the same
  ]);
});
