import { digestOf } from '../../lib/digest.ts';

/** Filter of a list of artifacts by one text: a digest that they are about, else the reference of what they are about. */
export function artifactFilter(text: string | undefined): {
  readonly bomRef?: string;
  readonly subjectDigest?: string;
} {
  if (text === undefined) return {};
  const subjectDigest = digestOf(text.toLowerCase());
  return subjectDigest === undefined ? { bomRef: text } : { subjectDigest };
}
