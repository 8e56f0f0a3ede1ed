import { getRouteApi } from '@tanstack/react-router';
import {
  type NotificationRuleDetailFragment,
  NotificationRulesDocument,
  UpdateNotificationRuleDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, listText } from '../../lib/i18n.ts';
import { mayAdminister } from '../../lib/notify-permissions.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Link, LinkButton } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import { matcherText } from './matcher-text.ts';
import styles from './Notify.module.css';
import { NotifyLayout } from './NotifyLayout.tsx';
import { Replay } from './Replay.tsx';
import { recipientsText } from './recipients-text.ts';

const route = getRouteApi('/notify/rules');

/** Page of the rules in the order in which they are tried, and what they would have told of the past. */
export function RulesPage() {
  const navigate = route.useNavigate();
  const rules = useLiveQuery(NotificationRulesDocument, {}, ['NotificationRule', 'NotificationChannel']);
  const create = () => void navigate({ to: '/notify/rules/$id', params: { id: 'new' } });
  return (
    <NotifyLayout
      tab="rules"
      actions={
        mayAdminister()
          ? [{ id: 'rule.create', keys: 'c', title: t('rule.create'), weight: 'primary', run: create }]
          : []
      }
    >
      <ListResult
        of={rules}
        rows={({ notificationRules }) => notificationRules}
        fault={t('rules.fault')}
        empty={t('rules.empty')}
        verb={
          mayAdminister() && (
            <LinkButton size="small" to="/notify/rules/$id" params={{ id: 'new' }}>
              {t('rule.create')}
            </LinkButton>
          )
        }
        label={t('notify.tab.rules')}
        columns={columns()}
        open={(id) => void navigate({ to: '/notify/rules/$id', params: { id } })}
        labelled
      />
      <div className={styles.apart}>
        <Replay rule={undefined} />
      </div>
    </NotifyLayout>
  );
}

const columns = (): Column<NotificationRuleDetailFragment>[] => [
  {
    name: t('rule.name'),
    className: 'breaks',
    cell: ({ id, name }) => (
      <Link look="name" data-open="" to="/notify/rules/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { name: t('rule.priority'), cell: ({ priority }) => count(priority) },
  { name: t('rule.matchers'), className: 'breaks soft', cell: ({ matchers }) => matcherText(matchers) },
  {
    name: t('rule.actions'),
    className: 'breaks soft',
    cell: ({ actions }) =>
      listText(
        actions.map(({ channel, recipients }) =>
          recipients ? recipientsText(recipients) : (channel?.name ?? t('channel.removed')),
        ),
      ) || t('rule.actions.none'),
  },
  { name: t('rule.after'), className: 'soft', cell: ({ continues }) => t(continues ? 'rule.goesOn' : 'rule.stops') },
  {
    name: t('rule.state'),
    cell: ({ isEnabled }) => (
      <StateLabel look={isEnabled ? 'verified' : 'held-muted'}>
        {t(isEnabled ? 'rule.enabled' : 'rule.disabled')}
      </StateLabel>
    ),
  },
  ...(mayAdminister() ? [actionsColumn<NotificationRuleDetailFragment>((rule) => <Toggle rule={rule} />)] : []),
];

/** Button that enables or disables a rule; it is undone by pressing it again. */
function Toggle({ rule: { id, name, isEnabled } }: { readonly rule: NotificationRuleDetailFragment }) {
  const { run, busy, problem } = useAction(UpdateNotificationRuleDocument);
  return (
    <>
      <RowButton
        label={t(isEnabled ? 'rule.disable.name' : 'rule.enable.name', { name })}
        busy={busy}
        press={() => void run({ id, isEnabled: !isEnabled })}
      >
        {t(isEnabled ? 'rule.disable' : 'rule.enable')}
      </RowButton>
      <ActionError problem={problem} />
    </>
  );
}
