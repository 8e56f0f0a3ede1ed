import type { SavedForge } from '../catalogue/integrations/forges.ts';
import type { ComparedComponent } from './compared-component.ts';
import type { Change } from './difference.ts';
import { compareUrl, forgeOf, isRevision, parseSource, type SourceRepository } from './source-repository.ts';

/** Two revisions of one repository. */
export interface CommitRange {
  readonly repository: SourceRepository;
  readonly from: string;
  readonly to: string;
  /** Page of the forge; null for a forge of an unknown kind. */
  readonly url: string | null;
}

const urlOf = (
  repository: SourceRepository,
  from: string,
  to: string,
  forges: readonly SavedForge[],
): string | null => {
  const saved = forges.find(({ host }) => host === repository.host);
  const kind = saved?.provider ?? forgeOf(repository.host);
  return (kind && compareUrl(kind, saved?.baseUrl ?? `https://${repository.host}`, repository, from, to)) ?? null;
};

/** Revisions between which a component changes, or the reason why they are not known; undefined without two sides. */
export const rangeOf = (
  { from, to }: Pick<Change<ComparedComponent>, 'from' | 'to'>,
  forges: readonly SavedForge[],
): CommitRange | string | undefined => {
  if (!from || !to) return undefined;
  if (!from.code || !to.code) return 'An image names no source: neither trusted provenance nor labels of it do.';
  const [old, next] = [parseSource(from.code.uri), parseSource(to.code.uri)];
  if (!old || !next) return 'The address of the source cannot be read.';
  if (old.key !== next.key) return `The source moved from ${old.key} to ${next.key}.`;
  const [before, after] = [from.code.revision, to.code.revision];
  if (before === null || after === null) return 'An image names no revision of its source.';
  if (!isRevision(before) || !isRevision(after)) return 'A revision is none that a forge can be asked for.';
  return { repository: next, from: before, to: after, url: urlOf(next, before, after, forges) };
};
