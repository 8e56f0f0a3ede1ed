import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Manifest } from '@landfall/kernel/oci/manifest';
import { parse } from 'semver';
import type { OpenRepository, Registries } from '../../catalogue/integrations/registries.ts';
import { isOlder, type NoChoice, select } from './selection.ts';
import type { ListState, ReleaseSource, Selected } from './sources.store.ts';

/** Deadline of one poll, in milliseconds. */
const DEADLINE_MS = 30_000;

/** Result of a poll that the registry answered. */
export type PollResult =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'selected'; readonly list: ListState; readonly selected: Selected }
  | { readonly kind: 'nothing'; readonly reason: string; readonly tag: string | null };

interface Chosen extends Pick<Selected, 'tag' | 'order'> {
  readonly list: ListState;
}

/** Registries as a poll uses them. */
export type PollRegistries = Pick<Registries, 'repository' | 'labels'>;

const noList: ListState = { etag: null, digest: null };

/** Choice of the last poll, if it is still chosen from a list that did not change. */
const chosenBefore = ({ selectedTag, selectedOrder, listEtag, listDigest }: ReleaseSource): Chosen | undefined =>
  selectedTag === null
    ? undefined
    : { tag: selectedTag, order: selectedOrder, list: { etag: listEtag, digest: listDigest } };

const choose = async (source: ReleaseSource, repository: OpenRepository): Promise<Chosen | NoChoice | Fault> => {
  const { selection, selectedTag, selectedOrder } = source;
  if (selection.kind === 'tag') return { tag: selection.tag, order: null, list: noList };
  const before = chosenBefore(source);
  const listed = await repository.tags(before?.list.etag ?? undefined);
  if (listed instanceof Fault) return listed;
  if (!listed || listed.digest === before?.list.digest) {
    if (before) return before;
    return new Fault('INT_INVALID_RESPONSE', 'The registry says that a list has not changed which was not asked for.');
  }
  if (listed.isCut)
    return {
      reason: `${source.repository} lists more than ${listed.tags.length} tags, so the highest is not known. Remove old tags, or follow a moving tag.`,
    };
  const choice = select(selection, listed.tags);
  if ('reason' in choice) return choice;
  if (isOlder(selection, choice.order, selectedOrder))
    return { reason: `${choice.tag} is older than ${selectedTag}, which was selected before and is gone.` };
  return { ...choice, list: { etag: listed.etag ?? null, digest: listed.digest } };
};

/** Semantic version that the label of a moving tag's image states; null without a valid one. */
const labelledVersion = async (
  registries: PollRegistries,
  caller: Who,
  { repository }: ReleaseSource,
  manifest: Manifest,
): Promise<string | null> => {
  const { version } = await registries.labels(caller, repository, manifest);
  return version === null ? null : (parse(version)?.version ?? null);
};

/** Polls the repository of a source: lists its tags where needed, and asks for the digest of the one it selects. */
export const poll = async (
  registries: PollRegistries,
  caller: Who,
  source: ReleaseSource,
): Promise<PollResult | Fault> => {
  const repository = await registries.repository(caller, source.repository, AbortSignal.timeout(DEADLINE_MS));
  if (repository instanceof Fault) return repository;
  const selected = await choose(source, repository);
  if (selected instanceof Fault) return selected;
  if ('reason' in selected) return { kind: 'nothing', reason: selected.reason, tag: null };
  const { tag, order, list } = selected;
  const claimed = await repository.digest(tag);
  const isSame = claimed !== undefined && !(claimed instanceof Fault) && claimed === source.selectedDigest;
  if (isSame && tag === source.selectedTag) {
    const isListed = list.digest === source.listDigest && list.etag === source.listEtag;
    return isListed ? { kind: 'unchanged' } : { kind: 'selected', list, selected: { tag, order, digest: claimed } };
  }
  // The header is only a hint: a new digest is the hash of the manifest's bytes.
  const manifest = claimed instanceof Fault ? claimed : await repository.manifest(tag);
  if (manifest instanceof Fault) {
    // The tag exists, or existed, and is no image that can be deployed.
    return manifest.code === 'REL_TAG_NOT_FOUND' ? { kind: 'nothing', reason: manifest.message, tag } : manifest;
  }
  const version = source.selection.kind === 'tag' ? await labelledVersion(registries, caller, source, manifest) : null;
  return { kind: 'selected', list, selected: { tag, order: order ?? version, digest: manifest.digest } };
};
