import type { ProbeAnswerFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import type { Problem } from '../../lib/problem.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Mark } from '../../ui/Mark.tsx';
import { Distance } from '../../ui/Time.tsx';
import { t } from './words.ts';

/** What a remote party answered when it was last asked. */
export function Probe({
  probe,
  disabledAt,
}: {
  readonly probe: ProbeAnswerFragment | null;
  /** Since when it is not asked. */
  readonly disabledAt: string | null;
}) {
  if (disabledAt !== null)
    return (
      <Mark shape="missing" tone="muted">
        {t('integration.disabled')} <Distance at={disabledAt} as="relative" />
      </Mark>
    );
  if (probe === null)
    return (
      <Mark shape="unobserved" tone="unknown">
        {t('probe.never')}
      </Mark>
    );
  const { ok, code, detail, at } = probe;
  return (
    <div>
      <span className="row">
        <Mark shape={ok ? 'verified' : 'failed'} tone={ok ? 'good' : 'bad'}>
          {t(ok ? 'probe.ok' : 'probe.failed')}
        </Mark>
        <span className="quiet">
          <Distance at={at} as="relative" />
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

/** Asks a remote party now. */
export function TestButton({
  id,
  name,
  verb: { busy, problem },
  test,
}: {
  readonly id: string;
  readonly name: string;
  readonly verb: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly test: () => void;
}) {
  useCommands([{ id: `test.${id}`, group: 'act', title: t('probe.test.name', { name }), run: test }]);
  return (
    <div>
      <Button size="small" busy={busy} onClick={test} aria-label={t('probe.test.name', { name })}>
        {t('probe.test')}
      </Button>
      <Refusal problem={problem} />
    </div>
  );
}
