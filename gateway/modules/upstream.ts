import type { Readable } from 'node:stream';
import { asFault } from '@landfall/kernel/core/fault';
import type { Deps, Upstream, UpstreamAnswer } from '@landfall/kernel/module';
import type { Answer, Route } from '@landfall/kernel/routes/route';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { createEnvelopes } from '../roles/envelope.ts';
import { createModuleClient, type ModuleClient } from '../roles/module-client.ts';
import { type GatewaySettings, moduleUrls } from '../settings/settings.ts';

/** Size limit of one answer in bytes; readers ask for one page at a time. */
const MAX_BYTES = 32 * 1024 * 1024;

const ABSENT: UpstreamAnswer = { status: 404, body: new Uint8Array() };

const addressOf = (target: string): URL => new URL(target, 'http://platform.invalid');

const collected = async (body: Answer['body'] | Readable): Promise<Uint8Array> => {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body ?? '');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`The answer is larger than ${MAX_BYTES} bytes.`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
};

const queryOf = ({ searchParams }: URL): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const [first = '', ...rest] = searchParams.getAll(name);
      return [name, rest.length === 0 ? first : [first, ...rest]];
    }),
  );

/** Calls a route of this process as the web listener would. */
export const localUpstream =
  (routes: () => readonly Route[]): Upstream =>
  async (caller, { target, signal = new AbortController().signal }) => {
    const url = addressOf(target);
    const route = routes().find(({ method, path }) => method === 'GET' && path === url.pathname);
    if (!route) return ABSENT;
    const request = {
      target,
      params: {},
      query: queryOf(url),
      body: undefined,
      headers: {},
      requestId: caller.correlationId,
      signal,
      caller: async () => caller,
      address: '127.0.0.1',
    };
    try {
      const { status, body } = await route.handle(request);
      return { status, body: await collected(body) };
    } catch (error) {
      const fault = asFault(error);
      if (fault.cause !== undefined) throw error;
      return { status: fault.status, body: Buffer.from(JSON.stringify({ code: fault.code, message: fault.message })) };
    }
  };

/** Calls a route of another process, as named in schema/rest.json. */
export const remoteUpstream = ({ secrets, clock }: Deps, settings: GatewaySettings, role: string): Upstream => {
  const envelopes = createEnvelopes({ secrets, clock, role });
  const urls = moduleUrls(settings);
  const clients = new Map<string, ModuleClient>();
  const clientOf = (name: string): ModuleClient | undefined => {
    const url = urls.get(name);
    const client = clients.get(name) ?? (url === undefined ? undefined : createModuleClient(name, url, envelopes));
    if (client) clients.set(name, client);
    return client;
  };
  return async (caller, { target, signal }) => {
    const { pathname } = addressOf(target);
    const route = publishedRoutes().find(({ method, path }) => method === 'GET' && path === pathname);
    const client = route && clientOf(route.module);
    if (!client) return ABSENT;
    const { status, body } = await client.send({ method: 'GET', path: target, headers: {}, caller, signal });
    return { status, body: await collected(body) };
  };
};
