import { createLru } from '@landfall/kernel/core/lru';

/** Locale of the templates that every installation has, and the default of the specification (spec 2.3). */
export const DEFAULT_LOCALE = 'en-US';

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

const readTag = (tag: string): string | undefined => {
  try {
    return new Intl.Locale(tag).toString();
  } catch {
    return undefined;
  }
};

/** Tags whose spelling is remembered: reading one costs more than all else of choosing a template. */
const MOST_TAGS = 1_000;
const spellings = createLru<string, { readonly tag: string | undefined }>({ most: MOST_TAGS });

/** Canonical spelling of a language tag (BCP 47): `en-us` is `en-US`; undefined for a text that is no tag. */
const canonicalLocale = (tag: string): string | undefined => {
  const known = spellings.get(tag);
  if (known) return known.tag;
  const read = { tag: readTag(tag) };
  spellings.set(tag, read);
  return read.tag;
};

/** Whether a text is a language tag whose language and region exist. */
export const isKnownLocale = (tag: string): boolean => {
  const canonical = canonicalLocale(tag);
  if (canonical === undefined) return false;
  const { language, region } = new Intl.Locale(canonical);
  return languages.of(language) !== undefined && (region === undefined || regions.of(region) !== undefined);
};

/** A tag and its parents, most specific first (lookup of RFC 4647 3.4): `zh-Hant-TW`, `zh-Hant`, `zh`. */
export const localeChain = (tag: string): readonly string[] => {
  const chain: string[] = [];
  let subtags = (canonicalLocale(tag) ?? tag).split('-');
  while (subtags.length > 0) {
    chain.push(subtags.join('-'));
    subtags = subtags.slice(0, -1);
    // A single letter introduces an extension, and is no tag without what follows.
    if (subtags.at(-1)?.length === 1) subtags = subtags.slice(0, -1);
  }
  return chain;
};

/** Whether two tags are equal but for their spelling. */
export const isSameLocale = (one: string, other: string): boolean =>
  (canonicalLocale(one) ?? one) === (canonicalLocale(other) ?? other);
