import { once } from 'node:events';
import { connect } from 'node:net';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { loadSettings } from '@landfall/kernel/system/settings';
import { caller } from '@landfall/kernel/testing/callers';
import { type SearchSettings, searchSettings } from '@landfall/search';
import { answerOf, createQuality, createQuery, createSynthesis } from '@landfall/search/testing/parts';
import { chunk, statement } from '@landfall/search/testing/query-results';
import { searchApp } from '@landfall/search/testing/search-app';
import Fastify from 'fastify';
import { searchSynthesisRoutes } from '../routes/search-synthesis.ts';

const BOTH = ['advisory-ai:operate', 'search:synthesize'];

/** Caller from a header: scopes, and the tenant if it is not acme. */
const callerOf = (scopes: unknown, tenant: unknown): Caller => {
  if (typeof scopes !== 'string') throw new Fault('AUTH_TOKEN_MISSING', 'No token.');
  const created = caller({
    subject: '00000000-0000-7000-8000-00000000000a',
    scopes: scopes.split(' '),
    ...(typeof tenant === 'string' && tenant !== '' && { tenant }),
  });
  if (tenant !== '') return created;
  const { tenant: _, ...without } = created;
  return without;
};

interface Asking {
  readonly scopes?: readonly string[];
  readonly tenant?: string;
}

/** A request in the bytes of HTTP/1.1. */
const requestOf = (body: unknown, { scopes = BOTH, tenant }: Asking = {}): string => {
  const text = JSON.stringify(body);
  return [
    'POST /v1/search/synthesize HTTP/1.1',
    'host: search.invalid',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    `x-test-scopes: ${scopes.join(' ')}`,
    ...(tenant === undefined ? [] : [`x-test-tenant: ${tenant}`]),
    'connection: close',
    '',
    text,
  ].join('\r\n');
};

/** Body of a chunked response without its chunk framing. */
export const unframed = (raw: Buffer): Buffer => {
  const body = raw.subarray(raw.indexOf('\r\n\r\n') + 4);
  const parts: Buffer[] = [];
  for (let index = 0; index < body.length; ) {
    const end = body.indexOf('\r\n', index);
    const size = Number.parseInt(body.toString('latin1', index, end), 16);
    if (end < 0 || size === 0) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    index = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
};

/** Events of a stream, with their data parsed; comments and an incomplete last event are left out. */
export const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/u.exec(block) ?? [];
      const value: Readonly<Record<string, unknown>> = JSON.parse(data);
      return { event, data: value };
    });

/**
 * Starts the synthesis over a database, an index and a listener of its own, with two documents of one vulnerability.
 */
export const synthesisApp = async (overrides: Partial<SearchSettings> = {}, { heartbeatMs = 15_000 } = {}) => {
  const base = await searchApp();
  const { deps, corpus, lane, feed } = base;
  const settings = { ...loadSettings(searchSettings, { env: {} }), ...overrides };
  const { recorder, popularity } = createQuality(deps, settings);
  const query = createQuery({ ...deps, corpus, lane, feed, recorder, popularity, answerOf, settings });
  /** As a copy of the module has it; each has its own. */
  const copy = async () => {
    const synthesis = createSynthesis({ ...deps, find: query.find, recorder, settings });
    const server = Fastify();
    await registerRoutes(server, searchSynthesisRoutes({ synthesis }, { heartbeatMs }), {
      clock: deps.clock,
      ids: deps.ids,
      onBug: (error) => bugs.push(error),
      callerOf: async ({ headers }) => callerOf(headers['x-test-scopes'], headers['x-test-tenant']),
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    return server;
  };
  const bugs: unknown[] = [];
  const servers = [await copy()];
  const portOf = (index: number): number => {
    const address = servers[index]?.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  await base.put('acme', [chunk(), statement()]);
  await base.settled();

  const open = (body: unknown, asking?: Asking, at = 0) => {
    const socket = connect(portOf(at), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(requestOf(body, asking));
    return socket;
  };
  return {
    ...base,
    bugs,
    recorder,
    /** Another copy of the module over the same database; its place among them. */
    async addCopy() {
      servers.push(await copy());
      return servers.length - 1;
    },
    open,
    /** The whole answer as it is on the wire. */
    async raw(body: unknown, asking?: Asking, at = 0): Promise<Buffer> {
      const socket = open(body, asking, at);
      const chunks: Buffer[] = [];
      socket.on('data', (bytes: Buffer) => chunks.push(bytes));
      await once(socket, 'close');
      return Buffer.concat(chunks);
    },
    /** The events of an answer. */
    async events(body: unknown, asking?: Asking, at = 0) {
      return eventsOf(unframed(await this.raw(body, asking, at)).toString());
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
      await base[Symbol.asyncDispose]();
    },
  };
};
