import type { DeliveryRowFragment } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Time } from '../../ui/Time.tsx';
import { attributeText } from './event-facts.ts';
import { labelOr, t } from './labels.ts';
import { DeliveryState } from './states.tsx';

/** Name of a delivery: the kind of its event. */
export const deliveryName = ({ event, templateKey }: Pick<DeliveryRowFragment, 'event' | 'templateKey'>): string =>
  event?.kind ?? templateKey;

export const reasonText = (reason: string): string => labelOr(`delivery.reason.${reason}`, reason);

type Channel = { readonly id: string; readonly name: string };

/** Link to a channel; the text for one that was removed. */
export const channelLink = (channel: Channel | null | undefined) =>
  optional(channel, t('channel.removed'), ({ id, name }) => (
    <Link look="name" to="/notify/channels/$id" params={{ id }}>
      {name}
    </Link>
  ));

export const deliveryColumns = (): Column<DeliveryRowFragment>[] => [
  {
    name: t('delivery.event'),
    className: 'breaks',
    cell: (delivery) => (
      <>
        <Link look="name" data-open="" to="/notify/deliveries/$id" params={{ id: delivery.id }}>
          {deliveryName(delivery)}
        </Link>{' '}
        <span className="soft">{attributeText(delivery.event?.attributes ?? [])}</span>
      </>
    ),
  },
  { name: t('delivery.channel'), className: 'breaks', cell: ({ channel }) => channelLink(channel) },
  { name: t('delivery.state'), cell: ({ state }) => <DeliveryState state={state} /> },
  { name: t('delivery.reason'), className: 'soft', cell: ({ reason }) => reasonText(reason) },
  { name: t('delivery.attempts'), number: true, cell: ({ attemptCount }) => count(attemptCount) },
  { name: t('delivery.created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
