import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * Fake Vault server with the part of the HTTP API that the client uses: reads of a KV version 2 engine, and information
 * about a mount. Written from the API's documentation; never compared with a real Vault.
 */

interface Version {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly isDeleted?: boolean;
}

interface VaultOptions {
  readonly token: string;
  readonly mount?: string;
  /** Version of the KV engine at the mount. */
  readonly engine?: string;
  readonly engineVersion?: string;
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const metadata = {
  created_time: '2026-01-01T00:00:00Z',
  custom_metadata: null,
  deletion_time: '',
  destroyed: false,
  version: 1,
};

const wrapped = (data: unknown) => ({
  request_id: '7b1c1b46-0000-0000-0000-000000000000',
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  data,
  wrap_info: null,
  warnings: null,
  auth: null,
});

export const startVault = async ({ token, mount = 'secret', engine = 'kv', engineVersion = '2' }: VaultOptions) => {
  const secrets = new Map<string, Version>();
  const forbidden = new Set<string>();
  const requests: string[] = [];
  let fault: ((response: ServerResponse) => void) | undefined;

  const read = (response: ServerResponse, path: string): void => {
    const version = secrets.get(path);
    if (forbidden.has(path)) send(response, 403, { errors: ['1 error occurred:\n\t* permission denied\n\n'] });
    else if (!version) send(response, 404, { errors: [] });
    else if (version.isDeleted)
      send(response, 404, wrapped({ data: null, metadata: { ...metadata, deletion_time: '2026-01-02T00:00:00Z' } }));
    else send(response, 200, wrapped({ data: version.data, metadata }));
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? '').replace(/^\/v1\//, '');
    requests.push(path);
    if (fault) fault(response);
    else if (request.headers['x-vault-token'] !== token)
      send(response, 403, { errors: ['permission denied', `bad token ${String(request.headers['x-vault-token'])}`] });
    else if (path.startsWith(`${mount}/data/`)) read(response, path.slice(`${mount}/data/`.length));
    else if (path === `sys/internal/ui/mounts/${mount}`)
      send(response, 200, wrapped({ type: engine, path: `${mount}/`, options: { version: engineVersion } }));
    else send(response, 404, { errors: [`no handler for route "${path}". route entry not found.`] });
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    address: `http://127.0.0.1:${port}`,
    /** Paths of the received requests, in order. */
    requests,
    put(path: string, data: Readonly<Record<string, unknown>>) {
      secrets.set(path, { data });
      forbidden.delete(path);
    },
    delete: (path: string) => void secrets.set(path, { data: null, isDeleted: true }),
    forbid: (path: string) => void forbidden.add(path),
    /** Replaces every later answer by this function; without one, restores the normal answers. */
    breaks(how?: (response: ServerResponse) => void) {
      fault = how;
    },
    seal: () => {
      fault = (response) => send(response, 503, { errors: ['Vault is sealed'] });
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
