import { defineOrder, isDigits, LIST_END, numberKey, TEXT_END, type VersionOrder } from './version-order.ts';

const SYNTAX = new RegExp(
  [
    /^v?(?:(?<epoch>\d+)!)?(?<release>\d+(?:\.\d+)*)/,
    /(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|rc|c)[-_.]?(?<preNumber>\d*))?/,
    /(?<post>-(?<postRevision>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>\d*))?/,
    /(?<dev>[-_.]?dev[-_.]?(?<devNumber>\d*))?/,
    /(?:\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

const match = (text: string): Partial<Record<string, string>> | undefined =>
  SYNTAX.exec(text.trim().toLowerCase())?.groups;

const releaseKey = (text: string): string =>
  text
    .replace(/(?:\.0+)+$/, '')
    .split('.')
    .map((digits) => numberKey(digits))
    .join('') + LIST_END;

/** A development release of a final release is below its pre-releases. */
const preReleaseKey = ({ pre, preNumber, post, dev }: Partial<Record<string, string>>): string => {
  if (pre === undefined) return post === undefined && dev !== undefined ? '0' : '2';
  const letter = pre === 'pre' || pre === 'preview' || pre === 'c' ? 'r' : pre.charAt(0);
  return `1${letter}${numberKey(preNumber ?? '')}`;
};

const localKey = (text: string): string =>
  text
    .split(/[-_.]/)
    .map((part) => (isDigits(part) ? `2${numberKey(part)}` : `1${part}${TEXT_END}`))
    .join('') + LIST_END;

const LEGACY_WORDS: Readonly<Record<string, string>> = { pre: 'c', preview: 'c', rc: 'c', dev: '@', '-': 'final-' };

/** Key of a text that PEP 440 does not know, as setuptools ordered it before. Source: pkg_resources, `LegacyVersion`. */
const legacyKey = (text: string): string => {
  const parts: string[] = [];
  for (const raw of [...text.toLowerCase().split(/(\d+|[a-z]+|\.|-)/), 'final']) {
    if (raw === '' || raw === '.') continue;
    const word = (Object.hasOwn(LEGACY_WORDS, raw) ? LEGACY_WORDS[raw] : undefined) ?? raw;
    const part = isDigits(word) ? word.padStart(8, '0') : `*${word}`;
    if (part < '*final' && part.startsWith('*')) while (parts.at(-1) === '*final-') parts.pop();
    if (part.startsWith('*')) while (parts.at(-1) === '00000000') parts.pop();
    parts.push(part);
  }
  return parts.join(TEXT_END) + TEXT_END;
};

/** Order of Python packages; texts that are no versions sort below all versions. Source: PEP 440. */
export const pep440Order: VersionOrder = defineOrder({
  name: 'pep440',
  isVersion: (text) => match(text) !== undefined,
  keyOf(text) {
    const parts = match(text);
    if (!parts) return `0${legacyKey(text)}`;
    const { epoch, release = '', post, postRevision, postNumber, dev, devNumber, local } = parts;
    const postKey = post === undefined ? '0' : `1${numberKey(postRevision ?? postNumber ?? '')}`;
    const devKey = dev === undefined ? '1' : `0${numberKey(devNumber ?? '')}`;
    const tail = local === undefined ? LIST_END : localKey(local);
    return `1${numberKey(epoch ?? '')}${releaseKey(release)}${preReleaseKey(parts)}${postKey}${devKey}${tail}`;
  },
});
