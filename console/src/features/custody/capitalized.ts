import { currentLocale } from '../../lib/i18n.ts';

/** Words with a capital at their front, unless they begin with the name of a thing: `api: no such statement`. */
export const capitalized = (words: string): string =>
  /^[^\s:]+:\s/.test(words) ? words : words.charAt(0).toLocaleUpperCase(currentLocale()) + words.slice(1);
