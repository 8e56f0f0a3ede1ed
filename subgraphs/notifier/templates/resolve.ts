import { DEFAULT_LOCALE, isSameLocale, localeChain } from './locales.ts';

/** Tenant of the templates that hold for every tenant (spec 2.3). */
export const SYSTEM_TENANT = '_system';

/** Key by which templates are found: unique among the published ones. */
export interface TemplateKey {
  readonly tenantId: string;
  readonly key: string;
  readonly channelType: string;
  readonly locale: string;
}

interface TemplateRequest extends TemplateKey {
  /** Locale of the tenant, tried when there is no template of the wanted one. */
  readonly defaultLocale?: string;
}

/** Locales that are tried for a request, in this order. */
const localesOf = ({ locale, defaultLocale }: TemplateRequest): readonly string[] => [
  ...localeChain(locale),
  ...(defaultLocale === undefined ? [] : localeChain(defaultLocale)),
];

/**
 * Template of a request among published candidates: the tenant's in the locale, its parents, the tenant's default
 * locale and its parents; then the platform's by the same chain, which ends in the locale that every message is
 * shipped in. Undefined if there is none: the reason `template_missing`.
 */
export const resolveTemplate = <T extends TemplateKey>(
  candidates: readonly T[],
  request: TemplateRequest,
): T | undefined => {
  const fitting = candidates.filter(
    ({ key, channelType }) => key === request.key && channelType === request.channelType,
  );
  const find = (tenantId: string, locales: readonly string[]): T | undefined => {
    const own = fitting.filter((candidate) => candidate.tenantId === tenantId);
    for (const locale of locales) {
      const found = own.find((candidate) => isSameLocale(candidate.locale, locale));
      if (found) return found;
    }
    return undefined;
  };
  const locales = localesOf(request);
  return find(request.tenantId, locales) ?? find(SYSTEM_TENANT, [...locales, ...localeChain(DEFAULT_LOCALE)]);
};
