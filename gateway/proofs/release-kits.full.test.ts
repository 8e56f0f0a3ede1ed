import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createAirGap } from '@landfall/airgap';
import { operator, TIME_OPTIONS } from '@landfall/airgap/testing/airgap-app';
import { temporary, testKey, testRoot, trustRoot } from '@landfall/airgap/testing/kits';
import { testReleaseKit } from '@landfall/airgap/testing/release-kits';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps } from '@landfall/kernel/module';
import { buildArtifact, tagFor } from '@landfall/kernel/testing/oci-artifact';
import { dockerPrograms } from '@landfall/kernel/testing/oci-docker';
import { needs } from '@landfall/kernel/testing/programs';
import { createReleaseTransfer, productDirectory } from '@landfall/orchestrator';
import { dockerScenario } from '@landfall/orchestrator/running/docker-registry.fixture';
import { contentDates, createScanGate, createVexImporter, feedImporter } from '@landfall/scanner';

const run = promisify(execFile);
const [a, b] = [testKey(), testKey()];

type Scenario = Awaited<ReturnType<typeof dockerScenario>>;

const seconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Output of skopeo about an image of shop/web. */
const skopeo = async ({ registry }: Scenario, command: readonly string[], reference: string): Promise<string> => {
  const { username, password } = registry.credentials;
  const { stdout } = await run('skopeo', [
    ...['--insecure-policy', ...command, '--tls-verify=false', '--no-tags'],
    ...['--creds', `${username}:${password}`, `docker://${registry.host}/shop/web${reference}`],
  ]);
  return stdout;
};

const skopeoDigest = async (scenario: Scenario, digest: string): Promise<string> =>
  (await skopeo(scenario, ['inspect', '--format', '{{.Digest}}'], `@${digest}`)).trim();

/** Air gap over the dependencies of a scenario. */
const airGapOf = (deps: Deps, dataDir: string) =>
  createAirGap(deps, {
    dataDir,
    signingKeys: createSigningKeys(deps),
    feeds: feedImporter,
    vex: createVexImporter(deps),
    releases: createReleaseTransfer(deps),
    gate: createScanGate(deps, productDirectory),
    time: TIME_OPTIONS,
    people: { listTenants: async () => [operator.tenant] },
    destinations: async () => [],
    ownServices: { services: new Set(), objectStore: new Set() },
    contentDates,
    evidence: new Map(),
  });

/** Builds the kit of a version of the scenario's product. */
const releaseKit = (
  { deps }: Scenario,
  version: string,
  kit: Pick<Parameters<typeof testReleaseKit>[1], 'directory' | 'sequence' | 'previous'>,
) => {
  const releases = createReleaseTransfer(deps);
  return testReleaseKit(deps, { caller: operator, releases, release: ['shop', version], signers: [a, b], ...kit });
};

test(
  'a release kit of one installation is imported by another, with the same digests, and its release is deployed there',
  await needs(...dockerPrograms),
  async () => {
    await using place = await temporary();
    await using home = await dockerScenario();
    await using site = await dockerScenario();
    const airGap = airGapOf(site.deps, place.path);
    const root = await testRoot([a, b], { expiresAt: seconds(site.clock.now().getTime() + 86_400_000) });
    await trustRoot(site.deps, root);
    const inbox = join(place.path, 'kits/inbox', operator.tenant);
    await mkdir(inbox, { recursive: true });

    const first = await home.release('1.0.0');
    const attached = buildArtifact({
      layers: [{ mediaType: 'application/spdx+json', content: Buffer.from('{"spdxVersion":"SPDX-2.3"}') }],
    });
    await home.registry.attach('shop/web', attached, tagFor(first.digest, '.sbom'));
    const kit = await releaseKit(home, '1.0.0', { directory: join(inbox, 'first'), sequence: 1 });
    const importFolder = async (folder: string, input: object = {}) => {
      const request = { folder, registry: site.registry.host, ...input };
      const { id } = await airGap.kitImports.request(operator, request);
      await airGap.importKits();
      return airGap.kitImports.get(operator, { id });
    };

    const dry = await importFolder('first', { isDryRun: true });
    assert.partialDeepStrictEqual(dry, {
      state: 'complete',
      failureMessage: null,
      changes: { images: 1, releaseId: null },
    });
    await assert.rejects(skopeoDigest(site, first.digest), /manifest unknown|name unknown/i);
    assert.equal((await site.module.releases.list(site.operator, {})).items.length, 0);

    const imported = await importFolder('first');
    assert.partialDeepStrictEqual(imported, { state: 'complete', failureMessage: null });
    for (const digest of [first.digest, first.ownDigest])
      assert.equal(await skopeoDigest(site, digest), await skopeoDigest(home, digest));
    const sbom = await skopeo(site, ['inspect', '--raw'], `:${tagFor(first.digest, '.sbom')}`);
    assert.equal(sha256(sbom), attached.digest);

    const [release] = (await site.module.releases.list(site.operator, {})).items;
    assert.ok(release);
    assert.deepEqual(
      [release.status, release.semver, release.gatedDigestSet],
      ['finalized', '1.0.0', first.ready.gatedDigestSet],
    );
    const [carried] = await airGap.kits.ofReleases(operator, { releaseIds: [release.id] });
    assert.equal(carried?.kit?.digest, kit.digest);
    const ready = await site.module.releases.markReady(site.operator, {
      id: release.id,
      expectedVersion: release.version,
    });
    await site.deploy({ ...first, ready });

    // The next kit omits what the site has, and is refused where it has not.
    const second = await home.release('1.1.0');
    const next = { directory: join(inbox, 'second'), sequence: 2, previous: kit };
    const smaller = await releaseKit(home, '1.1.0', next);
    assert.ok(smaller.value.archive.size < kit.value.archive.size);
    assert.partialDeepStrictEqual(await importFolder('second'), { state: 'complete', failureMessage: null });
    assert.equal(await skopeoDigest(site, second.digest), second.digest);
    assert.deepEqual(site.bugs, []);
  },
);

test(
  'a release kit whose image was changed is refused, and nothing reaches the registry',
  await needs(...dockerPrograms),
  async () => {
    await using place = await temporary();
    await using home = await dockerScenario();
    const airGap = airGapOf(home.deps, place.path);
    const root = await testRoot([a, b], { expiresAt: seconds(home.clock.now().getTime() + 86_400_000) });
    await trustRoot(home.deps, root);
    const folder = join(place.path, 'kits/inbox', operator.tenant, 'kit');
    await mkdir(join(folder, '..'), { recursive: true });
    await home.release('1.0.0');
    await releaseKit(home, '1.0.0', { directory: folder, sequence: 1 });
    const [part = ''] = (await readdir(folder)).filter((name) => name.startsWith('part-'));
    const bytes = await readFile(join(folder, part));
    const changed = Buffer.from(bytes);
    changed[700] = (changed[700] ?? 0) ^ 1;
    await writeFile(join(folder, part), changed);
    const { id } = await airGap.kitImports.request(operator, {
      folder: 'kit',
      registry: `${home.registry.host}/mirror`,
    });
    await airGap.importKits();
    assert.partialDeepStrictEqual(await airGap.kitImports.get(operator, { id }), {
      state: 'failed',
      failureCode: 'kit_part_foreign',
    });
  },
);
