import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import { until } from '@landfall/kernel/testing/until';
import type { Scanner } from '../index.ts';
import { bodyOf, bomThrough } from './bom.ts';
import { callGraphDocument } from './call-graph-document.ts';
import { importRecords } from './feeds.ts';
import { frozenFinding } from './frozen-scan.ts';
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

/** Document of the owner about the vulnerability of its scan. */
const vexDocument = (mark: string): string =>
  JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `https://${mark}.example/vex`,
    timestamp: '2026-01-01T00:00:00Z',
    statements: [
      {
        vulnerability: { name: 'CVE-2026-1000' },
        products: [{ '@id': 'pkg:npm/gate' }],
        status: 'under_investigation',
        impact_statement: `Seen by ${mark}`,
      },
    ],
  });

/** Registers a source of VEX with a document. Its name has no mark, since a refusal repeats it. */
const addVex = async ({ vexSources, vexDocuments }: Scanner, { mark, owner }: SeedContext) => {
  const source = await vexSources.create(owner, { name: 'vendor', rank: 10, trust: 'trusted' });
  const text = vexDocument(mark);
  const { document } = await vexDocuments.import(owner, { source: source.name, document: text });
  return { sourceId: source.id, documentId: document.id, vexDigest: document.digest, text };
};

/** Seeds a completed scan with a finding, whose path names a package of the tenant, a proof bundle and a call graph. */
const create = async (scanner: Scanner, context: SeedContext) => {
  const { scans, runScans, replays } = scanner;
  const { mark, deps, owner } = context;
  await importRecords(deps, [osvRecord('CVE-2026-1000', 'gate')]);
  const { sourceId, documentId, vexDigest, text } = await addVex(scanner, context);
  const { digest: sbomDigest } = await scans.receive(owner, bodyOf(bomThrough(mark)));
  const { scan } = await scans.create(owner, { sbomDigest, imageDigest: sha256(mark) });
  // Where a product runs beside the seed, its worker may have the scan first.
  await until(async () => {
    await runScans();
    return (await scans.get(owner, { id: scan.id })).status === 'completed';
  });
  const { rootHash } = await replays.replay(owner, { scanId: scan.id });
  const finding = { purl: `pkg:nuget/${mark}@1`, vulnId: `CVE-${mark}` };
  await insertFindings(deps, { tenant: owner.tenant, scan: scan.id, findings: [finding] });
  const { driftId, digest } = await addCallGraph(scanner, context, scan.id);
  const decision = await scanner.triage.decide(owner, {
    vulnerabilityId: 'CVE-2026-1000',
    scope: 'component',
    component: 'pkg:npm/gate@1.1.0',
    status: 'fixing',
    reason: `The fix is tested by ${mark}.`,
  });
  return {
    ids: {
      Scan: scan.id,
      Drift: driftId,
      Root: rootHash,
      VexSource: sourceId,
      VexDocument: documentId,
      TriageDecision: decision.id,
    },
    inputs: {
      'scan.create': { sbomDigest },
      'scan.listOfImages': { imageDigests: [sha256(mark)] },
      'vulnerability.listLocations': { vulnId: 'CVE-2026-1000' },
      'callGraph.import': { scanId: scan.id, language: 'dotnet', digest },
      'vexDocument.import': { source: 'vendor', document: text },
      'vexDocument.text': { digest: vexDigest },
      'vexDocument.listTotals': { sourceIds: [sourceId] },
      'findingReachability.list': { scanIds: [scan.id], findingIds: [frozenFinding(finding).findingId] },
      'score.explain': { digest: sha256(mark) },
    },
  };
};

export const scannerSeed: Seed<Scanner> = {
  order: 35,
  shared: {
    'package.affected': 'advisories are the installation’s',
    'scorePolicy.get': 'a tenant without a policy has the default',
    'scorePolicy.list': 'a tenant without a policy has the default',
    'ssvc.list': 'CISA’s decision points are the installation’s',
  },
  sharedFields: {
    affected: 'what public advisories say',
    scorePolicy: 'a tenant without a policy has the default',
    scorePolicies: 'a tenant without a policy has the default',
  },
  values: {
    purl: 'pkg:npm/gate@1.1.0',
    vulnerabilityId: 'CVE-2026-1000',
    vulnId: 'CVE-2026-1000',
    TriageScope: 'PRODUCT',
    TriageStatus: 'FIXING',
  },
  create,
};
