import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Failure of the network between two parts. */
type NetworkFault = Readonly<
  /** New connections are refused with a reset; those that stand go on. */
  | { kind: 'refuse' }
  /** Every connection is reset, new ones at once. */
  | { kind: 'reset' }
  /** Connections stand and are accepted; every byte is swallowed, and stays lost. */
  | { kind: 'black-hole' }
  /** Every byte arrives so much later. */
  | { kind: 'latency'; ms: number }
  /** One byte at a time. */
  | { kind: 'trickle'; everyMs: number }
>;

/** One of each kind. */
const networkFaults: readonly NetworkFault[] = [
  { kind: 'refuse' },
  { kind: 'reset' },
  { kind: 'black-hole' },
  { kind: 'latency', ms: 3_000 },
  { kind: 'trickle', everyMs: 1_000 },
];

/** Destination of the bytes: a host and port, or the path of a Unix socket. */
type Upstream = { readonly host: string; readonly port: number } | { readonly path: string };

/** TCP proxy on a port of this machine with faults that a test turns on. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Begins a fault, which ends what went before; without one the network is well again. */
  fail(fault?: NetworkFault): void;
}

/** Bytes that wait for their turn; the order of a connection is kept under every fault. */
const pump = (from: Socket, to: Socket, faultNow: () => NetworkFault | undefined): void => {
  let sent = Promise.resolve();
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const write = (bytes: Buffer): void => {
    if (!to.destroyed && faultNow()?.kind !== 'black-hole') to.write(bytes);
  };
  const send = async (chunk: Buffer, arrivedAt: number): Promise<void> => {
    const fault = faultNow();
    if (fault?.kind === 'latency') await pause(arrivedAt + fault.ms - performance.now());
    if (fault?.kind !== 'trickle') return write(chunk);
    for (const byte of chunk) {
      if (to.destroyed || faultNow()?.kind !== 'trickle') break;
      write(Buffer.of(byte));
      await pause(fault.everyMs);
    }
  };
  from.on('data', (chunk: Buffer) => {
    const arrivedAt = performance.now();
    sent = sent.then(() => send(chunk, arrivedAt));
  });
  from.on('end', () => {
    sent = sent.then(() => {
      if (faultNow()?.kind !== 'black-hole') to.end();
    });
  });
};

export const startFaultProxy = async (upstream: Upstream): Promise<FaultProxy> => {
  const sockets = new Set<Socket>();
  let fault: NetworkFault | undefined;
  const faultNow = (): NetworkFault | undefined => fault;

  const keep = (socket: Socket, other: () => Socket | undefined): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (fault?.kind !== 'black-hole') other()?.destroy();
    });
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (fault?.kind === 'refuse' || fault?.kind === 'reset') {
      near.on('error', () => {});
      near.resetAndDestroy();
      return;
    }
    // A connection that was accepted while all bytes are dropped keeps dropping them.
    if (fault?.kind === 'black-hole') {
      keep(near, () => undefined);
      near.resume();
      return;
    }
    const far = connect(upstream);
    keep(near, () => far);
    keep(far, () => near);
    pump(near, far, faultNow);
    pump(far, near, faultNow);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('a listening server has an address');

  return {
    host: '127.0.0.1',
    port: address.port,
    fail(next) {
      fault = next;
      if (next?.kind !== 'reset') return;
      // A Unix socket has no reset.
      for (const socket of sockets) {
        if (socket.remoteFamily === undefined) socket.destroy();
        else socket.resetAndDestroy();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

interface Survival {
  /** Longest time for an answer during a fault, in milliseconds. */
  readonly answerMs: number;
  /** Longest time from the end of the fault to the first good answer. */
  readonly returnMs: number;
}

/**
 * Sends requests through a proxy under every fault and after it.
 * @param ask returns whether the response was good; throws where a caller would see a bug
 * @returns problems, one line each; empty without any
 */
export const surviveFaults = async (
  proxy: FaultProxy,
  ask: () => Promise<boolean>,
  { answerMs, returnMs }: Survival,
): Promise<string[]> => {
  const problems: string[] = [];
  if (!(await ask())) problems.push('it does not answer before any fault');
  for (const fault of networkFaults) {
    proxy.fail(fault);
    const began = performance.now();
    await ask();
    const ms = performance.now() - began;
    if (ms > answerMs) problems.push(`${fault.kind}: an answer took ${Math.round(ms)} ms`);
    proxy.fail();
    const repaired = performance.now();
    while (!(await ask()) && performance.now() - repaired < 4 * returnMs)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const unreachable = performance.now() - repaired;
    if (unreachable > returnMs) problems.push(`${fault.kind}: it was back after ${Math.round(unreachable)} ms`);
  }
  return problems;
};
