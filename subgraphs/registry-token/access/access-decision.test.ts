import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PLANS, testSettings } from '../testing/settings.ts';
import { type AccessRequest, decideAccess } from './access-decision.ts';
import { matches } from './pattern.ts';
import { type AccessRules, EVERY_ACTION } from './plans.ts';
import { isRepositoryName, readScopes } from './scope.ts';

const { rules } = testSettings({ ...PLANS, REGISTRY_TOKEN_REVOKEDLICENSES: 'L-1' });
const ask = (scope: string | string[], overrides: Partial<AccessRequest> = {}, by: AccessRules = rules) =>
  decideAccess(by, {
    service: 'registry.example',
    scope: [scope].flat(),
    plan: 'pro',
    license: undefined,
    ...overrides,
  });
const generous: AccessRules = { ...rules, partialGrants: 'intersect' };

test('what a plan covers is granted, one entry a repository, in the order asked for', () => {
  const { allowed, status, access, scopes } = ask('repository:acme/app:push,pull repository:acme/lib:pull');
  assert.deepEqual([allowed, status], [true, 200]);
  assert.deepEqual(access, [
    { type: 'repository', name: 'acme/app', actions: ['push', 'pull'] },
    { type: 'repository', name: 'acme/lib', actions: ['pull'] },
  ]);
  assert.deepEqual(
    scopes.map(({ coveredBy }) => coveredBy),
    ['acme/*', 'acme/*'],
  );
});

test('several parameters are one request, and one repository named twice is one entry', () => {
  const { access } = ask(['repository:acme/app:pull', 'repository:acme/app:push repository:acme/app:pull']);
  assert.deepEqual(access, [{ type: 'repository', name: 'acme/app', actions: ['pull', 'push'] }]);
});

test('no scope is a login: nothing is granted and nothing refused', () => {
  for (const scope of [[], [''], ['  ']]) {
    const { allowed, status, access } = ask(scope);
    assert.deepEqual([allowed, status, access], [true, 200, []]);
  }
});

// spec: 2.2/settings-plans
test('a star stays inside its segment, and a pattern without actions is for pulling', () => {
  assert.equal(ask('repository:acme/app/deep:pull').status, 403);
  assert.equal(ask('repository:acme:pull').status, 403);
  assert.equal(ask('repository:tools/base:pull').status, 200);
  const { status, error, scopes } = ask('repository:tools/base:pull,push');
  assert.deepEqual([status, error, scopes[0]?.missing], [403, 'insufficient_scope', ['push']]);
});

test('a star asked for becomes the words that there are, and only a star grants them', () => {
  assert.deepEqual(ask('repository:vault/x:*').access, [
    { type: 'repository', name: 'vault/x', actions: ['pull', 'push', 'delete'] },
  ]);
  assert.equal(ask('repository:acme/app:*').status, 403);
  assert.equal(ask('repository:vault/x:frobnicate').status, 403);
});

test('the catalogue is one resource with a pattern of its own', () => {
  assert.deepEqual(ask('registry:catalog:*').access, [{ type: 'registry', name: 'catalog', actions: ['*'] }]);
  assert.equal(ask('registry:catalog:*', { plan: 'basic' }).status, 403);
  assert.equal(ask('repository:registry/catalog:pull').status, 403);
});

// spec: rulings/13
test('a scope of another repository that a push would mount from is left out, and nothing else is', () => {
  const mount = ask('repository:acme/app:pull,push repository:other/base:pull');
  assert.deepEqual(mount.access, [{ type: 'repository', name: 'acme/app', actions: ['pull', 'push'] }]);
  assert.equal(mount.scopes[1]?.allowed, false);
  for (const scope of [
    'repository:acme/app:pull repository:other/base:pull',
    'repository:acme/app:pull,push repository:other/base:pull,push',
    'repository:other/app:pull,push repository:other/base:pull',
    'repository:other/base:pull',
  ])
    assert.equal(ask(scope).status, 403, scope);
});

// spec: rulings/13
test('intersecting, what is covered is granted and only nothing at all is refused', () => {
  const half = ask('repository:acme/app:pull,delete repository:other/x:pull', {}, generous);
  assert.deepEqual(half.access, [{ type: 'repository', name: 'acme/app', actions: ['pull'] }]);
  assert.equal(ask('repository:other/x:pull', {}, generous).status, 403);
  assert.equal(ask('', {}, generous).status, 200);
});

// spec: 2.2/settings-registry, 2.2/settings-revoked-licences
test('service, scope, licence, plan and coverage are refused in this order', () => {
  const listed: AccessRules = { ...rules, services: new Set(['registry.example']) };
  const bad = { license: 'L-1', plan: 'none' };
  assert.equal(ask('nonsense', { ...bad, service: undefined }).cause, 'service');
  assert.equal(ask('nonsense', { ...bad, service: 'elsewhere' }, listed).cause, 'service');
  assert.equal(ask('nonsense', bad).cause, 'scope');
  assert.partialDeepStrictEqual(ask('repository:other/x:pull', bad), { cause: 'license', status: 403 });
  assert.equal(ask('repository:other/x:pull', { plan: 'none' }).cause, 'plan');
  assert.equal(ask('repository:other/x:pull', { plan: undefined }).cause, 'plan');
  assert.equal(ask('repository:other/x:pull').cause, 'coverage');
  assert.equal(ask('repository:acme/x:pull', { plan: undefined }, { ...rules, defaultPlan: 'basic' }).plan, 'basic');
});

test('a name that every object has is no plan', () => {
  for (const plan of ['constructor', '__proto__', 'toString']) assert.equal(ask('', { plan }).status, 403);
});

test('a host may carry a port, and what is no scope is malformed', () => {
  const host = 'Registry.example:5000/acme/app';
  const { scopes: read = [] } = { scopes: undefined, ...readScopes([`repository:${host}:pull`]) };
  assert.equal(read[0]?.name, host);
  for (const scope of [
    'repository',
    'repository:acme/app',
    'repository:acme/app:',
    'repository::pull',
    'repository:ACME:pull',
    'repository:acme//app:pull',
    'repository:/acme:pull',
    'repository:acme/:pull',
    'repository:acme/..:pull',
    'repository:acme/a___b:pull',
    'repository:acme/app:PULL',
    'repository:acme/app:pull,,push',
    'repository(plugin):acme/app:pull',
    'registry:other:*',
    'artifact:acme/app:pull',
    'repository:acme/app%2f:pull',
    'repository:acme/app\u0000:pull',
    'repository:acme/\u{1f600}:pull',
    `repository:${'a'.repeat(256)}:pull`,
  ])
    assert.equal(ask(scope).error, 'invalid_scope', scope);
});

test('scopes and patterns of 100 kB are answered at once', () => {
  const long = 100_000;
  const texts = ['a', '-', '_', '.', 'a-', 'a__', 'a/', ':', ',', 'a,', 'repository:', ' ', 'x:y:z '].map((piece) =>
    piece.repeat(Math.ceil(long / piece.length)),
  );
  const started = performance.now();
  for (const text of texts) {
    ask(text);
    ask(`repository:${text}:pull`);
    ask(`repository:a:${text}`);
    isRepositoryName(text);
    matches(`${'*a'.repeat(100)}`, text);
  }
  assert.ok(performance.now() - started < 1_000);
});

const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const actions = fc.subarray(['pull', 'push', 'delete'], { minLength: 1 });
const rule = fc.record({
  pattern: fc
    .array(
      fc.oneof(
        word,
        fc.constant('*'),
        word.map((text) => `${text}*`),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join('/')),
  actions: fc.subarray(['pull', 'push', 'delete', '*'], { minLength: 1 }),
});
const anyRules = fc.record({
  repositories: fc.array(rule, { minLength: 1, maxLength: 5 }),
  partialGrants: fc.constantFrom<AccessRules['partialGrants']>('refuse', 'intersect'),
});
const anyScopes = fc.array(fc.tuple(name, actions), { maxLength: 5 });

/** Reference implementation by regular expressions. */
const covers = (pattern: string, repository: string): boolean =>
  new RegExp(`^${pattern.replaceAll('*', '[^/]*')}$`).test(repository);

test('whatever the rules and the request: nothing is granted that no rule covers, and nothing that was not asked for', () => {
  fc.assert(
    fc.property(anyRules, anyScopes, ({ repositories, partialGrants }, requestedScopes) => {
      const by: AccessRules = { ...rules, plans: new Map([['p', { name: 'p', repositories }]]), partialGrants };
      const scope = requestedScopes
        .map(([repository, words]) => `repository:${repository}:${words.join(',')}`)
        .join(' ');
      const { access, allowed, scopes } = ask(scope, { plan: 'p' }, by);
      for (const { name: repository, actions: granted } of access)
        for (const action of granted) {
          assert.ok(requestedScopes.some(([of, words]) => of === repository && words.includes(action)));
          assert.ok(
            repositories.some(
              ({ pattern, actions }) =>
                covers(pattern, repository) && (actions.includes(action) || actions.includes('*')),
            ),
          );
        }
      if (!allowed) assert.deepEqual(access, []);
      if (scopes.every((each) => each.allowed)) assert.equal(allowed, true);
      assert.deepEqual(ask(scope, { plan: 'p' }, by), ask(scope, { plan: 'p' }, by));
    }),
  );
});

test('whatever the text: it is answered 200, 400 or 403 and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.option(fc.string()), (scope, plan) => {
      const { status } = ask([scope, `repository:${scope}:pull`], {
        plan: plan ?? undefined,
        license: scope,
        service: scope,
      });
      assert.ok([200, 400, 403].includes(status));
    }),
  );
});

test('every action that there is has its own word', () => assert.deepEqual(EVERY_ACTION, ['pull', 'push', 'delete']));
