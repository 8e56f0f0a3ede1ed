import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { list, type Notice } from '@landfall/kernel/events/read';
import type { TenantData } from '@landfall/kernel/operation/seed';
import { routesOf } from '@landfall/rest-compat/modules';
import { buildSchema } from 'graphql';
import { type Bearer, bearer } from '../testing/people.ts';
import { modes, type Product, sharedProduct } from '../testing/start.ts';
import { type GraphRequest, requestsOf } from './documents.ts';
import { MARK, seed, seedSpec } from './seed.ts';

const schema = buildSchema(await readFile(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

const NOT_FOUND = /^(?:RES_(?:[A-Z]+_)*NOT_FOUND|advisoryai\.not_found)$/;

const expected = await seedSpec();

interface WireResponse {
  readonly codes: readonly string[];
  readonly statuses: readonly number[];
  readonly text: string;
}

const ask = async (
  { baseUrl }: Product,
  { headers }: Bearer,
  { document, variables }: GraphRequest,
): Promise<WireResponse> => {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables }),
  });
  const { data, errors = [] } = JSON.parse(await response.text());
  const extensions = errors.map((error: { readonly extensions?: object }) => Object(error.extensions));
  return {
    codes: extensions.map(({ code }: { readonly code?: unknown }) => String(code)),
    statuses: extensions.map(({ status }: { readonly status?: unknown }) => Number(status)),
    text: JSON.stringify(data ?? null),
  };
};

const isMissing = ({ codes, statuses }: WireResponse): boolean =>
  codes.length > 0 && codes.every((code) => NOT_FOUND.test(code)) && statuses.every((status) => status === 404);

/** Finds problems of the answer to another tenant: data of the owner, or another form than for an unknown id. */
const wrongForOther = (one: GraphRequest, response: WireResponse, { ids }: TenantData): string[] => {
  const sent = JSON.stringify(one.variables);
  // Where the response is the caller's own, the text may be the client's own search term; ids of others may never
  // appear.
  const words = one.field in expected.sharedFields ? Object.values(ids) : [MARK, ...Object.values(ids)];
  const known = words.filter((word) => response.text.includes(word) && !sent.includes(word));
  const leaks = known.map((word) => `${one.field}: another tenant is told ${word}`);
  const isNothing = response.codes.length === 0 && response.text === JSON.stringify({ [one.field]: null });
  const isRight = isMissing(response) || isNothing || (one.names !== 'must' && response.codes.length === 0);
  return isRight
    ? leaks
    : [...leaks, `${one.field}: another tenant is answered ${response.codes.join(', ') || response.text}`];
};

/** Checks that the same request has an effect or a result for the owner. */
const wrongForOwner = (one: GraphRequest, response: WireResponse, { ids }: TenantData): string[] => {
  const bad = response.codes.filter((code) => NOT_FOUND.test(code) || /^(VAL|SYS|AUTH|GRAPHQL|undefined)/.test(code));
  const words = [MARK, ...Object.values(ids)];
  const mustShow = one.names !== 'must' && one.kind === 'query' && !(one.field in expected.sharedFields);
  const showsNothing = mustShow && !words.some((word) => response.text.includes(word));
  return [
    ...bad.map((code) => `${one.field}: its own tenant is answered ${code}`),
    ...(showsNothing ? [`${one.field}: shows its own tenant nothing`] : []),
  ];
};

/** Lists REST routes that take an entity's id, with ids filled in. */
const paths = ({ modules }: Product, { ids }: TenantData): string[] => {
  const idOf = (segment: string, before: string): string => {
    const name = segment === ':id' || segment === ':ref' ? before : segment.slice(1, -2);
    const names = Object.keys(ids);
    const known =
      names.find((id) => name.toLowerCase().startsWith(id.toLowerCase())) ??
      names.find((id) => id.toLowerCase().endsWith(name.replace(/Id$/, '').toLowerCase()));
    return (known && ids[known]) ?? assert.fail(`nothing was seeded that ${segment} after ${before} could name`);
  };
  // Digests belong to no tenant: the response names only the caller's own entities. The log and SCIM's metadata are
  // public, and a browser that returns from a provider has no token.
  const named = routesOf(modules).filter(
    ({ path, method }) =>
      method === 'GET' && /^(?!\/(tlog|federation|scim\/v2\/(Schemas|ResourceTypes))\/).*\/:(?!digest$)/.test(path),
  );
  return named.map(({ path }) => {
    const segments = path.split('/');
    const filled = segments.map((segment, i) =>
      segment.startsWith(':') ? idOf(segment, segments[i - 1] ?? '') : segment,
    );
    return `${filled.join('/')}?environmentId=${ids.Environment}`;
  });
};

const statusOf = async ({ baseUrl }: Product, { headers }: Bearer, path: string): Promise<number> => {
  const { status, body } = await fetch(baseUrl + path, { headers });
  await body?.cancel(); // a stream of events would stay open
  return status;
};

/** Lists the events that a client caused. */
const eventsOf = async ({ deps }: Product, { clientId }: Bearer): Promise<Notice[]> =>
  (await deps.database.system.read((query) => list(query, { xid: 0n, id: 0n }, 10_000))).filter(
    ({ actor }) => actor === clientId,
  );

for (const mode of modes)
  test(`${mode}: another tenant’s token finds, shows and changes nothing`, async () => {
    await using product = await sharedProduct(mode);
    await using stack = new AsyncDisposableStack();
    const [own, other] = [await bearer(product, 'acme'), await bearer(product, 'globex')];
    const data = await seed({ ...product, stack });
    const requests = requestsOf(schema, data.ids, expected);
    const problems: string[] = [];

    for (const one of requests) problems.push(...wrongForOther(one, await ask(product, other, one), data));
    for (const path of paths(product, data)) {
      const status = await statusOf(product, other, path);
      if (status !== 404) problems.push(`${path}: another tenant is answered ${status}`);
    }
    const locate = async (as: Bearer): Promise<string> => {
      const path = `/api/v1/release-orchestrator/estate/digest/${sha256(MARK)}`;
      return (await fetch(product.baseUrl + path, { headers: as.headers })).text();
    };
    assert.deepEqual(JSON.parse(await locate(other)), { digest: sha256(MARK), locations: [], releases: [] });
    assert.ok((await locate(own)).includes(data.ids.Target ?? ''), 'the owner is told where it runs');
    assert.deepEqual(await eventsOf(product, other), []);

    for (const path of paths(product, data)) {
      const status = await statusOf(product, own, path);
      if (status !== 200) problems.push(`${path}: its own tenant is answered ${status}`);
    }
    for (const one of requests) problems.push(...wrongForOwner(one, await ask(product, own, one), data));
    assert.deepEqual(problems, []);
  });
