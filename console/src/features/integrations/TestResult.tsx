import type { ConnectionTestFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import type { Problem } from '../../lib/problem.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type TestResultProps = {
  readonly probe: ConnectionTestFragment | null;
  readonly disabledAt: string | null;
};

export function TestResult({ probe, disabledAt }: TestResultProps) {
  if (disabledAt !== null)
    return (
      <StateLabel look="missing">
        {t('integration.disabled')} <RelativeTime at={disabledAt} as="relative" />
      </StateLabel>
    );
  if (probe === null) return <StateLabel look="unobserved">{t('probe.notRun')}</StateLabel>;
  const { ok, code, detail, at } = probe;
  return (
    <div>
      <span className="row">
        <StateLabel look={ok ? 'verified' : 'failed'}>{t(ok ? 'probe.ok' : 'probe.failed')}</StateLabel>
        <span className="quiet">
          <RelativeTime at={at} as="relative" />
        </span>
      </span>
      {!ok && (
        <span className="small soft">
          {detail} <span className="code">{code}</span>
        </span>
      )}
    </div>
  );
}

type TestButtonProps = {
  readonly id: string;
  readonly name: string;
  readonly verb: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly test: () => void;
};

export function TestButton({ id, name, verb: { busy, problem }, test }: TestButtonProps) {
  useCommands([{ id: `test.${id}`, title: t('probe.test.name', { name }), run: test }]);
  return (
    <div>
      <Button size="small" busy={busy} onClick={test} aria-label={t('probe.test.name', { name })}>
        {t('probe.test')}
      </Button>
      <ActionError problem={problem} />
    </div>
  );
}
