/** The pattern that stands for the list of all repositories, `registry:catalog:*`. */
export const CATALOG = 'registry:catalog';

const LONGEST = 255;
const SEGMENT = /^[a-z0-9*]+(?:(?:\.|__?|-+)[a-z0-9*]+)*$/;
const HOST = /^[a-zA-Z0-9*]+(?:(?:\.|-+)[a-zA-Z0-9*]+)*(?::\d{1,5})?$/;

/** Whether a plan can have this pattern. `**` is refused: it would look as if it crossed segments, which nothing does. */
export const isPattern = (pattern: string): boolean => {
  if (pattern === CATALOG) return true;
  if (pattern.length > LONGEST || pattern.includes('**')) return false;
  const [first = '', ...rest] = pattern.split('/');
  const isFirstGood = SEGMENT.test(first) || (rest.length > 0 && HOST.test(first));
  return isFirstGood && rest.every((segment) => SEGMENT.test(segment));
};

/**
 * Whether a text matches a glob in which `*` stands for any text. It goes back to the last star only, so its time is
 * the product of the lengths at worst, whatever the pattern.
 */
const matchesSegment = (glob: string, text: string): boolean => {
  let [at, inGlob, star, retry] = [0, 0, -1, 0];
  while (at < text.length) {
    if (glob[inGlob] === '*') {
      star = inGlob;
      retry = at;
      inGlob += 1;
    } else if (glob[inGlob] === text[at]) {
      at += 1;
      inGlob += 1;
    } else if (star >= 0) {
      retry += 1;
      at = retry;
      inGlob = star + 1;
    } else return false;
  }
  while (glob[inGlob] === '*') inGlob += 1;
  return inGlob === glob.length;
};

/** Whether a repository's name, or `registry:catalog`, matches a pattern: segment by segment, as many as there are. */
export const matches = (pattern: string, name: string): boolean => {
  if (pattern === CATALOG || name === CATALOG) return pattern === name;
  const [globs, segments] = [pattern.split('/'), name.split('/')];
  return globs.length === segments.length && globs.every((glob, at) => matchesSegment(glob, segments[at] ?? ''));
};

/** Whether repositories of a namespace can match: the pattern goes at least as deep, and agrees that far. */
export const reaches = (pattern: string, namespace: string): boolean => {
  if (pattern === CATALOG) return false;
  const [globs, segments] = [pattern.split('/'), namespace.split('/')];
  return globs.length >= segments.length && segments.every((segment, at) => matchesSegment(globs[at] ?? '', segment));
};
