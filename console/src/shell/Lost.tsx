import { t } from '../lib/i18n.ts';
import { Head } from '../ui/Head.tsx';
import { LinkButton } from '../ui/Link.tsx';

/** An address that leads nowhere. */
export function Lost() {
  return (
    <>
      <Head title={t('lost.title')}>{t('lost.lead')}</Head>
      <LinkButton to="/">{t('lost.back')}</LinkButton>
    </>
  );
}
