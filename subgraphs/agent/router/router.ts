import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { digestHex } from '@landfall/kernel/crypto/digest';
import { failure, systemCode } from '../protocol/failure.ts';
import { answer, createUpstream, forward, forwardUpgrade, type Upstream } from './forward.ts';
import type { Metrics, Role, Series } from './metrics.ts';
import { createTrafficSplit, stickyValue } from './traffic-split.ts';

/** Release behind the router: its digest and the port of its process. */
export type Side = Readonly<{ port: number; digest: Digest }>;

/** Routing of a target: its releases and the percentage of requests for the candidate. */
type Routing = Readonly<{
  component: string;
  current: Side | undefined;
  candidate: Side | undefined;
  weight: number;
}>;

/** Router of a target: a loopback HTTP/1.1 listener that sends each request to one of at most two releases. */
export type Router = Readonly<{
  port: number;
  route(routing: Routing): void;
  /** Resolves when no request to a port is in progress, or at the timeout. */
  drained(port: number, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}>;

type Where = Readonly<{ target: string; component: string; metrics: Metrics }>;
type Route = Readonly<{ side: Side; upstream: Upstream; series: Series }>;

const headersMs = 60_000;
/** Keep-alive of client connections, in milliseconds: longer than that of usual proxies in front. */
const keepAliveMs = 75_000;
const lookMs = 10;
const shortLength = 12;

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });

const shortOf = (digest: Digest): string => digestHex(digest).slice(0, shortLength);

/** Checks whether a request may upgrade its connection; HTTP/2 may not, since its requests could not be divided. */
const mayUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined &&
  !headers.upgrade.toLowerCase().includes('h2c') &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;

const isPath = (url: string | undefined): boolean => url !== undefined && (url.startsWith('/') || url === '*');

/** Opens a router on a loopback port (0 chooses a free one). Raises AGT_TASK_FAILED (`port-taken`). */
export const openRouter = async (port: number, { target, component: first, metrics }: Where): Promise<Router> => {
  const sockets = new Set<Duplex>();
  const upstreams = new Map<number, Upstream>();
  const isCandidates = createTrafficSplit();
  let component = first;
  const unknownCaller = (): Series => metrics.series({ target, component, role: 'none', digest: '' });
  let routes: Readonly<{ current: Route | undefined; candidate: Route | undefined; weight: number }> = {
    current: undefined,
    candidate: undefined,
    weight: 0,
  };

  const choose = (request: IncomingMessage): Route | undefined => {
    const { current, candidate, weight } = routes;
    if (!candidate || weight === 0) return current;
    // With nothing else to serve, a release that may serve some serves all.
    if (!current || weight === 100) return candidate;
    return isCandidates(weight, stickyValue(request)) ? candidate : current;
  };

  const answerUnavailable = (route: Route | undefined, response: ServerResponse): void => {
    const status = route ? 400 : 503;
    (route?.series ?? unknownCaller()).note(status, 0);
    answer(response, status);
  };

  const server = createServer(
    {
      noDelay: true,
      requestTimeout: 0,
      headersTimeout: headersMs,
      keepAliveTimeout: keepAliveMs,
      shouldUpgradeCallback: mayUpgrade,
    },
    (request, response) => {
      const route = choose(request);
      if (isPath(request.url) && route) forward({ client: request, ...route }, response);
      else answerUnavailable(route, response);
    },
  );
  // The release decides whether it wants the body.
  server.on('checkContinue', (request, response) => void server.emit('request', request, response));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    const refuse = (): ServerResponse => {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(request.socket);
      response.once('finish', () => socket.end());
      return response;
    };
    const route = choose(request);
    if (isPath(request.url) && route) forwardUpgrade({ client: request, ...route, socket, head, refuse });
    else answerUnavailable(route, refuse());
  });
  server.on('error', () => undefined);

  const upstreamOf = (upstreamPort: number): Upstream => {
    const known = upstreams.get(upstreamPort) ?? createUpstream(upstreamPort);
    upstreams.set(upstreamPort, known);
    return known;
  };

  const routeTo = (side: Side | undefined, role: Role): Route | undefined =>
    side && {
      side,
      upstream: upstreamOf(side.port),
      series: metrics.series({ target, component, role, digest: shortOf(side.digest) }),
    };

  /** Closes idle connections to releases, such as to a process that was replaced. */
  const dropIdle = (): void => {
    for (const [idle, { agent, underWay: inProgress }] of upstreams) {
      if (inProgress.size > 0 || idle === routes.current?.side.port || idle === routes.candidate?.side.port) continue;
      agent.destroy();
      upstreams.delete(idle);
    }
  };

  const digestsOf = (): readonly string[] =>
    [routes.current, routes.candidate].flatMap((route) => (route ? [shortOf(route.side.digest)] : []));

  try {
    await listen(server, port);
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw failure('AGT_TASK_FAILED', 'port-taken', `cannot listen on 127.0.0.1:${port}: ${code}`, error);
  }
  const address = server.address();

  return {
    port: typeof address === 'object' && address ? address.port : port,

    route({ component: name, current, candidate, weight }) {
      const before = digestsOf();
      if (name !== component) metrics.keep(target, component, []);
      component = name;
      routes = { current: routeTo(current, 'current'), candidate: routeTo(candidate, 'candidate'), weight };
      dropIdle();
      // Series of a retired release appear in one more scrape, so that its last requests are counted.
      metrics.keep(target, component, ['', ...before, ...digestsOf()]);
    },

    async drained(upstreamPort, timeoutMs) {
      const upstream = upstreams.get(upstreamPort);
      const end = performance.now() + timeoutMs;
      while (upstream && upstream.underWay.size > 0 && performance.now() < end) await sleep(lookMs);
      upstream?.agent.destroy();
      upstreams.delete(upstreamPort);
    },

    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      for (const { agent } of upstreams.values()) agent.destroy();
      metrics.keep(target, component, []);
    },
  };
};
