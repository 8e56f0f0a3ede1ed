import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { needs } from '@landfall/kernel/testing/programs';
import { parse } from 'yaml';
import { gatewaySettings } from '../settings/settings.ts';
import { ignoreRule, imageFiles, instructionsOf } from '../testing/image-files.ts';

const root = join(import.meta.dirname, '../..');

/** Files in which people often keep secrets. */
const PLANTED = [
  '.env',
  '.env.local',
  '.env.production',
  'gateway/.env',
  'console/.env.local',
  'subgraphs/orchestrator/.env',
  'secrets/secret-key',
  'secrets/postgres-password',
  '.landfall/secret.key',
  'gateway/.landfall/secret.key',
  'attestation.pem',
  'gateway/tls.key',
  'my-notes/passwords.txt',
  'backup.sql',
  '.npmrc.mine',
  '.docker/config.json',
  'docs/draft.log',
] as const;

test('the image has what the product needs and none of the secrets that lie beside it', async (t) => {
  const context = await mkdtemp(join(tmpdir(), 'landfall-context-'));
  t.after(() => rm(context, { recursive: true, force: true }));
  for (const name of ['Dockerfile', '.dockerignore'])
    await writeFile(join(context, name), await readFile(join(root, name)));
  const needed = ['package.json', 'package-lock.json', '.npmrc', 'gateway/main.ts', 'console/package.json'];
  for (const path of [...needed, ...PLANTED]) {
    await mkdir(join(context, dirname(path)), { recursive: true });
    await writeFile(join(context, path), 'x');
  }
  assert.deepEqual((await imageFiles(context)).toSorted(), needed.toSorted());
});

test('of this checkout the image has every package, and no file that is kept private', async () => {
  const files = await imageFiles(root);
  for (const path of ['e2e/package.json', 'console/src/main.tsx', 'schema/api.graphql', 'docs/identity.md', 'LICENSE'])
    assert.ok(files.includes(path), path);
  assert.deepEqual(
    files.filter((path) => /(^|\/)(\.env|secrets?\.key|[^/]*\.(pem|key|p12|pfx))($|\.|\/)/.test(path)),
    [],
  );
});

test('patterns exclude as a build does: the last one that matches a path or a directory above it', () => {
  const isIgnored = ignoreRule('*\n!docs\n!e2e/package.json\n**/.env\n# docs/a.md\ndocs/**/tmp?\n');
  const ignored = ['.env', 'docs/.env', 'docs/a/.env', 'e2e/x.ts', 'new/thing', 'docs/a/tmp1', 'docs/tmp2/x'];
  const included = ['docs/a.md', 'docs/env', 'e2e/package.json', 'docs/tmp', 'docs/a.env'];
  for (const path of ignored) assert.equal(isIgnored(path), true, path);
  for (const path of included) assert.equal(isIgnored(path), false, path);
});

test('git keeps neither .env nor the secrets of a compose installation', await needs('git'), async () => {
  const isIgnored = (path: string): Promise<boolean> =>
    promisify(execFile)('git', ['check-ignore', '--no-index', '--quiet', path], { cwd: root }).then(
      () => true,
      () => false,
    );
  for (const path of ['.env', '.env.local', 'gateway/.env', 'secrets/secret-key'])
    assert.ok(await isIgnored(path), path);
  for (const path of ['subgraphs/orchestrator/secrets/x.ts', 'gateway/environment.ts'])
    assert.equal(await isIgnored(path), false, path);
});

test('every base image is named by its digest', async () => {
  const dockerfile = instructionsOf(await readFile(join(root, 'Dockerfile'), 'utf8'));
  const { services } = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const bases = [
    ...dockerfile.flatMap(([name, rest]) => (name === 'FROM' ? [rest.replace(/ AS .*$/, '')] : [])),
    ...Object.values(services).flatMap((service) => {
      const { image, build } = Object(service);
      return build === undefined ? [image] : [];
    }),
  ];
  assert.equal(bases.length, 3);
  for (const base of bases) assert.match(base, /^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('no secret setting is in an environment of docker-compose.yml or of the image', async () => {
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const { services } = parse(text, { merge: true });
  const secrets = Object.values(gatewaySettings).flatMap((setting) =>
    'secret' in setting && setting.secret && setting.env ? [setting.env] : [],
  );
  assert.ok(secrets.includes('LANDFALL_SECRET_KEY'));
  for (const [name, service] of Object.entries(services)) {
    const environment = Object(Object(service).environment);
    // An address is a secret only where it has a password in it.
    for (const variable of [...secrets, 'POSTGRES_PASSWORD'])
      assert.ok(!(variable in environment) || new URL(environment[variable]).password === '', `${name}: ${variable}`);
  }
  const image = instructionsOf(await readFile(join(root, 'Dockerfile'), 'utf8'));
  for (const [, rest] of image.filter(([name]) => name === 'ENV' || name === 'ARG'))
    for (const variable of secrets) assert.doesNotMatch(rest, new RegExp(`\\b${variable}\\b`));
});
