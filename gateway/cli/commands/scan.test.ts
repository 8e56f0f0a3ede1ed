import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { authorityModule } from '@landfall/authority';
import { importRecords } from '@landfall/scanner/testing/feeds';
import { osvRecord } from '@landfall/scanner/testing/osv';
import { bearer } from '../../testing/people.ts';
import { type Product, sharedProduct } from '../../testing/start.ts';
import { landfall, landfallProgram } from './cli-process.fixture.ts';

const SECRET = 'a-secret-of-at-least-32-characters-0123456789';
const TENANT = 'scan-gate';

let product: Product;
let home: string;
let env: Readonly<Record<string, string>>;

/** CycloneDX document with one component of a package that the feed knows, and one without a package URL. */
const bom = (version: string, purl = `pkg:npm/turnstile@${version}`) =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': 'app', type: 'application', name: randomUUID(), version: '1' } },
    components: [
      { 'bom-ref': 'part', type: 'library', name: 'turnstile', version, purl },
      { 'bom-ref': 'bare', type: 'library', name: 'bare' },
    ],
  });

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(home, name);
  await writeFile(path, content);
  return path;
};

const run = (...args: string[]) => landfall(['scan', ...args], { env });

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'landfall-scan-cli-'));
  product = await sharedProduct('all-in-one');
  const { headers } = await bearer(product, TENANT);
  env = { LANDFALL_SERVER: product.baseUrl, LANDFALL_TOKEN: headers.authorization?.replace('Bearer ', '') ?? '' };
  await importRecords(product.deps, [
    osvRecord('CVE-2026-7001', 'turnstile', { database_specific: { severity: 'HIGH' } }),
    osvRecord('MAL-2026-7002', 'turnstile-stealer'),
  ]);
});
after(async () => {
  await product[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

test('a bill with a finding that meets the rule ends with 1, and the table names finding and fix', async () => {
  const path = await file('vulnerable.json', bom('1.1.0'));
  const { code, out, err } = await run(path, '--fail-on', 'high');
  assert.equal(code, 1, err);
  assert.match(out, /^high +CVE-2026-7001 +pkg:npm\/turnstile@1\.1\.0 +1\.2\.0 +-$/m);
  assert.match(out, /1 of 2 components evaluated \(not evaluated: 1 without a package URL\)/);
  assert.match(err, /^failed: 1 of 1 findings meet high: CVE-2026-7001 \(pkg:npm\/turnstile@1\.1\.0\)$/m);
  assert.equal((await run(path, '--fail-on', 'critical,kev')).code, 0);
  assert.equal((await run(path)).code, 0);
});

test('the program reads a gzipped bill from its input, and the same bill again is the same scan', async () => {
  const content = bom('1.1.0');
  const path = await file('again.json', content);
  const first = JSON.parse((await run(path, '--format', 'json')).out);
  const again = await landfallProgram(['scan', '-', '--format', 'json', '--fail-on', 'fixable'], {
    env,
    bytes: gzipSync(content),
  });
  assert.equal(again.code, 1, again.err);
  const repeated = JSON.parse(again.out);
  assert.deepEqual([repeated.scanId, repeated.findings], [first.scanId, first.findings]);
  assert.deepEqual([repeated.failOn, repeated.meeting], ['fixable', [first.findings[0].findingId]]);
});

test('SARIF is written to a file, with the bill as its artifact and a fingerprint of each finding', async () => {
  const path = await file('sarif.json', bom('1.1.0'));
  const output = join(home, 'out.sarif');
  const { code, out } = await run(path, '--format', 'sarif', '--output', output, '--fail-on', 'kev');
  assert.deepEqual([code, out], [0, '']);
  const [written] = JSON.parse(await readFile(output, 'utf8')).runs;
  assert.equal(written.tool.driver.rules[0].id, 'CVE-2026-7001');
  assert.match(written.results[0].partialFingerprints['findingId/v1'], /^[0-9a-f]{32}$/);
  assert.equal(written.artifacts[0].hashes['sha-256'].length, 64);
});

test('a finding that a triage decision suppresses is listed, with the decision, and fails no scan', async () => {
  const path = await file('accepted.json', bom('1.0.5'));
  assert.equal((await run(path, '--fail-on', 'high')).code, 1);
  const query = `mutation { decideFinding(input: { vulnerabilityId: "CVE-2026-7001", scope: COMPONENT,
    component: "pkg:npm/turnstile@1.0.5", status: FALSE_POSITIVE, reason: "The package only shares its name" }) { id } }`;
  const answer = await fetch(`${product.baseUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.LANDFALL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  assert.equal(Object(await answer.json()).errors, undefined);
  const { code, out, err } = await run(path, '--fail-on', 'high');
  assert.equal(code, 0, err);
  assert.match(out, /^high \(triage: false positive\) +CVE-2026-7001/m);
});

test('a bill without findings passes, and one of which nothing was evaluated never does silently', async () => {
  const clean = await run(await file('clean.json', bom('1.2.0')), '--fail-on', 'low,unrated');
  assert.deepEqual(
    [clean.code, /^passed: no finding meets low,unrated; 1 of 2/m.test(clean.err)],
    [0, true],
    clean.err,
  );
  const path = await file('unknown.json', bom('1.0.0', 'pkg:generic/turnstile@1.0.0'));
  const unknown = await run(path, '--fail-on', 'critical');
  assert.equal(unknown.code, 3);
  assert.match(unknown.err, /^not evaluated: 0 of 2 components evaluated \(.*1 of an ecosystem without advisories/m);
  assert.equal((await run(path, '--fail-on', 'critical', '--allow-not-evaluated')).code, 0);
  assert.equal((await run(path)).code, 0);
});

test('a malicious package fails by its own term', async () => {
  const path = await file('malicious.json', bom('1.0.0', 'pkg:npm/turnstile-stealer@1.0.0'));
  const { code, out } = await run(path, '--fail-on', 'malicious');
  assert.equal(code, 1);
  assert.match(out, /^malicious +MAL-2026-7002/m);
});

test('wrong usage ends with 2 before anything is sent, and names the accepted values', async () => {
  const path = await file('usage.json', bom('1.0.0'));
  const cases: readonly (readonly [string[], RegExp])[] = [
    [[path, '--fail-on', 'urgent'], /'urgent' is no rule of --fail-on\. There is critical, high, medium/],
    [[path, '--format', 'xml'], /none of table, json, sarif/],
    [[path, '--timeout', '0'], /--timeout is '0'/],
    [[path, '--image', 'latest'], /--image is 'latest', no digest/],
    [[path, '--server', 'localhost'], /--server is 'localhost'/],
    [[join(home, 'absent.json')], /cannot be read \(ENOENT\)/],
    [[], /<sbom> is missing/],
  ];
  for (const [args, message] of cases) {
    const { code, err } = await run(...args);
    assert.deepEqual([code, message.test(err)], [2, true], err);
  }
  const { code, err } = await landfall(['scan', path], { env: { LANDFALL_SERVER: product.baseUrl } });
  assert.deepEqual([code, /There is no token: set LANDFALL_TOKEN/.test(err)], [2, true], err);
});

test('a document that is no bill of materials ends with 3, in the server’s words', async () => {
  const { code, err } = await run(await file('other.json', '{"hello":1}'), '--fail-on', 'low');
  assert.deepEqual([code, /^not scanned: the server refuses .*other\.json: ./m.test(err)], [3, true], err);
});

test('a scan that does not end in time ends with 3', async () => {
  const server = createServer((request, response) => {
    const isNew = request.method === 'POST';
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isNew ? { scanId: 's', statusUrl: '/s' } : { status: 'queued', error: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { code, err } = await run(await file('slow.json', bom('1')), '--server', url, '--timeout', '1');
  server.close();
  server.closeAllConnections();
  assert.deepEqual([code, /^not scanned: Scan s is queued at the time limit/m.test(err)], [3, true], err);
});

test('a server that refuses the caller or cannot be reached ends with 4, with the next step', async () => {
  const path = await file('refused.json', bom('1.0.0'));
  const wrong = await landfall(['scan', path], { env: { ...env, LANDFALL_TOKEN: 'no-token' } });
  assert.deepEqual([wrong.code, /^no answer: .* 401: .*Set LANDFALL_TOKEN/m.test(wrong.err)], [4, true], wrong.err);
  assert.doesNotMatch(wrong.err, /no-token/);
  const { headers } = await bearer(product, TENANT, ['release:read']);
  const LANDFALL_TOKEN = headers.authorization?.replace('Bearer ', '') ?? '';
  const unscoped = await landfall(['scan', path], { env: { ...env, LANDFALL_TOKEN } });
  assert.deepEqual(
    [unscoped.code, /scopes scanner:read and scanner:write/.test(unscoped.err)],
    [4, true],
    unscoped.err,
  );
  const absent = await run(path, '--server', 'http://127.0.0.1:1');
  assert.deepEqual([absent.code, /does not answer/.test(absent.err)], [4, true], absent.err);
  const plain = await run(path, '--server', 'http://landfall.example');
  assert.deepEqual([plain.code, /over https:\/\/ only/.test(plain.err)], [4, true], plain.err);
});

test('a client’s credentials are exchanged for a token', async () => {
  const { bootstrap } = authorityModule.get(product.modules);
  const client = { tenant: TENANT, name: 'ci', secret: SECRET, scopes: ['scanner:read', 'scanner:write'] as const };
  const id = await bootstrap.ensureClient({ ...client, scopes: [...client.scopes], grants: ['client_credentials'] });
  const path = await file('client.json', bom('1.1.0'));
  const own = { LANDFALL_SERVER: product.baseUrl, LANDFALL_AUTH_URL: product.authUrl, LANDFALL_CLIENT_ID: id };
  const secret = ['--client-secret-file', await file('secret', `${SECRET}\n`)];
  const passed = await landfall(['scan', path, '--fail-on', 'unrated', ...secret], { env: own });
  assert.equal(passed.code, 0, passed.err);
  const refused = await landfall(['scan', path], { env: { ...own, LANDFALL_CLIENT_SECRET: 'geheim' } });
  assert.deepEqual([refused.code, /issued no token/.test(refused.err)], [4, true], refused.err);
  assert.doesNotMatch(refused.err, /geheim/);
});
