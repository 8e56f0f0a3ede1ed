import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';

const run = promisify(execFile);

const DAY_MS = 86_400_000;
const ec = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const rsa = (hash: string) => ({ name: 'RSASSA-PKCS1-v1_5', hash });
const { keyCertSign, digitalSignature } = x509.KeyUsageFlags;

/** Deviations of the signing certificate from a valid one; each has the same key, issuer name and serial number. */
export interface LeafOptions {
  readonly usages?: readonly string[];
  readonly isCritical?: boolean;
  readonly isAuthority?: boolean;
  /** Validity in days from today. */
  readonly valid?: readonly [from: number, until: number];
}

interface TimestampAuthorityOptions {
  readonly leaf?: LeafOptions;
  /** Lines that replace those of openssl's `tsa` section. */
  readonly config?: Readonly<Record<string, string>>;
  /** Kind of key. RSA signatures have a fixed length, so that a test can sign changed tokens again. */
  readonly key?: 'ec' | 'rsa';
}

const keyPair = (kind: 'ec' | 'rsa'): KeyObject =>
  kind === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;

const cryptoKeys = (key: KeyObject, algorithm: Parameters<KeyObject['toCryptoKey']>[0]) => ({
  privateKey: key.toCryptoKey(algorithm, false, ['sign']),
  publicKey: createPublicKey(key).toCryptoKey(algorithm, true, ['verify']),
});

const period = ([from, until]: readonly [number, number]) => ({
  notBefore: new Date(Date.now() + from * DAY_MS),
  notAfter: new Date(Date.now() + until * DAY_MS),
});

/** Creates a root and issues certificates under it. */
const createIssuer = async (name = 'CN=Test times', hash = 'SHA-256') => {
  const isWeak = hash === 'SHA-1';
  const algorithm = isWeak ? rsa(hash) : { ...ec, hash };
  const keys = cryptoKeys(keyPair(isWeak ? 'rsa' : 'ec'), algorithm);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    ...period([-30, 30]),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(keyCertSign, true)],
  });
  const { timeStamping } = x509.ExtendedKeyUsage;
  return {
    root,
    issue: (key: KeyObject, { usages = [timeStamping], isCritical = true, isAuthority = false, valid }: LeafOptions) =>
      x509.X509CertificateGenerator.create({
        serialNumber: '02',
        subject: 'CN=Test clock',
        issuer: root.subject,
        ...period(valid ?? [-10, 10]),
        signingAlgorithm: algorithm,
        publicKey: cryptoKeys(key, key.asymmetricKeyType === 'ec' ? ec : rsa('SHA-256')).publicKey,
        signingKey: keys.privateKey,
        extensions: [
          ...(usages.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...usages], isCritical)]),
          new x509.BasicConstraintsExtension(isAuthority, undefined, true),
          new x509.KeyUsagesExtension(digitalSignature | (isAuthority ? keyCertSign : 0), true),
        ],
      }),
  };
};

const settings = {
  serial: 'serial',
  signer_cert: 'leaf.pem',
  signer_key: 'leaf.key',
  signer_digest: 'sha256',
  default_policy: '1.2.3.4.1',
  digests: 'sha1, sha256, sha384, sha512',
  ess_cert_id_chain: 'no',
  ess_cert_id_alg: 'sha256',
};

const derOf = (certificate: x509.X509Certificate): Buffer => Buffer.from(certificate.rawData);

/** Answers requests with `openssl ts -reply`. */
const createClock = async (leafPem: string, key: KeyObject, config: TimestampAuthorityOptions['config']) => {
  const directory = await mkdtemp(join(tmpdir(), 'timestamp-authority-'));
  const lines = Object.entries({ ...settings, ...config }).map(([name, value]) => `${name} = ${value}`);
  await writeFile(join(directory, 'ts.cnf'), `[authority]\n${lines.join('\n')}\n`);
  await writeFile(join(directory, 'serial'), '01');
  await writeFile(join(directory, 'leaf.pem'), leafPem);
  await writeFile(join(directory, 'leaf.key'), key.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  const openssl = (line: string) => run('openssl', line.split(' '), { cwd: directory });
  // The file with the serial number allows one reply at a time.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run);
    last = next;
    return next;
  };
  const reply = (query: Buffer): Promise<Buffer> =>
    inTurn(async () => {
      await writeFile(join(directory, 'query.tsq'), query);
      await openssl('ts -reply -config ts.cnf -section authority -queryfile query.tsq -out reply.tsr');
      return readFile(join(directory, 'reply.tsr'));
    });
  return {
    reply,
    /** Creates a timestamp by `openssl ts -query`, with `options` of that command. */
    timestamp: (data: Buffer, options = '-sha256 -cert'): Promise<Buffer> =>
      inTurn(async () => {
        await writeFile(join(directory, 'data'), data);
        await openssl(`ts -query -data data ${options} -out query.tsq`);
        await openssl('ts -reply -config ts.cnf -section authority -queryfile query.tsq -out reply.tsr');
        return readFile(join(directory, 'reply.tsr'));
      }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
};

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP address was expected');
  return `http://127.0.0.1:${address.port}/`;
};

/** Replaces an answer before it is sent. */
type Answering = (reply: Buffer) => { readonly status?: number; readonly type?: string; readonly body: Buffer };

/**
 * Starts a timestamp authority for tests: the `openssl ts` command behind a real HTTP server (RFC 3161 3.4), with its
 * own chain. Requires `openssl`.
 */
export const startTimestampAuthority = async ({
  leaf = {},
  config = {},
  key = 'ec',
}: TimestampAuthorityOptions = {}) => {
  const [issuer, privateKey] = [await createIssuer(), keyPair(key)];
  const certificate = await issuer.issue(privateKey, {});
  const clock = await createClock(certificate.toString('pem'), privateKey, config);
  const queries: Buffer[] = [];
  let answering: Answering = (body) => ({ body });
  const server = createServer(async (request, response) => {
    const query = await buffer(request);
    queries.push(query);
    const { status = 200, type = 'application/timestamp-reply', body } = answering(await clock.reply(query));
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const url = await listen(server);
  const visible = await issuer.issue(privateKey, leaf);
  return {
    url,
    uri: url,
    /** Certificates in DER, the signing one first. */
    certificates: [derOf(Object.keys(leaf).length === 0 ? certificate : visible), derOf(issuer.root)] as const,
    validFrom: new Date(Date.now() - 10 * DAY_MS),
    validUntil: null,
    privateKey,
    /** Issues another certificate with the same key, name and serial number. */
    other: async (options: LeafOptions) => derOf(await issuer.issue(privateKey, options)),
    /** Issues the same under a different root of the same name, optionally with a weak hash. */
    foreign: async (hash?: string) => {
      const other = await createIssuer('CN=Test times', hash);
      return [derOf(await other.issue(privateKey, {})), derOf(other.root)];
    },
    queries,
    timestamp: clock.timestamp,
    answer(next: Answering): void {
      answering = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await clock.remove();
    },
  };
};
