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

interface Place {
  readonly name: string;
  readonly isOnAuthority: boolean;
  readonly path: string;
  readonly methods: ReadonlySet<string>;
}

/** Checks whether a published path matches a request path: `.search` may be an id, too. */
const covers = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((part, at) => /^[:*]/.test(part) || part === given[at]);
};

/** Lists every path with its methods, as in schema/rest.json. */
const places = (): readonly Place[] => {
  const found = new Map<string, Place & { readonly methods: Set<string> }>();
  const routes = publishedRoutes();
  for (const route of routes) {
    const authority = isOnAuthority(route);
    const name = `${authority ? '{authority}' : ''}${route.path}`;
    const path = route.path.replace(/:\w+/g, ID).replace('*', '000');
    const place = found.get(name) ?? { name, isOnAuthority: authority, path, methods: new Set<string>() };
    for (const other of routes.filter((each) => isOnAuthority(each) === authority && covers(each.path, path))) {
      place.methods.add(other.method);
      if (other.method === 'GET' && !other.hasNoHead) place.methods.add('HEAD');
    }
    found.set(name, place);
  }
  const others = Object.entries(OTHERS).map(([path, methods]) => ({
    name: path,
    isOnAuthority: false,
    path,
    methods: new Set(methods),
  }));
  return [...found.values(), ...others];
};

interface Said {
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

const ask = async (product: Product, { isOnAuthority: authority, path }: Place, method: string): Promise<Said> => {
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
const answersOf = async (product: Product): Promise<ReadonlyMap<string, Said>> => {
  const answers = new Map<string, Said>();
  for (const place of places()) {
    const wrong = METHODS.filter((method) => !place.methods.has(method));
    const asked = ['OPTIONS', ...wrong, ...(place.methods.has('HEAD') && place.path !== '/changes' ? ['HEAD'] : [])];
    for (const method of asked) answers.set(`${method} ${place.name}`, await ask(product, place, method));
  }
  return answers;
};

const tableOf = (place: Place): string => [...place.methods, 'OPTIONS'].toSorted().join(', ');

type Answers = ReadonlyMap<string, Said>;

/** Compares a path's answers of both run modes, and with the published ones. */
const problemsOf = (place: Place, method: string, inOne: Answers, inRoles: Answers): string[] => {
  const key = `${method} ${place.name}`;
  const [one, other] = [inOne.get(key), inRoles.get(key)];
  if (!one || !other) return [];
  const differs = one.whole === other.whole ? [] : [`${key}: ${one.whole}\n  in roles: ${other.whole}`];
  if (place.methods.has(method)) return differs;
  const expected = method === 'OPTIONS' ? 204 : 405;
  // Registries' clients are told of a wrong method in their own dialect, which has statuses of its own.
  const isRight = one.status === expected || (place.name === '/token' && one.status === 400);
  if (isRight && one.allow === tableOf(place)) return differs;
  return [...differs, `${key}: ${one.status} ${one.allow}, published ${expected} ${tableOf(place)}`];
};

test('every path says its published methods, refuses every other, and both run modes do so in the same bytes', async () => {
  const answers = new Map<string, ReadonlyMap<string, Said>>();
  for (const mode of modes) {
    await using product = await sharedProduct(mode);
    answers.set(mode, await answersOf(product));
  }
  const [inOne = new Map<string, Said>(), inRoles = new Map<string, Said>()] = modes.map((mode) => answers.get(mode));
  const wrong = places().flatMap((place) =>
    ['OPTIONS', ...METHODS].flatMap((method) => problemsOf(place, method, inOne, inRoles)),
  );
  assert.deepEqual(wrong, []);
  assert.ok(inOne.size > 300, `${inOne.size} answers`);
});
