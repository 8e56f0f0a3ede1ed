import {
  type CameByKitFragment,
  KitStatementEvidenceDocument,
  type KitStatementEvidenceQuery,
  type KitStatementFragment,
} from '../../generated/operations.ts';
import { shortId } from '../../lib/artifact-about.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { ArtifactState } from '../../parts/Artifacts.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Link, LinkButton } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Custody.module.css';
import { t } from './labels.ts';
import { policyRules } from './policy-rules.ts';

type Evidence = NonNullable<KitStatementEvidenceQuery['release']>['artifacts']['items'][number];
type EvidenceOf = (statement: KitStatementFragment) => Evidence | undefined;

type CameByKitProps = { readonly releaseId: string; readonly of: CameByKitFragment };

/** Kit by which a release came, with the approvals and policies of where it was built; nothing for one that was made here. */
export function CameByKit({ releaseId, of: { kit, kitStatements } }: CameByKitProps) {
  const asks = kitStatements.length > 0 ? { id: releaseId } : undefined;
  const evidence = useLiveQuery(KitStatementEvidenceDocument, asks, ['Artifact']).data?.release?.artifacts.items ?? [];
  if (kit === null && kitStatements.length === 0) return null;
  const evidenceOf: EvidenceOf = ({ id }) => evidence.find(({ serialNumber }) => serialNumber === `urn:uuid:${id}`);
  return (
    <Section title={t('cameByKit.title')} bare>
      {kit !== null && (
        <p>
          {t('cameByKit.kit', { channel: kit.channel, sequence: kit.sequence })} <Digest value={kit.digest} />
        </p>
      )}
      {kitStatements.length > 0 && <p className="small quiet">{t('cameByKit.lead')}</p>}
      <DataTable
        label={t('cameByKit.title')}
        rows={kitStatements}
        columns={columns(evidenceOf)}
        empty={t('cameByKit.none')}
        labelled
      />
      {kitStatements.some((each) => evidenceOf(each)?.verdict === 'UNVERIFIED') && (
        <div className={styles.why}>
          <p className="soft">{t('cameByKit.unverified')}</p>
          <LinkButton size="small" to="/integrations" search={hasScope('orch:admin') ? { ask: 'signer' } : {}}>
            {t('linkAdvice.signers')}
          </LinkButton>
        </div>
      )}
    </Section>
  );
}

const columns = (evidenceOf: EvidenceOf): Column<KitStatementFragment>[] => [
  { name: t('cameByKit.statement'), cell: ({ kind }) => t(`cameByKit.kind.${kind}`) },
  {
    name: t('cameByKit.environment'),
    className: 'breaks',
    cell: ({ environment }) => optional(environment, t('cameByKit.unnamed'), (name) => name),
  },
  {
    name: t('cameByKit.content'),
    className: 'breaks',
    cell: (row) => (
      <div>
        <Content of={row} />
      </div>
    ),
  },
  {
    name: t('cameByKit.evidence'),
    className: 'breaks',
    cell: (row) =>
      optional(evidenceOf(row), t('cameByKit.evidence.none'), (artifact) => (
        <Link look="name" to="/evidence/$id" params={{ id: artifact.id }}>
          <ArtifactState of={artifact} />
        </Link>
      )),
  },
];

function Content({ of: { kind, approvals, policy, policyDigest, decidedAt } }: { readonly of: KitStatementFragment }) {
  if (kind === 'APPROVAL')
    return approvals.map(({ actor, at, comment }) => (
      <div key={`${actor} ${at}`}>
        <span title={actor}>{t('cameByKit.approver', { id: shortId(actor) })}</span>, <Time at={at} as="full" />{' '}
        {comment !== null && <q>{comment}</q>}
      </div>
    ));
  return (
    <>
      {policy === null ? policyDigest !== null && <Digest value={policyDigest} /> : policyRules(policy)}
      {decidedAt !== null && (
        <div className="soft">
          <Time at={decidedAt} as="full" />
        </div>
      )}
    </>
  );
}
