import type { Event } from '@landfall/kernel/events/read';
import { fitKey } from '../corpus/size-limits.ts';
import type { EntityIndex } from './entity-index.ts';
import { present } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import { isScanData, type ScanData, type ScannedFinding } from './scanner-contract.ts';

type Scan = FactsOf<'Scan'>;

/** Upper bound of the aliases of a vulnerability. */
const MAX_ALIASES = 50;

const started = (imageDigest: string, at: string): Scan => ({
  imageDigest,
  state: 'running',
  severities: {},
  at,
});

const findingOf = (scanId: string, of: Pick<Scan, 'imageDigest' | 'image'>, finding: ScannedFinding, at: string) => {
  const { findingId: _, aliases = [], ...known } = finding;
  const named = aliases.slice(0, MAX_ALIASES);
  return { ...present({ image: of.image }), ...known, scanId, imageDigest: of.imageDigest, aliases: named, at };
};

const applyFindings = (entities: EntityIndex, id: string, data: ScanData<'scan.findings'>, at: string): void => {
  const { imageDigest, image, findings } = data;
  const scan = entities.find('Scan', id) ?? started(imageDigest, at);
  for (const finding of findings)
    entities.set(
      'Finding',
      fitKey(finding.findingId),
      findingOf(id, { imageDigest, ...present({ image }) }, finding, at),
    );
  entities.set('Scan', id, { ...scan, ...present({ image }) });
};

const dropFindings = (entities: EntityIndex, scanId: string): void => {
  for (const finding of entities.findingsOf(scanId)) entities.remove('Finding', finding);
};

const complete = (entities: EntityIndex, id: string, data: ScanData<'scan.complete'>, at: string): void => {
  const { imageDigest, image, releaseId, score, rootHash, severities, suppressedCount } = data;
  const scan = entities.find('Scan', id) ?? started(imageDigest, at);
  const known = present({ image, releaseId, score, rootHash, suppressedCount });
  entities.set('Scan', id, { ...scan, ...known, state: 'completed', severities: { ...severities }, at });
  const before = entities.find('Image', imageDigest)?.scanId;
  if (before !== undefined && before !== id) dropFindings(entities, before);
  entities.set('Image', imageDigest, { scanId: id });
};

const rescore = (entities: EntityIndex, id: string, data: ScanData<'scan.rescore'>): void => {
  const scan = entities.find('Scan', id);
  if (!scan) return;
  const { score, rootHash, severities, suppressedCount = 0, disappeared } = data;
  entities.set('Scan', id, {
    ...scan,
    ...present({ score, rootHash }),
    severities: { ...severities },
    suppressedCount,
  });
  // A finding that a newer scan of the image has too is the newer one's.
  for (const key of disappeared.map(({ findingId }) => fitKey(findingId)))
    if (entities.find('Finding', key)?.scanId === id) entities.remove('Finding', key);
};

const remove = (entities: EntityIndex, id: string): void => {
  const scan = entities.find('Scan', id);
  if (!scan) return;
  dropFindings(entities, id);
  if (entities.find('Image', scan.imageDigest)?.scanId === id) entities.remove('Image', scan.imageDigest);
  entities.remove('Scan', id);
};

/** Scans whose findings an event removes. They must be loaded before the event is applied. */
export const scansRemovedBy = (entities: EntityIndex, { type, entityId: id, data }: Event): string[] => {
  if (type === 'scan.remove' || type === 'scan.fail' || type === 'scan.rescore') return [id];
  if (type !== 'scan.complete' || !isScanData('scan.complete', data)) return [];
  const before = entities.find('Image', data.imageDigest)?.scanId;
  // After two completed scans of one image the later one removes the findings of the earlier one.
  return before === undefined || before === id ? [id] : [before, id];
};

export const foldScan = (entities: EntityIndex, { type, entityId: id, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'scan.findings' && isScanData('scan.findings', data)) applyFindings(entities, id, data, at);
  if (type === 'scan.complete' && isScanData('scan.complete', data)) complete(entities, id, data, at);
  if (type === 'scan.rescore' && isScanData('scan.rescore', data)) rescore(entities, id, data);
  if (type === 'scan.remove') remove(entities, id);
  if (type !== 'scan.fail' || !isScanData('scan.fail', data)) return;
  const scan = entities.find('Scan', id) ?? started(data.imageDigest, at);
  const known = present({ image: data.image, releaseId: data.releaseId, error: data.error });
  dropFindings(entities, id);
  entities.set('Scan', id, { ...scan, ...known, state: 'failed', at });
};
