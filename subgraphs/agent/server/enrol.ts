import { X509Certificate } from 'node:crypto';
import { cpus, hostname } from 'node:os';
import type { Clock } from '@landfall/kernel/core/clock';
import { messages, paths, type Registration } from '../protocol/messages.ts';
import { parseToken } from '../protocol/token.ts';
import type { Identity, IdentityStore } from '../state/identity.ts';
import { createConnection, fetchPinnedCa } from './connection.ts';

type Enrolment = Readonly<{
  server: URL;
  /** Registration token, needed once, and again after the certificate expired. */
  token: string | undefined;
  name: string;
  version: string;
  platform: string;
  capabilities: Readonly<Record<string, string>>;
  clock: Clock;
}>;

const hasExpired = ({ certificate }: Identity, clock: Clock): boolean =>
  new X509Certificate(certificate).validToDate <= clock.now();

/**
 * Returns the agent's identity; registers if there is none or it expired. Throws the server's Fault, or an Error
 * without token.
 */
export const enrol = async (store: IdentityStore, enrolment: Enrolment, signal: AbortSignal): Promise<Identity> => {
  const { server, name, version, platform, capabilities, clock } = enrolment;
  const known = await store.read();
  if (known && !hasExpired(known, clock)) return known;
  const token = parseToken(enrolment.token ?? '');
  if (!token) {
    if (known) return known;
    throw new Error('This agent is not registered: give it a registration token.');
  }
  const ca = await fetchPinnedCa(server, token.pin);
  const connection = createConnection(server, { ca });
  try {
    const registration: Registration = {
      token: token.secret,
      csr: await store.request(name),
      name,
      version,
      capabilities: { ...capabilities },
      hostFacts: { platform, hostname: hostname(), cpus: cpus().length },
      clock: clock.now().toISOString(),
    };
    const answer = await connection.post(paths.register, registration, signal);
    if (!messages.registered.Check(answer)) throw new Error('The server answered something else than a registration.');
    const { agentId, certificate, renewAfter } = answer;
    await store.write({ agentId, certificate, ca, renewAfter });
    return { agentId, certificate, ca, renewAfter };
  } finally {
    await connection.close();
  }
};
