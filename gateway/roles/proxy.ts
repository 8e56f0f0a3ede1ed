import { Readable } from 'node:stream';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { oauth } from '@landfall/kernel/routes/dialects/oauth';
import { plain } from '@landfall/kernel/routes/dialects/plain';
import { problem } from '@landfall/kernel/routes/dialects/problem';
import { registry } from '@landfall/kernel/routes/dialects/registry';
import { scim } from '@landfall/kernel/routes/dialects/scim';
import { type Dialect, protocolRoute, type Route, type RouteRequest } from '@landfall/kernel/routes/route';
import type { PublishedRoute } from '@landfall/rest-compat/published';
import { type CertificateSeals, certificateHeader } from './certificate-seal.ts';
import type { ModuleClient } from './module-client.ts';

const dialects: Readonly<Record<string, Dialect>> = { envelope, oauth, plain, problem, registry, scim };

const dialectOf = ({ method, path, dialect }: PublishedRoute): Dialect => {
  const known = dialects[dialect];
  if (!known) throw new Error(`schema/rest.json: ${method} ${path} has the unknown dialect ${dialect}`);
  return known;
};

/** Hop-by-hop headers (RFC 9110 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Headers that the edge consumes: it verifies credentials and sends the caller instead. */
const READ_HERE = ['host', 'authorization', 'cookie', 'content-length', 'expect'];

/** Headers that this process writes on every answer. */
const WRITTEN_HERE = ['date', 'x-svc-correlation-id'];

const isWord = (value: unknown): value is string => typeof value === 'string';

/** Removes the headers `dropped` and those named by `Connection`. */
const without = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  dropped: readonly string[],
): Record<string, string> => {
  const named = [headers.connection]
    .flat()
    .filter(isWord)
    .join(',')
    .toLowerCase()
    .split(/\s*,\s*/);
  const removed = new Set([...HOP_BY_HOP, ...dropped, ...named]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || removed.has(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
};

/** Body as the module will parse it: the value that the edge parsed, serialised again; a stream as it comes. */
const bodyOf = ({ body }: RouteRequest, { accepts }: PublishedRoute): string | Readable | undefined => {
  if (body === undefined) return undefined;
  if (body instanceof Readable) return body;
  if (accepts === 'json') return JSON.stringify(body);
  if (accepts === 'text') return String(body);
  const pairs = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return String(
    new URLSearchParams(pairs.flatMap(([name, value]) => [value].flat().map((item) => [name, String(item)]))),
  );
};

/** Credentials of the client and its sealed certificate, for routes that verify them themselves. */
const credentialsOf = (
  { headers: { authorization }, certificate, target }: RouteRequest,
  { method }: PublishedRoute,
  seals: CertificateSeals,
): Record<string, string> => ({
  ...(authorization !== undefined && { authorization: [authorization].flat().join(', ') }),
  ...(certificate && { [certificateHeader]: seals.seal(certificate, method, target) }),
});

/** Creates the edge's version of a module's route: the same refusals, then the module's unchanged answer. */
export const proxyRoute = (published: PublishedRoute, module: ModuleClient, seals: CertificateSeals): Route =>
  protocolRoute({
    ...published,
    dialect: dialectOf(published),
    schemas: { response: {} },
    handle: async (request) => {
      const answer = await module.send({
        method: published.method,
        path: request.target,
        headers: {
          ...without(request.headers, READ_HERE),
          ...(published.knowsCallers && credentialsOf(request, published, seals)),
        },
        body: bodyOf(request, published),
        caller: published.isPublic || published.knowsCallers ? undefined : await request.caller(),
        signal: request.signal,
      });
      return { status: answer.status, headers: without(answer.headers, WRITTEN_HERE), body: answer.body };
    },
  });
