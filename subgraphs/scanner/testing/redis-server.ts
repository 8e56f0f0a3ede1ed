import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Clock } from '@landfall/kernel/core/clock';

interface ServerOptions {
  readonly clock: Clock;
  /** User name and password that AUTH must give. */
  readonly login?: readonly [string, string];
}

/** Takes a complete command off the bytes of a client: an array of bulk strings. */
const takeCommand = (bytes: Buffer): { readonly command: Buffer[]; readonly rest: Buffer } | undefined => {
  let at = 0;
  const number = (): number | undefined => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const value = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return value;
  };
  const count = number();
  if (count === undefined) return undefined;
  const command: Buffer[] = [];
  while (command.length < count) {
    const length = number();
    if (length === undefined || bytes.length < at + length + 2) return undefined;
    command.push(bytes.subarray(at, at + length));
    at += length + 2;
  }
  return { command, rest: bytes.subarray(at) };
};

/** Server of the Redis protocol over a socket, with values that expire by the clock of a test. */
export const startRedisServer = async ({ clock, login }: ServerOptions) => {
  const values = new Map<string, { readonly value: Buffer; readonly expiresAtMs: number }>();
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let mode: 'answering' | 'silent' | 'refusing' = 'answering';
  let connections = 0;

  const answer = ([name, key = Buffer.of(), value = Buffer.of(), , seconds]: readonly Buffer[]): string | Buffer => {
    if (name?.toString() === 'AUTH')
      return login?.[0] === key.toString() && login[1] === value.toString()
        ? '+OK\r\n'
        : '-WRONGPASS no such login\r\n';
    if (name?.toString() === 'SELECT') return '+OK\r\n';
    if (name?.toString() === 'SET') {
      const expiresAtMs = clock.now().getTime() + Number(seconds?.toString()) * 1_000;
      values.set(key.toString(), { value: Buffer.from(value), expiresAtMs });
      return '+OK\r\n';
    }
    const found = values.get(key.toString());
    if (!found || found.expiresAtMs <= clock.now().getTime()) return '$-1\r\n';
    return Buffer.concat([Buffer.from(`$${found.value.length}\r\n`), found.value, Buffer.from('\r\n')]);
  };

  const serve = async (socket: Socket): Promise<void> => {
    let bytes = Buffer.alloc(0);
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk]);
      for (let taken = takeCommand(bytes); taken; taken = takeCommand(bytes)) {
        bytes = Buffer.from(taken.rest);
        commands.push(taken.command.slice(0, 2).join(' '));
        if (mode === 'answering') socket.write(answer(taken.command));
      }
    }
  };

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (mode === 'refusing') socket.destroy();
    // A client that ends its connection early is none of the server's business.
    else serve(socket).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return {
    host: `127.0.0.1:${address.port}`,
    url: `redis://127.0.0.1:${address.port}`,
    values,
    /** Names and keys of the commands so far. */
    commands,
    connections: (): number => connections,
    /** `silent` accepts commands and never answers, `refusing` ends each connection. */
    become(next: typeof mode): void {
      mode = next;
    },
    /** Replaces each value. */
    tamper(change: (value: Buffer) => Buffer): void {
      for (const [key, entry] of values) values.set(key, { ...entry, value: change(entry.value) });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
