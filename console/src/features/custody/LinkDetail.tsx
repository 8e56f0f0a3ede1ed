import type { CustodyChainQuery, CustodyStepFragment } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { custodyLink } from '../../lib/custody-links.ts';
import { count } from '../../lib/i18n.ts';
import { ImageScans } from '../../parts/ImageScans.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { CustodyLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { namedStatements, statementToOpen } from './custody-chain.ts';
import { LinkAdvice } from './LinkAdvice.tsx';
import { t } from './labels.ts';
import { StatementDetail } from './StatementDetail.tsx';
import { SupersededStatement } from './SupersededStatement.tsx';
import { capitalized, statementSubject } from './statement-text.ts';
import type { Verification } from './use-verification.ts';
import { Checks, VerificationErrors } from './Verification.tsx';

type Release = NonNullable<CustodyChainQuery['release']>;

type LinkDetailProps = {
  readonly release: Release;
  readonly step: CustodyStepFragment;
  readonly chosen: string | undefined;
  readonly choose: (name: string) => void;
  readonly proving: Verification;
};

/** Detail of a link: its advice, its statements and its checks. */
export function LinkDetail({ release, step, chosen: selected, choose, proving }: LinkDetailProps) {
  const { statements } = step;
  const open = statementToOpen(statements, selected);
  const name = t(`custody.${step.step}`);
  const isOtherLink = selected !== undefined && open?.name !== selected;
  const opened = open !== undefined && (
    <>
      <StatementDetail key={open.name} statement={open.statement} linkReason={step.reason} name={name} />
      {open.statement.attestation && <Checks statement={open.statement} proving={proving} />}
    </>
  );
  return (
    <div>
      <VerificationErrors step={step} proving={proving} />
      {step.state !== 'PROVEN' && <LinkAdvice release={release} step={step} />}
      {step.step === 'SCAN' && <ImageScans components={release.components} />}
      {statements.length > 1 && (
        <Section title={t('statements.title', { name })} count={count(statements.length)}>
          <Statements release={release} step={step} open={isOtherLink ? undefined : open?.name} choose={choose} />
        </Section>
      )}
      {isOtherLink ? (
        <SupersededStatement key={selected} release={release} step={step} wanted={selected}>
          {opened}
        </SupersededStatement>
      ) : (
        opened
      )}
    </div>
  );
}

type StatementsProps = {
  readonly release: Release;
  readonly step: CustodyStepFragment;
  readonly open: string | undefined;
  readonly choose: (name: string) => void;
};

/** Statements of a link, one row for each component or environment. The cursor is the selection. */
function Statements({ release, step: { step, statements }, open, choose }: StatementsProps) {
  const all = namedStatements(statements);
  const cursor = useCursor(
    all.map(({ name }) => name),
    undefined,
    { id: open, choose },
  );
  return (
    <DataTable
      label={t('statements.title', { name: t(`custody.${step}`) })}
      rows={all}
      rowId={({ name }) => name}
      cursor={cursor}
      columns={[
        {
          name: t('statements.subject'),
          cell: ({ name, statement }) => (
            <Link
              look="name"
              data-open=""
              to="/custody/$releaseId"
              params={{ releaseId: release.id }}
              search={{ link: custodyLink(step), statement: name }}
              replace
              resetScroll={false}
            >
              {statementSubject(statement)}
            </Link>
          ),
        },
        { name: t('statements.state'), cell: ({ statement }) => <CustodyLabel state={statement.state} /> },
        {
          name: t('statements.content'),
          className: 'soft breaks',
          cell: ({ statement }) => capitalized(statement.summary),
        },
        {
          name: t('statements.signed'),
          number: true,
          cell: ({ statement: { signedAt } }) => signedAt !== null && <Time at={signedAt} />,
        },
      ]}
    />
  );
}
