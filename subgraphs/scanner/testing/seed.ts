import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import type { Scanner } from '../index.ts';
import { bodyOf, bomThrough } from './bom.ts';
import { callGraphDocument } from './call-graph-document.ts';
import { importRecords } from './feeds.ts';
import { osvRecord } from './osv.ts';
import { insertFindings } from './scans.ts';

/** Document of a call graph of the owner's scan. */
const documentOf = (mark: string) =>
  callGraphDocument({ language: 'dotnet', purl: `pkg:nuget/${mark}`, calls: [['main', mark]], sinks: [mark] });

async function* bytesOf(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value));
}

/** Gives a scan a call graph, compares it with itself, and requests the reachability of its findings. */
const addCallGraph = async (
  { callGraphs, drifts, jobs, computeReachability }: Scanner,
  { mark, owner }: SeedContext,
  scanId: string,
) => {
  const graph = { scanId, language: 'dotnet' };
  const { digest } = await callGraphs.receive(owner, graph, bytesOf(documentOf(mark)));
  await callGraphs.assign(owner, { ...graph, digest });
  await jobs.compute(owner, graph);
  await computeReachability();
  const { id } = await drifts.compare(owner, { ...graph, baseScanId: scanId });
  return { driftId: id, digest };
};

/** Seeds a completed scan with a finding, whose path names a package of the tenant, a proof bundle and a call graph. */
const create = async (scanner: Scanner, context: SeedContext) => {
  const { scans, runScans, replays } = scanner;
  const { mark, deps, owner } = context;
  await importRecords(deps, [osvRecord('CVE-2026-1000', 'gate')]);
  const { digest: sbomDigest } = await scans.receive(owner, bodyOf(bomThrough(mark)));
  const { scan } = await scans.create(owner, { sbomDigest, imageDigest: sha256(mark) });
  await runScans();
  const { rootHash } = await replays.replay(owner, { scanId: scan.id });
  const findings = [{ purl: `pkg:nuget/${mark}@1`, vulnId: `CVE-${mark}` }];
  await insertFindings(deps, { tenant: owner.tenant, scan: scan.id, findings });
  const { driftId, digest } = await addCallGraph(scanner, context, scan.id);
  return {
    ids: { Scan: scan.id, Drift: driftId, Root: rootHash },
    inputs: {
      'scan.create': { sbomDigest },
      'callGraph.import': { scanId: scan.id, language: 'dotnet', digest },
      'score.explain': { digest: sha256(mark) },
    },
  };
};

export const scannerSeed: Seed<Scanner> = {
  order: 35,
  shared: {
    'package.affected': 'advisories are the installation’s',
    'scorePolicy.get': 'a tenant without a policy has the default',
  },
  sharedFields: {
    affected: 'what public advisories say',
    scorePolicy: 'a tenant without a policy has the default',
  },
  values: { purl: 'pkg:npm/gate@1.1.0' },
  create,
};
