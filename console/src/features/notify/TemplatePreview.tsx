import { useEffect } from 'react';
import { PreviewNotificationTemplateDocument } from '../../generated/operations.ts';
import { count, listText } from '../../lib/i18n.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';
import { Message } from './Message.tsx';
import styles from './Notify.module.css';

/** Message of a document with the examples of its placeholders: what is missing, what is too long, and what is refused. */
export function TemplatePreview({ document }: { readonly document: string }) {
  const { data, problem, busy, ask } = useAnswer(PreviewNotificationTemplateDocument);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is why it is asked again.
  useEffect(() => void ask({ document }), [document]);
  const preview = data?.previewNotificationTemplate;
  return (
    <Section title={t('preview.title')} count={busy && preview === undefined ? t('loading') : undefined}>
      <div className="stack" style={{ paddingBlock: 12, gap: 8 }} aria-live="polite">
        {problem && (
          <Banner tone="bad" title={t('preview.refused')}>
            <ul>
              {problem.fields.length === 0 && <li>{problem.message}</li>}
              {problem.fields.map(({ field, message }) => (
                <li key={`${field} ${message}`}>
                  <span className="code">{field}</span> {message}
                </li>
              ))}
            </ul>
          </Banner>
        )}
        {preview && (
          <>
            {preview.missing.length > 0 && (
              <Banner tone="attention" title={t('preview.missing', { names: listText(preview.missing) })} />
            )}
            {preview.truncated && <Banner tone="attention" title={t('preview.truncated')} />}
            {preview.warnings.map(({ field, message }) => (
              <Banner key={`${field} ${message}`} tone="attention">
                <span className="code">{field}</span> {message}
              </Banner>
            ))}
            {preview.limits
              .filter(({ used }) => used > 0)
              .map(({ name, used, most }) => (
                <div key={name} className={styles.limit}>
                  <span>{name}</span>
                  <span className="soft">{t('preview.limit', { used: count(used), most: count(most) })}</span>
                  <meter aria-label={name} min={0} max={most} high={most * 0.9} value={used} />
                </div>
              ))}
            <Message message={preview} />
          </>
        )}
      </div>
    </Section>
  );
}
