import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { DemoState } from '@landfall/kernel/demo/chapter';
import { writePrivate } from '@landfall/kernel/demo/private-file';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const content = Type.Object({
  /** Whether the demo is complete. */
  isTold: Type.Boolean(),
  secrets: Type.Record(Type.String(), Type.String()),
  ports: Type.Record(Type.String(), Type.Integer()),
});

interface FileMemory extends DemoState {
  readonly isComplete: boolean;
  markComplete(): Promise<void>;
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

const newSecret = (): string =>
  Array.from({ length: 20 }, () => ALPHABET.charAt(randomInt(ALPHABET.length)))
    .join('')
    .replace(/(.{5})(?=.)/g, '$1-');

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

const areFree = async (first: number, count: number): Promise<boolean> => {
  for (let port = first; port < first + count; port++) if (!(await isFree(port))) return false;
  return true;
};

/**
 * Range of the demo's ports: below that of ephemeral ports, so that no outgoing connection takes one while a version is
 * replaced, and apart from the ports that tests choose (20,000 to 32,000).
 */
const FIRST_PORT = 10_000;
const PORTS = 10_000;
/** Distance of the ports of two names. */
const STEP = 10;

/** Ports in the order of the search. Processes begin apart: a port that another demo has chosen may not be bound yet. */
function* candidatePorts(): Generator<number> {
  const start = (process.pid * 20 * STEP) % PORTS;
  for (let offset = 0; offset < PORTS; offset += STEP) yield FIRST_PORT + ((start + offset) % PORTS);
}

const readText = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

export const openDemoState = async (path: string): Promise<FileMemory> => {
  const text = await readText(path);
  const {
    isTold: isAnnounced,
    secrets,
    ports,
  } = text ? Parse(content, JSON.parse(text)) : { isTold: false, secrets: {}, ports: {} };
  const memory = {
    isTold: isAnnounced,
    secrets: new Map(Object.entries(secrets)),
    ports: new Map(Object.entries(ports)),
  };

  const save = () =>
    writePrivate(
      path,
      JSON.stringify({
        isTold: memory.isTold,
        secrets: Object.fromEntries(memory.secrets),
        ports: Object.fromEntries(memory.ports),
      }),
    );

  const storeSecret = async (name: string, secret: string): Promise<string> => {
    const known = memory.secrets.get(name);
    if (known !== undefined) return known;
    memory.secrets.set(name, secret);
    await save();
    return secret;
  };

  return {
    get isComplete() {
      return memory.isTold;
    },
    keep: storeSecret,
    find: async (name) => memory.secrets.get(name),
    secret: (name) => storeSecret(name, newSecret()),
    async port(name, count = 1) {
      const known = memory.ports.get(name);
      if (known !== undefined) return known;
      const used = new Set(memory.ports.values());
      for (const port of candidatePorts()) {
        if (used.has(port) || !(await areFree(port, count))) continue;
        memory.ports.set(name, port);
        await save();
        return port;
      }
      throw new Error(`No ${count} free ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1}.`);
    },
    async markComplete() {
      memory.isTold = true;
      await save();
    },
  };
};
