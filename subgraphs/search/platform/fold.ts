import type { Event } from '@landfall/kernel/events/read';
import { fitKey } from '../corpus/size-limits.ts';
import type { EntityIndex, Subject } from './entity-index.ts';
import type { Data } from './event-data.ts';
import { listIn, textIn } from './event-data.ts';
import { isFactsOf, isKind, type Kind } from './facts.ts';
import { foldActor, isActorEvent } from './fold-actors.ts';
import { foldDeployment } from './fold-deployments.ts';
import { foldAgent, foldDeviation, foldEnvironment, foldIntegration, foldTarget } from './fold-estate.ts';
import { foldProduct } from './fold-products.ts';
import { foldPromotion } from './fold-promotions.ts';
import { foldRelease } from './fold-releases.ts';
import { foldScan } from './fold-scans.ts';

/** Folds by entity. Sessions, tokens and secrets are never projected. */
const FOLDS: ReadonlyMap<string, (entities: EntityIndex, event: Event) => void> = new Map([
  ['Release', foldRelease],
  ['Promotion', foldPromotion],
  ['Deployment', foldDeployment],
  ['Product', foldProduct],
  ['Environment', foldEnvironment],
  ['Target', foldTarget],
  ['Agent', foldAgent],
  ['Integration', foldIntegration],
  ['Deviation', foldDeviation],
  ['Scan', foldScan],
  ['User', foldActor],
  ['Client', foldActor],
]);

/** Frequent events without content for documents. */
const NOISE: ReadonlySet<string> = new Set(['deployment.step', 'deployment.phase', 'deployment.measure']);

export const isProjected = ({ entity, type }: Pick<Event, 'entity' | 'type'>): boolean =>
  FOLDS.has(entity) && !NOISE.has(type) && ((entity !== 'User' && entity !== 'Client') || isActorEvent(type));

/** Applies an event to the entity index. The entities that it refers to must be loaded before. */
export const fold = (entities: EntityIndex, event: Event): void => {
  if (isProjected(event)) FOLDS.get(event.entity)?.(entities, event);
};

/** Fields of events and facts that name things. */
const NAMES: Readonly<Record<string, Kind>> = {
  releaseId: 'Release',
  release: 'Release',
  environmentId: 'Environment',
  environment: 'Environment',
  targetId: 'Target',
  agentId: 'Agent',
  before: 'Agent',
  promotionId: 'Promotion',
  promotion: 'Promotion',
  deployment: 'Deployment',
  deploymentId: 'Deployment',
  undoes: 'Deployment',
  restores: 'Deployment',
  rollback: 'Deployment',
  scanId: 'Scan',
  imageDigest: 'Image',
};

const isUuid = (word: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);

const namedIn = (data: Data): Subject[] =>
  Object.entries(NAMES).flatMap(([field, kind]) => {
    const id = textIn(data, field);
    return id !== undefined && (isUuid(id) || kind === 'Image') ? [{ kind, id }] : [];
  });

/** Subjects of an actor id, both as a person and as a client: the id does not state its kind. */
const actorSubjects = (id: string | undefined): Subject[] =>
  id !== undefined && isUuid(id)
    ? [
        { kind: 'User', id },
        { kind: 'Client', id },
      ]
    : [];

/** Entity of an event, its actor and the entities it refers to. `retryOf` refers to the same kind. */
export const subjectsOf = ({ entity, entityId, actor, data }: Event): Subject[] => {
  if (!isKind(entity)) return [];
  const retried = textIn(data, 'retryOf');
  const findings = listIn(data, 'findings').flatMap((finding): Subject[] => {
    const id = textIn(finding, 'findingId');
    return id === undefined ? [] : [{ kind: 'Finding', id: fitKey(id) }];
  });
  return [
    { kind: entity, id: entityId },
    ...namedIn(data),
    ...(retried === undefined ? [] : [{ kind: entity, id: retried }]),
    ...findings,
    ...actorSubjects(actor),
  ];
};

const all = (kind: Kind, ids: readonly string[]): Subject[] => ids.map((id) => ({ kind, id }));

export const actorsIn = (facts: Data): string[] => {
  const lines = [...listIn(facts, 'story'), ...listIn(facts, 'decisions'), facts];
  return [...new Set(lines.flatMap((line) => textIn(line, 'by') ?? []))];
};

/** Entities that the documents of a subject refer to, or that its events may change. */
export const relationsOf = (entities: EntityIndex, { kind, id }: Subject): Subject[] => {
  const facts: unknown = entities.find(kind, id);
  const isRecord = (value: unknown): value is Data => typeof value === 'object' && value !== null;
  const named = isRecord(facts) ? [...namedIn(facts), ...actorsIn(facts).flatMap(actorSubjects)] : [];
  if (isFactsOf('Environment', facts) && kind === 'Environment') return [...named, ...all('Target', facts.targets)];
  if (isFactsOf('Agent', facts) && kind === 'Agent') return [...named, ...all('Target', facts.targets)];
  if (isFactsOf('Target', facts) && kind === 'Target')
    return [...named, ...(facts.landed ? all('Release', [facts.landed.releaseId]) : [])];
  if (isFactsOf('Release', facts) && kind === 'Release')
    return [...named, ...all('Environment', Object.values(facts.landed))];
  if (isFactsOf('Product', facts) && kind === 'Product') return [...named, ...all('Environment', facts.path)];
  if (isFactsOf('Image', facts) && kind === 'Image') return all('Scan', [facts.scanId]);
  return named;
};
