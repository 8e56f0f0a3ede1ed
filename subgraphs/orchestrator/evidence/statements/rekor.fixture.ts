import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ed25519KeyId } from '@landfall/attestation/signature/signed-note';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Orchestrator } from '../../index.ts';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Verifier key (note format) of a log's current key. */
export const verifierKeyOf = async ({ transparencyLog }: Orchestrator): Promise<string> => {
  const { origin, keys } = await transparencyLog.identity();
  const spki = keys[0]?.spki ?? Buffer.of();
  const hash = ed25519KeyId(origin, spki).subarray(0, 4).toString('hex');
  return `${origin}+${hash}+${base64(Buffer.concat([Buffer.of(1), spki.subarray(-32)]))}`;
};

export const TOKEN = 'a-token-of-the-log';

/** Serves a log by the Rekor v2 API on its own socket. `twist` changes its answers. */
export const rekorOf = async (
  module: Orchestrator,
  operator: Caller,
  twist: (answer: Record<string, unknown>) => unknown = (answer) => answer,
) => {
  const answerTo = async (body: string): Promise<unknown> => {
    const { entry, logId } = await module.transparencyLogs.submit(operator, JSON.parse(body));
    const inclusionProof = {
      logIndex: String(entry.index),
      rootHash: base64(entry.rootHash),
      treeSize: String(entry.treeSize),
      hashes: entry.hashes.map(base64),
      checkpoint: { envelope: entry.checkpoint },
    };
    const kindVersion = { kind: 'hashedrekord', version: '0.0.2' };
    const logIndex = String(entry.index);
    const canonicalizedBody = base64(entry.body);
    return twist({ logIndex, logId: { keyId: base64(logId) }, kindVersion, inclusionProof, canonicalizedBody });
  };
  let requestCount = 0;
  const server = createServer(async (request, response) => {
    requestCount += 1;
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`;
    if (!isAllowed || request.method !== 'POST' || request.url !== '/api/v2/log/entries')
      return void response.writeHead(isAllowed ? 404 : 401).end();
    const answer = await answerTo(await text(request));
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    /** Number of requests received. */
    asked: () => requestCount,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
