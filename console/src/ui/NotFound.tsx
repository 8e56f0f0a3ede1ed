import { t } from '../lib/i18n.ts';
import { LinkButton } from './Link.tsx';
import { PageHead } from './PageHead.tsx';

/** The thing of this address is not there, or is not the reader's to see. */
export function NotFound({ what }: { readonly what: string }) {
  return (
    <>
      <PageHead title={what}>{t('missing.lead')}</PageHead>
      <LinkButton to="/">{t('lost.back')}</LinkButton>
    </>
  );
}
