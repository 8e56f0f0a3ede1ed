import { documentBuilder } from './document-format.ts';
import { asSentence, componentsOf, environmentName, joinLines, joinWords, releaseNames, storyOf } from './phrases.ts';

/** Builds the document of a release: its components, its promotions and where it runs. */
export const releaseDocument = documentBuilder('Release', 'release', 'release', (release, entities) => {
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
  return {
    title: `Release ${name} ${semver}`,
    body,
    identifiers: [...releaseNames(release), ...digests, ...(gatedDigestSet === undefined ? [] : [gatedDigestSet])],
    packages: components.map(({ repository }) => repository),
    attributes: { name, semver, status, environments: places.toSorted(), ...(isHeld && { hold }) },
    at: release.at,
  };
});
