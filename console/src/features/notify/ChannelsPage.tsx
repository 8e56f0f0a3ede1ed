import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  type ChannelRowFragment,
  NotificationChannelsDocument,
  TestNotificationChannelDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayAdminister } from '../../lib/notify-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { CreateChannel } from './ChannelForm.tsx';
import { addressOf } from './channel-input.ts';
import { t } from './labels.ts';
import { NotifyLayout } from './NotifyLayout.tsx';
import { ChannelHealth } from './states.tsx';

const route = getRouteApi('/notify/channels');

/** Page of the channels with the health of each. */
export function ChannelsPage() {
  const navigate = route.useNavigate();
  const { view, set } = usePageView(route.useSearch(), navigate);
  const channels = useLiveQuery(NotificationChannelsDocument, {}, ['NotificationChannel']);
  const create = () => set({ ask: 'create' });
  const mayCreate = mayAdminister();
  return (
    <NotifyLayout
      tab="channels"
      actions={
        mayCreate
          ? [{ id: 'channel.create', keys: 'c', title: t('channel.create'), weight: 'primary', run: create }]
          : []
      }
    >
      <ListResult
        of={channels}
        rows={({ notificationChannels }) => notificationChannels}
        fault={t('channels.fault')}
        empty={t('channels.empty')}
        verb={
          mayCreate && (
            <Button size="small" onClick={create}>
              {t('channel.create')}
            </Button>
          )
        }
        label={t('notify.tab.channels')}
        columns={columns()}
        open={(id) => void navigate({ to: '/notify/channels/$id', params: { id } })}
        labelled
      />
      {view.ask === 'create' && mayCreate && <CreateChannel close={() => set({ ask: undefined })} />}
    </NotifyLayout>
  );
}

const columns = (): Column<ChannelRowFragment>[] => [
  {
    name: t('channel.name'),
    className: 'breaks',
    cell: ({ id, name }) => (
      <Link look="name" data-open="" to="/notify/channels/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { name: t('channel.type'), className: 'soft', cell: ({ type }) => t(`channel.type.${type}`) },
  {
    name: t('channel.address'),
    className: 'breaks',
    cell: ({ type, config }) =>
      optional(addressOf(type, config) || null, t('channel.address.secret'), (address) => (
        <span className="code">{address}</span>
      )),
  },
  { name: t('channel.health'), cell: (channel) => <ChannelHealth channel={channel} /> },
  ...(mayAdminister() ? [actionsColumn<ChannelRowFragment>((channel) => <TestButton channel={channel} />)] : []),
];

/** Sends a test on a channel, and returns the action and its refusal. */
export function useChannelTest(id: string) {
  const { run, busy, problem } = useAction(TestNotificationChannelDocument);
  const navigate = useNavigate();
  const test = async () => {
    const sent = await run({ channelId: id });
    if (sent === undefined) return;
    await navigate({ to: '/notify/deliveries/$id', params: { id: sent.testNotificationChannel.id } });
  };
  return { test: () => void test(), busy, problem };
}

/** Button that sends a test, and opens the page of its delivery. */
function TestButton({ channel: { id, name, isEnabled } }: { readonly channel: ChannelRowFragment }) {
  const { test, busy, problem } = useChannelTest(id);
  if (!isEnabled) return null;
  return (
    <>
      <RowButton label={t('channel.test.name', { name })} busy={busy} press={test}>
        {t('channel.test')}
      </RowButton>
      <ActionError problem={problem} />
    </>
  );
}
