import type { Context } from '../context.ts';
import { type EvidenceSubject, subjectOfBomRef } from '../shared/evidence-subject.ts';

/** References of an artifact among which its subject is looked for. */
const MOST_REFERENCES = 100;

interface Named {
  readonly artifactId: string;
  readonly bomRef: string;
}

/**
 * Release or deployment that the bom-ref of an artifact names. Anybody may put such a bom-ref, so it counts only where the
 * platform noted the artifact as evidence of what it names.
 */
export const aboutOf = async (
  { artifactId, bomRef }: Named,
  _args: unknown,
  { loaders }: Context,
): Promise<EvidenceSubject | null> => {
  const named = subjectOfBomRef(bomRef);
  const known = named ? await loaders.referencesOf(MOST_REFERENCES)(artifactId) : [];
  return known.some(({ kind, entityId }) => kind.toLowerCase() === named?.kind && entityId === named.id) ? named : null;
};
