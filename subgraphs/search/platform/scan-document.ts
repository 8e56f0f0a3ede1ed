import { SEVERITIES } from '../shared/domains.ts';
import { documentBuilder } from './document-format.ts';
import { asSentence, joinLines, joinWords, releaseName, shortDigest } from './phrases.ts';

/** Builds the document of a scan: its image, its result and its worst severity. */
export const scanDocument = documentBuilder('Scan', 'scanner', 'scan', (scan, entities) => {
  const { imageDigest, image, releaseId, state, score, rootHash, error, severities, suppressedCount = 0, at } = scan;
  const counts = SEVERITIES.flatMap((severity) => {
    const count = severities[severity] ?? 0;
    return count > 0 ? [`${count} ${severity}`] : [];
  });
  const worst = SEVERITIES.find((severity) => (severities[severity] ?? 0) > 0);
  const name = image ?? shortDigest(imageDigest);
  const nothing = suppressedCount > 0 ? 'Triage decisions suppress all that it found.' : 'It found nothing.';
  const found = counts.length > 0 ? `It found ${joinWords(counts)}.` : nothing;
  return {
    title: `Scan of ${name}`,
    body: joinLines(
      `The scan of ${name} at ${shortDigest(imageDigest)} is ${state}.`,
      state === 'completed' && found,
      suppressedCount > 0 && counts.length > 0 && `Triage decisions suppress ${suppressedCount} more.`,
      releaseId !== undefined && `The image is of release ${releaseName(entities, releaseId)}.`,
      score !== undefined && `Its score is ${score.toFixed(2)}.`,
      error !== undefined && `It failed: ${asSentence(error)}`,
    ),
    identifiers: [imageDigest, ...(rootHash === undefined ? [] : [rootHash])],
    packages: image === undefined ? [] : [image],
    ...(worst !== undefined && { severity: worst }),
    attributes: { state, severities, ...(score !== undefined && { score }) },
    at,
  };
});
