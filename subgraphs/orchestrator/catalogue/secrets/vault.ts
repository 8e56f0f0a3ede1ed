import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient, HttpResponse } from '@landfall/kernel/http/client';
import { remoteFault } from '@landfall/kernel/http/remote-failure';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { remoteMessage } from '../integrations/remote-message.ts';

/** Client of Vault's KV engine, version 2. Errors are returned as a Fault that contains neither token nor value. */

/** Address, mount and token of one vault, and the caller on whose behalf it is asked. */
export interface VaultAccess {
  readonly address: string;
  readonly mount: string;
  readonly token: string;
  readonly tenant: TenantId;
  readonly correlationId: string;
}

/** Deadline of one whole request, in milliseconds: the same as preflight's. */
const VAULT_TIMEOUT_MS = 3_000;
const MAX_BYTES = 1024 * 1024;

const errorBody = Compile(
  Type.Object({
    errors: Type.Optional(Type.Array(Type.String())),
    warnings: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  }),
);
/** Body of a read. `data.data` is null when the newest version was deleted or destroyed. */
const secretBody = Compile(
  Type.Object({
    data: Type.Object({ data: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]) }),
  }),
);
const mountBody = Compile(
  Type.Object({
    data: Type.Object({
      type: Type.String(),
      options: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    }),
  }),
);

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Vault's own error message. */
const wordsOf = ({ body }: HttpResponse, token: string): string => {
  const value = parsed(body);
  return errorBody.Check(value) ? remoteMessage([...(value.errors ?? []), ...(value.warnings ?? [])], [token]) : '';
};

const hostOf = (address: string): string => new URL(address).host;

const refused = (answer: HttpResponse, { address, mount, token }: VaultAccess, name: string): Fault => {
  const vault = hostOf(address);
  const { status, headers } = answer;
  const label = wordsOf(answer, token);
  const details = { vault, mount, status };
  if (status === 404) return new Fault('INT_RESOURCE_NOT_FOUND', `${vault} has no ${name}${label}`, details);
  if (status === 401 || status === 403)
    return new Fault('INT_AUTH_FAILED', `${vault} refuses ${name} to our token (${status})${label}`, details);
  if (status === 429)
    return new Fault('INT_RATE_LIMITED', `${vault} limits our rate${label}`, {
      ...details,
      retryAfter: headers['retry-after'] ?? null,
    });
  if (status === 503)
    return new Fault('INT_CONNECTION_FAILED', `${vault} is sealed or under maintenance (503)${label}`, details);
  if (status >= 500) return new Fault('INT_CONNECTION_FAILED', `${vault} answered ${status}${label}`, details);
  if (status >= 300 && status < 400)
    return new Fault('INT_INVALID_RESPONSE', `${vault} sends us elsewhere (${status}): name the active node.`, details);
  return new Fault('INT_INVALID_RESPONSE', `${vault} answered ${status}${label}`, details);
};

const unreadable = ({ address, mount }: VaultAccess, problem: string): Fault => {
  const vault = hostOf(address);
  return new Fault('INT_INVALID_RESPONSE', `${vault}: ${problem}`, { vault, mount });
};

export const createVault = (http: Pick<HttpClient, 'send'>) => {
  const get = async (access: VaultAccess, path: string): Promise<HttpResponse | Fault> => {
    const vault = hostOf(access.address);
    const answer = await http.send({
      url: `${access.address}/v1/${path}`,
      // Proxies in front of Vault may require the second header, as a protection against forged requests.
      headers: { accept: 'application/json', 'x-vault-token': access.token, 'x-vault-request': 'true' },
      tenant: access.tenant,
      vouched: new Set([new URL(access.address).origin]),
      correlationId: access.correlationId,
      timeouts: { total: VAULT_TIMEOUT_MS },
      maxBytes: MAX_BYTES,
    });
    return answer.kind === 'response' ? answer : remoteFault(answer, vault, { vault });
  };

  return {
    /** Reads the newest version of a secret, by key. Faults: INT_*. */
    async read(access: VaultAccess, path: string): Promise<Readonly<Record<string, unknown>> | Fault> {
      const answer = await get(access, `${access.mount}/data/${path}`);
      if (answer instanceof Fault) return answer;
      if (answer.status !== 200) return refused(answer, access, `${access.mount}/${path}`);
      const value = parsed(answer.body);
      if (!secretBody.Check(value)) return unreadable(access, 'its answer is none of the KV version 2 engine.');
      return (
        value.data.data ??
        new Fault('INT_RESOURCE_NOT_FOUND', `${hostOf(access.address)}: ${access.mount}/${path} was deleted.`, {
          vault: hostOf(access.address),
          mount: access.mount,
        })
      );
    },

    /** Probes a vault: it answers, accepts the token, and has a KV version 2 engine at the mount. Faults: INT_*. */
    async ping(access: VaultAccess): Promise<Fault | undefined> {
      const answer = await get(access, `sys/internal/ui/mounts/${access.mount}`);
      if (answer instanceof Fault) return answer;
      if (answer.status !== 200) return refused(answer, access, access.mount);
      const value = parsed(answer.body);
      if (!mountBody.Check(value)) return unreadable(access, 'its answer is none of Vault.');
      const { type, options } = value.data;
      if (type === 'kv' && options?.version === '2') return undefined;
      return unreadable(access, `${access.mount} is an engine of type ${type}, not KV version 2.`);
    },
  };
};
