import { TAG_PATTERN } from '@landfall/kernel/oci/repository';
import { compare, parse, Range, type SemVer } from 'semver';
import Type, { type Static } from 'typebox';

/** Longest range or pattern in characters. */
export const MAX_EXPRESSION = 200;
/** Wildcards in a pattern, which bound the work of a match. */
const MAX_WILDCARDS = 4;
const BUILD = '{build}';

/** Rule by which a source selects one tag of its repository. */
export const selection = Type.Union([
  /** The highest semantic version in a range. */
  Type.Object({ kind: Type.Literal('semver'), range: Type.String(), includePrereleases: Type.Boolean() }),
  /**
   * The tag with the highest number where the pattern has `{build}`. The number decides and not the image's creation
   * time: that would cost two requests for each tag, and reproducible builds set it to a constant.
   */
  Type.Object({ kind: Type.Literal('build'), pattern: Type.String() }),
  /** The image that a tag points to when it is polled. */
  Type.Object({ kind: Type.Literal('tag'), tag: Type.String() }),
]);

export type Selection = Static<typeof selection>;

/** Tag that a rule selects. */
interface Choice {
  readonly tag: string;
  /** Semantic version or build number, which orders the tags of one rule; null for a moving tag. */
  readonly order: string | null;
}

/** Reason why a rule selects no tag. */
export interface NoChoice {
  readonly reason: string;
}

const isTag = (text: string): boolean => new RegExp(TAG_PATTERN).test(text);

/** Parses a range of npm's grammar; undefined if the text is none. */
const rangeOf = (range: string, includePrerelease: boolean): Range | undefined => {
  try {
    return new Range(range, { includePrerelease });
  } catch {
    return undefined;
  }
};

/** Says what is wrong with the expression of a rule; undefined if nothing is. */
export const expressionProblem = (rule: Selection): string | undefined => {
  switch (rule.kind) {
    case 'semver':
      return rule.range.trim() !== '' && rangeOf(rule.range, rule.includePrereleases)
        ? undefined
        : 'is no range of semantic versions, such as ^1.4 or >=2.0.0 <3';
    case 'build': {
      const [before = '', after, ...rest] = rule.pattern.split(BUILD);
      if (after === undefined || rest.length > 0) return `must have ${BUILD} once, where the build number is`;
      if (!/^[A-Za-z0-9._*-]*$/.test(before + after)) return 'may have letters, digits, ., _, -, * and {build}';
      return (before + after).split('*').length - 1 > MAX_WILDCARDS
        ? `may have at most ${MAX_WILDCARDS} wildcards`
        : undefined;
    }
    case 'tag':
      return isTag(rule.tag) ? undefined : 'is no tag';
  }
};

/** Whether a text matches a pattern in which `*` stands for any characters, also none. */
const matchesWildcards = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*');
  const [first = ''] = parts;
  if (parts.length === 1) return text === pattern;
  const last = parts.at(-1) ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
};

/** Build number of a tag: the last whole number of it that stands where the pattern has `{build}`. */
export const buildNumber = (pattern: string, tag: string): bigint | undefined => {
  const [before = '', after = ''] = pattern.split(BUILD);
  const numbers = [...tag.matchAll(/\d+/g)].toReversed();
  const found = numbers.find(
    ({ index, 0: digits }) =>
      matchesWildcards(before, tag.slice(0, index)) && matchesWildcards(after, tag.slice(index + digits.length)),
  );
  return found && BigInt(found[0]);
};

/** Reads a semantic version from a tag, with or without a leading `v`. */
const versionOf = (tag: string): SemVer | undefined => parse(tag) ?? undefined;

const highest = <V>(found: readonly { tag: string; value: V }[], order: (a: V, b: V) => number) =>
  // The text decides between equal values, so that the order of the list does not.
  found.toSorted((a, b) => order(b.value, a.value) || (a.tag < b.tag ? -1 : 1))[0];

const selectVersion = (rule: Extract<Selection, { kind: 'semver' }>, tags: readonly string[]): Choice | NoChoice => {
  const range = rangeOf(rule.range, rule.includePrereleases);
  const versions = tags.flatMap((tag) => {
    const value = versionOf(tag);
    return value ? [{ tag, value }] : [];
  });
  const best = highest(
    versions.filter(({ value }) => range?.test(value)),
    compare,
  );
  if (best) return { tag: best.tag, order: best.value.version };
  const newest = highest(versions, compare);
  return {
    reason: newest
      ? `None of ${versions.length} versions is in ${rule.range}; the highest is ${newest.tag}.`
      : `None of ${tags.length} tags is a semantic version.`,
  };
};

const selectBuild = (
  { pattern }: Extract<Selection, { kind: 'build' }>,
  tags: readonly string[],
): Choice | NoChoice => {
  const builds = tags.flatMap((tag) => {
    const value = buildNumber(pattern, tag);
    return value === undefined ? [] : [{ tag, value }];
  });
  const best = highest(builds, (a, b) => Number(a > b) - Number(a < b));
  return best
    ? { tag: best.tag, order: String(best.value) }
    : { reason: `None of ${tags.length} tags matches ${pattern}.` };
};

/** Selects one of the tags of a repository, whatever their order, or says why none. A moving tag needs no list. */
export const select = (rule: Selection, tags: readonly string[]): Choice | NoChoice => {
  switch (rule.kind) {
    case 'semver':
      return selectVersion(rule, tags);
    case 'build':
      return selectBuild(rule, tags);
    case 'tag':
      return { tag: rule.tag, order: null };
  }
};

/** Whether a choice comes before the one that was selected earlier by the same rule, because tags were removed. */
export const isOlder = ({ kind }: Selection, order: string | null, earlier: string | null): boolean => {
  if (order === null || earlier === null) return false;
  if (kind === 'semver') return compare(order, earlier) < 0;
  return kind === 'build' && BigInt(order) < BigInt(earlier);
};
