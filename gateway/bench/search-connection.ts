import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const CHUNKED = /\r\ntransfer-encoding: chunked/i;
const LENGTH = /\r\ncontent-length: (\d+)/i;
const LAST_CHUNK = '\r\n0\r\n\r\n';
/** Deadline of an answer in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Incoming answer: its status, its complete body, and for a stream every chunk. */
interface Incoming {
  readonly piece?: (text: string) => void;
  readonly whole: (status: number, body: string) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Minimal HTTP connection with one request at a time. Requests are prepared bytes, so that the client hardly uses the
 * processors that are measured.
 */
export interface Connection {
  send(request: Buffer, incoming: Incoming): void;
  end(): void;
}

/** Creates a parser for successive answers. */
const createReader = () => {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Offset of the body's end in the response; undefined before the head arrived, infinite for a chunked body. */
  let end: number | undefined;
  let body = 0;

  const readHead = (): void => {
    const head = Buffer.concat(pieces).toString('latin1');
    const at = head.indexOf(HEAD_END);
    if (at < 0) return;
    body = at + HEAD_END.length;
    end = CHUNKED.test(head.slice(0, at)) ? Number.POSITIVE_INFINITY : body + Number(LENGTH.exec(head)?.[1] ?? 0);
  };
  /** Checks for the end of a stream, which may arrive in two pieces. */
  const isEnded = (): boolean => Buffer.concat(pieces.slice(-2)).toString('latin1').endsWith(LAST_CHUNK);
  return {
    add(piece: Buffer): void {
      pieces.push(piece);
      size += piece.length;
      if (end === undefined) readHead();
    },
    isStream: (): boolean => end === Number.POSITIVE_INFINITY,
    isWhole(): boolean {
      if (end === undefined) return false;
      return end === Number.POSITIVE_INFINITY ? size > body && isEnded() : size >= end;
    },
    readAnswer() {
      const text = Buffer.concat(pieces).toString();
      [pieces, size, end] = [[], 0, undefined];
      return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf(HEAD_END) + HEAD_END.length) };
    },
  };
};

/** Opens a socket. When the server closes it while idle, it only becomes unusable. */
const openSocket = (url: URL, timeoutMs: number) => {
  const socket: Socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const reader = createReader();
  let incoming: Incoming | undefined;
  let isUsable = true;
  const fail = (error: Error): void => {
    isUsable = false;
    const requestsBefore = incoming;
    incoming = undefined;
    socket.destroy();
    requestsBefore?.failed(error);
  };
  socket.on('data', (piece: Buffer) => {
    reader.add(piece);
    if (reader.isStream()) incoming?.piece?.(piece.toString());
    if (!reader.isWhole()) return;
    const { status, body } = reader.readAnswer();
    const requestsBefore = incoming;
    incoming = undefined;
    requestsBefore?.whole(status, body);
  });
  socket.setTimeout(timeoutMs, () => {
    if (incoming) fail(new Error(`no answer came in ${timeoutMs / 1_000} s`));
  });
  socket.on('error', fail);
  socket.on('end', () => fail(new Error('the connection was closed')));
  socket.on('close', () => fail(new Error('the connection was closed')));
  return {
    isUsable: () => isUsable,
    send(request: Buffer, next: Incoming): void {
      incoming = next;
      socket.write(request);
    },
    end: () => socket.destroy(),
  };
};

/** Creates a connection that connects on the first request, and again after the server closed it. */
export const connectionTo = (url: URL, timeoutMs: number = TIMEOUT_MS): Connection => {
  let socket: ReturnType<typeof openSocket> | undefined;
  return {
    send(request, incoming) {
      if (!socket?.isUsable()) socket = openSocket(url, timeoutMs);
      socket.send(request, incoming);
    },
    end: () => socket?.end(),
  };
};
