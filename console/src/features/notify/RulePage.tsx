import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  CreateNotificationRuleDocument,
  NotificationRuleChoicesDocument,
  type NotificationRuleDetailFragment,
  NotificationRuleDocument,
  NotificationRulesDocument,
  RemoveNotificationRuleDocument,
  UpdateNotificationRuleDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayAdminister } from '../../lib/notify-permissions.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Checkbox, Form, TextField } from '../../ui/Form.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/Toast.tsx';
import { ActionFields } from './ActionFields.tsx';
import { DryRun } from './DryRun.tsx';
import { field, t } from './labels.ts';
import { MatcherFields } from './MatcherFields.tsx';
import styles from './Notify.module.css';
import { crumbs, Readers } from './NotifyLayout.tsx';
import { Replay } from './Replay.tsx';
import { draftOf, draftProblems, type RuleDraft, ruleInput, ruleProblems, triedRule } from './rule-draft.ts';

const route = getRouteApi('/notify/rules/$id');

/** Page of a rule, or of one that is being written: its matchers and actions, and trials of them before they are saved. */
export const RulePage = () => (
  <Readers>
    <Content />
  </Readers>
);

function Content() {
  const { id } = route.useParams();
  const isNew = id === 'new';
  const answer = useLiveQuery(NotificationRuleDocument, isNew ? undefined : { id });
  if (isNew) return <Page rule={undefined} />;
  return (
    <EntityPage
      of={answer}
      entity={({ notificationRule }) => notificationRule}
      fault={t('rule.fault')}
      gone={t('rule.notFound')}
    >
      {(rule) => <Page rule={rule} />}
    </EntityPage>
  );
}

type RuleProps = { readonly rule: NotificationRuleDetailFragment | undefined };

function Page({ rule }: RuleProps) {
  const navigate = route.useNavigate();
  const { view, set } = usePageView(route.useSearch(), navigate);
  // The rule that the form was opened with: a change made elsewhere does not replace what is typed.
  const [draft, write] = useState(() => draftOf(rule));
  const [version, setVersion] = useState(rule?.version);
  const id = rule?.id;
  const tried = () => triedRule(draft, id);
  return (
    <>
      <PageHead
        crumbs={crumbs('rules')}
        title={rule?.name ?? t('rule.create')}
        actions={
          rule !== undefined && mayAdminister()
            ? [{ id: 'rule.remove', title: t('rule.remove'), run: () => set({ ask: 'remove' }) }]
            : []
        }
      >
        {t('rule.lead')}
      </PageHead>
      <Editor id={id} version={version} draft={draft} write={write} saved={setVersion} />
      <DryRun rule={tried} eventId={view.event} choose={(event) => set({ event })} />
      <Replay rule={tried} />
      {view.ask === 'remove' && rule !== undefined && mayAdminister() && (
        <ConfirmAction
          document={RemoveNotificationRuleDocument}
          input={{ id: rule.id }}
          title={t('rule.remove.title', { name: rule.name })}
          lead={t('rule.remove.lead')}
          verb={t('rule.remove')}
          done={t('rule.removed', { name: rule.name })}
          refetch={[NotificationRulesDocument]}
          onDone={() => void navigate({ to: '/notify/rules' })}
          close={() => set({ ask: undefined })}
        />
      )}
    </>
  );
}

type EditorProps = {
  readonly id: string | undefined;
  /** Version that the draft began with, or that was saved last. */
  readonly version: number | undefined;
  readonly draft: RuleDraft;
  readonly write: (draft: RuleDraft) => void;
  readonly saved: (version: number) => void;
};

function Editor({ id, version, draft, write, saved }: EditorProps) {
  const navigate = route.useNavigate();
  const create = useAction(CreateNotificationRuleDocument);
  const update = useAction(UpdateNotificationRuleDocument);
  const choices = useLiveQuery(NotificationRuleChoicesDocument, {}, ['NotificationChannel', 'NotificationPolicy']);
  const { busy, problem } = id === undefined ? create : update;
  const set = (next: Partial<RuleDraft>) => write({ ...draft, ...next });
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const save = async () => {
    const found = draftProblems(draft);
    setWrong(found);
    if (found.length > 0) return;
    const input = ruleInput(draft);
    const answer = await (id === undefined
      ? create.run(input)
      : update.run({ id, expectedVersion: version ?? null, ...input }));
    if (answer === undefined) return;
    saved(answer.saved.version);
    toast(t('rule.saved', { name: answer.saved.name }));
    if (id === undefined)
      await navigate({ params: { id: answer.saved.id }, search: (search) => search, replace: true });
  };
  return (
    <Form problems={wrong.length > 0 ? wrong : ruleProblems(problem?.fields ?? [])} submit={save}>
      <Section title={t('rule.matchers')}>
        <div className="stack" style={{ paddingBlock: 12, gap: 8 }}>
          <p className="soft">{t('rule.matchers.lead')}</p>
          <MatcherFields rows={draft.matchers} change={(matchers) => set({ matchers })} />
        </div>
      </Section>
      <Section title={t('rule.actions')}>
        <ActionFields rows={draft.actions} change={(actions) => set({ actions })} choices={choices.data} />
      </Section>
      <Section title={t('rule.rest')}>
        <div className={styles.action}>
          <TextField
            {...field('name', 'rule.name')}
            value={draft.name}
            maxLength={100}
            onValue={(name) => set({ name })}
          />
          <TextField
            {...field('priority', 'rule.priority')}
            value={draft.priority}
            inputMode="numeric"
            onValue={(priority) => set({ priority })}
          />
        </div>
        <Checkbox label={t('rule.continues')} checked={draft.continues} onValue={(continues) => set({ continues })} />
        <Checkbox label={t('rule.isEnabled')} checked={draft.isEnabled} onValue={(isEnabled) => set({ isEnabled })} />
      </Section>
      <ActionError problem={wrong.length > 0 ? undefined : problem} />
      {mayAdminister() && (
        <p className={styles.save}>
          <Button type="submit" weight="primary" busy={busy}>
            {t(id === undefined ? 'rule.create.verb' : 'rule.save')}
          </Button>
        </p>
      )}
    </Form>
  );
}
