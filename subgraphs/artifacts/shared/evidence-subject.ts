/** Release or deployment that evidence is about. */
export interface EvidenceSubject {
  readonly kind: 'release' | 'deployment';
  readonly id: string;
}

/** Release or deployment that a bom-ref of the platform names, `landfall:release:<id>`. */
export const subjectOfBomRef = (bomRef: string): EvidenceSubject | null => {
  const [, kind, id] =
    /^landfall:(release|deployment):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(bomRef) ?? [];
  return id !== undefined && (kind === 'release' || kind === 'deployment') ? { kind, id } : null;
};

/** Entity of another module, which resolves the rest of it. */
export interface EntityKey {
  readonly __typename?: string;
  readonly id: string;
}

/** Entity of a type, where a kind names this type. */
export const entityOf = (__typename: string, kind: string, id: string): EntityKey | null =>
  kind.toLowerCase() === __typename.toLowerCase() ? { __typename, id } : null;
