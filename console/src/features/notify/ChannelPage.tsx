import { getRouteApi } from '@tanstack/react-router';
import {
  type ChannelDetailFragment,
  NotificationChannelDetailDocument,
  RemoveNotificationChannelDocument,
  RotateWebhookSecretDocument,
  SetNotificationChannelEnabledDocument,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { mayAdminister } from '../../lib/notify-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ConfirmAction, FormDialog, ReasonDialog } from '../../parts/dialogs.tsx';
import { ActionError, Banner } from '../../ui/Banner.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { TextField } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { EditChannel } from './ChannelForm.tsx';
import { ChannelSecret } from './ChannelSecret.tsx';
import { useChannelTest } from './ChannelsPage.tsx';
import { configOf } from './channel-input.ts';
import { field, labelOr, t } from './labels.ts';
import { crumbs, Readers } from './NotifyLayout.tsx';
import { ChannelHealth } from './states.tsx';

const route = getRouteApi('/notify/channels/$id');

/** Page of a channel: its settings, its health, and the secrets that sign a webhook's deliveries. */
export const ChannelPage = () => (
  <Readers>
    <Content />
  </Readers>
);

function Content() {
  const { id } = route.useParams();
  const answer = useLiveQuery(NotificationChannelDetailDocument, { id }, ['NotificationChannel']);
  return (
    <EntityPage
      of={answer}
      entity={({ notificationChannel }) => notificationChannel}
      fault={t('channel.fault')}
      gone={t('channel.notFound')}
    >
      {(channel) => <Page channel={channel} />}
    </EntityPage>
  );
}

type ChannelProps = { readonly channel: ChannelDetailFragment };
type Ask = 'edit' | 'rotate' | 'disable' | 'enable' | 'remove';

function Page({ channel }: ChannelProps) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { test, problem } = useChannelTest(channel.id);
  const { isEnabled, type, disabledReason } = channel;
  const asks: readonly Ask[] = [
    'edit',
    ...(type === 'WEBHOOK' ? (['rotate'] as const) : []),
    isEnabled ? 'disable' : 'enable',
    'remove',
  ];
  const actions: PageAction[] = [
    ...(isEnabled
      ? [{ id: 'channel.test', keys: 't', title: t('channel.test'), weight: 'primary' as const, run: test }]
      : []),
    ...asks.map((ask) => ({
      id: `channel.${ask}`,
      title: t(`channel.${ask}`),
      ...(ask === 'edit' && { keys: 'e' }),
      run: () => set({ ask }),
    })),
  ];
  const { ask } = view;
  return (
    <>
      <PageHead
        crumbs={crumbs('channels')}
        title={channel.name}
        state={<ChannelHealth channel={channel} />}
        actions={mayAdminister() ? actions : []}
      />
      <ActionError problem={problem} />
      {disabledReason !== null && (
        <Banner tone="attention" title={t('channel.disabled')}>
          {disabledReason}
        </Banner>
      )}
      <About channel={channel} />
      {type === 'WEBHOOK' && (
        <TableSection
          title={t('signing.title')}
          columns={secretColumns()}
          rows={channel.secrets}
          empty={t('signing.empty')}
          labelled
        />
      )}
      {ask !== undefined && mayAdminister() && asks.includes(ask) && (
        <ChannelDialog ask={ask} channel={channel} close={() => set({ ask: undefined })} />
      )}
    </>
  );
}

function About({ channel }: ChannelProps) {
  const { id, type, config, failures, failingSince, openUntil, createdAt, updatedAt } = channel;
  return (
    <Section title={t('notify.facts')}>
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          <Fact label={t('channel.type')}>{t(`channel.type.${type}`)}</Fact>
          {Object.entries(configOf(config)).map(([name, value]) => (
            <Fact key={name} label={labelOr(`channel.${name}`, name)} code={value} />
          ))}
          {failures > 0 && <Fact label={t('channel.failures')}>{count(failures)}</Fact>}
          {failingSince !== null && <Fact label={t('channel.failingSince')} at={failingSince} />}
          {openUntil !== null && <Fact label={t('channel.openUntil')} at={openUntil} />}
          <Fact label={t('notify.created')} at={createdAt} />
          <Fact label={t('channel.updated')} at={updatedAt} />
          <Fact label={t('notify.tab.deliveries')}>
            <Link to="/notify" search={{ channel: id }}>
              {t('channel.deliveries')}
            </Link>{' '}
            ·{' '}
            <Link to="/notify/dead-letters" search={{ channel: id }}>
              {t('channel.deadLetters')}
            </Link>
          </Fact>
        </Facts>
      </div>
    </Section>
  );
}

type Secret = ChannelDetailFragment['secrets'][number];

const secretColumns = (): Column<Secret>[] => [
  { name: t('secret.secret'), cell: ({ hint }) => <span className="code">{t('secret.masked', { hint })}</span> },
  { name: t('secret.fingerprint'), cell: ({ fingerprint }) => <span className="code">{fingerprint}</span> },
  { name: t('secret.activeAt'), number: true, cell: ({ activeAt }) => <Time at={activeAt} /> },
  {
    name: t('secret.expiresAt'),
    number: true,
    cell: ({ expiresAt }) => optional(expiresAt, t('secret.noEnd'), (at) => <Time at={at} />),
  },
];

type DialogProps = ChannelProps & { readonly ask: Ask; readonly close: () => void };

function ChannelDialog({ ask, channel, close }: DialogProps) {
  const navigate = route.useNavigate();
  const { id, name } = channel;
  if (ask === 'edit') return <EditChannel channel={channel} close={close} />;
  if (ask === 'rotate') return <RotateSecret channel={channel} close={close} />;
  if (ask === 'disable')
    return (
      <ReasonDialog
        document={SetNotificationChannelEnabledDocument}
        input={(reason) => ({ id, isEnabled: false, reason })}
        title={t('channel.disable.title', { name })}
        verb={t('channel.disable')}
        done={t('channel.disabled.done', { name })}
        close={close}
      >
        <p className="soft">{t('channel.disable.lead')}</p>
      </ReasonDialog>
    );
  if (ask === 'enable')
    return (
      <ConfirmAction
        document={SetNotificationChannelEnabledDocument}
        input={{ id, isEnabled: true }}
        title={t('channel.enable.title', { name })}
        lead={t('channel.enable.lead')}
        verb={t('channel.enable')}
        done={t('channel.enabled.done', { name })}
        close={close}
      />
    );
  return (
    <ConfirmAction
      document={RemoveNotificationChannelDocument}
      input={{ id }}
      title={t('channel.remove.title', { name })}
      lead={t('channel.remove.lead')}
      verb={t('channel.remove')}
      done={t('channel.removed.done', { name })}
      onDone={() => void navigate({ to: '/notify/channels' })}
      close={close}
    />
  );
}

/** Asks how long the old secret signs beside the new one, and shows the new one once. */
const RotateSecret = ({ channel: { id, name }, close }: Omit<DialogProps, 'ask'>) => (
  <FormDialog
    document={RotateWebhookSecretDocument}
    input={(fields) => ({ channelId: id, overlapHours: fields.whole('overlapHours') })}
    result={({ rotateWebhookSecret: { secret, oldSecretExpiresAt } }) => (
      <ChannelSecret secret={secret} oldExpiresAt={oldSecretExpiresAt} close={close} />
    )}
    refetch="active"
    title={t('secret.rotate.title', { name })}
    verb={t('channel.rotate')}
    close={close}
  >
    <p className="soft">{t('secret.rotate.lead')}</p>
    <TextField {...field('overlapHours', 'secret.overlapHours')} defaultValue="24" inputMode="numeric" />
  </FormDialog>
);
