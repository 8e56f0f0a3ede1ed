import type { Knowledge, KnowledgeChunk } from '@landfall/kernel/module';
import { authorityDocument, platformDocument } from '@landfall/rest-compat/openapi';
import type { PublishedRoute } from '@landfall/rest-compat/published';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const partsOf = (value: unknown): readonly (readonly [string, Json])[] =>
  isJson(value) ? Object.entries(value).flatMap(([name, part]) => (isJson(part) ? [[name, part] as const] : [])) : [];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Describes a field: `k (integer): How many.` */
const fieldLine = (name: string, schema: Json): string => {
  const words = [textOf(schema.type), textOf(schema.format)].filter((word) => word !== '');
  const description = textOf(schema.description);
  return `${name}${words.length > 0 ? ` (${words.join(', ')})` : ''}${description === '' ? '' : `: ${description}`}`;
};

const fieldsIn = (schema: unknown): string[] =>
  isJson(schema) ? partsOf(schema.properties).map(([name, field]) => fieldLine(name, field)) : [];

const block = (head: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [head, ...lines.map((line) => `- ${line}`)].join('\n');

/** Describes a route: purpose, scopes, inputs, answers. */
const bodyOf = (route: PublishedRoute): string => {
  const { scope, codes, sunset, successor, isPublic } = route;
  const schemas = isJson(route.schemas) ? route.schemas : {};
  const old = sunset === undefined ? '' : `Deprecated, sunset ${sunset}.${successor ? ` Use ${successor}.` : ''}`;
  return [
    route.summary,
    old,
    scope.length > 0 ? `Needs one of the scopes ${scope.join(', ')}.` : isPublic ? 'Anybody may ask.' : '',
    block('In the path:', fieldsIn(schemas.params)),
    block('In the query:', fieldsIn(schemas.query)),
    block(`In the body (${route.accepts === 'form' ? 'a form' : 'JSON'}):`, fieldsIn(schemas.body)),
    block(
      'Answers:',
      partsOf(schemas.response).map(([status, schema]) => {
        const names = partsOf(schema.properties).map(([name]) => name);
        return names.length > 0 ? `${status} with ${names.join(', ')}` : status;
      }),
    ),
    codes.length > 0 ? `Errors of its own: ${codes.join(', ')}.` : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
};

const chunkOf = (route: PublishedRoute, document: 'platform' | 'authority'): KnowledgeChunk => {
  const { method, path, module, scope, codes, summary } = route;
  const name = `${method} ${path}`;
  return {
    domain: 'knowledge',
    source: 'openapi',
    documentKey: `${document} ${name}`,
    part: 0,
    entityType: 'operation',
    entityKey: `operation:${document} ${name}`,
    title: `${name}: ${summary}`,
    body: bodyOf(route),
    identifiers: [path, name, ...(route.operation === null ? [] : [route.operation]), ...codes],
    packages: [],
    uri: '/docs',
    attributes: { module, scopes: scope, ...(route.sunset !== undefined && { sunset: route.sunset }) },
  };
};

/** Converts `{id}` to `:id`, as routes write it. */
const routePath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

const namesIn = (document: Json): ReadonlySet<string> =>
  new Set(
    partsOf(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${routePath(path)}`),
    ),
  );

/** Lists the operations of both OpenAPI documents: the platform's, and the authority's seven (spec 9). */
export const operationsOf = (routes: readonly PublishedRoute[]): Pick<Knowledge, 'apiSpecCount' | 'operations'> => {
  const addresses = { version: '', server: '' };
  const [platform, authority] = [
    namesIn(platformDocument(routes, addresses)),
    namesIn(authorityDocument(routes, addresses.server)),
  ];
  const operations = routes.flatMap((route): KnowledgeChunk[] => {
    const name = `${route.method} ${route.path}`;
    if (!isOnAuthority(route)) return platform.has(name) ? [chunkOf(route, 'platform')] : [];
    return authority.has(name) ? [chunkOf(route, 'authority')] : [];
  });
  return { apiSpecCount: 2, operations };
};
