import type { ErrorComponentProps } from '@tanstack/react-router';
import { t } from '../lib/i18n.ts';
import { FaultPanel } from '../ui/States.tsx';
import { Verbatim } from '../ui/Verbatim.tsx';

/** A page that could not be drawn: a bug of the console, never of what it shows. The way around stays. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  return (
    <>
      <FaultPanel
        title={t('fault.page')}
        problem={{ code: 'CONSOLE_FAULT', message: t('fault.bug'), fields: [], answered: true }}
        again={reset}
      />
      <Verbatim label={t('panel.detail')} text={error instanceof Error ? error.message : String(error)} />
    </>
  );
}
