/** Pattern of the list of all repositories, `registry:catalog:*`. */
export const CATALOG = 'registry:catalog';

const MAX_LENGTH = 255;
const SEGMENT = /^[a-z0-9*]+(?:(?:\.|__?|-+)[a-z0-9*]+)*$/;
const HOST = /^[a-zA-Z0-9*]+(?:(?:\.|-+)[a-zA-Z0-9*]+)*(?::\d{1,5})?$/;

/** Whether a pattern is valid. `**` is refused: it would suggest to cross segments. */
export const isPattern = (pattern: string): boolean => {
  if (pattern === CATALOG) return true;
  if (pattern.length > MAX_LENGTH || pattern.includes('**')) return false;
  const [first = '', ...rest] = pattern.split('/');
  const isFirstGood = SEGMENT.test(first) || (rest.length > 0 && HOST.test(first));
  return isFirstGood && rest.every((segment) => SEGMENT.test(segment));
};

/** Whether a text matches a glob with `*`. Backtracks to the last star only: at worst the product of the lengths. */
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

/** Whether a repository's name or `registry:catalog` matches a pattern, segment by segment. */
export const matches = (pattern: string, name: string): boolean => {
  if (pattern === CATALOG || name === CATALOG) return pattern === name;
  const [globs, segments] = [pattern.split('/'), name.split('/')];
  return globs.length === segments.length && globs.every((glob, index) => matchesSegment(glob, segments[index] ?? ''));
};

/** Whether a pattern can match repositories of a namespace. */
export const reaches = (pattern: string, namespace: string): boolean => {
  if (pattern === CATALOG) return false;
  const [globs, segments] = [pattern.split('/'), namespace.split('/')];
  return (
    globs.length >= segments.length && segments.every((segment, index) => matchesSegment(globs[index] ?? '', segment))
  );
};
