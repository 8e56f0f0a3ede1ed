import type {
  ImageSelectionInput,
  SelectionKind,
  SourcePolicy,
  SourceRowFragment,
  VersionScheme,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { t } from './source-labels.ts';

export const SELECTION_KINDS = ['SEMVER', 'BUILD', 'TAG'] as const satisfies readonly SelectionKind[];
export const POLICIES = ['DRAFT', 'FINALIZE', 'REQUEST'] as const satisfies readonly SourcePolicy[];
export const SCHEMES = ['IMAGE', 'COUNTER'] as const satisfies readonly VersionScheme[];

/** Settings that the server gives a source which does not say otherwise; times in seconds. */
export const DEFAULTS = {
  policy: 'DRAFT',
  versionScheme: 'IMAGE',
  debounceSeconds: 120,
  intervalSeconds: 60,
} as const satisfies Partial<SourceRowFragment>;

/** Field that each kind of selection needs. */
export const RULE_FIELDS = {
  SEMVER: 'selection.range',
  BUILD: 'selection.pattern',
  TAG: 'selection.tag',
} as const satisfies Readonly<Record<SelectionKind, string>>;

export interface SelectionDraft {
  readonly kind: SelectionKind;
  readonly includePrereleases: boolean;
}

const selectionOf = ({ text }: FormFields, { kind, includePrereleases }: SelectionDraft): ImageSelectionInput => {
  const rule = text(RULE_FIELDS[kind]);
  if (kind === 'SEMVER') return { range: rule, includePrereleases };
  return kind === 'BUILD' ? { pattern: rule } : { tag: rule };
};

/** Settings of a source as the form has them. Fields that are missing are gathered in `wrong`. */
export function sourceSettings(fields: FormFields, draft: SelectionDraft) {
  const { text, whole: complete, need } = fields;
  need(RULE_FIELDS[draft.kind]);
  const seconds = (name: 'debounceSeconds' | 'intervalSeconds'): number => {
    need(name, t('source.numbers.missing'));
    return complete(name) ?? DEFAULTS[name];
  };
  return {
    selection: selectionOf(fields, draft),
    policy: POLICIES.find((policy) => policy === text('policy')) ?? DEFAULTS.policy,
    versionScheme: SCHEMES.find((scheme) => scheme === text('versionScheme')) ?? DEFAULTS.versionScheme,
    debounceSeconds: seconds('debounceSeconds'),
    intervalSeconds: seconds('intervalSeconds'),
  };
}

/** Selection in words. */
export const selectionText = ({ kind, range, includePrereleases, pattern, tag }: SourceRowFragment['selection']) => {
  if (kind === 'BUILD') return t('selection.BUILD', { pattern: pattern ?? '' });
  if (kind === 'TAG') return t('selection.TAG', { tag: tag ?? '' });
  return t(includePrereleases ? 'selection.SEMVER.pre' : 'selection.SEMVER', { range: range ?? '' });
};
