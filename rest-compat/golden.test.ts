import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedRoutes } from './published.ts';
import { goldenCases } from './replay/case.ts';
import { testGoldenFiles } from './testing/golden-files.ts';

const cases = goldenCases();

// The full run sends them to the product in roles as well.
testGoldenFiles('all-in-one');

/** Pages for people are forms with one-time tokens; browser tests see them. */
const PAGES =
  /^\/(?:|(?:authorize|sign-in|consent|device|account|account-link|passkey|federation|end-session)(?:\/.+)?|passkey\.js)$/;

test('every route has a golden file', () => {
  const requests = cases.map(({ request }) => (request.split('\n')[0] ?? '').replace(/\{\{(?:base|auth)Url\}\}/, ''));
  const isRequested = (method: string, path: string): boolean => {
    const pattern = new RegExp(`^${method} ${path.replace('*', '.+').replace(/:\w+/g, '[^/?]+')}(?:\\?.*)?$`);
    return requests.some((line) => pattern.test(line));
  };
  const missing = publishedRoutes()
    .filter(({ path }) => !PAGES.test(path))
    .filter(({ method, path }) => !isRequested(method, path))
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(missing, []);
});

/** A field that says when something was, with its value. */
const INSTANT_FIELD = /"(\w*(?:At|Utc|Until)|created|lastModified|timestamp)":"([^"]+)"/g;
/** Format in which a replay writes RFC 3339 in UTC: to the millisecond, or to the second. */
const IN_UTC = new Set(['{{instant}}', '{{second}}']);
/** Time that is the same in every replay. */
const FIXED_IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;
/** Whether a statement has a timestamp that holds: no time. */
const RESULTS = new Set(['pass', 'fail', 'skipped']);

// spec: 1/timestamps
test('every instant of an answer is RFC 3339 in UTC', () => {
  const fields = cases.flatMap(({ name, response }) =>
    [...response.matchAll(INSTANT_FIELD)].map(([, field = '', value = '']) => ({ name, field, value })),
  );
  const instants = fields.filter(({ field, value }) => !(field === 'timestamp' && RESULTS.has(value)));
  assert.deepEqual(
    instants.filter(({ value }) => !IN_UTC.has(value) && !FIXED_IN_UTC.test(value)),
    [],
  );
  const names = new Set(instants.map(({ field }) => field));
  for (const field of ['timestamp', 'createdAt', 'startedAt', 'completedAt', 'verifiedAt', 'observedAt', 'signedAt'])
    assert.ok(names.has(field), field);
});
