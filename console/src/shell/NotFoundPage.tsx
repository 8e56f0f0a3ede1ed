import { t } from '../lib/i18n.ts';
import { LinkButton } from '../ui/Link.tsx';
import { PageHead } from '../ui/PageHead.tsx';

/** Page of an unknown address. */
export function NotFoundPage() {
  return (
    <>
      <PageHead title={t('notFound.title')}>{t('notFound.lead')}</PageHead>
      <LinkButton to="/">{t('notFound.back')}</LinkButton>
    </>
  );
}
