import { isIP, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect as secure } from 'node:tls';
import type { Connect } from '@landfall/kernel/system/connect';

const CRLF = '\r\n';
/** Bytes of the longest line: a status, an error or a length. */
const MAX_LINE = 4_096;
const PORT = 6379;

type Argument = string | Uint8Array;

interface ClientOptions {
  /** Milliseconds of a call, from its connection to the end of its answer. */
  readonly timeoutMs: number;
  readonly connect: Connect;
}

/** Client of a server that speaks the Redis protocol, such as Valkey. */
export interface RedisClient {
  /** Value of a key; null where there is none. @throws Error for one that is larger than `maxBytes` */
  get(key: string, maxBytes: number): Promise<Buffer | null>;
  set(key: string, value: Uint8Array, ttlSeconds: number): Promise<void>;
}

/** A command in the protocol (RESP 2): an array of bulk strings. */
const encode = (command: readonly Argument[]): Uint8Array[] => [
  Buffer.from(`*${command.length}${CRLF}`),
  ...command.flatMap((argument) => [
    Buffer.from(`$${Buffer.byteLength(argument)}${CRLF}`),
    typeof argument === 'string' ? Buffer.from(argument) : argument,
    Buffer.from(CRLF),
  ]),
];

/** Reads the answers of a server from its bytes. */
class AnswerReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>, maxBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** Next answer: a status, a value, or null. @throws Error for an answer that is an error, or that is cut off */
  async next(): Promise<Buffer | string | null> {
    const line = await this.#line();
    const [kind, text] = [line[0], line.slice(1)];
    if (kind === '+') return text;
    if (kind === '-') throw new Error(`The server of the cache refuses: ${text}`);
    const length = kind === '$' && /^(-1|\d+)$/.test(text) ? Number(text) : undefined;
    if (length === undefined) throw new Error('The server of the cache does not speak the Redis protocol.');
    if (length > this.#maxBytes) throw new Error(`The value has ${length} bytes, more than ${this.#maxBytes}.`);
    return length === -1 ? null : this.#bytes(length);
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(CRLF);
      if (end >= 0) return this.#take(end).toString();
      if (this.#rest.length > MAX_LINE) throw new Error('The server of the cache does not speak the Redis protocol.');
      this.#rest = Buffer.concat([this.#rest, await this.#chunk()]);
    }
  }

  async #bytes(length: number): Promise<Buffer> {
    const parts = [this.#rest];
    for (let size = this.#rest.length; size < length + CRLF.length; ) {
      const chunk = await this.#chunk();
      parts.push(chunk);
      size += chunk.length;
    }
    this.#rest = Buffer.concat(parts);
    return this.#take(length);
  }

  /** Bytes up to a position, behind which a line break is. */
  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length + CRLF.length);
    return taken;
  }

  async #chunk(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new Error('The server of the cache ended the connection.');
    return value;
  }
}

/** Commands before the first one of a connection, by the user name, password and database of an address. */
const greetingOf = ({ username, password, pathname }: URL): string[][] => {
  const database = pathname.slice(1);
  const names = [username, password].map(decodeURIComponent).filter((name) => name !== '');
  return [...(names.length === 0 ? [] : [['AUTH', ...names]]), ...(database === '' ? [] : [['SELECT', database]])];
};

/**
 * Creates a client for an address such as `redis://cache:6379` or `rediss://user:password@cache/1`. Each call has a
 * connection of its own: one more round trip is little beside megabytes, and nothing is left of a call that fails.
 */
export const createRedisClient = (address: string, { timeoutMs, connect }: ClientOptions): RedisClient => {
  const url = new URL(address);
  const greeting = greetingOf(url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const port = Number(url.port || PORT);
  const open = async (): Promise<Socket> => {
    const socket = await connect({ host, port, timeoutMs });
    return url.protocol === 'rediss:'
      ? secure({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
      : socket;
  };

  const send = async (command: readonly Argument[], maxBytes: number): Promise<Buffer | string | null> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const socket = addAbortSignal(signal, await open());
    try {
      for (const part of [...greeting, command].flatMap(encode)) socket.write(part);
      const answers = new AnswerReader(socket, maxBytes);
      for (const _ of greeting) await answers.next();
      return await answers.next();
    } finally {
      socket.destroy();
    }
  };

  return {
    async get(key, maxBytes) {
      const value = await send(['GET', key], maxBytes);
      if (typeof value === 'string') throw new Error('The server of the cache answers GET with a status.');
      return value;
    },
    async set(key, value, ttlSeconds) {
      await send(['SET', key, value, 'EX', String(ttlSeconds)], 0);
    },
  };
};
