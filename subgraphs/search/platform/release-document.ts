import type { Chunk } from '../corpus/chunk.ts';
import { documentOf } from './document-format.ts';
import type { EntityIndex } from './entity-index.ts';
import { asSentence, componentsOf, environmentName, joinLines, joinWords, releaseNames, storyOf } from './phrases.ts';

/** A release: what it is of, how far it has come, where it runs. */
export const releaseDocument = (entities: EntityIndex, id: string): Chunk | undefined => {
  const release = entities.find('Release', id);
  if (!release) return undefined;
  const { name, semver, status, hold, components, gatedDigestSet, evidence, notes, landed } = release;
  const isHeld = hold !== undefined && hold !== '';
  const places = [...new Set(Object.values(landed))].map((environment) => environmentName(entities, environment));
  const body = joinLines(
    `Release ${name} ${semver} is ${isHeld ? `${status} and on hold: ${asSentence(hold)}` : `${status}.`}`,
    components.length > 0 && `Components: ${componentsOf(release)}.`,
    places.length > 0 && `It runs in ${joinWords(places.toSorted())}.`,
    evidence.length > 0 && `Evidence: ${joinWords(evidence)}.`,
    notes,
    storyOf(entities, release.story),
  );
  const digests = components.flatMap(({ digest }) => (digest === null ? [] : [digest]));
  return documentOf(
    { kind: 'Release', id, domain: 'release', entityType: 'release', ref: { type: 'Release', id } },
    {
      title: `Release ${name} ${semver}`,
      body,
      identifiers: [...releaseNames(release), ...digests, ...(gatedDigestSet === undefined ? [] : [gatedDigestSet])],
      packages: components.map(({ repository }) => repository),
      attributes: { name, semver, status, environments: places.toSorted(), ...(isHeld && { hold }) },
      at: release.at,
    },
  );
};
