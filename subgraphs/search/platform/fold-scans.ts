import type { Event } from '@landfall/kernel/events/read';
import { present } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import { isScanData, type ScanData, type ScannedFinding } from './scanner-contract.ts';
import type { World } from './world.ts';

type Scan = FactsOf<'Scan'>;

const begun = (imageDigest: string, at: string): Scan => ({
  imageDigest,
  state: 'running',
  severities: {},
  findings: [],
  at,
});

const findingOf = (scanId: string, of: Pick<Scan, 'imageDigest' | 'image'>, finding: ScannedFinding, at: string) => {
  const { findingId: _, aliases = [], ...said } = finding;
  return { ...present({ image: of.image }), ...said, scanId, imageDigest: of.imageDigest, aliases, at };
};

const takeFindings = (world: World, id: string, data: ScanData<'scan.findings'>, at: string): void => {
  const { imageDigest, image, findings } = data;
  const scan = world.find('Scan', id) ?? begun(imageDigest, at);
  for (const finding of findings)
    world.set('Finding', finding.findingId, findingOf(id, { imageDigest, ...present({ image }) }, finding, at));
  const all = new Set([...scan.findings, ...findings.map(({ findingId }) => findingId)]);
  world.set('Scan', id, { ...scan, ...present({ image }), findings: [...all] });
};

const dropFindings = (world: World, scanId: string): void => {
  for (const finding of world.find('Scan', scanId)?.findings ?? [])
    if (world.find('Finding', finding)?.scanId === scanId) world.remove('Finding', finding);
  world.change('Scan', scanId, () => ({ findings: [] }));
};

const complete = (world: World, id: string, data: ScanData<'scan.complete'>, at: string): void => {
  const { imageDigest, image, releaseId, score, rootHash, severities } = data;
  const scan = world.find('Scan', id) ?? begun(imageDigest, at);
  const said = present({ image, releaseId, score, rootHash });
  world.set('Scan', id, { ...scan, ...said, state: 'completed', severities: { ...severities }, at });
  const before = world.find('Image', imageDigest)?.scanId;
  if (before !== undefined && before !== id) dropFindings(world, before);
  world.set('Image', imageDigest, { scanId: id });
};

const remove = (world: World, id: string): void => {
  const scan = world.find('Scan', id);
  if (!scan) return;
  dropFindings(world, id);
  if (world.find('Image', scan.imageDigest)?.scanId === id) world.remove('Image', scan.imageDigest);
  world.remove('Scan', id);
};

/** What scanners tell: the contract of scanner-contract.ts. */
export const foldScan = (world: World, { type, entityId: id, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'scan.findings' && isScanData('scan.findings', data)) takeFindings(world, id, data, at);
  if (type === 'scan.complete' && isScanData('scan.complete', data)) complete(world, id, data, at);
  if (type === 'scan.remove') remove(world, id);
  if (type !== 'scan.fail' || !isScanData('scan.fail', data)) return;
  const scan = world.find('Scan', id) ?? begun(data.imageDigest, at);
  const said = present({ image: data.image, releaseId: data.releaseId, error: data.error });
  dropFindings(world, id);
  world.set('Scan', id, { ...scan, ...said, findings: [], state: 'failed', at });
};
