import { useState } from 'react';
import { type SearchSignal, SendSearchFeedbackDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { t } from './labels.ts';
import styles from './Search.module.css';

type FeedbackProps = { readonly query: string; readonly entityKey: string; readonly title: string };

/** Asks whether a card answered the query. */
export function Feedback({ query, entityKey, title }: FeedbackProps) {
  const verb = useAction(SendSearchFeedbackDocument);
  const [sent, setSent] = useState<{ readonly query: string; readonly signal: SearchSignal }>();
  const send = async (signal: SearchSignal) => {
    if ((await verb.run({ query, entityKey, signal })) !== undefined) setSent({ query, signal });
  };
  if (verb.problem !== undefined) return <ActionError problem={verb.problem} />;
  return (
    <div className={styles.asking}>
      {sent?.query === query ? (
        <span role="status">{t(sent.signal === 'HELPFUL' ? 'search.helped' : 'search.helped.not')}</span>
      ) : (
        <>
          {t('search.help')}
          {(['HELPFUL', 'NOT_HELPFUL'] as const).map((signal) => (
            <Button
              key={signal}
              size="small"
              weight="plain"
              busy={verb.busy}
              aria-label={t(`search.feedback.${signal}.name`, { title })}
              onClick={() => void send(signal)}
            >
              {t(`search.feedback.${signal}`)}
            </Button>
          ))}
        </>
      )}
    </div>
  );
}
