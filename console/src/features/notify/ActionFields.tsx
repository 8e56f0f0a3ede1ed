import type { NotificationRuleChoicesQuery } from '../../generated/operations.ts';
import { zones } from '../../lib/time.ts';
import { Button } from '../../ui/Button.tsx';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Link } from '../../ui/Link.tsx';
import { field, t } from './labels.ts';
import styles from './Notify.module.css';
import { RecipientFields } from './RecipientFields.tsx';
import { type ActionRow, APPROVERS, emptyAction } from './rule-draft.ts';

type ActionFieldsProps = {
  readonly rows: readonly ActionRow[];
  readonly change: (rows: readonly ActionRow[]) => void;
  readonly choices: NotificationRuleChoicesQuery | undefined;
};

/** Timing of a group: the field of a row, and its name in the input. */
const TIMING = [
  ['wait', 'groupWaitSeconds'],
  ['interval', 'groupIntervalSeconds'],
  ['repeat', 'repeatIntervalSeconds'],
] as const;

const WHOM = ['channel', 'people'] as const;

const TELLS_PEOPLE = { recipients: APPROVERS, channelId: '' } as const;

type Option = { readonly value: string; readonly label: string };

/** Options with the chosen one, which may not be there any more. */
const withChosen = (options: readonly Option[], value: string, label = value): readonly Option[] =>
  value === '' || options.some((option) => option.value === value) ? options : [{ value, label }, ...options];

/** Ways of telling that are being written: a channel, the words, and how often. */
export function ActionFields({ rows, change, choices }: ActionFieldsProps) {
  const set = (key: number, next: Partial<ActionRow>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  const channels = (choices?.notificationChannels ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const keys = new Set(
    [...(choices?.notificationTemplates ?? []), ...(choices?.shippedNotificationTemplates ?? [])].map(({ key }) => key),
  );
  const templates = [...keys].toSorted().map((key) => ({ value: key, label: key }));
  const intervals = (choices?.notificationPolicies ?? [])
    .filter(({ kind }) => kind === 'TIME_INTERVAL')
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className="stack" style={{ paddingBlock: 12, gap: 8 }}>
      {choices !== undefined && channels.length === 0 && (
        <p className="soft">
          {t('action.noChannels')}{' '}
          <Link to="/notify/channels" search={{ ask: 'create' }}>
            {t('channel.create')}
          </Link>
        </p>
      )}
      {rows.map((row, at) => (
        <fieldset key={row.key} className={styles.action}>
          <legend className="sr">{t('action.nth', { n: at + 1 })}</legend>
          <Select
            name={`actions.${at}.whom`}
            label={t('action.whom')}
            value={row.recipients === null ? 'channel' : 'people'}
            options={WHOM.map((value) => ({ value, label: t(`action.whom.${value}`) }))}
            onValue={(value) => set(row.key, value === 'people' ? TELLS_PEOPLE : { recipients: null })}
          />
          {row.recipients !== null && (
            <RecipientFields
              name={`actions.${at}.recipients`}
              recipients={row.recipients}
              change={(recipients) => set(row.key, { recipients })}
            />
          )}
          {row.recipients === null && (
            <Select
              name={`actions.${at}.channelId`}
              label={t('delivery.channel')}
              value={row.channelId}
              options={[
                { value: '', label: t('action.choose') },
                ...withChosen(channels, row.channelId, t('channel.removed')),
              ]}
              onValue={(channelId) => set(row.key, { channelId })}
            />
          )}
          <Select
            name={`actions.${at}.templateKey`}
            label={t('delivery.template')}
            value={row.templateKey}
            options={withChosen(templates, row.templateKey)}
            onValue={(templateKey) => set(row.key, { templateKey })}
          />
          <TextField
            {...field(`actions.${at}.locale`, 'action.locale')}
            value={row.locale}
            onValue={(locale) => set(row.key, { locale })}
          />
          <TextField
            {...field(`actions.${at}.throttle.max`, 'action.max')}
            value={row.max}
            inputMode="numeric"
            onValue={(max) => set(row.key, { max })}
          />
          {row.max !== '' && (
            <>
              <TextField
                {...field(`actions.${at}.throttle.window`, 'action.window')}
                value={row.windowMinutes}
                inputMode="numeric"
                onValue={(windowMinutes) => set(row.key, { windowMinutes })}
              />
              <TextField
                {...field(`actions.${at}.throttle.key`, 'action.throttleKey')}
                value={row.throttleKey}
                onValue={(throttleKey) => set(row.key, { throttleKey })}
              />
            </>
          )}
          <TextField
            {...field(`actions.${at}.groupBy`, 'action.groupBy')}
            value={row.groupBy}
            onValue={(groupBy) => set(row.key, { groupBy })}
          />
          {row.groupBy !== '' &&
            TIMING.map(([name, path]) => (
              <TextField
                key={name}
                {...field(`actions.${at}.${path}`, `action.${name}`)}
                value={row[name]}
                inputMode="numeric"
                onValue={(seconds) => set(row.key, { [name]: seconds })}
              />
            ))}
          <TextField
            {...field(`actions.${at}.digest`, 'action.digestTimes')}
            value={row.digestTimes}
            onValue={(digestTimes) => set(row.key, { digestTimes })}
          />
          {/* People get it by the clock of their own zone. */}
          {row.digestTimes !== '' && row.recipients === null && (
            <Select
              name={`actions.${at}.digest.timeZone`}
              label={t('interval.zone')}
              value={row.digestZone}
              options={zones().map((value) => ({ value, label: value }))}
              onValue={(digestZone) => set(row.key, { digestZone })}
            />
          )}
          {intervals.length > 0 && (
            <>
              <CheckboxGroup
                name={`actions.${at}.mutedDuring`}
                legend={t('action.muted')}
                options={intervals}
                chosen={row.muted}
                choose={(muted) => set(row.key, { muted })}
              />
              <CheckboxGroup
                name={`actions.${at}.activeDuring`}
                legend={t('action.active')}
                options={intervals}
                chosen={row.active}
                choose={(active) => set(row.key, { active })}
              />
            </>
          )}
          <p style={{ alignSelf: 'center' }}>
            <Button size="small" onClick={() => change(rows.filter(({ key }) => key !== row.key))}>
              {t('action.remove', { n: at + 1 })}
            </Button>
          </p>
        </fieldset>
      ))}
      <p>
        <Button size="small" onClick={() => change([...rows, emptyAction(rows)])}>
          <Icon name="plus" size={14} />
          {t('action.add')}
        </Button>
      </p>
    </div>
  );
}
