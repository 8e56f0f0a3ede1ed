import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  NotificationTemplatesDocument,
  NotificationTemplateVariantsDocument,
  type NotificationTemplateVariantsQuery,
  PublishNotificationTemplateDocument,
  RemoveNotificationTemplateDocument,
  SaveNotificationTemplateDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayAdminister } from '../../lib/notify-permissions.ts';
import { session } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { SelectFilter, Tabs } from '../../ui/Filters.tsx';
import { Form, Select, TextArea, TextField } from '../../ui/Form.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { toast } from '../../ui/Toast.tsx';
import { CHANNEL_TYPES } from './channel-input.ts';
import { field, labelOr, t } from './labels.ts';
import styles from './Notify.module.css';
import { crumbs, Readers } from './NotifyLayout.tsx';
import { TemplatePreview } from './TemplatePreview.tsx';
import { TemplateState } from './TemplatesPage.tsx';
import { documentOf, MODES, partsOf, type TemplateName } from './template-document.ts';

const route = getRouteApi('/notify/templates/$key');

/** Studio of the templates of a key: one for each channel and language, with its message as it would be sent. */
export const TemplatePage = () => (
  <Readers>
    <Content />
  </Readers>
);

function Content() {
  const { key } = route.useParams();
  const answer = useLiveQuery(NotificationTemplateVariantsDocument, { key }, ['NotificationTemplate']);
  return (
    <QueryResult of={answer} skeleton={<SkeletonPage />} fault={t('template.fault')}>
      {(data) => <Studio data={data} />}
    </QueryResult>
  );
}

/** Languages of the shipped templates, which can be chosen for every key. */
const LOCALES = ['en', 'de'];

/** Template of the studio: the tenant's own draft, else the shipped one that it begins with. */
function variantOf(data: NotificationTemplateVariantsQuery, { key, channelType, locale }: TemplateName) {
  const isIt = (each: { readonly key: string; readonly channelType: string; readonly locale: string }) =>
    each.key === key && each.channelType === channelType && each.locale === locale;
  const own = data.notificationTemplates.find(isIt);
  return { own, base: own?.draft ?? data.shippedNotificationTemplates.find(isIt)?.document };
}

function Studio({ data }: { readonly data: NotificationTemplateVariantsQuery }) {
  const { key } = route.useParams();
  const { view, filterBy, set } = usePageView(route.useSearch(), route.useNavigate());
  const mine = data.notificationTemplates.filter((each) => each.key === key);
  const locales = new Set([...LOCALES, ...mine.map(({ locale }) => locale)]);
  const name: TemplateName = {
    tenant: session().tenant,
    key,
    channelType: view.channel ?? mine[0]?.channelType ?? 'SLACK',
    locale: view.locale ?? mine[0]?.locale ?? 'en',
  };
  const { own, base } = variantOf(data, name);
  const { channelType, locale } = name;
  return (
    <>
      <PageHead
        crumbs={crumbs('templates')}
        title={key}
        state={
          own === undefined ? (
            <StateLabel look="signed-muted">
              {t(base === undefined ? 'template.state.none' : 'template.state.shipped')}
            </StateLabel>
          ) : (
            <TemplateState {...own} />
          )
        }
        actions={
          own !== undefined && mayAdminister()
            ? [{ id: 'template.remove', title: t('template.remove'), run: () => set({ ask: 'remove' }) }]
            : []
        }
      >
        {t('template.lead')}
      </PageHead>
      <Tabs label={t('template.variant')}>
        <SelectFilter
          label={t('channel.type')}
          value={channelType}
          options={CHANNEL_TYPES.map((value) => ({ value, label: t(`channel.type.${value}`) }))}
          choose={(next) => filterBy({ locale, channel: CHANNEL_TYPES.find((one) => one === next) })}
        />
        <SelectFilter
          label={t('template.locale')}
          value={locale}
          options={[...locales].map((value) => ({ value, label: value }))}
          choose={(next) => filterBy({ channel: channelType, locale: next })}
        />
      </Tabs>
      <Editor key={`${channelType} ${locale}`} name={name} own={own} base={base} />
      {view.ask === 'remove' && own !== undefined && mayAdminister() && (
        <ConfirmAction
          document={RemoveNotificationTemplateDocument}
          input={{ id: own.id }}
          title={t('template.remove.title', { name: own.templateId })}
          lead={t('template.remove.lead')}
          verb={t('template.remove')}
          done={t('template.removed', { name: own.templateId })}
          refetch={[NotificationTemplatesDocument, NotificationTemplateVariantsDocument]}
          close={() => set({ ask: undefined })}
        />
      )}
    </>
  );
}

/** Pause in typing after which the preview follows, in milliseconds. */
const PAUSE_MS = 300;

type EditorProps = { readonly name: TemplateName } & ReturnType<typeof variantOf>;

function Editor({ name, own, base }: EditorProps) {
  // The document that the form was opened with: a change made elsewhere does not replace what is typed.
  const [begun] = useState(base);
  const [version, setVersion] = useState(own?.version);
  const [parts, setParts] = useState(() => partsOf(base, name.channelType));
  const save = useAction(SaveNotificationTemplateDocument);
  const publish = useAction(PublishNotificationTemplateDocument);
  const document = documentOf(begun, name, parts, new Date());
  const [shown, show] = useState(document);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name is another editor.
  useEffect(() => {
    const id = setTimeout(() => show(documentOf(begun, name, parts, new Date())), PAUSE_MS);
    return () => clearTimeout(id);
  }, [parts, begun]);
  const set = (next: Partial<typeof parts>) => setParts({ ...parts, ...next });
  /** Saves the draft over the version that the editor has. */
  const write = async () => {
    const answer = await save.run({ document, ...(version !== undefined && { expectedVersion: version }) });
    const template = answer?.saveNotificationTemplate.template;
    if (template !== undefined) setVersion(template.version);
    return template;
  };
  const submit = async () => {
    if ((await write()) !== undefined) toast(t('template.saved'));
  };
  const putInForce = async () => {
    const saved = await write();
    if (saved === undefined) return;
    const answer = await publish.run({ id: saved.id, expectedVersion: saved.version });
    if (answer === undefined) return;
    setVersion(answer.publishNotificationTemplate.version);
    toast(t('template.publish.done'));
  };
  const { channelType } = name;
  const problem = save.problem ?? publish.problem;
  const modes: readonly string[] = MODES[channelType];
  return (
    <div className={styles.studio}>
      <Form problems={problem?.fields ?? []} keeps={false} submit={submit}>
        {modes.length > 1 && (
          <Select
            name="renderMode"
            label={t('template.mode')}
            value={parts.renderMode}
            options={modes.map((value) => ({ value, label: labelOr(`template.mode.${value}`, value) }))}
            onValue={(renderMode) => set({ renderMode })}
          />
        )}
        {channelType === 'EMAIL' && (
          <TextField
            {...field('subject', 'template.subject')}
            value={parts.subject}
            onValue={(subject) => set({ subject })}
          />
        )}
        <TextArea
          {...field('body', 'template.body')}
          defaultValue={parts.body}
          onValue={(body) => set({ body })}
          rows={18}
          code
        />
        <details>
          <summary>{t('template.placeholders')}</summary>
          <TextArea
            {...field('placeholders', 'template.placeholders.json')}
            defaultValue={parts.placeholders}
            onValue={(placeholders) => set({ placeholders })}
            rows={10}
            code
          />
        </details>
        <ActionError problem={problem} />
        {mayAdminister() && (
          <p className="row" style={{ flexWrap: 'wrap' }}>
            <Button type="submit" busy={save.busy}>
              {t('template.save')}
            </Button>
            <Button weight="primary" busy={publish.busy} onClick={() => void putInForce()}>
              {t(own?.publishedAt ? 'template.publish.again' : 'template.publish')}
            </Button>
          </p>
        )}
      </Form>
      <TemplatePreview document={shown} />
    </div>
  );
}
