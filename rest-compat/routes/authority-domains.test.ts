import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createDomainAssignments } from '@landfall/authority';
import { CLIENT, type IdentityProvider, identityProvider } from '@landfall/authority/testing/identity-provider';
import { createTxtResolver } from '@landfall/kernel/system/dns';
import { openEgress } from '@landfall/kernel/system/egress';
import { caller } from '@landfall/kernel/testing/callers';
import { type DnsServer, startDnsServer } from '@landfall/kernel/testing/dns-server';
import { graphql } from 'graphql';
import { type AuthorityApp, authorityApp, pkce } from '../testing/authority-app.ts';
import { cookieJar } from '../testing/browser.ts';

let dns: DnsServer;
let app: AuthorityApp;
let idp: IdentityProvider;
before(async () => {
  dns = await startDnsServer();
  app = await authorityApp({ resolveTxt: createTxtResolver({ egress: openEgress, servers: [dns.address] }) });
  idp = await identityProvider();
});
after(async () => {
  await app[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

const CLAIMS = 'id version domainClaims { domain record provenBy problem }';
const CREATE = `mutation ($input: CreateIdentityProviderInput!) { createIdentityProvider(input: $input) { ${CLAIMS} redirectUri } }`;
const VERIFY = `mutation ($input: VerifyDomainInput!) { verifyDomain(input: $input) { ${CLAIMS} } }`;

const ask = async (source: string, input: object, tenant: string) => {
  const subject = '00000000-0000-7000-8000-00000000000a';
  const contextValue = app.authority.context(caller({ tenant, subject, scopes: ['authority:admin'] }));
  const { schema } = app.authority;
  const { data, errors } = await graphql({ schema, source, variableValues: { input }, contextValue });
  const error = errors?.[0]?.originalError;
  return { value: Object(Object.values(data ?? {})[0]), code: error && Object(error).code };
};

let serial = 0;

const claimed = async (domain: string, tenant: string) => {
  serial += 1;
  const [name, issuer, clientId, clientSecret] = [`Provider ${serial}`, idp.issuer, CLIENT.id, CLIENT.secret];
  const input = { name, issuer, clientId, clientSecret, domains: [domain], createsUsers: true };
  const { value, code } = await ask(CREATE, input, tenant);
  assert.equal(code, undefined);
  idp.allow(value.redirectUri);
  return { id: String(value.id), record: String(value.domainClaims[0].record), claim: value.domainClaims[0] };
};

const verified = async (id: string, domain: string, tenant: string) => {
  const { value, code } = await ask(VERIFY, { id, domain }, tenant);
  return { code, claim: value.domainClaims?.[0] };
};

/** Whether the sign-in page sends a user name to a provider. */
const isRouted = async (username: string): Promise<boolean> => {
  const jar = cookieJar();
  const page = await app.get(app.authorizeUrl({ code_challenge: pkce().challenge }), jar);
  const answer = await app.submit(await page.text(), jar, { username, via: 'sso' });
  return (await answer.text()).includes('<a class="btn" href="http');
};

test('a domain sends nobody to a provider until its TXT record proves it, and no more when the record is gone', async () => {
  const { id, record, claim } = await claimed('proof.example', 'acme');
  assert.deepEqual([claim.provenBy, claim.problem], [null, null]);
  assert.match(record, /^landfall-domain-verification=[\da-f]{32}$/);
  assert.equal(await isRouted('ann@proof.example'), false);

  dns.txt.set('proof.example', ['v=spf1 -all']);
  const missing = await verified(id, 'proof.example', 'acme');
  assert.equal(missing.claim.provenBy, null);
  assert.match(missing.claim.problem, /None of the 1 TXT record of proof\.example/);
  assert.equal(await isRouted('ann@proof.example'), false);

  dns.txt.set('proof.example', ['v=spf1 -all', record]);
  const { claim: proven } = await verified(id, 'proof.example', 'acme');
  assert.deepEqual([proven.provenBy, proven.problem], ['DNS', null]);
  assert.equal(await isRouted('ann@proof.example'), true);

  dns.mode = 'failing';
  const { claim: unknown } = await verified(id, 'proof.example', 'acme');
  dns.mode = 'answering';
  assert.equal(unknown.provenBy, 'DNS', 'an outage of DNS takes no proof away');
  assert.match(unknown.problem, /DNS could not be asked/);

  dns.txt.delete('proof.example');
  assert.equal((await verified(id, 'proof.example', 'acme')).claim.provenBy, null);
  assert.equal(await isRouted('ann@proof.example'), false);
  assert.ok((await app.events()).includes('identityProvider.verifyDomain'));
  assert.deepEqual(app.bugs, []);
});

test('a tenant that claims another tenant’s domain gets none of its people, before or after it is proven', async () => {
  const attacker = await claimed('victim.example', 'globex');
  const owner = await claimed('victim.example', 'acme');
  assert.notEqual(attacker.record, owner.record);
  assert.equal(await isRouted('ceo@victim.example'), false);
  dns.txt.set('victim.example', [owner.record]);
  assert.equal((await verified(attacker.id, 'victim.example', 'globex')).claim.provenBy, null);
  assert.equal((await verified(owner.id, 'victim.example', 'acme')).claim.provenBy, 'DNS');
  // Even with both records in DNS the domain stays with the tenant that proved it first.
  dns.txt.set('victim.example', [owner.record, attacker.record]);
  assert.equal((await verified(attacker.id, 'victim.example', 'globex')).code, 'RES_ALREADY_EXISTS');
  assert.equal((await verified(owner.id, 'victim.example', 'globex')).code, 'RES_NOT_FOUND');
  const { deps } = app;
  const operator = createDomainAssignments(deps, 'test');
  await assert.rejects(operator.assign('globex', 'victim.example'), { code: 'RES_ALREADY_EXISTS' });
  await operator.withdraw('acme', 'victim.example');
  await operator.assign('globex', 'victim.example');
  assert.equal((await verified(owner.id, 'victim.example', 'acme')).code, 'RES_ALREADY_EXISTS');
});

test('an assignment by the operator needs no DNS, and a look-up that finds nothing does not end it', async () => {
  const { id } = await claimed('inside.example', 'acme');
  const operator = createDomainAssignments(app.deps, 'test');
  await assert.rejects(operator.assign('acme', 'nobody.example'), { code: 'RES_NOT_FOUND' });
  await operator.assign('acme', 'inside.example');
  assert.equal(await isRouted('ann@inside.example'), true);
  assert.equal((await verified(id, 'inside.example', 'acme')).claim.provenBy, 'OPERATOR');
  await operator.withdraw('acme', 'inside.example');
  assert.equal(await isRouted('ann@inside.example'), false);
});

test('a domain whose owner changed goes to the new owner when the former record is gone, and not while DNS is silent', async () => {
  const former = await claimed('sold.example', 'globex');
  dns.txt.set('sold.example', [former.record]);
  assert.equal((await verified(former.id, 'sold.example', 'globex')).claim.provenBy, 'DNS');
  const owner = await claimed('sold.example', 'acme');
  assert.equal((await verified(owner.id, 'sold.example', 'acme')).claim.provenBy, null);
  dns.txt.set('sold.example', [former.record, owner.record]);
  assert.equal((await verified(owner.id, 'sold.example', 'acme')).code, 'RES_ALREADY_EXISTS');
  dns.txt.set('sold.example', [owner.record]);
  dns.mode = 'failing';
  assert.equal((await verified(owner.id, 'sold.example', 'acme')).claim.provenBy, null);
  dns.mode = 'answering';
  assert.equal((await verified(owner.id, 'sold.example', 'acme')).claim.provenBy, 'DNS');
  assert.equal(await isRouted('ann@sold.example'), true);
  const lost = await verified(former.id, 'sold.example', 'globex');
  assert.equal(lost.claim.provenBy, null);
  dns.txt.set('sold.example', [former.record]);
  const operator = createDomainAssignments(app.deps, 'test');
  await operator.withdraw('acme', 'sold.example');
  await operator.assign('acme', 'sold.example');
  assert.equal((await verified(former.id, 'sold.example', 'globex')).code, 'RES_ALREADY_EXISTS');
});
