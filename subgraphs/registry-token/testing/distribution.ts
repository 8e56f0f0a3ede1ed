import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { writeLayout } from '@landfall/kernel/testing/oci-layout';

const execute = promisify(execFile);

interface TokenAuth {
  readonly realm: string;
  readonly service: string;
  readonly issuer: string;
  /** Root certificates that the registry trusts, as PEM. */
  readonly rootCertificates: string;
}

/** Starts Debian's docker-registry (distribution 2.8) that accepts only our tokens, with skopeo as its client. */
export const startTokenRegistry = async ({ rootCertificates, ...auth }: TokenAuth) => {
  const home = await mkdtemp(join(tmpdir(), 'landfall-distribution-'));
  const rootcertbundle = join(home, 'ca.pem');
  await writeFile(rootcertbundle, rootCertificates);
  const file = join(home, 'config.yml');
  const configuration = {
    version: '0.1',
    log: { level: 'info', formatter: 'json' },
    storage: { filesystem: { rootdirectory: join(home, 'storage') } },
    http: { addr: '127.0.0.1:0' },
    auth: { token: { ...auth, rootcertbundle } },
  };
  await writeFile(file, JSON.stringify(configuration));
  const child = spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'close');
  const port = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stderr.on('data', (chunk) => {
      output += String(chunk);
      const [, at] = /listening on 127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (at !== undefined) resolve(at);
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`docker-registry ended: ${output}`)));
  });
  const host = `127.0.0.1:${port}`;
  const layout = join(home, 'image');
  await writeLayout(layout, buildApp({ version: '1.0.0', platform: 'linux/amd64' }), 'image');

  /** Runs skopeo and returns its success and output. */
  const skopeo = async (...args: readonly string[]): Promise<{ ok: boolean; said: string }> => {
    try {
      const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_RUNTIME_DIR: home };
      const { stdout } = await execute('skopeo', ['--insecure-policy', ...args], { env });
      return { ok: true, said: stdout };
    } catch (error) {
      return { ok: false, said: error instanceof Error ? error.message : String(error) };
    }
  };
  let pulls = 0;

  return {
    host,
    home,
    skopeo,
    push: (name: string, ...credentials: readonly string[]) =>
      skopeo('copy', '--dest-tls-verify=false', ...credentials, `oci:${layout}:image`, `docker://${host}/${name}:1`),
    pull: (name: string, ...credentials: readonly string[]) =>
      skopeo(
        ...['copy', '--src-tls-verify=false', ...credentials],
        ...[`docker://${host}/${name}:1`, `oci:${join(home, `pulled-${pulls++}`)}:image`],
      ),
    /** A directory as skopeo's `--cert-dir` wants it. */
    async certificates(cert: string, key: string): Promise<string> {
      const directory = join(home, 'certs');
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, 'client.cert'), cert);
      await writeFile(join(directory, 'client.key'), key);
      return directory;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(home, { recursive: true, force: true });
    },
  };
};
