import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Digest, isDigest } from '../crypto/digest.ts';
import type { Image } from './oci-image.ts';
import { writeLayout } from './oci-layout.ts';

const run = promisify(execFile);

/** Programs that a test with this registry needs. */
export const dockerPrograms = ['docker-registry', 'skopeo'] as const;

const credentials = { username: 'robot', password: 'correct horse' } as const;
/** The password as htpasswd has it: bcrypt at its lowest cost, the only kind that the registry reads. */
const htpasswd = `${credentials.username}:$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e\n`;

const configuration = (directory: string, port: number, isClosed: boolean) => ({
  version: '0.1',
  log: { level: 'info', formatter: 'json' },
  storage: { filesystem: { rootdirectory: join(directory, 'storage') }, delete: { enabled: true } },
  http: { addr: `127.0.0.1:${port}` },
  ...(isClosed && { auth: { htpasswd: { realm: 'registry', path: join(directory, 'htpasswd') } } }),
});

/** Starts the registry's process. @returns once it listens; throws with what it wrote when it ends instead */
const serve = async (directory: string, port: number, isClosed: boolean) => {
  const file = join(directory, 'config.yml');
  await writeFile(file, JSON.stringify(configuration(directory, port, isClosed)));
  const child = spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'close');
  const listening = new Promise<number>((resolve, reject) => {
    let output = '';
    child.stderr.on('data', (chunk) => {
      output += String(chunk);
      const [, at] = /listening on 127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (at !== undefined) resolve(Number(at));
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`docker-registry ended: ${output}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { port: await listening, stop };
};

/**
 * Starts Debian's docker-registry on a free port of this machine, with a storage of its own; one that is closed
 * requires basic authentication. skopeo pushes to it and lists its contents, so that neither side of a comparison is
 * our own code.
 */
export const startDockerRegistry = async ({ isClosed = false } = {}) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-docker-'));
  await writeFile(join(directory, 'htpasswd'), htpasswd);
  let running = await serve(directory, 0, isClosed);
  const { port } = running;
  const host = `127.0.0.1:${port}`;
  const login = `${credentials.username}:${credentials.password}`;
  let layouts = 0;

  return {
    host,
    origin: `http://${host}`,
    credentials,
    /** The repository's full name, `host/path`, as releases write it (rulings 53). */
    repository: (name: string) => `${host}/${name}`,
    /** Stores an image, or an index with all that it refers to, and lets `tags` point to it; a tag can move. */
    async push(name: string, image: Image, ...tags: readonly [string, ...string[]]): Promise<Digest> {
      const layout = join(directory, `layout-${layouts++}`);
      await writeLayout(layout, image, 'pushed');
      for (const tag of tags)
        await run('skopeo', [
          ...['--insecure-policy', 'copy', '--all', '--preserve-digests', '--dest-tls-verify=false'],
          ...(isClosed ? ['--dest-creds', login] : []),
          ...[`oci:${layout}:pushed`, `docker://${host}/${name}:${tag}`],
        ]);
      return image.digest;
    },
    /** Stores what is no image, which skopeo does not copy, by the API itself (distribution-spec 1.1, end-4 to end-7). */
    async attach(name: string, artifact: Image, ...tags: readonly string[]): Promise<Digest> {
      const origin = `http://${host}`;
      const send = async (url: URL, method: string, body: Buffer, type: string): Promise<Response> => {
        const headers = { 'content-type': type, ...(isClosed && { authorization: `Basic ${btoa(login)}` }) };
        const answer = await fetch(url, { method, headers, body: new Uint8Array(body) });
        if (!answer.ok) throw new Error(`${method} ${url.pathname}: ${answer.status} ${await answer.text()}`);
        return answer;
      };
      for (const [digest, bytes] of artifact.blobs) {
        const uploads = new URL(`/v2/${name}/blobs/uploads/`, origin);
        const started = await send(uploads, 'POST', Buffer.alloc(0), 'application/octet-stream');
        const location = new URL(started.headers.get('location') ?? '', origin);
        location.searchParams.set('digest', digest);
        await send(location, 'PUT', bytes, 'application/octet-stream');
      }
      const [first] = artifact.manifests;
      const named = [
        ...artifact.manifests.toReversed().map((manifest) => ({ manifest, reference: String(manifest.digest) })),
        ...tags.map((reference) => ({ manifest: first, reference })),
      ];
      for (const { manifest, reference } of named)
        await send(new URL(`/v2/${name}/manifests/${reference}`, origin), 'PUT', manifest.bytes, manifest.mediaType);
      return artifact.digest;
    },
    /** The digest of a tag as skopeo sees it. */
    async digestOf(name: string, tag: string): Promise<Digest> {
      const { stdout } = await run('skopeo', [
        ...['--insecure-policy', 'inspect', '--tls-verify=false', '--no-tags', '--format', '{{.Digest}}'],
        ...(isClosed ? ['--creds', login] : []),
        `docker://${host}/${name}:${tag}`,
      ]);
      const digest = stdout.trim();
      if (!isDigest(digest)) throw new TypeError(`skopeo says ${digest}`);
      return digest;
    },
    /** It is gone, as by a power cut, until `start`. */
    stop: (): Promise<void> => running.stop(),
    async start(): Promise<void> {
      running = await serve(directory, port, isClosed);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

export type DockerRegistry = Awaited<ReturnType<typeof startDockerRegistry>>;
