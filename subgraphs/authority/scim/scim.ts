import type { Deps } from '@landfall/kernel/module';
import { includesAttribute, type Projection, projected } from './attribute-selection.ts';
import { groupType, type ResourceType, userType } from './attributes.ts';
import { createDirectoryGroups } from './directory-groups.ts';
import { discovery } from './discovery.ts';
import { etagOf, isTagged } from './entity-tag.ts';
import { createPeople, type SearchPage, type Versioned } from './people.ts';
import type { Resource } from './resource.ts';

export type { Projection, Resource, ResourceType, SearchPage, Versioned };

/** SCIM 2.0 (RFC 7643, RFC 7644): people and groups of a tenant for its directory. */
export const createScim = (deps: Pick<Deps, 'operation' | 'ids'>, { baseUrl }: { readonly baseUrl: string }) => {
  const links = { root: `${baseUrl.replace(/\/+$/, '')}/scim/v2` };
  return {
    people: createPeople(deps, links),
    groups: createDirectoryGroups(deps, links),
    discovery: discovery(links),
    types: { user: userType, group: groupType },
    /** Projection of a resource (RFC 7644 3.9). */
    projected,
    includesAttribute,
    etagOf,
    isTagged,
  };
};

export type Scim = ReturnType<typeof createScim>;
