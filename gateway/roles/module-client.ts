import type { Readable } from 'node:stream';
import type { Caller } from '@landfall/kernel/core/caller';
import { refuseWhileConnected } from '@landfall/kernel/core/connection-use';
import { Fault } from '@landfall/kernel/core/fault';
import { Pool } from 'undici';
import { type Envelopes, envelopeHeader } from './envelope.ts';

/** Request to a module in another process on behalf of a caller. */
interface ModuleRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  /** Headers with lower-case names, without identity headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is not covered by the envelope, which is sealed before its end is known. */
  readonly body?: string | Readable | undefined;
  /** Caller; undefined for public routes. */
  readonly caller: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ModuleAnswer {
  readonly status: number;
  /** Headers with lower-case names, in the module's order. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, which must be read or destroyed. */
  readonly body: Readable;
}

/** Client of a module's process, or of the load balancer before its copies. */
export interface ModuleClient {
  readonly name: string;
  /** Sends a request. Throws SYS_SERVICE_UNAVAILABLE when the module does not answer. */
  send(request: ModuleRequest): Promise<ModuleAnswer>;
  /** Checks whether the module is ready. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

const CONNECTIONS = 64;
const CONNECT_MS = 3_000;
/** Limit in milliseconds without data: longer than any operation, and than the pauses of streams. */
const IDLE_TIMEOUT_MS = 60_000;

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
 * Creates the client with a connection pool outside of the kernel's client and the egress policy: it only reaches the
 * product's own roles, at addresses in the operator's settings (docs/decisions/009).
 * @param url origin of the module: `http://authority:4000`
 */
export const createModuleClient = (name: string, url: string, envelopes: Envelopes): ModuleClient => {
  const pool = new Pool(url, {
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_MS },
    headersTimeout: IDLE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
  });
  const audience = `module:${name}`;

  return {
    name,
    async send({ method, path, headers, body, caller, signal }) {
      refuseWhileConnected(`an answer of the module ${name}`);
      const bound = { method, path, body: typeof body === 'string' ? body : undefined };
      const envelope = caller && { [envelopeHeader]: envelopes.seal(caller, audience, bound) };
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
