import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId } from '@landfall/kernel/core/ids';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testDeps } from '@landfall/kernel/testing/app';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createBootstrap } from '../operator/bootstrap.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import { createAuthenticator } from '../testing/authenticator.ts';
import { update } from '../users/users.store.ts';
import { createFactors } from './factors.ts';
import type { Ceremony } from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';

const directory = { issuer: 'http://localhost:4001', baseUrl: 'http://localhost:4000' };
const own = { origin: directory.issuer, rpId: 'localhost' };

const creation = Type.Object({
  challenge: Type.String(),
  rp: Type.Object({ id: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String() }),
  attestation: Type.String(),
  authenticatorSelection: Type.Object({ residentKey: Type.String(), userVerification: Type.String() }),
  excludeCredentials: Type.Array(Type.Object({ id: Type.String() })),
});
const request = Type.Object({ challenge: Type.String(), rpId: Type.String(), userVerification: Type.String() });

const people = async () => {
  const base = await testDeps();
  const { ensureTenant, ensureUser } = createBootstrap(base.deps);
  const person = async (slug: string, username: string) => {
    const tenant = await ensureTenant({ tenant: slug, name: slug });
    const seed = { tenant: slug, username, displayName: username, password: 'correct horse battery', roles: [] };
    return auditActor(tenant, toId(await ensureUser(seed), 'User'), 'user', { requestId: 'test' });
  };
  const [ada, bob] = [await person('acme', 'ada'), await person('globex', 'bob')];
  return { ...base, ada, bob, factors: createFactors(base.deps, directory) };
};
type Setup = Awaited<ReturnType<typeof people>>;
type Authenticator = ReturnType<typeof createAuthenticator>;

const begin = ({ deps, factors }: Setup, person: Setup['ada'], name = 'Laptop'): Promise<Ceremony> =>
  deps.database.read(person.tenant, (query) => factors.passkeys.begin(query, person, name));

const keep = async ({ deps, factors }: Setup, person: Setup['ada'], response: string, ticket: string) => {
  const checked = await factors.passkeys.check(person, response, ticket);
  return deps.database.write(person.tenant, (tx) => factors.passkeys.save(tx, person, checked));
};

const register = async (setup: Setup, person: Setup['ada'], authenticator: Authenticator) => {
  const { options, ticket } = await begin(setup, person);
  return keep(setup, person, authenticator.create(Parse(creation, options)), ticket);
};

const signIn = async ({ factors }: Setup, authenticator: Authenticator) => {
  const { options, ticket } = await factors.passkeyOptions();
  return factors.verifyPasskey(authenticator.get(Parse(request, options)), ticket, 'test');
};

const listOf = ({ deps, factors }: Setup, person: Setup['ada']) =>
  deps.database.read(person.tenant, (query) => factors.passkeys.list(query, person));

const events = table('told', { n: count });
const eventsOf = async ({ deps }: Setup, person: Setup['ada'], type: string): Promise<number> =>
  (
    await deps.database.read(person.tenant, (query) =>
      query.get(events, sql`select count(*) as n from kernel.events where type = ${type}`),
    )
  ).n;

test('a passkey is registered with the person verified and found by itself, and signs in without a name', async () => {
  await using setup = await people();
  const { options } = await begin(setup, setup.ada);
  const ceremony = Parse(creation, options);
  const { residentKey, userVerification } = ceremony.authenticatorSelection;
  assert.deepEqual([residentKey, userVerification], ['required', 'required']);
  assert.deepEqual([ceremony.attestation, ceremony.rp.id, ceremony.user.name], ['none', 'localhost', 'ada']);
  assert.equal(Buffer.from(ceremony.user.id, 'base64url').toString('hex'), setup.ada.subject.replaceAll('-', ''));

  const authenticator = createAuthenticator(own);
  const { id } = await register(setup, setup.ada, authenticator);
  const { tenant, subject: userId } = setup.ada;
  assert.deepEqual(await signIn(setup, authenticator), { tenant, userId, amr: ['hwk', 'user'] });
  const [passkey, ...others] = await listOf(setup, setup.ada);
  assert.deepEqual([passkey?.id, passkey?.name, passkey?.backedUp, others.length], [id, 'Laptop', false, 0]);
  assert.deepEqual(passkey?.lastUsedAt, setup.clock.now());
  assert.deepEqual(
    Parse(creation, (await begin(setup, setup.ada)).options).excludeCredentials.map((known) => known.id),
    [authenticator.credentialId],
  );
});

test('a passkey that a password manager keeps says so, and one at the console’s address is as good', async () => {
  await using setup = await people();
  const authenticator = createAuthenticator({ ...own, origin: directory.baseUrl, isPortable: true });
  const { backedUp } = await register(setup, setup.ada, authenticator);
  assert.equal(backedUp, true);
  assert.deepEqual((await signIn(setup, authenticator))?.amr, ['swk', 'user']);
});

test('what another page, another place or nobody verified is refused', async () => {
  await using setup = await people();
  const otherUsers = [
    createAuthenticator({ ...own, origin: 'http://localhost:4002' }),
    createAuthenticator({ ...own, origin: 'https://evil.example' }),
    createAuthenticator({ ...own, rpId: 'evil.example' }),
    createAuthenticator({ ...own, isVerified: false }),
  ];
  for (const unrelated of otherUsers)
    await assert.rejects(register(setup, setup.ada, unrelated), { code: 'VAL_INVALID_VALUE' });
  assert.deepEqual(await listOf(setup, setup.ada), []);
});

test('text that is no answer of an authenticator is refused, never a failure of ours', async () => {
  await using setup = await people();
  const { ticket, options } = await begin(setup, setup.ada);
  const good = JSON.parse(createAuthenticator(own).create(Parse(creation, options)));
  const request = await setup.factors.passkeyOptions();
  const corrupt = (change: object) => JSON.stringify({ ...good, response: { ...good.response, ...change } });
  const texts = [
    ...['', '{', 'null', '[]', '{}', '"x"'],
    JSON.stringify({ ...good, id: 7 }),
    JSON.stringify({ ...good, type: 'password' }),
    corrupt({ clientDataJSON: 'AAAA' }),
    corrupt({ attestationObject: 'AAAA' }),
    corrupt({ attestationObject: `${'A'.repeat(12_001)}` }),
    corrupt({ attestationObject: Buffer.from('bf'.repeat(4_000), 'hex').toString('base64url') }),
  ];
  for (const text of texts) {
    await assert.rejects(setup.factors.passkeys.check(setup.ada, text, ticket), { code: 'VAL_INVALID_VALUE' }, text);
    assert.equal(await setup.factors.verifyPasskey(text, request.ticket, 'test'), undefined);
  }
});

test('an attestation with a certificate, which nobody asked for, is refused before anything is fetched', async () => {
  await using setup = await people();
  const { ticket, options } = await begin(setup, setup.ada);
  const good = JSON.parse(createAuthenticator(own).create(Parse(creation, options)));
  const bytes = Buffer.from(good.response.attestationObject, 'base64url');
  // {fmt: 'none', attStmt: {}, …} becomes {fmt: 'packed', attStmt: {alg, sig, x5c: [h'00']}, …}.
  const statement = Buffer.concat([
    Buffer.from('a363616c672663736967410063783563814100', 'hex'),
    bytes.subarray(bytes.indexOf(Buffer.from('attStmt')) + 8),
  ]);
  const head = Buffer.from('a363666d74667061636b65646761747453746d74', 'hex');
  const attestation = Buffer.concat([head, statement]);
  assert.equal(decodeAttestationObject(Uint8Array.from(attestation)).get('attStmt').get('x5c')?.length, 1);
  const attestationObject = attestation.toString('base64url');
  const text = JSON.stringify({ ...good, response: { ...good.response, attestationObject } });
  await assert.rejects(setup.factors.passkeys.check(setup.ada, text, ticket), { code: 'VAL_INVALID_VALUE' });
});

test('a registration is its person’s, is good once and for ten minutes', async () => {
  await using setup = await people();
  const { ada, bob } = setup;
  const { options, ticket } = await begin(setup, ada);
  const answer = createAuthenticator(own).create(Parse(creation, options));
  await assert.rejects(keep(setup, bob, answer, ticket), { code: 'VAL_INVALID_VALUE' });
  await assert.rejects(keep(setup, ada, answer, ticket.replace(/.{3}$/, 'AAA')), { code: 'VAL_INVALID_VALUE' });
  await assert.rejects(keep(setup, ada, answer, (await setup.factors.passkeyOptions()).ticket), {
    code: 'VAL_INVALID_VALUE',
  });
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => keep(setup, ada, answer, ticket)));
  assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
  const delayed = await begin(setup, ada);
  await setup.clock.advance(600_000);
  await assert.rejects(
    keep(setup, ada, createAuthenticator(own).create(Parse(creation, delayed.options)), delayed.ticket),
    {
      code: 'VAL_INVALID_VALUE',
    },
  );
});

test('of eight answers with one challenge at once exactly one signs in, and an old one never', async () => {
  await using setup = await people();
  const authenticator = createAuthenticator(own);
  await register(setup, setup.ada, authenticator);
  const { options, ticket } = await setup.factors.passkeyOptions();
  const answers = Array.from({ length: 8 }, () => authenticator.get(Parse(request, options)));
  const holders = await Promise.all(answers.map((answer) => setup.factors.verifyPasskey(answer, ticket, 'test')));
  assert.equal(holders.filter((holder) => holder !== undefined).length, 1);
  assert.equal(await eventsOf(setup, setup.ada, 'passkey.cloned'), 0);
  const delayed = await setup.factors.passkeyOptions();
  const answer = authenticator.get(Parse(request, delayed.options));
  await setup.clock.advance(600_000);
  assert.equal(await setup.factors.verifyPasskey(answer, delayed.ticket, 'test'), undefined);
});

test('a counter that went back or stands still is refused and audited, one that never counts is not', async () => {
  await using setup = await people();
  const authenticator = createAuthenticator(own);
  await register(setup, setup.ada, authenticator);
  assert.ok(await signIn(setup, authenticator));
  assert.ok(await signIn(setup, authenticator));
  for (const counter of [1, 0, -1]) {
    authenticator.state.counter = counter;
    assert.equal(await signIn(setup, authenticator), undefined);
  }
  assert.equal(await eventsOf(setup, setup.ada, 'passkey.cloned'), 3);
  authenticator.state.counter = 9;
  assert.ok(await signIn(setup, authenticator), 'whoever holds the original goes on');

  const still = createAuthenticator(own);
  await register(setup, setup.bob, still);
  for (let i = 0; i < 2; i++) {
    still.state.counter = -1;
    assert.ok(await signIn(setup, still));
  }
});

test('a removed, unknown, spoiled or deactivated person’s passkey is nobody’s', async () => {
  await using setup = await people();
  const { ada, bob, deps, factors } = setup;
  const [ownRow, other] = [createAuthenticator(own), createAuthenticator(own)];
  const { id } = await register(setup, ada, ownRow);
  await register(setup, bob, other);
  assert.equal(await signIn(setup, createAuthenticator(own)), undefined);
  const { options, ticket } = await factors.passkeyOptions();
  const answer = JSON.parse(ownRow.get(Parse(request, options)));
  const corrupted = { ...answer, response: { ...answer.response, userHandle: Buffer.alloc(16).toString('base64url') } };
  assert.equal(await factors.verifyPasskey(JSON.stringify(corrupted), ticket, 'test'), undefined);

  await assert.rejects(
    deps.database.write(bob.tenant, (tx) => factors.passkeys.remove(tx, bob, id)),
    {
      code: 'RES_NOT_FOUND',
    },
  );
  await deps.database.write(ada.tenant, (tx) => factors.passkeys.remove(tx, ada, id));
  assert.equal(await signIn(setup, ownRow), undefined);
  await deps.database.write(bob.tenant, (tx) => update(tx, bob.tenant, toId(bob.subject, 'User'), { active: false }));
  assert.equal(await signIn(setup, other), undefined);
});

test('one authenticator is registered once, and a person has twenty at most', async () => {
  await using setup = await people();
  const authenticator = createAuthenticator(own);
  await register(setup, setup.ada, authenticator);
  await assert.rejects(register(setup, setup.bob, authenticator), { code: 'RES_ALREADY_EXISTS' });
  for (let i = 1; i < 20; i++) await register(setup, setup.ada, createAuthenticator(own));
  await assert.rejects(begin(setup, setup.ada), { code: 'RES_CONFLICT' });
});

test('a place without a name, or without a secure context, says that no passkey can work there and why', async () => {
  const unavailableReason = (issuer: string) => relyingPartyOf(issuer, issuer).unavailableReason;
  for (const issuer of ['http://localhost:4001', 'https://auth.example.com', 'http://auth.localhost'])
    assert.equal(unavailableReason(issuer), undefined, issuer);
  for (const issuer of ['http://127.0.0.1:4001', 'https://192.0.2.7', 'http://[::1]:4001', 'https://[2001:db8::1]'])
    assert.match(
      unavailableReason(issuer) ?? '',
      /by an IP address .*LANDFALL_AUTH_URL=http:\/\/localhost:4001/,
      issuer,
    );
  assert.match(unavailableReason('http://auth.example.com') ?? '', /need https/);

  await using setup = await people();
  const factors = createFactors(setup.deps, { issuer: 'http://127.0.0.1:4001', baseUrl: 'http://127.0.0.1:4000' });
  await assert.rejects(begin({ ...setup, factors }, setup.ada), { code: 'RES_CONFLICT', message: /by an IP address/ });
});

test('only a console on the authority’s own host shares its passkeys', () => {
  assert.deepEqual(relyingPartyOf('https://auth.example.com/', 'https://auth.example.com:8443/app').origins, [
    'https://auth.example.com',
    'https://auth.example.com:8443',
  ]);
  assert.deepEqual(relyingPartyOf('https://auth.example.com', 'https://app.example.com').origins, [
    'https://auth.example.com',
  ]);
});
