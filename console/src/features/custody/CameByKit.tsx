import type { CameByKitFragment, KitStatementFragment } from '../../generated/operations.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Kit by which a release came, with the approvals and policies of where it was built; nothing for one that was made here. */
export function CameByKit({ of: { kit, kitStatements } }: { readonly of: CameByKitFragment }) {
  if (kit === null && kitStatements.length === 0) return null;
  return (
    <Section title={t('cameByKit.title')} bare>
      {kit !== null && (
        <p>
          {t('cameByKit.kit', { channel: kit.channel, sequence: kit.sequence })} <Digest value={kit.digest} />
        </p>
      )}
      <p className="small quiet">{t('cameByKit.lead')}</p>
      <DataTable
        label={t('cameByKit.title')}
        rows={kitStatements}
        columns={columns()}
        empty={t('cameByKit.none')}
        labelled
      />
    </Section>
  );
}

const columns = (): Column<KitStatementFragment>[] => [
  { name: t('cameByKit.statement'), cell: ({ kind }) => t(`cameByKit.kind.${kind}`) },
  {
    name: t('cameByKit.environment'),
    className: 'breaks',
    cell: ({ environment }) => optional(environment, t('cameByKit.unnamed'), (name) => name),
  },
  { name: t('cameByKit.content'), className: 'breaks', cell: (row) => <Content of={row} /> },
];

function Content({ of: { kind, approvals, policy, policyDigest, decidedAt } }: { readonly of: KitStatementFragment }) {
  if (kind === 'APPROVAL')
    return approvals.map(({ actor, at, comment }) => (
      <div key={`${actor} ${at}`}>
        {actor}, <Time at={at} as="full" /> {comment !== null && <q>{comment}</q>}
      </div>
    ));
  return (
    <>
      {policy === null ? (
        policyDigest !== null && <Digest value={policyDigest} />
      ) : (
        <span className="code small">{policy}</span>
      )}
      {decidedAt !== null && (
        <div className="soft">
          <Time at={decidedAt} as="full" />
        </div>
      )}
    </>
  );
}
