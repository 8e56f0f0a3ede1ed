import { useEffect, useState } from 'react';
import { PreflightDocument, type PreflightQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { type QueryState, useLiveQuery } from '../../lib/graph-hooks.ts';
import { Button } from '../../ui/Button.tsx';
import { CheckIcon } from '../../ui/EntityStates.tsx';
import { Checkbox } from '../../ui/Form.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Deploy.module.css';
import { t } from './labels.ts';
import { Step } from './Step.tsx';

export function usePreflight(ids: { readonly releaseId: string; readonly environmentId: string }) {
  const answer = useLiveQuery(PreflightDocument, ids, ['Target', 'Agent', 'Secret', 'Integration']);
  const [at, setAt] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is what the instant belongs to.
  useEffect(() => setAt(new Date().toISOString()), [answer.data]);
  return { ...answer, at };
}

type Check = PreflightQuery['preflight']['checks'][number];

/** Keys of the unknown checks that the user acknowledged. */
type Acknowledged = ReadonlySet<string>;

type Props = { readonly seen: Acknowledged; readonly see: (key: string, isSeen: boolean) => void };

type PreflightStepProps = Props & {
  readonly preflight: QueryState<PreflightQuery> & { readonly at: string | undefined };
};

/** Four checks (spec 2.10). Unknown ones are separate and do not block. */
export function PreflightStep({ preflight, ...props }: PreflightStepProps) {
  const { data, at, refetch } = preflight;
  useCommands([{ id: 'preflight', keys: 'p', title: t('preflight.again'), run: refetch }]);
  return (
    <Step
      number={1}
      title={t('preflight.title')}
      side={
        data !== undefined &&
        at !== undefined && (
          <>
            {t('preflight.checked')} <Time at={at} as="clock" />
          </>
        )
      }
    >
      <QueryResult of={preflight} skeleton={<SkeletonRows rows={4} />} fault={t('preflight.fault')}>
        {({ preflight: { checks } }) => <Checks checks={checks} {...props} />}
      </QueryResult>
      <div className={styles.foot}>
        <Button size="small" onClick={refetch}>
          {t('preflight.again')} <kbd>p</kbd>
        </Button>
      </div>
    </Step>
  );
}

function Checks({ checks, seen, see }: Props & { readonly checks: readonly Check[] }) {
  const known = checks.filter(({ status }) => status !== 'UNKNOWN');
  const unknown = checks.filter(({ status }) => status === 'UNKNOWN');
  return (
    <>
      <ul className={styles.checks}>
        {known.map((check) => (
          <CheckLine key={check.key} check={check} />
        ))}
      </ul>
      {unknown.length > 0 && (
        <>
          <h3 className={styles.apart}>{t('preflight.unknown')}</h3>
          <ul className={styles.checks}>
            {unknown.map((check) => (
              <CheckLine key={check.key} check={check} seen={seen.has(check.key)} see={see} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

type CheckLineProps = { readonly check: Check; readonly seen?: boolean; readonly see?: Props['see'] };

/** Preflight check. An unknown one shows its reason and can be acknowledged; the launch records that. */
function CheckLine({ check: { key, title, status, detail, anatomy }, seen = false, see }: CheckLineProps) {
  return (
    <li className={styles[status]}>
      <CheckIcon status={status} />
      <span>{title}</span>
      <span>{t(`check.${status}`)}</span>
      <div>
        <p>
          {detail}
          {anatomy !== null && <> {anatomy.action}</>}
        </p>
        {see !== undefined && (
          <Checkbox
            label={t('preflight.seen', { check: title })}
            checked={seen}
            onValue={(isAcknowledged) => see(key, isAcknowledged)}
          />
        )}
      </div>
    </li>
  );
}
