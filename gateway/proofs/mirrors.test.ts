import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { airgapApp, operator } from '@landfall/airgap/testing/airgap-app';
import { arm } from '@landfall/kernel/system/failpoint';
import { people } from '@landfall/kernel/testing/callers';
import { createVexImporter, feedImporter } from '@landfall/scanner';
import { registerVexSource } from '@landfall/scanner/testing/vex';

const csaf = (id: string) => ({
  document: {
    category: 'csaf_vex',
    csaf_version: '2.0',
    title: id,
    publisher: { category: 'vendor', name: 'Supplier', namespace: 'https://supplier.example' },
    tracking: {
      id,
      status: 'final',
      version: '1',
      current_release_date: '2026-01-01T00:00:00Z',
      initial_release_date: '2026-01-01T00:00:00Z',
      revision_history: [{ date: '2026-01-01T00:00:00Z', number: '1', summary: 'First.' }],
    },
  },
  product_tree: {
    full_product_names: [
      { product_id: 'gate', name: 'gate', product_identification_helper: { purl: 'pkg:npm/gate@1.0.0' } },
    ],
  },
  vulnerabilities: [
    {
      cve: 'CVE-2026-1000',
      product_status: { known_not_affected: ['gate'] },
      flags: [{ label: 'component_not_present', product_ids: ['gate'] }],
    },
  ],
});

const advisory = (id: string) => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  affected: [{ package: { ecosystem: 'npm', name: 'gate' }, versions: ['1.0.0'] }],
});

/** A site into which mirrors are copied. */
const site = async () => {
  const app = await airgapApp((deps) => ({ feeds: feedImporter, vex: createVexImporter(deps) }));
  const directory = join(app.dataDir, 'mirror', operator.tenant);
  return {
    ...app,
    directory,
    async copy(files: Readonly<Record<string, unknown>>) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(directory, name)), { recursive: true });
        await writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
      }
    },
    /** Imports a mirror and returns its status. */
    async importMirror(input: object & { readonly sourceId: string }) {
      await app.module.mirrors.request(operator, input);
      await app.module.importMirrors();
      return app.module.mirrors.status(operator, { sourceId: input.sourceId });
    },
  };
};

// spec: rulings/12
test('a mirror of feeds is imported as it is, and its cursor grows with each import', async () => {
  await using home = await site();
  await home.copy({ 'osv/npm/GHSA-1.json': advisory('GHSA-1'), 'osv/README.md': 'OSV', 'osv/npm/bad.json': '{' });
  const first = await home.importMirror({ sourceId: 'osv' });
  assert.partialDeepStrictEqual(first, { state: 'complete', sequence: 1, records: 1, rejected: 1, errorMessage: null });
  assert.partialDeepStrictEqual(await home.importMirror({ sourceId: 'osv' }), { sequence: 2, records: 1 });
  await assert.rejects(home.module.mirrors.request(people['airgap-viewer'], { sourceId: 'osv' }), {
    code: 'PERM_SCOPE_DENIED',
  });
  await home.module.mirrors.status(people['airgap-viewer'], {});
});

test('a request that comes while an import runs is done after it, and content in force is never a failure', async () => {
  await using home = await site();
  await home.copy({ 'osv/GHSA-1.json': advisory('GHSA-1'), 'other/GHSA-2.json': advisory('GHSA-2') });
  const request = (folder: string) => home.module.mirrors.request(operator, { sourceId: 'osv', folder });
  const status = () => home.module.mirrors.status(operator, { sourceId: 'osv' });
  for (const [name, sequence] of [
    ['mirror.opened', 0],
    ['mirror.imported', 1],
  ] as const) {
    const before = (await status().catch(() => undefined))?.sequence ?? 0;
    await request('osv');
    {
      using _ = arm(name, async () => void (await request('other')));
      await home.module.importMirrors();
    }
    assert.partialDeepStrictEqual(await status(), { state: 'queued', folder: 'other', sequence: before + sequence });
    await home.module.importMirrors();
    assert.partialDeepStrictEqual(await status(), {
      state: 'complete',
      sequence: before + sequence + 1,
      errorCode: null,
    });
  }
});

test('while sealed a mirror needs a usable anchor, when it is requested and when it is imported', async () => {
  await using home = await site();
  await home.copy({ 'osv/GHSA-1.json': advisory('GHSA-1') });
  await home.module.mirrors.request(operator, { sourceId: 'osv' });
  await home.module.seal.seal(operator, { policy: { allowLoopback: true } });
  await home.module.importMirrors();
  const ended = await home.module.mirrors.status(operator, { sourceId: 'osv' });
  assert.partialDeepStrictEqual(ended, { state: 'failed', sequence: 0, errorCode: 'airgap_anchor_unusable' });
  await assert.rejects(home.module.mirrors.request(operator, { sourceId: 'osv' }), { code: 'airgap_anchor_unusable' });
});

test('a mirror that is not there, has nothing or is a link changes nothing and says why', async () => {
  await using home = await site();
  await home.copy({ 'empty/README.md': 'nothing', 'outside/one.json': advisory('GHSA-1') });
  await symlink(join(home.directory, 'outside'), join(home.directory, 'link'));
  for (const [sourceId, errorCode] of [
    ['absent', 'RES_NOT_FOUND'],
    ['link', 'RES_NOT_FOUND'],
    ['empty', 'VAL_INVALID_VALUE'],
  ] as const) {
    const failed = await home.importMirror({ sourceId });
    assert.partialDeepStrictEqual(failed, { state: 'failed', sequence: 0, records: 0, errorCode }, sourceId);
  }
});

test('a repository of CSAF documents is imported for a registered VEX source', async () => {
  await using home = await site();
  await home.copy({
    'csaf/2026/one.json': csaf('ONE'),
    'csaf/2026/one.json.sha256': 'abc',
    'csaf/provider-metadata.json': { canonical_url: 'https://supplier.example' },
  });
  const input = { sourceId: 'supplier', folder: 'csaf', kind: 'vex', vexSource: 'supplier' };
  assert.partialDeepStrictEqual(await home.importMirror(input), { state: 'failed', errorCode: 'RES_NOT_FOUND' });
  const supplier = { name: 'supplier', rank: 10, trust: 'trusted' };
  await registerVexSource(home.deps, supplier);
  const imported = await home.importMirror(input);
  assert.partialDeepStrictEqual(imported, {
    state: 'complete',
    sequence: 1,
    records: 1,
    rejected: 1,
    errorMessage: null,
  });
});
