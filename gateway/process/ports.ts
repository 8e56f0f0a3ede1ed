import { createServer } from 'node:net';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import type { GatewaySettings } from '../settings/settings.ts';
import { modulesOf, type Role } from './role.ts';

/** Port that a process will listen on, and its setting. */
export interface ListenPort {
  readonly setting: string;
  readonly host: string;
  readonly port: number;
}

/** Lists the ports of a role, as `assembleListeners` opens them. */
export const portsOf = (
  role: Role,
  settings: GatewaySettings,
  installed: readonly InstalledModule[] = MODULES,
): readonly ListenPort[] => {
  const { host, webPort, authPort, agentPort, adminPort } = settings;
  const listeners = new Set(modulesOf(role, installed).map(({ listener }) => listener));
  return [
    { setting: 'LANDFALL_PORT', host, port: webPort },
    ...(listeners.has('authority') ? [{ setting: 'LANDFALL_AUTH_PORT', host, port: authPort }] : []),
    ...(listeners.has('agents') ? [{ setting: 'LANDFALL_AGENT_PORT', host, port: agentPort }] : []),
    { setting: 'LANDFALL_ADMIN_PORT', host: '127.0.0.1', port: adminPort },
  ];
};

/** Returns Node's error code if a port cannot be opened; otherwise undefined. */
const portProblem = ({ host, port }: ListenPort): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });

const byName = (ports: readonly ListenPort[]): string =>
  ports.map(({ setting, port }) => `${setting} (${port})`).join(', ');

const refuse = (ports: readonly ListenPort[], code: string): Error => {
  const which = byName(ports);
  const host = ports[0]?.host;
  if (code === 'EADDRINUSE')
    return new Error(`${which}: another program listens there on ${host}; stop it, or set another port.`);
  if (code === 'EACCES') return new Error(`${which}: this user may not listen there; set a port above 1023.`);
  return new Error(`LANDFALL_HOST: nothing can listen on ${host} (${code}); name an address of this machine.`);
};

/** Checks that all ports can be opened. Throws an Error with the settings and the remedy, for one reason at a time. */
export const checkPorts = async (ports: readonly ListenPort[]): Promise<void> => {
  const fixed = ports.filter(({ port }) => port !== 0);
  const duplicated = fixed.filter(({ port }, position) =>
    fixed.some((other, index) => index !== position && other.port === port),
  );
  if (duplicated.length > 0)
    throw new Error(`${byName(duplicated)}: each listener needs a port of its own; set another one.`);
  const blocked = await Promise.all(
    fixed.map(async (requested) => ({ wanted: requested, code: await portProblem(requested) })),
  );
  const [first] = blocked.flatMap(({ code }) => (code === undefined ? [] : [code]));
  if (first === undefined) return;
  throw refuse(
    blocked.filter(({ code }) => code === first).map(({ wanted: requested }) => requested),
    first,
  );
};
