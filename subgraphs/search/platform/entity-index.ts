import { type FactsOf, isFactsOf, KINDS, type Kind } from './facts.ts';

export interface Subject {
  readonly kind: Kind;
  readonly id: string;
}

/** Stored facts of an entity; `facts` is absent once the entity is deleted. */
export interface StoredSubject extends Subject {
  readonly facts: unknown;
  readonly version: number;
}

type Shelves = { readonly [K in Kind]: Map<string, FactsOf<K>> };

export const keyOf = ({ kind, id }: Subject): string => `${kind}/${id}`;

/** Creates the index of one tenant's loaded entities, from which documents are built; it reads nothing itself. */
export const createEntityIndex = () => {
  const shelves: Shelves = {
    Release: new Map(),
    Promotion: new Map(),
    Deployment: new Map(),
    Product: new Map(),
    Environment: new Map(),
    Target: new Map(),
    Agent: new Map(),
    Integration: new Map(),
    Deviation: new Map(),
    Scan: new Map(),
    Finding: new Map(),
    Image: new Map(),
    User: new Map(),
    Client: new Map(),
  };
  const known = new Set<string>();
  const changed = new Map<string, Subject>();
  const touched = new Map<string, Subject>();
  const renamed = new Map<string, Subject>();
  const byScan = new Map<string, Set<string>>();
  const shelf = <K extends Kind>(kind: K): Map<string, FactsOf<K>> => shelves[kind];

  const mark = (subject: Subject): void => {
    known.add(keyOf(subject));
    changed.set(keyOf(subject), subject);
    touched.set(keyOf(subject), subject);
  };

  /** Indexes findings by scan; a list in the scan would be rewritten with each page. */
  const shelve = (kind: Kind, id: string): void => {
    const scanId = kind === 'Finding' ? shelves.Finding.get(id)?.scanId : undefined;
    if (scanId === undefined) return;
    const existing = byScan.get(scanId);
    if (existing) existing.add(id);
    else byScan.set(scanId, new Set([id]));
  };

  const find = <K extends Kind>(kind: K, id: string | undefined): FactsOf<K> | undefined =>
    id === undefined ? undefined : shelf(kind).get(id);

  const set = <K extends Kind>(kind: K, id: string, facts: FactsOf<K>): void => {
    shelf(kind).set(id, facts);
    shelve(kind, id);
    mark({ kind, id });
  };

  return {
    find,
    set,
    /** Whether it was looked up, found or not. */
    isKnown: (subject: Subject): boolean => known.has(keyOf(subject)),
    load({ kind, id }: Subject, facts: unknown): void {
      known.add(keyOf({ kind, id }));
      if (!isFactsOf(kind, facts)) return;
      shelf(kind).set(id, facts);
      shelve(kind, id);
    },
    /** Changes the facts of an entity; does nothing for an unknown one. */
    change<K extends Kind>(kind: K, id: string | undefined, change: (facts: FactsOf<K>) => Partial<FactsOf<K>>): void {
      const facts = find(kind, id);
      if (facts !== undefined && id !== undefined) set(kind, id, { ...facts, ...change(facts) });
    },
    remove(kind: Kind, id: string): void {
      shelf(kind).delete(id);
      mark({ kind, id });
    },
    /** Marks its documents for rebuilding. */
    touch(kind: Kind, id: string | undefined): void {
      if (id !== undefined && shelf(kind).has(id)) touched.set(keyOf({ kind, id }), { kind, id });
    },
    /** Marks a renamed or removed entity; documents that refer to it must be rebuilt. */
    rename: (subject: Subject): void => void renamed.set(keyOf(subject), subject),
    renamed: (): readonly Subject[] => [...renamed.values()],
    /** The findings of a scan, as far as they were read. */
    findingsOf: (scanId: string): readonly string[] =>
      [...(byScan.get(scanId) ?? [])].filter((id) => shelves.Finding.get(id)?.scanId === scanId),
    changed: (): readonly Subject[] => [...changed.values()],
    touched: (): readonly Subject[] => [...touched.values()],
    all: (): readonly Subject[] => KINDS.flatMap((kind) => [...shelf(kind).keys()].map((id) => ({ kind, id }))),
    clearMarks(): void {
      for (const marks of [changed, touched, renamed]) marks.clear();
    },
  };
};

export type EntityIndex = ReturnType<typeof createEntityIndex>;
