import type { TenantId } from '@landfall/kernel/core/ids';
import { type CompiledTemplate, compileTemplate } from '../templates/compile.ts';
import { SHIPPED_TEMPLATES } from '../templates/messages/shipped.ts';
import type { TemplateKey } from '../templates/resolve.ts';

/** Template that may be chosen; it is compiled when it is. */
export interface TemplateCandidate extends TemplateKey {
  compiled(): CompiledTemplate;
}

/** Templates that Landfall ships, each compiled once. */
const shipped: readonly TemplateCandidate[] = SHIPPED_TEMPLATES.map((document) => {
  let compiled: CompiledTemplate | undefined;
  const { tenantId, key, channelType, locale } = document;
  return {
    tenantId,
    key,
    channelType,
    locale,
    compiled: () => {
      compiled ??= compileTemplate(document);
      return compiled;
    },
  };
});

/** Candidates of a tenant: its own published templates, and those that Landfall ships. */
export const candidatesOf = (tenant: TenantId, own: readonly CompiledTemplate[]): readonly TemplateCandidate[] => [
  ...own.map((template) => ({ ...template, tenantId: tenant, compiled: () => template })),
  ...shipped,
];
