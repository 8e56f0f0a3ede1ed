import type { ReactNode } from 'react';
import type {
  AttestationCheckName,
  CustodyStatementFragment,
  CustodyStepFragment,
  VerificationFragment,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { ActionError, Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { ResultIcon } from '../../ui/EntityStates.tsx';
import { Forbidden } from '../../ui/Forbidden.tsx';
import { Section } from '../../ui/Section.tsx';
import { ShapeIcon } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Custody.module.css';
import { countChecks, isUnconfigured, OPTIONAL } from './check-counts.ts';
import { namedStatements, proofRule, provableStatements } from './custody-chain.ts';
import { t } from './labels.ts';
import { statementSubject } from './statement-text.ts';
import type { Verification } from './use-verification.ts';

const TALLY = ['holds', 'fails', 'unmade', 'unset'] as const;

const CHECKS = [
  'SIGNATURE',
  'BODY',
  'INCLUSION',
  'CHECKPOINT',
  'CONSISTENCY',
  'TIMESTAMP',
  'SUBJECT',
  'PREDICATE',
] as const satisfies readonly AttestationCheckName[];

type ProveButtonProps = {
  readonly step: CustodyStepFragment;
  /** Reference of the open statement; undefined for a statement of another signer. */
  readonly open: string | undefined;
  readonly proving: Verification;
  /** Keeps the open statement: a verification may change which link is the weakest. */
  readonly stay: () => void;
};

/** Button that proves the open link; the rule where the user may not; nothing without a statement of the platform. */
export function ProveButton({ step, open, proving, stay }: ProveButtonProps) {
  const provable = provableStatements(step, open);
  const rule = proofRule(step);
  const name = t(`link.${step.step}`);
  const repeated = step.state === 'PROVEN';
  // A link with a missing part stays missing, whatever else is proven.
  const isMissing = step.state === 'MISSING';
  const title = isMissing ? t('prove.present') : t(repeated ? 'prove.again' : 'prove.verb', { name });
  const run = () => {
    stay();
    void proving.prove(provable, step.step);
  };
  useCommands(provable.length > 0 ? [{ id: 'custody.prove', keys: 'p', title, run }] : []);
  if (provable.length === 0) return rule === undefined ? null : <Forbidden permission={rule} action="prove" />;
  return (
    <Button weight={repeated || isMissing ? 'normal' : 'primary'} busy={proving.busy} onClick={run}>
      {title}
    </Button>
  );
}

type ChecksProps = { readonly statement: CustodyStatementFragment; readonly proving: Verification };

/** Eight checks of a statement: results of this visit, else the stored ones. */
export function Checks({ statement, proving }: ChecksProps) {
  const found = proving.found(statement.attestation?.ref);
  return (
    <Section title={t('checks.title')} count={<Tally statement={statement} found={found} />}>
      <ol className={styles.checks}>
        {CHECKS.map((name) => (
          <Check key={name} name={name} statement={statement} found={found} />
        ))}
      </ol>
    </Section>
  );
}

function Tally({ statement, found }: { readonly statement: CustodyStatementFragment; readonly found: Found }) {
  if (found !== undefined) {
    const counts = countChecks(found);
    const announced = TALLY.filter((name) => counts[name] > 0);
    return new Intl.ListFormat(currentLocale(), { type: 'unit' }).format(
      announced.map((name) => t(`checks.tally.${name}`, { n: counts[name] })),
    );
  }
  return statement.verifiedAt === null ? t('checks.notChecked') : t('checks.stored');
}

type Found = VerificationFragment | undefined;

type CheckProps = {
  readonly name: AttestationCheckName;
  readonly statement: CustodyStatementFragment;
  readonly found: Found;
};

function Check({ name, statement: { verifiedAt, attestation }, found }: CheckProps) {
  const check = found?.checks.find((one) => one.name === name);
  if (found !== undefined && check !== undefined)
    return (
      <Line
        icon={<ResultIcon result={check.result} />}
        name={name}
        note={t(`check.result.${isUnconfigured(check, found.verified) ? 'UNSET' : check.result}`)}
      >
        {check.detail}
      </Line>
    );
  // Stored verifications have only their time and the result of the required checks.
  if (verifiedAt !== null && !OPTIONAL.has(name))
    return <Line icon={<ResultIcon result="PASS" />} name={name} note={<Time at={verifiedAt} />} />;
  const mayProve = attestation?.viewerCanProve.allowed === true;
  const proveAction = mayProve ? t(verifiedAt === null ? 'check.prove' : 'check.prove.again') : undefined;
  return (
    <Line
      icon={<ShapeIcon look="queued" />}
      name={name}
      note={proveAction ?? t(verifiedAt === null ? 'check.notChecked' : 'check.notStored')}
    />
  );
}

type LineProps = {
  readonly icon: ReactNode;
  readonly name: AttestationCheckName;
  readonly note: ReactNode;
  readonly children?: string | null;
};

function Line({ icon, name, note, children }: LineProps) {
  return (
    <li>
      {icon}
      <span>{t(`check.${name}`)}</span>
      <span className="small quiet">{note}</span>
      {children && <p>{children}</p>}
    </li>
  );
}

type VerificationErrorsProps = { readonly step: CustodyStepFragment; readonly proving: Verification };

/** Failed verifications: the server's refusal, or the check that failed and what to do about it. */
export function VerificationErrors({ step, proving }: VerificationErrorsProps) {
  return (
    <>
      <ActionError problem={proving.problem} />
      <div role="alert">
        {namedStatements(step.statements).map(({ name, statement }) => {
          const found = proving.found(statement.attestation?.ref);
          if (found === undefined || found.verified) return null;
          return <Failed key={name} of={statementSubject(statement)} found={found} />;
        })}
      </div>
    </>
  );
}

type FailedProps = { readonly of: string; readonly found: VerificationFragment };

function Failed({ of, found: { checks, errorMessage } }: FailedProps) {
  const [first] = checks.filter(
    ({ result, name }) => result === 'FAIL' || (result === 'SKIPPED' && !OPTIONAL.has(name)),
  );
  if (first === undefined)
    return (
      <Banner tone="bad" title={t('prove.failed', { whose: of })}>
        {errorMessage}
      </Banner>
    );
  return (
    <Banner tone="bad" title={t('prove.failed.of', { whose: of, check: t(`check.${first.name}`) })}>
      <p className={styles.advice}>
        {first.detail} {t(`check.advice.${first.name}`)}
      </p>
    </Banner>
  );
}
