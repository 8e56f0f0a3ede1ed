import type { TryIntegrationMutation } from '../../generated/operations.ts';
import { Banner } from '../../ui/Banner.tsx';
import { t } from './words.ts';

/** Why a test before saving failed, and what pressing again does. */
export function FailedTest({ probe }: { readonly probe: TryIntegrationMutation['tryIntegration'] | undefined }) {
  return (
    <div role="alert">
      {probe !== undefined && (
        <Banner tone="bad" title={t('probe.unsaved')}>
          <span>{probe.detail}</span>
          <span className="code">{probe.code}</span>
          <span className="small">{t('probe.nevertheless')}</span>
        </Banner>
      )}
    </div>
  );
}
