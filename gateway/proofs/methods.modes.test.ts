import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';
import { modes, type Product, sharedProduct } from '../testing/start.ts';

const ID = '01900000-0000-7000-8000-000000000000';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Paths that are no REST routes, with their methods. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  '/graphql': ['POST'],
  '/changes': ['GET', 'HEAD'],
  '/healthz': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
  '/healthz/ready': ['GET', 'HEAD'],
  '/docs': ['GET', 'HEAD'],
  '/docs/graph': ['GET', 'HEAD'],
};

interface Endpoint {
  readonly name: string;
  readonly isOnAuthority: boolean;
  readonly path: string;
  readonly methods: ReadonlySet<string>;
}

/** Checks whether a published path matches a request path: `.search` may be an id, too. */
const covers = (pattern: string, path: string): boolean => {
  const [expected, input] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === input.length && expected.every((part, index) => /^[:*]/.test(part) || part === input[index])
  );
};

/** Lists every path with its methods, as in schema/rest.json. */
const endpoints = (): readonly Endpoint[] => {
  const found = new Map<string, Endpoint & { readonly methods: Set<string> }>();
  const routes = publishedRoutes();
  for (const route of routes) {
    const authority = isOnAuthority(route);
    const name = `${authority ? '{authority}' : ''}${route.path}`;
    const path = route.path.replace(/:\w+/g, ID).replace('*', '000');
    const endpoint = found.get(name) ?? { name, isOnAuthority: authority, path, methods: new Set<string>() };
    for (const other of routes.filter((each) => isOnAuthority(each) === authority && covers(each.path, path))) {
      endpoint.methods.add(other.method);
      if (other.method === 'GET' && !other.hasNoHead) endpoint.methods.add('HEAD');
    }
    found.set(name, endpoint);
  }
  const others = Object.entries(OTHERS).map(([path, methods]) => ({
    name: path,
    isOnAuthority: false,
    path,
    methods: new Set(methods),
  }));
  return [...found.values(), ...others];
};

interface StatementText {
  readonly status: number;
  readonly allow: string | null;
  /** Complete answer, without values of one request or one process. */
  readonly whole: string;
}

/** Beside them what an installation's own keys make of a document. */
const OF_ONE_ANSWER = new Set([
  'etag',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'dpop-nonce',
  'set-cookie',
]);

const ask = async (
  product: Product,
  { isOnAuthority: authority, path }: Endpoint,
  method: string,
): Promise<StatementText> => {
  const origin = authority ? product.authUrl : product.baseUrl;
  const response = await fetch(origin + path, {
    method,
    redirect: 'manual',
    headers: { 'x-svc-correlation-id': ID },
    signal: AbortSignal.timeout(20_000),
  });
  const headers = [...response.headers].filter(
    ([name]) => !OF_ONE_ANSWER.has(name) && !(response.ok && name === 'content-length'),
  );
  const { hostname, port } = new URL(product.baseUrl);
  const text = `${JSON.stringify(headers)}\n${await response.text()}`
    .replaceAll(product.baseUrl, '{base}')
    .replaceAll(product.authUrl, '{auth}')
    .replaceAll(`${hostname}:${port}`, '{host}')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{now}');
  return { status: response.status, allow: response.headers.get('allow'), whole: `${response.status} ${text}` };
};

/** Collects the answers of a path to OPTIONS, to every missing method, and to HEAD. */
const answersOf = async (product: Product): Promise<ReadonlyMap<string, StatementText>> => {
  const answers = new Map<string, StatementText>();
  for (const endpoint of endpoints()) {
    const wrong = METHODS.filter((method) => !endpoint.methods.has(method));
    const methods = [
      'OPTIONS',
      ...wrong,
      ...(endpoint.methods.has('HEAD') && endpoint.path !== '/changes' ? ['HEAD'] : []),
    ];
    for (const method of methods) answers.set(`${method} ${endpoint.name}`, await ask(product, endpoint, method));
  }
  return answers;
};

const tableOf = (endpoint: Endpoint): string => [...endpoint.methods, 'OPTIONS'].toSorted().join(', ');

type Answers = ReadonlyMap<string, StatementText>;

/** Compares a path's answers of both run modes, and with the published ones. */
const problemsOf = (endpoint: Endpoint, method: string, inOne: Answers, inRoles: Answers): string[] => {
  const key = `${method} ${endpoint.name}`;
  const [one, other] = [inOne.get(key), inRoles.get(key)];
  if (!one || !other) return [];
  const differs = one.whole === other.whole ? [] : [`${key}: ${one.whole}\n  in roles: ${other.whole}`];
  if (endpoint.methods.has(method)) return differs;
  const expected = method === 'OPTIONS' ? 204 : 405;
  // Registry clients receive the refusal of a wrong method in their own dialect, which has statuses of its own.
  const isRight = one.status === expected || (endpoint.name === '/token' && one.status === 400);
  if (isRight && one.allow === tableOf(endpoint)) return differs;
  return [...differs, `${key}: ${one.status} ${one.allow}, published ${expected} ${tableOf(endpoint)}`];
};

test('every path says its published methods, refuses every other, and every run mode does so in the same bytes', async () => {
  const answers = new Map<string, ReadonlyMap<string, StatementText>>();
  for (const mode of modes) {
    await using product = await sharedProduct(mode);
    answers.set(mode, await answersOf(product));
  }
  const inOne = answers.get('all-in-one') ?? new Map<string, StatementText>();
  const inRoles = answers.get('roles') ?? inOne;
  const wrong = endpoints().flatMap((endpoint) =>
    ['OPTIONS', ...METHODS].flatMap((method) => problemsOf(endpoint, method, inOne, inRoles)),
  );
  assert.deepEqual(wrong, []);
  assert.ok(inOne.size > 300, `${inOne.size} answers`);
});
