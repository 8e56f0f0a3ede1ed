import { spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { Fault } from '../../core/fault.ts';
import { sha256Bytes } from '../digest.ts';
import { identityOf } from './local-signer.ts';
import type { Pkcs11Uri } from './pkcs11-uri.ts';
import { readPrivateFile } from './private-file.ts';
import { verifySignature } from './signature.ts';
import type { Signer } from './signer.ts';

const PROGRAM = 'pkcs11-tool';
const PIN_VARIABLE = 'LANDFALL_ATTESTATION_PIN';
const TIMEOUT_MS = 30_000;

const fault = (token: string, name: string, cause?: unknown): Fault =>
  new Fault('SYS_VAULT_ERROR', `The PKCS #11 token ${token} ${name}.`, undefined, [], { cause });

/** Variables that the modules need to find their tokens, without the secrets of this process. */
const environment = (pin: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(LANDFALL|DATABASE)_/.test(name))),
  [PIN_VARIABLE]: pin,
});

interface Answer {
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: string;
}

const call = async (options: readonly string[], pin: string, input: Uint8Array): Promise<Answer> => {
  const child = spawn(PROGRAM, options, { env: environment(pin), timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
  // A program that ends early closes its end of the pipe; its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: typeof code === 'number' ? code : null, output, errors };
};

const reasonOf = ({ code, errors }: Answer): string =>
  /CKR_\w+/.exec(errors)?.[0] ??
  /^(?:error: .*|No slot .*|sc_dlopen .*)$/m.exec(errors)?.[0] ??
  (code === null ? `no answer within ${TIMEOUT_MS / 1_000} s` : `exit code ${code}`);

/** Records a PIN that a token refused. It is not tried again, because a token locks itself after a few wrong PINs. */
interface Refusals {
  pin: string | undefined;
}

/** Runs commands on a PKCS #11 token one at a time, because a token may allow a single session. */
const createDevice = ({ token, modulePath }: Pkcs11Uri, pin: string, refusals: Refusals) => {
  let last: Promise<unknown> = Promise.resolve();

  const ask = async (options: readonly string[], input: Uint8Array): Promise<Buffer> => {
    if (refusals.pin === pin) throw fault(token, 'refused the PIN, which is not offered again; set the right one');
    const login = ['--module', modulePath, '--token-label', token, '--login', '--pin', `env:${PIN_VARIABLE}`];
    const answer = await call([...login, ...options], pin, input).catch((error: unknown) => {
      throw fault(token, `cannot be asked, for ${PROGRAM} (OpenSC) does not start`, error);
    });
    if (/CKR_PIN_(INCORRECT|LOCKED|LEN_RANGE|INVALID)/.test(answer.errors)) refusals.pin = pin;
    if (answer.code !== 0) throw fault(token, `failed: ${reasonOf(answer)}`);
    return answer.output;
  };

  return {
    ask(options: readonly string[], input: Uint8Array = Buffer.of()): Promise<Buffer> {
      const next = last.then(() => ask(options, input));
      last = next.catch(() => undefined);
      return next;
    },
  };
};

type Device = ReturnType<typeof createDevice>;

const field = (block: string, name: string): string | undefined =>
  new RegExp(`^\\s+${name}:\\s*(.*)$`, 'm').exec(block)?.[1];

/** Id of the key, since `pkcs11-tool` signs by id only. A configured label must name exactly one key. */
const idOf = async (device: Device, { token, object, id }: Pkcs11Uri): Promise<string> => {
  if (id !== undefined) return id;
  const listed = (await device.ask(['--list-objects', '--type', 'pubkey'])).toString();
  const blocks = listed.split(/^(?=Public Key Object)/m).filter((block) => field(block, 'label') === object);
  const [found, ...others] = blocks.map((block) => field(block, 'ID')?.replaceAll(':', ''));
  if (!found) throw fault(token, 'has no key of the configured name');
  if (others.length > 0) throw fault(token, 'has several keys of the configured name; give its id');
  return found;
};

const pinOf = async ({ token, pinFile }: Pkcs11Uri, pin: string | undefined): Promise<string> => {
  const input = pin ?? (pinFile === undefined ? undefined : (await readPrivateFile(pinFile, 'PIN file')).trimEnd());
  if (!input) throw fault(token, `needs a PIN: ${PIN_VARIABLE}, or pin-source in the URI`);
  return input;
};

const connect = async (uri: Pkcs11Uri, pin: string, refusals: Refusals): Promise<Signer> => {
  const { token } = uri;
  const device = createDevice(uri, pin, refusals);
  const id = await idOf(device, uri);
  const spki = await device.ask(['--read-object', '--type', 'pubkey', '--id', id]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw fault(token, 'holds a key that is not P-256');
  return {
    ...identityOf(publicKey),
    async sign(bytes) {
      const options = ['--sign', '--mechanism', 'ECDSA', '--signature-format', 'openssl', '--id', id];
      const signature = await device.ask(options, sha256Bytes(bytes));
      if (!verifySignature(publicKey, bytes, signature)) throw fault(token, 'signed with another key');
      return signature;
    },
  };
};

/**
 * Connects to a signer whose P-256 key stays in a device. OpenSC's `pkcs11-tool` signs in a child process, so that a
 * faulty module cannot crash this one; it gets the PIN through its environment, never its command line. Each
 * signature is verified before it is returned. Connecting and signing raise SYS_VAULT_ERROR when the device is
 * unavailable, refuses the PIN or has no such key; both may be retried.
 */
export const deviceSigner = (uri: Pkcs11Uri, pin: string | undefined): (() => Promise<Signer>) => {
  const refusals: Refusals = { pin: undefined };
  return async () => connect(uri, await pinOf(uri, pin), refusals);
};
