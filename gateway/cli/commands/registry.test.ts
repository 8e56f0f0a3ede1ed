import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { authorityModule } from '@landfall/authority';
import { needs } from '@landfall/kernel/testing/programs';
import { startTokenRegistry } from '@landfall/registry-token/testing/distribution';
import { type Product, sharedProduct } from '../../testing/start.ts';
import { landfall, landfallProgram } from './cli-process.fixture.ts';

const programs = await needs('docker-registry', 'skopeo');
const SECRET = 'a-secret-of-at-least-32-characters-0123456789';

describe('a registry and the helper that logs in to it', programs, () => {
  let product: Product;
  let registry: Awaited<ReturnType<typeof startTokenRegistry>>;
  let home: string;
  let env: Readonly<Record<string, string>>;
  const run = (...args: string[]) => landfall(['registry', ...args], { env });

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'landfall-registry-cli-'));
    product = await sharedProduct('all-in-one');
    const { bootstrap } = authorityModule.get(product.modules);
    await bootstrap.ensureTenant({ tenant: 'registry', name: 'registry', plans: ['team'] });
    const grants = ['client_credentials'] as const;
    const client = { tenant: 'registry', name: 'ci', secret: SECRET, grants: [...grants] };
    const id = await bootstrap.ensureClient({ ...client, scopes: ['registry.token.issue'] });
    await writeFile(join(home, 'secret'), `${SECRET}\n`, { mode: 0o600 });
    env = {
      HOME: home,
      DATABASE_URL: product.databaseUrl,
      LANDFALL_AUTH_URL: product.authUrl,
      LANDFALL_CLIENT_ID: id,
      LANDFALL_CLIENT_SECRET: SECRET,
    };
    const { out } = await run('ca');
    const realm = `${product.baseUrl}/token`;
    const auth = { realm, service: 'registry.example', issuer: product.baseUrl, rootCertificates: out };
    registry = await startTokenRegistry(auth);
  });
  after(async () => {
    await registry[Symbol.asyncDispose]();
    await product[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  test('the program prints a token, and skopeo pushes with it', async () => {
    const command = ['registry', 'token', registry.host, '--repository', 'acme/app:pull,push'];
    const printed = await landfallProgram(command, { env });
    assert.deepEqual([printed.code, printed.err], [0, ''], printed.out);
    const pushed = await registry.push('acme/app', '--dest-registry-token', printed.out.trim());
    assert.ok(pushed.ok, pushed.said);
    const key = join(home, '.config/landfall/dpop.pem');
    assert.equal((await stat(key)).mode & 0o777, 0o600);
  });

  test('a login leaves everything else in docker’s configuration as it is', async () => {
    const file = join(home, 'config.json');
    const other = { auths: { 'other.example': { auth: 'x' }, [registry.host]: { email: 'e' } }, credsStore: 'pass' };
    await writeFile(file, JSON.stringify(other), { mode: 0o644 });
    const { LANDFALL_CLIENT_SECRET: _, ...without } = env;
    const secret = ['--client-secret-file', join(home, 'secret')];
    const login = [
      'registry',
      'login',
      registry.host,
      '--repository',
      'acme/app:pull',
      '--docker-config',
      home,
      ...secret,
    ];
    const completed = await landfall(login, { env: without });
    assert.deepEqual([completed.code, completed.err], [0, '']);
    assert.match(completed.out, /^Logged in to .* for 300 seconds; the token is in .*config\.json\.$/m);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const stored = JSON.parse(await readFile(file, 'utf8'));
    const { registrytoken, ...rest } = stored.auths[registry.host];
    assert.deepEqual({ ...stored, auths: { ...stored.auths, [registry.host]: rest } }, other);
    const pulled = await registry.pull('acme/app', '--src-registry-token', registrytoken);
    assert.ok(pulled.ok, pulled.said);
  });

  test('what the service refuses is said in its own words, and ends with 1', async () => {
    const outside = await run('token', registry.host, '--repository', 'other/app:pull');
    assert.equal(outside.code, 1);
    assert.match(outside.out, /^refused: .*No pattern of the plan team covers other\/app\.$/m);
    const wrong = await landfall(['registry', 'token', registry.host, '--repository', 'acme/app:pull'], {
      env: { ...env, LANDFALL_CLIENT_SECRET: 'geheim' },
    });
    assert.equal(wrong.code, 1);
    assert.doesNotMatch(wrong.out + wrong.err, /geheim/);
  });

  test('what is missing is said before anything is asked', async () => {
    const { LANDFALL_CLIENT_ID: _, ...without } = env;
    const command = ['registry', 'token', registry.host, '--repository', 'acme/app:pull'];
    assert.match((await landfall(command, { env: without })).err, /--client-id is missing/);
    assert.match((await run('token', registry.host)).err, /--repository is missing/);
    assert.match((await run('token')).err, /<registry> is missing/);
    const unreachable = await run('token', '127.0.0.1:1', '--repository', 'acme/app:pull');
    assert.deepEqual([unreachable.code, /does not answer/.test(unreachable.err)], [2, true]);
    const plain = ['--realm', 'http://registry.example/token', '--service', 's'];
    const sent = await run('token', 'registry.example', '--repository', 'acme/app:pull', ...plain);
    assert.match(sent.err, /over https:\/\/ only/);
  });
});
