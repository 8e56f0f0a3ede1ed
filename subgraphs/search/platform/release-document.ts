import type { Chunk } from '../corpus/chunk.ts';
import { documentOf } from './document-format.ts';
import type { World } from './entity-index.ts';
import { componentsOf, environmentName, lines, listed, releaseNames, sentence, storyOf } from './phrases.ts';

/** A release: what it is of, how far it has come, where it runs. */
export const releaseDocument = (world: World, id: string): Chunk | undefined => {
  const release = world.find('Release', id);
  if (!release) return undefined;
  const { name, semver, status, hold, components, gatedDigestSet, evidence, notes, landed } = release;
  const isHeld = hold !== undefined && hold !== '';
  const places = [...new Set(Object.values(landed))].map((environment) => environmentName(world, environment));
  const body = lines(
    `Release ${name} ${semver} is ${isHeld ? `${status} and on hold: ${sentence(hold)}` : `${status}.`}`,
    components.length > 0 && `Components: ${componentsOf(release)}.`,
    places.length > 0 && `It runs in ${listed(places.toSorted())}.`,
    evidence.length > 0 && `Evidence: ${listed(evidence)}.`,
    notes,
    storyOf(world, release.story),
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
