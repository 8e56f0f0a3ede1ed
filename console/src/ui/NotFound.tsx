import { t } from '../lib/i18n.ts';
import { LinkButton } from './Link.tsx';
import { PageHead } from './PageHead.tsx';

/** Page of an address whose entity does not exist or is hidden from the user. */
export function NotFound({ what }: { readonly what: string }) {
  return (
    <>
      <PageHead title={what}>{t('missing.lead')}</PageHead>
      <LinkButton to="/">{t('lost.back')}</LinkButton>
    </>
  );
}
