import type { Chunk } from '../corpus/chunk.ts';
import type { Domain, EntityType } from '../shared/domains.ts';
import type { Subject } from './entity-index.ts';

/** Source of documents that are projected from events. */
export const PLATFORM = 'platform';

/** Content of an entity's document in one domain. */
export type DocumentContent = Pick<Chunk, 'title' | 'body'> &
  Partial<Pick<Chunk, 'identifiers' | 'packages' | 'severity' | 'ecosystem' | 'attributes' | 'uri' | 'entityKey'>> & {
    readonly at: string;
  };

interface DocumentSubject extends Subject {
  readonly domain: Domain;
  readonly entityType: EntityType;
  /** Unset where the graph has no such type. */
  readonly ref?: { readonly type: string; readonly id: string } | undefined;
}

/** `timeline/Deployment/<id>`: one document a domain and thing. */
export const documentKey = (domain: Domain, { kind, id }: Subject): string => `${domain}/${kind}/${id}`;

export const documentOf = ({ kind, id, domain, entityType, ref }: DocumentSubject, telling: DocumentContent): Chunk => {
  const { at, title, body, identifiers = [], packages = [], attributes, severity, ecosystem, uri, entityKey } = telling;
  return {
    domain,
    source: PLATFORM,
    documentKey: documentKey(domain, { kind, id }),
    part: 0,
    entityType,
    entityKey: entityKey ?? `${entityType}:${id}`,
    title,
    body,
    identifiers: [...new Set([...identifiers, id])],
    packages: [...new Set(packages)],
    ...(severity !== undefined && { severity }),
    ...(ecosystem !== undefined && { ecosystem }),
    ...(ref !== undefined && { ref }),
    ...(uri !== undefined && { uri }),
    ...(attributes !== undefined && { attributes }),
    occurredAt: new Date(at),
  };
};
