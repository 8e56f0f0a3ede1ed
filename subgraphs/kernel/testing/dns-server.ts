import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** DNS server with TXT records by domain; failing, it answers SERVFAIL, silent, nothing. */
export interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:port`, as a resolver takes it. */
  readonly address: string;
  readonly txt: Map<string, readonly string[]>;
  mode: 'answering' | 'failing' | 'silent';
}

const HEADER_BYTES = 12;
const TXT = 16;
const [NOERROR, SERVFAIL, NXDOMAIN] = [0, 2, 3];

/** The name of the first question (RFC 1035 4.1.2), and the end of the question. */
const questionOf = (message: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
};

/** A TXT record that points back to the question's name (RFC 1035 3.3.14): strings of at most 255 bytes. */
const recordOf = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let index = 0; index < bytes.length; index += 255) {
    const part = bytes.subarray(index, index + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

const answerTo = (message: Buffer, { txt, mode }: Pick<DnsServer, 'txt' | 'mode'>): Buffer => {
  const { name, end } = questionOf(message);
  const found = mode === 'answering' ? txt.get(name) : undefined;
  const code = mode === 'failing' ? SERVFAIL : found ? NOERROR : NXDOMAIN;
  const head = Buffer.from(message.subarray(0, HEADER_BYTES));
  head.writeUInt16BE(0x8180 | (code ?? 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(found?.length ?? 0, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, message.subarray(HEADER_BYTES, end), ...(found ?? []).map(recordOf)]);
};

/** Serves TXT records over UDP on the loopback address. */
export const startDnsServer = async (): Promise<DnsServer> => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    txt: new Map(),
    mode: 'answering',
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
  socket.on('message', (message, { port, address }) => {
    if (server.mode !== 'silent') socket.send(answerTo(message, server), port, address);
  });
  return server;
};
