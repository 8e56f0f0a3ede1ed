import { getRouteApi } from '@tanstack/react-router';
import { NotificationDeliveriesDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import { Banner } from '../../ui/Banner.tsx';
import { SelectFilter } from '../../ui/Filters.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { deliveryColumns } from './DeliveryTable.tsx';
import { t } from './labels.ts';
import { NotifyLayout } from './NotifyLayout.tsx';
import { DELIVERY_STATES, deliveryState, isUnderWay } from './states.tsx';

const route = getRouteApi('/notify');

/** Page of the deliveries, the newest first. */
export const DeliveriesPage = () => (
  <NotifyLayout tab="deliveries">
    <Deliveries />
  </NotifyLayout>
);

/** Options of a filter by channel. */
export const channelOptions = (channels: readonly { readonly id: string; readonly name: string }[] = []) =>
  channels.map(({ id, name }) => ({ value: id, label: name }));

function Deliveries() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { status, channel, after } = list.view;
  const deliveries = useLiveQuery(
    NotificationDeliveriesDocument,
    { status: status ?? null, channelId: channel ?? null, after: after ?? null },
    ['NotificationDelivery', 'NotificationChannel', 'DeadLetter'],
  );
  const { data } = deliveries;
  const isOpen = data?.notificationDeliveries.edges.some(({ node }) => isUnderWay(node.state)) === true;
  useOpenRefetch(isOpen, deliveries.refetch);
  const letters = data?.notificationDeliveryStats.openDeadLetters ?? 0;
  return (
    <>
      {letters > 0 && (
        <Banner
          tone="bad"
          title={t('deliveries.deadLetters', { n: letters })}
          verb={
            <LinkButton size="small" to="/notify/dead-letters" search={{ status: 'OPEN' }}>
              {t('deliveries.deadLetters.open')}
            </LinkButton>
          }
        />
      )}
      <ListResult
        of={deliveries}
        rows={({ notificationDeliveries }) => notificationDeliveries}
        fault={t('deliveries.fault')}
        empty={t(list.clear ? 'deliveries.noMatch' : 'deliveries.empty')}
        verb={
          data?.notificationChannels.length === 0 && (
            <LinkButton size="small" to="/notify/channels" search={{ ask: 'create' }}>
              {t('channel.create')}
            </LinkButton>
          )
        }
        list={list}
        filters={
          <>
            <SelectFilter
              label={t('delivery.state')}
              value={status}
              options={DELIVERY_STATES.map((value) => ({ value, label: deliveryState(value) }))}
              choose={(value) => list.filterBy({ status: DELIVERY_STATES.find((state) => state === value) })}
            />
            <SelectFilter
              label={t('delivery.channel')}
              value={channel}
              options={channelOptions(data?.notificationChannels)}
              choose={(value) => list.filterBy({ channel: value })}
            />
          </>
        }
        label={t('notify.tab.deliveries')}
        columns={deliveryColumns()}
        open={(id) => void navigate({ to: '/notify/deliveries/$id', params: { id } })}
        labelled
      />
    </>
  );
}
