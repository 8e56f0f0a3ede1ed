import type { Chunk, Ref } from '../corpus/chunk.ts';
import type { Domain, EntityType } from '../shared/domains.ts';
import type { EntityIndex, Subject } from './entity-index.ts';
import type { FactsOf, Kind } from './facts.ts';

/** Source of documents that are projected from events. */
export const PLATFORM = 'platform';

/** Content of an entity's document in one domain. */
type DocumentContent = Pick<Chunk, 'title' | 'body'> &
  Partial<Pick<Chunk, 'identifiers' | 'packages' | 'severity' | 'ecosystem' | 'attributes' | 'uri' | 'entityKey'>> & {
    /** Entity that the card links to; the document's own entity when absent, no link when null. */
    readonly ref?: Ref | null;
    readonly at: string;
  };

interface DocumentSubject extends Subject {
  readonly domain: Domain;
  readonly entityType: EntityType;
  /** Unset where the graph has no such type. */
  readonly ref?: { readonly type: string; readonly id: string } | undefined;
}

/** Key of a document, one for each domain and entity: `timeline/Deployment/<id>`. */
export const documentKey = (domain: Domain, { kind, id }: Subject): string => `${domain}/${kind}/${id}`;

export const documentOf = (
  { kind, id, domain, entityType, ref: own }: DocumentSubject,
  content: DocumentContent,
): Chunk => {
  const {
    at,
    title,
    body,
    identifiers = [],
    packages = [],
    attributes,
    severity,
    ecosystem,
    uri,
    entityKey,
    ref = own,
  } = content;
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
    ...(ref && { ref }),
    ...(uri !== undefined && { uri }),
    ...(attributes !== undefined && { attributes }),
    occurredAt: new Date(at),
  };
};

/** Content of an entity's document; undefined where it has none in this domain. */
export type ContentOf<K extends Kind> = (
  facts: FactsOf<K>,
  entities: EntityIndex,
  id: string,
) => DocumentContent | undefined;

/** Builds the document of entities of one kind in one domain. */
export const documentBuilder = <K extends Kind>(
  kind: K,
  domain: Domain,
  entityType: EntityType,
  contentOf: ContentOf<K>,
) => ({
  domain,
  build(entities: EntityIndex, id: string): Chunk | undefined {
    const facts = entities.find(kind, id);
    const content = facts && contentOf(facts, entities, id);
    return content && documentOf({ kind, id, domain, entityType, ref: { type: kind, id } }, content);
  },
});

export type DocumentBuilder = ReturnType<typeof documentBuilder>;
