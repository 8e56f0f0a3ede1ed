import { VerifyAirGapDocument, type VerifyAirGapQuery } from '../../generated/operations.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

type Check = VerifyAirGapQuery['verifyAirGap']['checks'][number];

/** Integrity of what a seal rests on: the policy, the anchor and the active kits are hashed again when it is asked for. */
export function Integrity() {
  const answer = useAnswer(VerifyAirGapDocument);
  const found = answer.data?.verifyAirGap;
  return (
    <Section
      title={t('integrity.title')}
      side={
        <Button size="small" busy={answer.busy} onClick={() => void answer.ask({})}>
          {t(found === undefined ? 'integrity.verify' : 'integrity.again')}
        </Button>
      }
      bare
    >
      <ActionError problem={answer.problem} />
      <div role="status">
        {found === undefined ? (
          <p className="soft">{t('integrity.lead')}</p>
        ) : (
          <StateLabel look={found.valid ? 'verified' : 'failed'} wrap>
            {t(`integrity.valid.${found.valid}`)}
          </StateLabel>
        )}
      </div>
      {found !== undefined && (
        <DataTable
          label={t('integrity.title')}
          rows={found.checks}
          rowId={({ name }) => name}
          columns={columns()}
          labelled
        />
      )}
    </Section>
  );
}

const columns = (): Column<Check>[] => [
  { name: t('integrity.check'), className: 'breaks', cell: ({ name }) => name },
  {
    name: t('integrity.result'),
    className: 'breaks',
    cell: ({ valid, message }) => (
      <StateLabel look={valid ? 'verified' : 'failed'} wrap>
        {message}
      </StateLabel>
    ),
  },
  {
    name: t('integrity.expected'),
    cell: ({ expected }) =>
      expected === null ? <span className="quiet">{t('age.none')}</span> : <Digest value={expected} />,
  },
  {
    name: t('integrity.actual'),
    cell: ({ actual, expected }) =>
      actual === null ? <span className="quiet">{t('age.none')}</span> : <Digest value={actual} against={expected} />,
  },
];
