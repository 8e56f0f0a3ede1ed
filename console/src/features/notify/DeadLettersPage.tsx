import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  type DeadLetterRowFragment,
  DeadLettersDocument,
  DiscardDeadLetterDocument,
  RetryDeadLettersDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { mayOperate } from '../../lib/notify-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { FormDialog, ReasonDialog } from '../../parts/dialogs.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ChipGroup, SelectFilter } from '../../ui/Filters.tsx';
import { TextField } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Time } from '../../ui/Time.tsx';
import { channelOptions } from './DeliveriesPage.tsx';
import { channelLink } from './DeliveryTable.tsx';
import { field, labelOr, t } from './labels.ts';
import { NotifyLayout } from './NotifyLayout.tsx';
import { LetterState } from './states.tsx';

const route = getRouteApi('/notify/dead-letters');

const LETTER_STATES = ['OPEN', 'RETRIED', 'DISCARDED'] as const;

/** Classes of failures, as the graph names them. */
const CAUSES = [
  'http_status',
  'rate_limited',
  'timeout',
  'network',
  'tls',
  'egress_refused',
  'rejected',
  'recipient_refused',
  'address_removed',
  'channel_disabled',
  'credential',
] as const;

const causeText = (cause: string): string => labelOr(`deadLetter.cause.${cause}`, cause);

/** Page of the dead letters, the newest first: why each failed, and what to do about it. */
export function DeadLettersPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const retry = () => set({ ask: 'retry' });
  return (
    <NotifyLayout
      tab="deadLetters"
      actions={mayOperate() ? [{ id: 'deadLetters.retry', keys: 'r', title: t('deadLetters.retry'), run: retry }] : []}
    >
      <DeadLetters />
      {view.ask === 'retry' && mayOperate() && (
        <BulkRetry cause={view.cause} channelId={view.channel} close={() => set({ ask: undefined })} />
      )}
    </NotifyLayout>
  );
}

function DeadLetters() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { status, channel, cause, after } = list.view;
  const [discarded, discard] = useState<DeadLetterRowFragment>();
  const letters = useLiveQuery(
    DeadLettersDocument,
    { status: status ?? null, channelId: channel ?? null, cause: cause ?? null, after: after ?? null },
    ['DeadLetter', 'NotificationDelivery', 'NotificationChannel'],
  );
  return (
    <>
      <ListResult
        of={letters}
        rows={({ deadLetters }) => deadLetters}
        fault={t('deadLetters.fault')}
        empty={t(list.clear ? 'deadLetters.noMatch' : 'deadLetters.empty')}
        list={list}
        filters={
          <>
            <ChipGroup
              value={status}
              options={LETTER_STATES}
              label={(one) => t(`deadLetter.status.${one}`)}
              choose={(next) => list.filterBy({ status: next })}
            />
            <SelectFilter
              label={t('deadLetter.cause')}
              value={cause}
              options={CAUSES.map((value) => ({ value, label: causeText(value) }))}
              choose={(next) => list.filterBy({ cause: next })}
            />
            <SelectFilter
              label={t('delivery.channel')}
              value={channel}
              options={channelOptions(letters.data?.notificationChannels)}
              choose={(next) => list.filterBy({ channel: next })}
            />
          </>
        }
        label={t('notify.tab.deadLetters')}
        columns={columns(discard)}
        labelled
      />
      {discarded && <Discard letter={discarded} close={() => discard(undefined)} />}
    </>
  );
}

const nameOf = ({ delivery, id }: DeadLetterRowFragment): string => delivery?.event?.kind ?? id;

const columns = (discard: (letter: DeadLetterRowFragment) => void): Column<DeadLetterRowFragment>[] => [
  {
    name: t('delivery.event'),
    className: 'breaks',
    cell: (letter) =>
      letter.delivery === null ? (
        nameOf(letter)
      ) : (
        <Link look="name" to="/notify/deliveries/$id" params={{ id: letter.delivery.id }}>
          {nameOf(letter)}
        </Link>
      ),
  },
  { name: t('delivery.channel'), className: 'breaks', cell: ({ delivery }) => channelLink(delivery?.channel) },
  {
    name: t('deadLetter.cause'),
    className: 'breaks',
    cell: ({ cause, error }) => (
      <span>
        <b>{causeText(cause)}</b> <span className="soft">{error}</span>
      </span>
    ),
  },
  {
    name: t('delivery.state'),
    className: 'breaks',
    cell: ({ status, note }) => (
      <span>
        <LetterState status={status} /> <span className="small soft">{note}</span>
      </span>
    ),
  },
  { name: t('delivery.attempts'), number: true, cell: ({ attempts }) => count(attempts) },
  { name: t('deadLetter.firstFailed'), number: true, cell: ({ firstFailedAt }) => <Time at={firstFailedAt} /> },
  ...(mayOperate()
    ? [
        actionsColumn<DeadLetterRowFragment>((letter) =>
          letter.status === 'OPEN' ? (
            <RowButton label={t('deadLetter.discard.name', { name: nameOf(letter) })} press={() => discard(letter)}>
              {t('deadLetter.discard')}
            </RowButton>
          ) : null,
        ),
      ]
    : []),
];

type DiscardProps = { readonly letter: DeadLetterRowFragment; readonly close: () => void };

const Discard = ({ letter, close }: DiscardProps) => (
  <ReasonDialog
    document={DiscardDeadLetterDocument}
    input={(note) => ({ id: letter.id, note })}
    title={t('deadLetter.discard.name', { name: nameOf(letter) })}
    verb={t('deadLetter.discard')}
    done={t('deadLetter.discarded', { name: nameOf(letter) })}
    close={close}
  >
    <p className="soft">{t('deadLetter.discard.lead')}</p>
  </ReasonDialog>
);

/** Dead letters that one request retries, at most. */
const MOST_RETRIED = 500;

type BulkRetryProps = {
  readonly cause: string | undefined;
  readonly channelId: string | undefined;
  readonly close: () => void;
};

/** Counts the open dead letters of the filter first, then sends them again. */
function BulkRetry({ cause, channelId, close }: BulkRetryProps) {
  const filter = { ...(cause !== undefined && { cause }), ...(channelId !== undefined && { channelId }) };
  const { run, problem } = useAction(RetryDeadLettersDocument);
  const [found, setFound] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are counted once, when the dialog opens.
  useEffect(() => {
    void run({ ...filter, isDryRun: true }).then((answer) => setFound(answer?.retryDeadLetters.remaining));
  }, []);
  return (
    <FormDialog
      document={RetryDeadLettersDocument}
      input={(fields) => ({ ...filter, ...(fields.text('note') && { note: fields.text('note') }) })}
      title={t('deadLetters.retry')}
      verb={t('deadLetters.retry.verb')}
      off={found === undefined ? t('deadLetters.counting') : found === 0}
      done={({ retryDeadLetters: { retried, remaining } }) => t('deadLetters.retried', { n: retried, left: remaining })}
      refetch="active"
      close={close}
    >
      <p className="soft" role="status">
        {problem?.message ?? (found === undefined ? t('deadLetters.counting') : t('deadLetters.found', { n: found }))}{' '}
        {found !== undefined && found > MOST_RETRIED && t('deadLetters.most', { n: MOST_RETRIED })}
      </p>
      <p className="small quiet">
        {cause === undefined && channelId === undefined ? t('deadLetters.filter.none') : t('deadLetters.filter.set')}
      </p>
      <TextField {...field('note', 'deadLetters.note')} maxLength={500} />
    </FormDialog>
  );
}
