import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parseTrust } from '@landfall/attestation/bundle/trust';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { Fault } from '@landfall/kernel/core/fault';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { isPerson, people } from '@landfall/kernel/testing/callers';
import { needs } from '@landfall/kernel/testing/programs';
import { startAttestedApp } from '@landfall/orchestrator/evidence/statements/landing.fixture';
import Fastify from 'fastify';
import { attestationRoutes } from './attestations.ts';

const BASE = '/api/v1/release-orchestrator';
const run = promisify(execFile);

const app = await startAttestedApp();
const server = Fastify();
await registerRoutes(server, attestationRoutes(app.module), {
  clock: app.deps.clock,
  ids: app.deps.ids,
  onBug: (error) => assert.fail(String(error)),
  callerOf: async ({ headers }) => {
    const name = headers['x-test-person'];
    if (!isPerson(name)) throw new Fault('AUTH_TOKEN_MISSING', 'No token.');
    return people[name];
  },
});
const origin = await server.listen({ port: 0, host: '127.0.0.1' });
after(async () => {
  await server.close();
  await app[Symbol.asyncDispose]();
});

const send = (path: string, as?: string, body?: unknown) =>
  fetch(origin + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(as && { 'x-test-person': as }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const { release, deployment } = await app.landed(await app.stage());
await app.attestAll();
const ref = (await app.statement('deployment', deployment.id))?.id ?? assert.fail('no statement');
const { bundle } = await app.whole(ref);
const document: Readonly<Record<string, unknown>> = JSON.parse(bundle ?? '{}');

test('a bundle is taken as a document and as its text, and an index as a number and as digits', async () => {
  for (const bundleText of [document, bundle]) {
    const answer = await send('/api/v1/rekor/verify', 'operator', { bundle: bundleText });
    const body = JSON.parse(await answer.text());
    assert.deepEqual([answer.status, body.verified, body.errorMessage], [200, true, null]);
    assert.deepEqual(Object.keys(body), ['verified', 'checks', 'log', 'signedAt', 'verifiedAt', 'errorMessage']);
  }
  const bodyHash = `sha256:${'0'.repeat(64)}`;
  for (const logIndex of [0, '0']) {
    const answer = await send('/api/v1/rekor/verify', 'operator', { logIndex, bodyHash });
    assert.deepEqual([answer.status, JSON.parse(await answer.text()).checks.body], [200, 'fail']);
  }
});

// spec: rulings/74
test('an unknown field is ignored, and an expected id counts whatever its capitals', async () => {
  const expected = { deploymentId: deployment.id.toUpperCase(), colour: 'red' };
  const answer = await send('/api/v1/rekor/verify', 'operator', { attestationRef: ref.toUpperCase(), expected, x: 1 });
  assert.deepEqual([answer.status, JSON.parse(await answer.text()).verified], [200, true]);
});

test('what is no request is 400, whatever shape it has', async () => {
  for (const body of [[], 'x', 5, { bundle: [] }, { bundle: 5 }, { logIndex: -1 }, { logIndex: 1.5 }, { more: true }])
    assert.equal((await send('/api/v1/rekor/verify', 'operator', body)).status, 400, JSON.stringify(body));
});

test('anybody reads the trust document, and verifies our bundle with it', async () => {
  const answer = await send('/tlog/trust.json');
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  const trust = parseTrust(await answer.text());
  const expected = { subjectDigest: release.components[0]?.digest ?? '', deploymentId: deployment.id };
  assert.equal(verifyBundle(bundle ?? '', trust, expected).errorMessage, undefined);
  const root = JSON.parse(await (await send('/tlog/trusted_root.json')).text());
  assert.equal(root.mediaType, 'application/vnd.dev.sigstore.trustedroot+json;version=0.1');
});

const programs = await needs('openssl', 'sha256sum', 'python3', 'tar');

test('the archive of a release holds each of its statements, and sh and Python accept them', programs, async (t) => {
  const name = `custody-shop-${release.semver}`;
  const answer = await send(`${BASE}/releases/${release.id}/custody-package`, 'viewer');
  assert.equal(answer.headers.get('content-type'), 'application/x-tar');
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${name}.tar"`);
  const directory = await mkdtemp(join(tmpdir(), 'landfall-custody-'));
  t.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'custody.tar'), Buffer.from(await answer.arrayBuffer()));
  await run('tar', ['-xf', 'custody.tar'], { cwd: directory });
  const home = join(directory, name);
  const kinds = (await readdir(home)).filter((name) => !name.includes('.')).map((name) => name.slice(0, -37));
  assert.deepEqual(kinds.toSorted(), ['deployment', 'verification-summary']);
  for (const [program, script] of [
    ['sh', 'verify.sh'],
    ['python3', 'verify.py'],
  ] as const)
    assert.match((await run(program, [join(home, script)])).stdout, /^OK: /m);
});

test('the archive of a statement is the same at each call, and another tenant has none', async () => {
  const path = `${BASE}/attestations/${ref}/package`;
  const [one, other] = [await send(path, 'viewer'), await send(path, 'viewer')];
  assert.ok(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await other.arrayBuffer())));
  assert.equal((await send(path, 'other-tenant')).status, 404);
  assert.equal((await send(path, 'nobody')).status, 403);
  assert.equal((await send(path)).status, 401);
});
