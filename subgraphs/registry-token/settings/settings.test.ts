import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { needs } from '@landfall/kernel/testing/programs';
import { PLANS, testSettings } from '../testing/settings.ts';

const programs = await needs('openssl');
const home = await mkdtemp(join(tmpdir(), 'landfall-registry-settings-'));
after(() => rm(home, { recursive: true, force: true }));

const refusal = (env: Readonly<Record<string, string>>, file: unknown = {}): string => {
  try {
    testSettings(env, file);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};

const rulesOf = (env: Readonly<Record<string, string>>, file: unknown = {}) =>
  [...testSettings(env, file).rules.plans.values()].map(({ name, repositories }) => [name, ...repositories]);

// spec: 2.2/settings-authority, 5/required-scope, 8/token-lifetime
test('without a word everything has a default', () => {
  const { authorityIssuer, audiences, requiredScope, issuer, realm, lifetimeMs, rules } = testSettings();
  assert.deepEqual(
    [authorityIssuer, audiences, requiredScope, issuer, realm, lifetimeMs],
    [
      'http://authority.example',
      ['landfall'],
      'registry.token.issue',
      'http://platform.example',
      'http://platform.example/token',
      300_000,
    ],
  );
  assert.deepEqual([rules.plans.size, rules.defaultPlan, rules.partialGrants], [0, undefined, 'refuse']);
});

// spec: 2.2/settings-plans, 2.2/settings-environment
test('plans are an object of the file, JSON of a variable, or a variable each', () => {
  const repositories = [{ pattern: 'acme/*', actions: ['pull', 'push'] }, { pattern: 'tools/*' }];
  const expected = [
    ['pro', { pattern: 'acme/*', actions: ['pull', 'push'] }, { pattern: 'tools/*', actions: ['pull'] }],
  ];
  assert.deepEqual(rulesOf({}, { RegistryToken: { Plans: { pro: { Repositories: repositories } } } }), expected);
  assert.deepEqual(rulesOf({ REGISTRY_TOKEN_PLANS: JSON.stringify({ pro: { repositories } }) }), expected);
  assert.deepEqual(rulesOf({ REGISTRY_TOKEN_PLANS__pro: 'acme/*:pull,push tools/*' }), expected);
  assert.deepEqual(
    rulesOf({
      REGISTRY_TOKEN_PLANS__pro__REPOSITORIES__0__PATTERN: 'acme/*',
      REGISTRY_TOKEN_PLANS__pro__REPOSITORIES__0__ACTIONS__0: 'pull',
      REGISTRY_TOKEN_PLANS__pro__REPOSITORIES__0__ACTIONS__1: 'push',
      REGISTRY_TOKEN_PLANS__pro__REPOSITORIES__1__PATTERN: 'tools/*',
    }),
    expected,
  );
});

// spec: 2.2/settings-environment
test('a variable goes before the file, plan by plan', () => {
  const file = { RegistryToken: { Plans: { pro: ['acme/*'], basic: ['tools/*'] } } };
  assert.deepEqual(rulesOf({ REGISTRY_TOKEN_PLANS__pro: 'host.example:5000/acme/*:push' }, file), [
    ['pro', { pattern: 'host.example:5000/acme/*', actions: ['push'] }],
    ['basic', { pattern: 'tools/*', actions: ['pull'] }],
  ]);
});

// spec: rulings/13
test('plans.partialGrants stands beside the plans, as the specification’s file has it', () => {
  const file = { RegistryToken: { Plans: { pro: ['acme/*'], partialGrants: 'intersect' } } };
  const { rules } = testSettings({}, file);
  assert.deepEqual([rules.partialGrants, [...rules.plans.keys()]], ['intersect', ['pro']]);
  assert.match(refusal({}, { RegistryToken: { Plans: { partialGrants: 'all' } } }), /Plans:partialGrants: must be/);
});

// spec: 2.2/settings-plans-coverage, 2.2/settings-default-plan, 2.2/settings-signing
const refused: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  [
    'a private namespace that no plan covers',
    { ...PLANS, REGISTRY_TOKEN_REGISTRY__PRIVATENAMESPACES: 'acme, secret' },
    /PrivateNamespaces: no plan covers secret;/,
  ],
  [
    'a namespace that is none',
    { ...PLANS, REGISTRY_TOKEN_REGISTRY__PRIVATENAMESPACES: 'A/../b' },
    /PrivateNamespaces: .* is no namespace/,
  ],
  [
    'an action that there is not',
    { REGISTRY_TOKEN_PLANS__pro: 'acme/*:pull,fly' },
    /^RegistryToken:Plans:pro:repositories:0:actions: "fly" is no action/,
  ],
  [
    'a bad pattern',
    { REGISTRY_TOKEN_PLANS__pro: 'acme/**' },
    /^RegistryToken:Plans:pro:repositories:0:pattern: "acme\/\*\*" is no pattern/,
  ],
  ['a plan of nothing', { REGISTRY_TOKEN_PLANS: '{"pro":{}}' }, /Plans:pro:repositories: must list/],
  ['plans that are no object', { REGISTRY_TOKEN_PLANS: '[' }, /REGISTRY_TOKEN_PLANS: must be an object/],
  [
    'a default plan that there is not',
    { ...PLANS, REGISTRY_TOKEN_DEFAULTPLAN: 'gold' },
    /^RegistryToken:DefaultPlan: there is no plan gold/,
  ],
  ['a lifetime of days', { REGISTRY_TOKEN_SIGNING__LIFETIME: '2d' }, /Signing:Lifetime: must be from 10s to 1h/],
  [
    'a key that is not there',
    { REGISTRY_TOKEN_SIGNING__KEY: '/nowhere.pem' },
    /^RegistryToken:Signing:Key: \/nowhere.pem cannot be read \(ENOENT\)/,
  ],
];

for (const [name, env, words] of refused)
  test(`the start is refused for ${name}, by the name of its setting`, () => assert.match(refusal(env), words));

test('namespaces that a pattern reaches into are covered', () => {
  const names = 'acme, acme/*, tools/base';
  assert.equal(refusal({ ...PLANS, REGISTRY_TOKEN_REGISTRY__PRIVATENAMESPACES: names }), '');
});

const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { cwd: home, stdio: 'ignore' });
};

// spec: 2.2/settings-signing
test('a key comes as PEM or PFX, with its certificates or bare', programs, async () => {
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'key.pem');
  openssl('req', '-new', '-x509', '-key', 'key.pem', '-subj', '/CN=signer', '-days', '30', '-out', 'cert.pem');
  openssl('pkcs12', '-export', '-inkey', 'key.pem', '-in', 'cert.pem', '-passout', 'pass:geheim', '-out', 'both.pfx');
  openssl('ecparam', '-name', 'secp384r1', '-genkey', '-noout', '-out', 'large.pem');
  execFileSync('sh', ['-c', 'cat key.pem cert.pem > both.pem'], { cwd: home });
  for (const name of ['key.pem', 'both.pem', 'both.pfx', 'large.pem']) await chmod(join(home, name), 0o600);
  const key = (name: string, password?: string) => ({
    REGISTRY_TOKEN_SIGNING__KEY: join(home, name),
    ...(password !== undefined && { REGISTRY_TOKEN_SIGNING__PASSWORD: password }),
  });
  assert.equal(testSettings(key('key.pem')).key?.chain.length, 0);
  assert.equal(testSettings(key('both.pem')).key?.chain[0]?.subject, 'CN=signer');
  assert.equal(testSettings(key('both.pfx', 'geheim')).key?.chain[0]?.subject, 'CN=signer');
  assert.match(refusal(key('both.pfx', 'falsch')), /^RegistryToken:Signing:Key: .* holds no key that opens/);
  assert.doesNotMatch(refusal(key('both.pfx', 'falsch')), /falsch/);
  assert.match(refusal(key('large.pem')), /must be of the curve P-256/);
  await chmod(join(home, 'key.pem'), 0o644);
  assert.match(refusal(key('key.pem')), /can be read by others; chmod 600 it/);
  await writeFile(join(home, 'none.pem'), 'nothing', { mode: 0o600 });
  assert.match(refusal(key('none.pem')), /holds no key that opens/);
});
