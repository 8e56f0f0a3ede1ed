import { t } from '../lib/i18n.ts';
import { mayReadNotifications } from '../lib/notify-permissions.ts';
import { LinkButton } from '../ui/Link.tsx';

/** Link to the events that name an entity, and so to who was told of it. */
export function NotificationsLink({ about }: { readonly about: string }) {
  if (!mayReadNotifications()) return null;
  return (
    <LinkButton weight="plain" to="/notify/events" search={{ about }}>
      {t('nav.notify')}
    </LinkButton>
  );
}
