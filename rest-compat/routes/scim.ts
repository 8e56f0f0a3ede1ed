import type { Authority, Scim, ScimFound, ScimResource, ScimVersioned, ScimWanted } from '@landfall/authority';
import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import type { Operation } from '@landfall/kernel/operation/operation';
import { scim as dialect } from '@landfall/kernel/routes/dialects/scim';
import { type Answer, one, protocolRoute, type Route, type RouteRequest, route } from '@landfall/kernel/routes/route';
import Type from 'typebox';

const TYPE = 'application/scim+json';
const ROOT = '/scim/v2';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

const common = { module: 'authority', dialect } as const;
const text = Type.String();
const optional = Type.Optional(text);
const resource = Type.Object({ schemas: Type.Array(text), id: text });
const list = Type.Object({ schemas: Type.Array(text), totalResults: Type.Integer() });
const idParams = Type.Object({ id: text });
const errors = Object.fromEntries(
  [400, 401, 403, 404, 409, 412].map((status) => [
    status,
    Type.Object({ schemas: Type.Array(text), scimType: optional, detail: text, status: text }),
  ]),
);
const shownFields = { attributes: optional, excludedAttributes: optional };
const visible = Type.Object(shownFields);
const question = Type.Object({
  filter: optional,
  startIndex: Type.Optional(Type.Integer()),
  count: Type.Optional(Type.Integer()),
  sortBy: optional,
  sortOrder: optional,
  ...shownFields,
});

const answer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'content-type': TYPE, ...headers },
  body: JSON.stringify(body),
});

type RollbackInput = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is RollbackInput => typeof value === 'object' && value !== null;

const invalid = (message: string): Fault => new Fault('VAL_INVALID_VALUE', message, { scimType: 'invalidValue' });

/** Attribute names, comma-separated or a list (RFC 7644 3.4.3). Throws a Fault with scimType invalidValue. */
const names = (field: string, value: unknown): readonly string[] => {
  if (value === undefined || value === null) return [];
  const input: readonly unknown[] = Array.isArray(value) ? value : [value];
  return input
    .flatMap((each) => {
      if (typeof each !== 'string') throw invalid(`${field} is a list of attribute names.`);
      return each.split(',');
    })
    .map((name) => name.trim())
    .filter((name) => name !== '');
};

const wantedOf = ({ attributes, excludedAttributes }: RollbackInput): ScimWanted => ({
  attributes: names('attributes', attributes),
  excludedAttributes: names('excludedAttributes', excludedAttributes),
});

const complete = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;

const questionOf = ({ filter, startIndex, count, sortBy, sortOrder }: RollbackInput): RollbackInput => ({
  filter,
  startIndex: complete(startIndex),
  count: complete(count),
  sortBy,
  sortOrder,
});

/** Refuses text that is no id as an unknown resource. @throws Fault RES_NOT_FOUND */
const idOf = ({ params }: RouteRequest): string => {
  const { id = '' } = params;
  if (!isId(id, 'User')) throw new Fault('RES_NOT_FOUND', 'There is no such resource.');
  return id;
};

const header = ({ headers }: RouteRequest, name: string): string | undefined => one(headers[name]);

/** Resource type: its operations and its representation. */
interface Kind {
  readonly name: 'Users' | 'Groups';
  readonly list: Operation<ScimFound>;
  readonly find: Operation<ScimVersioned>;
  readonly create: Operation<ScimVersioned>;
  readonly replace: Operation<ScimVersioned>;
  readonly patch: Operation<ScimVersioned>;
  readonly remove: Operation<void>;
  readonly shown: (resource: ScimResource, wanted: ScimWanted) => ScimResource;
  /** Paging of a list request. */
  readonly more: (wanted: ScimWanted) => RollbackInput;
}

const listAnswer = (
  { shown: visible }: Kind,
  { total, startIndex, resources }: ScimFound,
  requested: ScimWanted,
): Answer =>
  answer(200, {
    schemas: [LIST],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    // RFC 7644 3.4.2 allows an empty list to be omitted; directories expect it all the same.
    Resources: resources.map((each) => visible(each, requested)),
  });

const listRoutes = (kind: Kind): Route[] => [
  route({
    ...common,
    method: 'GET',
    path: `${ROOT}/${kind.name}`,
    operation: kind.list,
    summary: `Finds ${kind.name.toLowerCase()} (RFC 7644 3.4.2).`,
    schemas: { query: question, response: { 200: list, ...errors } },
    input: ({ query }) => ({ ...questionOf(query), ...kind.more(wantedOf(query)) }),
    answer: (found, { query }) => listAnswer(kind, found, wantedOf(query)),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${ROOT}/${kind.name}/.search`,
    operation: kind.list,
    summary: `Finds ${kind.name.toLowerCase()} by a question in the body (RFC 7644 3.4.3).`,
    schemas: { body: Type.Object({}, { additionalProperties: true }), response: { 200: list, ...errors } },
    input: ({ body }) => (isObject(body) ? { ...questionOf(body), ...kind.more(wantedOf(body)) } : {}),
    answer: (found, { body }) => listAnswer(kind, found, wantedOf(isObject(body) ? body : {})),
  }),
];

const versioned = (scim: Scim, kind: Kind, request: RouteRequest, status: 200 | 201) => {
  const requested = wantedOf(request.query);
  return ({ resource: found, version }: ScimVersioned): Answer => {
    const { location } = Object(found.meta);
    const etag = scim.etagOf(version);
    const known = header(request, 'if-none-match');
    if (request.target !== '' && status === 200 && known !== undefined && scim.isTagged(known, version))
      return { status: 304, headers: { etag } };
    return answer(status, kind.shown(found, requested), {
      etag,
      ...(typeof location === 'string' && { location }),
    });
  };
};

const body = Type.Object({}, { additionalProperties: true });

const resourceRoutes = (scim: Scim, kind: Kind): Route[] => {
  const path = `${ROOT}/${kind.name}/:id`;
  const singular = kind.name === 'Users' ? 'a user' : 'a group';
  const format = (request: RouteRequest) => ({
    id: idOf(request),
    body: request.body,
    ifMatch: header(request, 'if-match'),
  });
  return [
    route({
      ...common,
      method: 'POST',
      path: `${ROOT}/${kind.name}`,
      operation: kind.create,
      summary: `Makes ${singular} (RFC 7644 3.3).`,
      schemas: { query: visible, body, response: { 201: resource, ...errors } },
      input: (request) => ({ body: request.body }),
      answer: (created, request) => versioned(scim, kind, request, 201)(created),
    }),
    route({
      ...common,
      method: 'GET',
      path,
      operation: kind.find,
      summary: `Reads ${singular} (RFC 7644 3.4.1).`,
      schemas: { params: idParams, query: visible, response: { 200: resource, 304: Type.Null(), ...errors } },
      input: (request) => ({ id: idOf(request) }),
      answer: (found, request) => versioned(scim, kind, request, 200)(found),
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      operation: kind.replace,
      summary: `Replaces ${singular} (RFC 7644 3.5.1).`,
      schemas: { params: idParams, query: visible, body, response: { 200: resource, ...errors } },
      input: format,
      answer: (after, request) => versioned(scim, kind, { ...request, headers: {} }, 200)(after),
    }),
    route({
      ...common,
      method: 'PATCH',
      path,
      operation: kind.patch,
      summary: `Changes ${singular} (RFC 7644 3.5.2).`,
      schemas: { params: idParams, query: visible, body, response: { 200: resource, ...errors } },
      input: format,
      answer: (after, request) => versioned(scim, kind, { ...request, headers: {} }, 200)(after),
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      operation: kind.remove,
      summary: kind.name === 'Users' ? 'Deactivates a user, who is no resource then.' : 'Removes a group.',
      schemas: { params: idParams, response: { 204: Type.Null(), ...errors } },
      input: (request) => ({ id: idOf(request), ifMatch: header(request, 'if-match') }),
      answer: () => ({ status: 204 }),
    }),
  ];
};

/** Route of a public document, which needs no authentication (RFC 7644 4). */
const documentRoute = (path: string, summary: string, handle: (request: RouteRequest) => unknown): Route =>
  protocolRoute({
    ...common,
    isPublic: true,
    method: 'GET',
    path: ROOT + path,
    summary,
    schemas: { response: { 200: Type.Object({ schemas: Type.Array(text) }), ...errors } },
    handle: async (request) => answer(200, handle(request)),
  });

const documentList = (all: readonly unknown[]) => ({
  schemas: [LIST],
  totalResults: all.length,
  startIndex: 1,
  itemsPerPage: all.length,
  Resources: all,
});

const byId = (all: readonly ScimResource[], { params }: RouteRequest): ScimResource => {
  const found = all.find(({ id }) => String(id).toLowerCase() === params.id?.toLowerCase());
  if (!found) throw new Fault('RES_NOT_FOUND', 'There is no such resource.');
  return found;
};

/** Route that answers 501, for features that are not offered (RFC 7644 3.12). */
const notOffered = (method: 'GET' | 'POST', path: string, detail: string): Route =>
  protocolRoute({
    ...common,
    isPublic: true,
    method,
    path: ROOT + path,
    summary: detail,
    schemas: { response: { 501: Type.Object({ schemas: Type.Array(text), detail: text, status: text }) } },
    handle: async () =>
      answer(501, { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], detail, status: '501' }),
  });

/** Routes of SCIM 2.0 (RFC 7644), at {base_url}/scim/v2. */
export const scimRoutes = ({ scim }: Pick<Authority, 'scim'>): Route[] => {
  const { people, groups, discovery, types } = scim;
  const users: Kind = {
    name: 'Users',
    ...people,
    shown: (each, requested) => scim.projected(types.user, each, requested),
    more: () => ({}),
  };
  const teams: Kind = {
    name: 'Groups',
    ...groups,
    shown: (each, requested) => scim.projected(types.group, each, requested),
    more: (requested) => ({ withMembers: scim.includesAttribute(requested, 'members') }),
  };
  return [
    ...[users, teams].flatMap((kind) => [...listRoutes(kind), ...resourceRoutes(scim, kind)]),
    documentRoute('/ServiceProviderConfig', 'What this SCIM service does (RFC 7643 5).', () => discovery.configuration),
    documentRoute('/ResourceTypes', 'The kinds of resources (RFC 7643 6).', () =>
      documentList(discovery.resourceTypes),
    ),
    documentRoute('/ResourceTypes/:id', 'One kind of resource.', (request) => byId(discovery.resourceTypes, request)),
    documentRoute('/Schemas', 'The schemas (RFC 7643 7).', () => documentList(discovery.schemas)),
    documentRoute('/Schemas/:id', 'One schema.', (request) => byId(discovery.schemas, request)),
    notOffered('GET', '/Me', 'The alias of the caller is not offered; ask by id.'),
    notOffered('POST', '/Bulk', 'Bulk operations are not offered.'),
    notOffered('POST', '/.search', 'A search over every kind at once is not offered; ask one kind.'),
  ];
};
