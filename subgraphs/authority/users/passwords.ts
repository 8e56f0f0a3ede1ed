import { type Argon2Parameters, argon2, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { Fault } from '@landfall/kernel/core/fault';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import * as store from './passwords.store.ts';

export const { find: findPassword, replace: replacePassword } = store;

const onThread = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

/** Concurrent hashes: the number of cores, at most three of the four threads of libuv. */
const CONCURRENCY = Math.min(availableParallelism(), 3);
/** Upper bound of queued hashes, a few seconds' worth. */
const MAY_WAIT = 200;

let running = 0;
const waiting: (() => void)[] = [];

/** Computes a hash in a bounded queue: each is expensive by design. */
const derive = async (parameters: Argon2Parameters): Promise<Buffer> => {
  if (running >= CONCURRENCY) {
    if (waiting.length >= MAY_WAIT) throw new Fault('SYS_OVERLOADED', 'Too many people sign in at once. Try again.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await onThread('argon2id', parameters);
  } finally {
    // The request that has waited longest takes over the thread; without one it becomes free.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
};

/** Memory in KiB, passes and lanes: first recommendation of the OWASP password storage cheat sheet for argon2id. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

const b64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

const encode = (salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${b64(salt)}$${b64(tag)}`;

/** Dummy hash with the cost of a real comparison. */
const DUMMY_HASH = encode(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES));

const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** Normalizes a password: keyboards may produce different Unicode forms (RFC 8265 4.2). */
const messageOf = (password: string): Buffer => Buffer.from(password.normalize('NFC'));

/** Hashes a password by argon2id, in PHC string form. */
export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(SALT_BYTES);
  return encode(nonce, await derive({ message: messageOf(password), nonce, tagLength: TAG_BYTES, ...COST }));
};

/** Verifies a password. Without a hash, for an unknown user, it takes as long. */
export const verifyPassword = async (password: string, encoded?: string | null): Promise<boolean> => {
  const [, memory, passes, parallelism, salt = '', tag = ''] = ENCODED.exec(encoded ?? DUMMY_HASH) ?? [];
  const expected = Buffer.from(tag, 'base64');
  const found = await derive({
    message: messageOf(password),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return constantTimeEqual(found, expected);
};
