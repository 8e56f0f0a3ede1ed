import type { Readable } from 'node:stream';
import type { Caller } from '@landfall/kernel/core/caller';
import { refuseWhileConnected } from '@landfall/kernel/core/connection-use';
import { Fault } from '@landfall/kernel/core/fault';
import { Pool } from 'undici';
import { type Envelopes, envelopeHeader } from './envelope.ts';

/** A request to a module in another process, in the name of a caller. */
interface ModuleRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** Lower-case names, without those of identity. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Undefined for what anybody may ask. */
  readonly caller: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ModuleAnswer {
  readonly status: number;
  /** Lower-case names, in the module's order. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read or destroyed. */
  readonly body: Readable;
}

/** One module's process, or the load balancer before its copies. */
export interface ModuleClient {
  readonly name: string;
  /** @throws Fault SYS_SERVICE_UNAVAILABLE when nobody answers */
  send(request: ModuleRequest): Promise<ModuleAnswer>;
  /** Whether the module says that it is ready. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

const CONNECTIONS = 64;
const CONNECT_MS = 3_000;
/** No operation of ours takes longer; what streams may pause this long. */
const SILENCE_MS = 60_000;

const unavailable = (name: string, cause: unknown): Fault =>
  new Fault('SYS_SERVICE_UNAVAILABLE', `The module ${name} does not answer. Try again.`, { module: name }, [], {
    cause,
  });

const joined = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/**
 * A pool of its own beside the kernel's client, and so past the egress policy: it reaches our own roles only, where the
 * operator's settings say (docs/decisions/009).
 * @param url the module's origin: `http://authority:4000`
 */
export const createModuleClient = (name: string, url: string, envelopes: Envelopes): ModuleClient => {
  const pool = new Pool(url, {
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  });
  const audience = `module:${name}`;

  return {
    name,
    async send({ method, path, headers, body, caller, signal }) {
      refuseWhileConnected(`an answer of the module ${name}`);
      const envelope = caller && { [envelopeHeader]: envelopes.seal(caller, audience, { method, path, body }) };
      try {
        const answer = await pool.request({
          method,
          path,
          headers: { ...headers, ...envelope },
          body: body ?? null,
          ...(signal && { signal }),
        });
        return { status: answer.statusCode, headers: joined(answer.headers), body: answer.body };
      } catch (error) {
        throw unavailable(name, error);
      }
    },
    async isReady() {
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/readyz', headersTimeout: CONNECT_MS });
      await body.dump();
      return statusCode === 200;
    },
    close: () => pool.close(),
  };
};
