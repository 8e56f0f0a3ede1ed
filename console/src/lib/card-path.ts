import type { SearchCardFragment } from '../generated/operations.ts';

type Named = Pick<SearchCardFragment, 'entity' | 'ref'> & { readonly href?: string };

/** Console page of a search card's entity; undefined without one. */
export function cardPath({ entity, ref, href }: Named): string | undefined {
  if (entity !== null) return pathOfEntity(entity);
  // The graph may not have read the entity; its reference has the path.
  return ref === null ? href : ownPath(ref.type, ref.id);
}

function pathOfEntity(entity: NonNullable<SearchCardFragment['entity']>): string | undefined {
  switch (entity.__typename) {
    case 'Promotion':
      return ownPath('Release', entity.release.id);
    case 'Target':
      return `/environments/${encodeURIComponent(entity.environment.id)}?target=${encodeURIComponent(entity.id)}`;
    default:
      return ownPath(entity.__typename, entity.id);
  }
}

const PAGES: ReadonlyMap<string, string> = new Map([
  ['Release', '/releases/'],
  ['Deployment', '/deployments/'],
  ['Environment', '/environments/'],
  ['Product', '/products/'],
  ['Agent', '/agents/'],
]);

function ownPath(type: string, id: string): string | undefined {
  if (type === 'Integration') return '/integrations';
  const page = PAGES.get(type);
  return page === undefined ? undefined : `${page}${encodeURIComponent(id)}`;
}
