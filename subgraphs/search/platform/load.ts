import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Event } from '@landfall/kernel/events/read';
import { batchesOf } from './batches.ts';
import { type EntityIndex, keyOf, type Subject } from './entity-index.ts';
import { isKind } from './facts.ts';
import { relationsOf, subjectsOf } from './fold.ts';
import { scansRemovedBy } from './fold-scans.ts';
import * as store from './subjects.store.ts';

/** Path length from a deployment over environment, target and agent to the release. */
const DEPTH = 4;

/** Loads stored facts of subjects and of what they refer to, up to DEPTH. */
export const load = async (query: Query, tenant: TenantId, entities: EntityIndex, subjects: readonly Subject[]) => {
  let frontier = subjects;
  for (let depth = 0; depth <= DEPTH && frontier.length > 0; depth++) {
    const unknown = new Map(
      frontier.filter((subject) => !entities.isKnown(subject)).map((subject) => [keyOf(subject), subject]),
    );
    for (const page of batchesOf([...unknown.values()])) {
      const rows = await store.list(query, tenant, page);
      const subjects = new Map(rows.map((row) => [`${row.entity}/${row.entityId}`, row.facts]));
      for (const subject of page) entities.load(subject, subjects.get(keyOf(subject)));
    }
    frontier = (depth === 0 ? frontier : [...unknown.values()]).flatMap((subject) => relationsOf(entities, subject));
  }
};

type Rows = Awaited<ReturnType<typeof store.list>>;

const noteRows = (entities: EntityIndex, rows: Rows): Subject[] =>
  rows.flatMap(({ entity, entityId: id, facts }) => {
    if (!isKind(entity)) return [];
    const subject = { kind: entity, id };
    if (!entities.isKnown(subject)) entities.load(subject, facts);
    return [subject];
  });

/** Loads the entities of events, those they refer to, and the findings they remove. */
export const loadFor = async (query: Query, tenant: TenantId, entities: EntityIndex, events: readonly Event[]) => {
  await load(query, tenant, entities, events.flatMap(subjectsOf));
  const dropped = [
    ...new Set(events.filter(({ entity }) => entity === 'Scan').flatMap((each) => scansRemovedBy(entities, each))),
  ];
  if (dropped.length > 0) noteRows(entities, await store.listOfScans(query, tenant, dropped));
};

export const touchNamed = async (query: Query, tenant: TenantId, entities: EntityIndex): Promise<void> => {
  const ids = Map.groupBy(entities.renamed(), ({ kind }) =>
    kind === 'User' || kind === 'Client' ? 'doers' : 'places',
  );
  const idsOf = (which: 'doers' | 'places'): string[] => (ids.get(which) ?? []).map(({ id }) => id);
  const [doers, environments] = [idsOf('doers'), idsOf('places')];
  const rows = [
    ...(environments.length > 0 ? await store.listAt(query, tenant, environments) : []),
    ...(doers.length > 0 ? await store.listBy(query, tenant, doers) : []),
  ];
  for (const { kind, id } of noteRows(entities, rows)) entities.touch(kind, id);
};
