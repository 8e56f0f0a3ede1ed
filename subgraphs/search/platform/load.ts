import type { Query } from '@landfall/kernel/db/query';
import type { Event } from '@landfall/kernel/events/read';
import type { TenantId } from '@landfall/kernel/ids';
import { pagesOf } from './batches.ts';
import { keyOf, type Subject, type World } from './entity-index.ts';
import { isKind } from './facts.ts';
import { relationsOf, subjectsOf } from './fold.ts';
import { droppedBy } from './fold-scans.ts';
import * as store from './subjects.store.ts';

/** From a deployment to its environment, its targets, their agents and what runs there. */
const DEPTH = 4;

/** Puts what is kept of things into a world, and of what they speak of, as deep as any document tells. */
export const load = async (
  query: Query,
  tenant: TenantId,
  world: World,
  subjects: readonly Subject[],
): Promise<void> => {
  let frontier = subjects;
  for (let depth = 0; depth <= DEPTH && frontier.length > 0; depth++) {
    const unknown = new Map(
      frontier.filter((subject) => !world.isKnown(subject)).map((subject) => [keyOf(subject), subject]),
    );
    for (const page of pagesOf([...unknown.values()])) {
      const rows = await store.list(query, tenant, page);
      const kept = new Map(rows.map((row) => [`${row.entity}/${row.entityId}`, row.facts]));
      for (const subject of page) world.note(subject, kept.get(keyOf(subject)));
    }
    frontier = (depth === 0 ? frontier : [...unknown.values()]).flatMap((subject) => relationsOf(world, subject));
  }
};

type Rows = Awaited<ReturnType<typeof store.list>>;

const noteRows = (world: World, rows: Rows): Subject[] =>
  rows.flatMap(({ entity, entityId: id, facts }) => {
    if (!isKind(entity)) return [];
    const subject = { kind: entity, id };
    if (!world.isKnown(subject)) world.note(subject, facts);
    return [subject];
  });

/** Puts in what events are of, what they name, and the findings that they take away. */
export const loadFor = async (
  query: Query,
  tenant: TenantId,
  world: World,
  events: readonly Event[],
): Promise<void> => {
  await load(query, tenant, world, events.flatMap(subjectsOf));
  const dropped = [
    ...new Set(events.filter(({ entity }) => entity === 'Scan').flatMap((each) => droppedBy(world, each))),
  ];
  if (dropped.length > 0) noteRows(world, await store.listOfScans(query, tenant, dropped));
};

/** Has whatever speaks of something by its former name told anew. */
export const touchNamed = async (query: Query, tenant: TenantId, world: World): Promise<void> => {
  const ids = Map.groupBy(world.renamed(), ({ kind }) => (kind === 'User' || kind === 'Client' ? 'doers' : 'places'));
  const idsOf = (which: 'doers' | 'places'): string[] => (ids.get(which) ?? []).map(({ id }) => id);
  const [doers, places] = [idsOf('doers'), idsOf('places')];
  const rows = [
    ...(places.length > 0 ? await store.listAt(query, tenant, places) : []),
    ...(doers.length > 0 ? await store.listBy(query, tenant, doers) : []),
  ];
  for (const { kind, id } of noteRows(world, rows)) world.touch(kind, id);
};
