import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyConsistency } from '@landfall/kernel/crypto/merkle';
import { type CheckpointKey, openCheckpoint, signatureLine } from '../signature/checkpoint.ts';
import { cosignedMessage, cosignerKeyHash } from '../signature/cosignature.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

interface Head {
  readonly size: number;
  readonly rootHash: Buffer;
}

const plain = (status: number, body = ''): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

const parse = (request: string) => {
  const end = request.indexOf('\n\n');
  const [old = '', ...path] = request.slice(0, end).split('\n');
  return {
    oldSize: Number(old.slice('old '.length)),
    path: path.map((line) => Buffer.from(line, 'base64')),
    note: request.slice(end + 2),
  };
};

/**
 * Starts a witness of one log on a real socket, written from C2SP tlog-witness; it remembers the newest tree that it
 * cosigned.
 */
export const startWitness = async (name: string, origin: string, keysOf: () => Promise<readonly CheckpointKey[]>) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const keyHash = cosignerKeyHash(name, raw);
  const state: { seen: Head | undefined; asked: number; answer: ((given: Answer) => Answer) | undefined } = {
    seen: undefined,
    asked: 0,
    answer: undefined,
  };

  const cosign = (note: string, seconds: number): string => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const signature = sign(null, cosignedMessage(note.slice(0, note.indexOf('\n\n') + 1), seconds), privateKey);
    return signatureLine(name, keyHash, Buffer.concat([time, signature]));
  };

  const judge = async (request: string): Promise<Answer> => {
    const { oldSize, path, note } = parse(request);
    const checkpoint = openCheckpoint(note, { origin, keys: await keysOf() });
    if (!checkpoint) return plain(403);
    if (oldSize > checkpoint.size) return plain(400);
    const knownSize = state.seen?.size ?? 0;
    if (oldSize !== knownSize) return { status: 409, type: 'text/x.tlog.size', body: `${knownSize}\n` };
    const proof = { firstSize: oldSize, secondSize: checkpoint.size, secondRoot: checkpoint.rootHash, path };
    const isGood = state.seen ? verifyConsistency({ ...proof, firstRoot: state.seen.rootHash }) : path.length === 0;
    if (!isGood) return plain(oldSize === checkpoint.size ? 409 : 422);
    state.seen = checkpoint;
    return plain(200, cosign(note, 1_768_467_600));
  };

  const serve = async (request: IncomingMessage): Promise<Answer> => {
    state.asked += 1;
    const input = request.url === '/log/add-checkpoint' ? await judge(await text(request)) : plain(404);
    return state.answer?.(input) ?? input;
  };

  const server = createServer((request, response) => {
    void serve(request).then(({ status, type, body }) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const encoded = Buffer.concat([Uint8Array.of(4), raw]).toString('base64');
  return {
    state,
    cosign,
    /** Value for the setting `Log:Witnesses`. */
    setting: `${name}+${keyHash.toString('hex')}+${encoded}=http://127.0.0.1:${port}/log/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
