import { defineOrder, LIST_END, numberKey, TEXT_END, type VersionOrder } from './version-order.ts';

// Marks of a token, by what sorts below what when two versions first differ in the kind of their token.
const PRE_SUFFIX = '1';
const INVALID = '2';
const END = '3';
const REVISION = '4';
const COMMIT = '5';
const POST_SUFFIX = '7';
const LETTER = '8';
const NUMBER = '9';

const PRE_SUFFIXES = ['alpha', 'beta', 'pre', 'rc'];
const POST_SUFFIXES = ['cvs', 'svn', 'git', 'hg', 'p'];

const SYNTAX = /^(\d+)((?:\.\d*)*)([a-z]\d*)?((?:_[a-z]+\d*)*)(~[0-9a-f]+)?(-r\d+)?/;
const VALID = /^\d+(?:\.\d+)*(?:[a-z]\d*)?(?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)\d*)*(?:~[0-9a-f]+)?(?:-r\d+)?$/;

/** Numbers after the first: those with a leading zero sort as text, below the others. */
const componentKey = (digits: string): string =>
  NUMBER + (digits.startsWith('0') || digits === '' ? `0${digits}${TEXT_END}` : `1${numberKey(digits)}`);

const letterKey = (text: string): string =>
  text === '' ? '' : LETTER + text.charAt(0) + (text.length > 1 ? componentKey(text.slice(1)) : '');

/** Key of suffixes such as `_rc1`; undefined where one is unknown. A suffix without number is below one with a number. */
const suffixesKey = (text: string): string | undefined => {
  let key = '';
  for (const [, suffix = '', digits = ''] of text.matchAll(/_([a-z]+)(\d*)/g)) {
    const [pre, post] = [PRE_SUFFIXES.indexOf(suffix), POST_SUFFIXES.indexOf(suffix)];
    if (pre < 0 && post < 0) return undefined;
    key += pre < 0 ? `${POST_SUFFIX}${post}` : `${PRE_SUFFIX}${pre}`;
    if (digits !== '') key += `6${numberKey(digits)}`;
  }
  return key;
};

/** Order of Alpine and other apk packages. Source: apk-tools, `apk_version_compare`. */
export const alpineOrder: VersionOrder = defineOrder({
  name: 'alpine',
  isVersion: (text) => VALID.test(text),
  keyOf(text) {
    const [match, first = '', rest = '', letter = '', suffixes = '', commit = '', revision = ''] =
      SYNTAX.exec(text) ?? [];
    if (match === undefined) return undefined;
    const components = rest.split('.').slice(1).map(componentKey);
    const numbers = LIST_END + numberKey(first) + components.join('') + letterKey(letter);
    const suffixKey = suffixesKey(suffixes);
    if (suffixKey === undefined) return numbers + INVALID;
    const base = numbers + suffixKey + (commit && COMMIT + commit + TEXT_END);
    // A text that goes on after its revision has none.
    if (match.length < text.length) return base + INVALID;
    return base + (revision && REVISION + numberKey(revision.slice(2))) + END;
  },
});
