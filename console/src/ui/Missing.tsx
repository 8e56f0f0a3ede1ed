import { t } from '../lib/i18n.ts';
import { Head } from './Head.tsx';
import { LinkButton } from './Link.tsx';

/** The thing of this address is not there, or is not the reader's to see. */
export function Missing({ what }: { readonly what: string }) {
  return (
    <>
      <Head title={what}>{t('missing.lead')}</Head>
      <LinkButton to="/">{t('lost.back')}</LinkButton>
    </>
  );
}
