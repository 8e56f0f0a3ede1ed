import { useState } from 'react';
import {
  NotificationRuleChoicesDocument,
  type NotificationRuleDraftInput,
  TestNotificationRuleDocument,
  type TestNotificationRuleQuery,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { settings } from '../../lib/settings.ts';
import { instant } from '../../lib/time.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Form, SegmentedControl, Select, TextArea } from '../../ui/Form.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { attributeText } from './event-facts.ts';
import { labelOr, t } from './labels.ts';
import { Message } from './Message.tsx';
import { RuleOutcomeLabel } from './states.tsx';

type DryRunProps = {
  readonly rule: () => NotificationRuleDraftInput;
  /** Event of the past that the address names. */
  readonly eventId: string | undefined;
  readonly choose: (eventId: string | undefined) => void;
};

/** Event with which a pasted one may begin. */
const EXAMPLE = JSON.stringify(
  {
    kind: 'deployment.failed',
    producer: 'platform',
    attributes: { product: 'shop', environment: 'production', severity: 'critical' },
    payload: {},
  },
  null,
  2,
);

/** Trial of the rule as it is written, saved or not, on an event of the past or a pasted one. Nothing is sent. */
export function DryRun({ rule, eventId, choose }: DryRunProps) {
  const [source, setSource] = useState<'past' | 'pasted'>('past');
  const { data: choices } = useLiveQuery(NotificationRuleChoicesDocument, {});
  const { data, problem, busy, ask } = useAnswer(TestNotificationRuleDocument);
  const past = choices?.notificationEvents.edges.map(({ node }) => node) ?? [];
  const chosen = eventId ?? past[0]?.id;
  const isPast = source === 'past' && chosen !== undefined;
  const submit = (form: FormData) =>
    ask({ rule: rule(), ...(isPast ? { eventId: chosen } : { event: String(form.get('event') ?? '') }) });
  const { zone } = settings();
  return (
    <Section title={t('dryRun.title')}>
      <div className="stack" style={{ paddingBlock: 12, gap: 8 }}>
        <p className="soft">{t('dryRun.lead')}</p>
        <Form
          problems={
            problem?.fields.map((each) => ({ ...each, field: each.field.replace(/^event\..*/, 'event') })) ?? []
          }
          keeps={false}
          submit={submit}
        >
          <div className="row">
            <SegmentedControl
              label={t('dryRun.source')}
              value={isPast ? 'past' : 'pasted'}
              options={[
                { value: 'past', label: t('dryRun.past'), off: chosen === undefined },
                { value: 'pasted', label: t('dryRun.pasted') },
              ]}
              choose={setSource}
            />
          </div>
          {isPast ? (
            <Select
              name="eventId"
              label={t('dryRun.event')}
              value={chosen}
              options={[
                ...(past.some(({ id }) => id === chosen) ? [] : [{ value: chosen, label: t('dryRun.linked') }]),
                ...past.map(({ id, kind, at, attributes }) => ({
                  value: id,
                  label: [kind, attributeText(attributes), instant(at, zone, 'minute')].filter(Boolean).join(' · '),
                })),
              ]}
              onValue={choose}
            />
          ) : (
            <TextArea
              name="event"
              label={t('dryRun.json')}
              hint={t('dryRun.json.hint')}
              defaultValue={EXAMPLE}
              rows={8}
              code
            />
          )}
          <p>
            <Button type="submit" busy={busy}>
              {t('dryRun.verb')}
            </Button>
          </p>
          <ActionError problem={problem} />
        </Form>
        {data && <Result result={data.testNotificationRule} />}
      </div>
    </Section>
  );
}

type ResultProps = { readonly result: TestNotificationRuleQuery['testNotificationRule'] };

const LOOKS = { SEND: 'verified', HOLD: 'held', SUPPRESS: 'missing-attention' } as const;

function Result({ result: { outcome, reason, actions } }: ResultProps) {
  return (
    <div className="stack" style={{ gap: 8 }}>
      <p role="status">
        <RuleOutcomeLabel outcome={outcome} /> {reason}
      </p>
      {outcome === 'MATCHED' && actions.length === 0 && <p className="soft">{t('dryRun.noActions')}</p>}
      {actions.map(({ channelId, channel, recipient, outcome: planned, policy, reason: why, until, message }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: actions have no other identity, and two may name one channel.
        <section key={`${channelId} ${at}`} aria-label={t('action.nth', { n: at + 1 })}>
          <p className="row" style={{ flexWrap: 'wrap' }}>
            <b>{recipient?.displayName ?? channel?.name ?? t('channel.removed')}</b>
            <StateLabel look={LOOKS[planned]}>{t(`planned.${planned}`)}</StateLabel>
            {policy !== null && <span>{labelOr(`policy.${policy}`, policy)}</span>}
            {until !== null && <Time at={until} />}
            {why !== null && <span className="soft">{why}</span>}
          </p>
          {message && <Message message={message} />}
        </section>
      ))}
    </div>
  );
}
