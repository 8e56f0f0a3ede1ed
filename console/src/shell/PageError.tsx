import type { ErrorComponentProps } from '@tanstack/react-router';
import { t } from '../lib/i18n.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { ErrorPanel } from '../ui/QueryResult.tsx';

/** Page that could not be drawn, which is a bug of the console. The navigation stays. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <>
      <ErrorPanel
        title={t('fault.page')}
        problem={{ code: 'CONSOLE_FAULT', message: t('fault.bug'), fields: [], answered: true }}
        refetch={reset}
      />
      <CodeBlock label={t('panel.detail')} text={error instanceof Error ? error.message : String(error)} />
    </>
  );
}
