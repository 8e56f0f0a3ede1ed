import { getRouteApi } from '@tanstack/react-router';
import {
  type NotificationChannelType,
  NotificationTemplatesDocument,
  type NotificationTemplatesQuery,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { mayAdminister } from '../../lib/notify-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { field, t } from './labels.ts';
import { NotifyLayout } from './NotifyLayout.tsx';

const route = getRouteApi('/notify/templates');

/** Page of the tenant's templates, and of those that Landfall ships and that are sent in their absence. */
export function TemplatesPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const templates = useLiveQuery(NotificationTemplatesDocument, {}, ['NotificationTemplate']);
  return (
    <NotifyLayout
      tab="templates"
      actions={
        mayAdminister()
          ? [
              {
                id: 'template.create',
                keys: 'c',
                title: t('template.create'),
                weight: 'primary',
                run: () => set({ ask: 'create' }),
              },
            ]
          : []
      }
    >
      <QueryResult of={templates} skeleton={<SkeletonRows rows={8} />} fault={t('templates.fault')}>
        {(data) => <Tables data={data} />}
      </QueryResult>
      {view.ask === 'create' && mayAdminister() && <AskKey close={() => set({ ask: undefined })} />}
    </NotifyLayout>
  );
}

type Variant = { readonly key: string; readonly channelType: NotificationChannelType; readonly locale: string };

const studioLink = ({ key, channelType, locale }: Variant, label: string) => (
  <Link look="name" to="/notify/templates/$key" params={{ key }} search={{ channel: channelType, locale }}>
    {label}
  </Link>
);

function Tables({
  data: { notificationTemplates, shippedNotificationTemplates },
}: {
  readonly data: NotificationTemplatesQuery;
}) {
  const shipped = [...Map.groupBy(shippedNotificationTemplates, ({ key }) => key)].map(([key, variants]) => ({
    key,
    variants,
  }));
  return (
    <>
      <TableSection
        title={t('templates.own')}
        columns={[
          { name: t('template.key'), className: 'breaks', cell: (row) => studioLink(row, row.key) },
          { name: t('channel.type'), className: 'soft', cell: ({ channelType }) => t(`channel.type.${channelType}`) },
          { name: t('template.locale'), className: 'soft', cell: ({ locale }) => locale },
          {
            name: t('template.state'),
            cell: ({ publishedAt, updatedAt }) => <TemplateState publishedAt={publishedAt} updatedAt={updatedAt} />,
          },
          { name: t('channel.updated'), number: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            name: t('template.published'),
            number: true,
            cell: ({ publishedAt }) => optional(publishedAt, t('template.never'), (at) => <Time at={at} />),
          },
        ]}
        rows={notificationTemplates}
        empty={t('templates.empty')}
        labelled
      />
      <TableSection
        title={t('templates.shipped')}
        columns={[
          {
            name: t('template.key'),
            className: 'breaks',
            cell: ({ key, variants }) => (variants[0] === undefined ? key : studioLink(variants[0], key)),
          },
          {
            name: t('template.channels'),
            className: 'breaks soft',
            cell: ({ variants }) =>
              listText(new Set(variants.map(({ channelType }) => t(`channel.type.${channelType}`)))),
          },
          {
            name: t('template.locales'),
            className: 'soft',
            cell: ({ variants }) => listText(new Set(variants.map(({ locale }) => locale))),
          },
        ]}
        rows={shipped}
        rowId={({ key }) => key}
        labelled
      />
    </>
  );
}

type TemplateStateProps = { readonly publishedAt: string | null; readonly updatedAt: string };

/** State of a template: a draft, in force, or in force with a newer draft. */
export function TemplateState({ publishedAt, updatedAt }: TemplateStateProps) {
  if (publishedAt === null) return <StateLabel look="queued">{t('template.state.draft')}</StateLabel>;
  if (new Date(updatedAt) > new Date(publishedAt))
    return <StateLabel look="held">{t('template.state.changed')}</StateLabel>;
  return <StateLabel look="verified">{t('template.state.published')}</StateLabel>;
}

/** Asks for the key of a template, and opens its studio. */
function AskKey({ close }: { readonly close: () => void }) {
  const navigate = route.useNavigate();
  const open = (data: FormData) => {
    const key = String(data.get('key') ?? '').trim();
    if (key === '') return;
    close();
    void navigate({ to: '/notify/templates/$key', params: { key } });
  };
  return (
    <Dialog title={t('template.create')} close={close} light>
      <Form keeps={false} submit={open}>
        <TextField {...field('key', 'template.key')} maxLength={120} required autoFocus />
        <FormFooter state={{ busy: false, problem: undefined }} verb={t('template.create.verb')} close={close} />
      </Form>
    </Dialog>
  );
}
