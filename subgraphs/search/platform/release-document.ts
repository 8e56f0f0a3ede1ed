import { documentBuilder } from './document-format.ts';
import { asSentence, componentsOf, environmentName, joinLines, joinWords, releaseNames, storyOf } from './phrases.ts';

/** Builds the document of a release: its components, its promotions and where it runs. */
export const releaseDocument = documentBuilder('Release', 'release', 'release', (release, entities) => {
  const { name, semver, status, hold, components, gatedDigestSet, evidence, notes, landed } = release;
  const isOnHold = hold !== undefined && hold !== '';
  const environments = [...new Set(Object.values(landed))].map((environment) => environmentName(entities, environment));
  const body = joinLines(
    `Release ${name} ${semver} is ${isOnHold ? `${status} and on hold: ${asSentence(hold)}` : `${status}.`}`,
    components.length > 0 && `Components: ${componentsOf(release)}.`,
    environments.length > 0 && `It runs in ${joinWords(environments.toSorted())}.`,
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
    attributes: { name, semver, status, environments: environments.toSorted(), ...(isOnHold && { hold }) },
    at: release.at,
  };
});
