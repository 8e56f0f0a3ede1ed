import type { AgentListener, Deps } from '@landfall/kernel/module';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import Fastify from 'fastify';

/** Opens the agents' listener as the gateway does: mutual TLS, on loopback. */
export const listenForAgents = async (
  listener: AgentListener,
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  onBug: (error: unknown) => void,
  port = 0,
) => {
  const server = Fastify({
    https: { ...(await listener.tls()), requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' },
    genReqId: () => ids.uuid(),
    forceCloseConnections: true,
  });
  await registerRoutes(server, listener.routes, {
    clock,
    ids,
    onBug,
    callerOf: () => Promise.reject(new TypeError('the agents’ listener identifies its callers itself')),
  });
  const origin = await server.listen({ port, host: '127.0.0.1' });
  return { origin, [Symbol.asyncDispose]: () => server.close() };
};
